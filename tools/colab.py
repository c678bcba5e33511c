"""The cell that fetches the package on Colab, the same in every notebook, and the address that it holds."""

import importlib.util
import re
from pathlib import Path

from nbformat import NotebookNode

__all__ = ["cell", "fill", "repository"]

ROOT = Path(__file__).resolve().parent.parent
_CELL = """\
# On Colab this cell fetches the book's package. Elsewhere it does nothing.
import sys

ADDRESS = "{address}"  # the book's repository; `make notebooks` writes it here where it is known
if "google.colab" in sys.modules:
    assert ADDRESS, "This copy does not know its repository: write it into ADDRESS."
    %pip install --quiet "attention-token-by-token[torch] @ git+{{ADDRESS}}\""""
_ADDRESS = re.compile(r'^ADDRESS = "(.*?)"', re.M)


def cell(address: str) -> str:
    """The cell's source, with the repository's address or "" in it."""
    return _CELL.format(address=address)


def fill(notebook: NotebookNode, address: str) -> None:
    """Write ``address`` into the notebook's first code cell, unless one stands there already.

    A fork has another ``origin``; its notebooks go on fetching the book's own package.
    """
    first = next(part for part in notebook.cells if part.cell_type == "code")
    written = _ADDRESS.search(first.source)
    if written is None:
        raise ValueError(f"the first code cell must hold ADDRESS; it is {first.source[:60]!r}")
    first.source = cell(written[1] or address)


def repository() -> str:
    """The address that the site's buttons lead to, or "" where none is known."""
    path = ROOT / "book" / "_ext" / "booksite" / "launch.py"
    spec = importlib.util.spec_from_file_location("booksite_launch", path)
    launch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launch)
    return launch.address(ROOT) or ""
