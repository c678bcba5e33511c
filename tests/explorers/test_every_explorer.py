"""What is asked of every explorer: the contract of its module, its weight, its mark on the page, its end."""

import gzip
import json
import re

import numpy as np
import pytest
from helpers.explorers import fallback, page_of

from companion.explorers import frontend
from companion.explorers.addresses import addresses
from companion.explorers.blocks import blocks
from companion.explorers.budget import budget
from companion.explorers.decoding import decoding
from companion.explorers.index_set import index_set
from companion.explorers.leak import leak
from companion.explorers.pattern import pattern
from companion.explorers.reach import reach
from companion.explorers.reshape import reshape
from companion.explorers.selection import selection
from companion.explorers.temperature import temperature
from companion.explorers.tiles import tiles
from companion.explorers.weighted_sum import weighted_sum

KINDS = frontend.sources()
ALPHA, VALUES = [0.25] * 4, np.eye(4)
WIDGETS = [
    weighted_sum(), temperature(), reshape(), leak(), budget([ALPHA], [VALUES], "abcd", ["even"]), decoding(),
    pattern(), index_set(), selection({"even": (ALPHA, VALUES, {"first": range(4)})}, "abcd", start=2),
    reach(), tiles(), blocks(), addresses(),
]  # fmt: skip


@pytest.fixture(scope="module", params=WIDGETS, ids=lambda widget: widget.kind)
def widget(request):
    return request.param


@pytest.fixture(scope="module")
def address(widget, tmp_path_factory):
    return page_of(widget, tmp_path_factory.mktemp("explorer"))


def whole(kind):
    return KINDS[kind]


def with_styles(kind):
    return KINDS[kind] + frontend.stylesheets()[0].read_text()


def own_file(kind):
    return (frontend.HERE / frontend.MODULES[kind][-1]).read_text()


def own_code_and_styles(kind):
    """All but what explorers share, without comments, with the patterns' part of the style sheet."""
    sheet = frontend.stylesheets()[0].read_text()
    own = KINDS[kind].removeprefix((frontend.HERE / "shared.js").read_text())
    own += re.search(r"/\* Patterns\. \*/\n(.*?)(?=\n/\* |\Z)", sheet, re.S)[1]
    return re.sub(r"^ *//.*\n", "", own, flags=re.M)


# What is weighed, and below how many bytes it stays when compressed.
WEIGHTS = {
    "explorer-weighted-sum": (with_styles, 12_000),
    "explorer-temperature": (whole, 6_000),
    "explorer-reshape": (whole, 6_000),
    "explorer-leak": (whole, 6_000),
    "explorer-budget": (whole, 6_000),
    "explorer-decoding": (whole, 6_000),
    "explorer-pattern": (own_code_and_styles, 7_000),
    "explorer-index-set": (own_file, 3_500),
    "explorer-selection": (own_file, 3_500),
    "explorer-reach": (own_file, 3_500),
    "explorer-tiles": (own_file, 3_500),
    "explorer-blocks": (own_file, 3_500),
    "explorer-addresses": (own_file, 3_500),
}


def test_every_kind_is_looked_at():
    assert sorted(widget.kind for widget in WIDGETS) == sorted(WEIGHTS) == sorted(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_module_keeps_the_contract_of_a_mount(kind):
    module = KINDS[kind]
    assert re.findall(r"^ *(?:import|export)\b.*", module, re.M) == [
        "export default { mount, render: ({ model, el }) => mount(el, model.get(\"spec\")) };"
    ]
    assert module.rstrip().endswith("};")
    assert "fetch(" not in module


@pytest.mark.parametrize("kind", WEIGHTS)
def test_module_stays_light(kind):
    part, limit = WEIGHTS[kind]
    assert len(gzip.compress(part(kind).encode())) < limit


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="explorer-weighted-sum, .*got 'explorer-none'"):
        frontend.source("explorer-none")


def test_its_stored_output_holds_the_spec_and_nothing_that_needs_a_script(widget):
    output, _ = widget._repr_mimebundle_()
    spec = re.search(r'<script type="application/json">(.*?)</script>', output["text/html"])[1]
    assert json.loads(spec) == widget.spec and output["text/plain"] == widget.alt()
    assert not re.search("<(input|button|select|script)", fallback(widget))


def test_it_bears_its_name_and_unmounting_clears_the_element(page, widget):
    name = widget.kind.removeprefix("explorer-")
    assert page.locator(f".att-explorer[data-explorer={name}]").count() == 1
    page.evaluate("document.querySelector('[data-mount]').unmount()")
    assert page.locator("[data-mount]").inner_html() == ""
