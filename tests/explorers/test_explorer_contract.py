"""What the weighted-sum explorer hands over: spec, bundle, fallback and front-end module."""

import gzip
import json
import re

import numpy as np
import pytest

from companion.explorers import frontend
from companion.explorers.weighted_sum import weighted_sum as explorer

KIND = "explorer-weighted-sum"


def test_bundle_reads_without_scripts():
    widget = explorer()
    bundle, _ = widget._repr_mimebundle_()
    assert bundle["text/plain"] == widget.alt()
    assert "[3.10, 1.70]" in widget.alt()
    fallback = bundle["text/html"].split('class="att-fallback">')[1]
    assert "o = 0.10 v_0 + 0.60 v_1 + 0.30 v_2 = [3.10, 1.70]" in fallback
    for alive in ("<input", "<button", "<script"):
        assert alive not in fallback
    spec = re.search(r'<script type="application/json">(.*?)</script>', bundle["text/html"])[1]
    assert json.loads(spec) == widget.spec


def test_module_keeps_the_contract_of_a_mount():
    module = frontend.source(KIND)
    assert re.findall(r"^ *(?:import|export)\b.*", module, re.M) == [
        "export default { mount, render: ({ model, el }) => mount(el, model.get(\"spec\")) };"
    ]
    assert module.rstrip().endswith("};")
    assert "fetch(" not in module
    weight = len(gzip.compress((module + frontend.stylesheets()[0].read_text()).encode()))
    assert weight < 12_000
    with pytest.raises(ValueError, match="explorer-weighted-sum, .*got 'explorer-none'"):
        frontend.source("explorer-none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [[1, 2], [3, 4]]}, r"n at least 3, got shape \(2, 2\)"),
        ({"values": [[1, 2, 3]] * 3}, r"values must be \(n, 2\).*\(3, 3\)"),
        ({"alpha": [0.5, 0.5]}, r"alpha must be \(3,\).*\(2,\)"),
        ({"alpha": [0.5, 0.5, 0.5]}, r"add up to 1, got \[0.5, 0.5, 0.5\]"),
        ({"alpha": [1.5, -0.5, 0]}, r"from 0 up.*-0.5"),
        ({"extra": [1, 2, 3]}, r"extra must be a point"),
        ({"extra": [np.nan, 0]}, "must be finite.*nan"),
    ],
)
def test_a_spec_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        explorer(**arguments)
