"""Chapter 13 shows the kernel that the package runs: every line of the file's, once, in order."""

import ast
import textwrap

import nbformat
import pytest
from helpers.project import ROOT

KERNELS = ROOT / "companion/backends/triton.py"
CHAPTER = ROOT / "notebooks/13_a_triton_kernel.ipynb"


def source(name, text):
    """The lines of one function of the file, its decorator first."""
    node = next(node for node in ast.parse(text).body if getattr(node, "name", None) == name)
    return text.splitlines()[node.decorator_list[0].lineno - 1 : node.end_lineno]


def shown(name):
    """The stored listings of one function, in the order of the page."""
    for cell in nbformat.read(CHAPTER, as_version=4).cells:
        if cell.cell_type == "code" and f"listing({name}" in cell.source:
            text = cell.outputs[0].data["text/markdown"]
            yield text.removeprefix("```python\n").removesuffix("\n```").splitlines()


def unmatched(lines, listings):
    """Lines that are not where they should be: of the listings, then those of ``lines`` that are left.

    A listing may leave out the indentation that all its lines share, and blank lines at its ends.
    """
    at = 0
    for listing in listings:
        while at < len(lines) and not lines[at].strip():
            at += 1
        part = textwrap.dedent("\n".join(lines[at : at + len(listing)])).splitlines()
        part += [None] * (len(listing) - len(part))
        yield from (got for got, want in zip(listing, part, strict=True) if got != want)
        at += len(listing)
    yield from (line for line in lines[at:] if line.strip())


def test_every_line_of_the_forward_kernel_stands_in_the_chapter_in_order():
    listings = list(shown("attend"))
    assert len(listings) > 5
    assert list(unmatched(source("attend", KERNELS.read_text()), listings)) == []


@pytest.mark.parametrize("name", ["pull_queries", "pull_keys"])
def test_lines_of_the_backward_kernels_are_those_of_the_file(name):
    whole = [line.strip() for line in source(name, KERNELS.read_text())]
    listings = [[line.strip() for line in listing] for listing in shown(name)]
    places = [[n for n in range(len(whole)) if whole[n : n + len(part)] == part] for part in listings]
    assert places and all(len(found) == 1 for found in places)
    assert sorted(places) == places


@pytest.mark.parametrize(
    ("old", "new"),
    [("new_peak == NONE, 0.0", "new_peak == NONE, 1.0"),
     ("    bit, byte = columns[None, :] % 8, columns[None, :] // 8 * 8\n", ""),
     ("            peak = new_peak\n", "            peak = new_peak\n            total += 0\n"),
     ("total = total * rescale + tl.sum(powers + doubt, 1)\n            weighted *= rescale[:, None]",
      "weighted *= rescale[:, None]\n            total = total * rescale + tl.sum(powers + doubt, 1)")],
)  # fmt: skip
def test_a_changed_kernel_is_noticed(old, new):
    text = KERNELS.read_text()
    assert old in text
    assert list(unmatched(source("attend", text.replace(old, new, 1)), shown("attend"))) != []
