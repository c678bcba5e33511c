"""The run with other roundings tells outputs that depend on the last bits from those that do not."""

import nbformat
import pytest

from tools import rounding
from tools.notebooks import METADATA

PRINTS = "import torch\n\nx = torch.linspace(0, 1, 7).softmax(dim=0)\nprint({})"


@pytest.mark.parametrize(("shown", "status"), [("x.numpy().round(4)", 0), ("x[3].item()", 1)])
def test_an_output_may_not_show_the_last_bits(tmp_path, shown, status, capfd):
    import torch

    x = torch.linspace(0, 1, 7).softmax(dim=0)
    text = str(eval(shown, {"x": x})) + "\n"
    output = nbformat.v4.new_output("stream", name="stdout", text=text)
    cell = nbformat.v4.new_code_cell(PRINTS.format(shown), outputs=[output], execution_count=1)
    path = tmp_path / "printed.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=METADATA), path)
    assert rounding.main([str(path)]) == status
    assert ("1 failed" if status else "1 passed") in capfd.readouterr().out
