"""Notebooks are source: executed from top to bottom, in their committed form, nothing left out of comparison.

nbval compares stored outputs with fresh ones. It passes over a cell that was never executed,
and over pictures and widgets, so these tests see to what it does not.
"""

import copy
import re
import subprocess
import sys

import nbformat
import pytest
from helpers.project import ROOT
from nbconvert import HTMLExporter

from tools import colab
from tools.notebooks import WIDGET_VIEW, normalise

PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Cells that nbval may pass over, by notebook: timings and device names differ from run to run.
IGNORED = {"11_tiles": 2, "12_block_sparse": 2, "13_a_triton_kernel": 1}
NBVAL_TAGS = {"nbval-ignore-output", "nbval-skip", "nbval-raises-exception"}


def read(path):
    return nbformat.read(path, as_version=4)


def complaints(notebook):
    """What is wrong with a notebook as a committed file."""
    if "widgets" in notebook.metadata:
        yield "widget state is stored"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        if cell.execution_count != count:
            yield f"code cell {count} has execution count {cell.execution_count}"
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
                yield f"code cell {count} stores an error: {output.ename}"
            if WIDGET_VIEW in output.get("data", {}):
                yield f"code cell {count} stores the view of a kernel that is gone"
    if normalise(copy.deepcopy(notebook)) != notebook:
        yield "not normalised: run make notebooks"


@pytest.fixture
def chapter():
    return read(PATHS[0])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_is_in_its_committed_form(path):
    nbformat.validate(read(path))
    assert list(complaints(read(path))) == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_cell_escapes_comparison_unless_it_is_counted(path):
    tagged = [cell for cell in read(path).cells if NBVAL_TAGS & set(cell.metadata.get("tags", []))]
    assert len(tagged) == IGNORED.get(path.stem, 0)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_figures_say_what_they_show(path):
    for cell in read(path).cells:
        for output in cell.get("outputs", []):
            if any(kind.startswith("image/") for kind in output.get("data", {})):
                alt = cell.metadata["mystnb"]["image"]["alt"]
                assert len(alt.split()) >= 8, f"alternative text says too little: {alt!r}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_code_fits_the_page(path):
    code = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    assert [line for source in code for line in source.splitlines() if len(line) > 88] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_printed_lines_fit_the_page(path):
    printed = [output.get("text", "") for cell in read(path).cells for output in cell.get("outputs", [])]
    assert [line for text in printed for line in text.splitlines() if len(line) > 88] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_first_code_cell_fetches_the_package_on_colab(path):
    first, same = (next(c for c in read(p).cells if c.cell_type == "code") for p in (path, PATHS[0]))
    address = re.search(r'^ADDRESS = "(.*?)"', same.source, re.M)[1]
    assert first.source == colab.cell(address) and first.metadata["tags"] == ["remove-cell"]


# What only Sphinx understands shows up as debris in JupyterLab and Colab.
DEBRIS = re.compile(r"\{[\w:-]+\}`|^:::|^```\{|^\([\w-]+\)=$|^%+ |\[\]\(#|\{#[\w-]+\}", re.M)


def debris(cells):
    """What is left of Sphinx's own syntax, in the source and in what nbconvert makes of it."""
    notebook = nbformat.v4.new_notebook(cells=[cell for cell in cells if cell.cell_type == "markdown"])
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    texts = [re.sub(r"<[^>]+>", "", html), *(cell.source for cell in notebook.cells)]
    return [hit for text in texts for hit in DEBRIS.findall(text)]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_chapter_reads_well_outside_the_site(path):
    assert debris(read(path).cells) == []


@pytest.mark.parametrize(
    "planted", ["See {ref}`here`.", "```{note}\nA note.\n```", "(label)=\n# Title", ":::{tip}\n:::"]
)
def test_planted_debris_is_found(planted):
    assert debris([nbformat.v4.new_markdown_cell(planted)]) != []


def code_cell(notebook):
    return next(cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs)


def unexecuted(notebook):
    code_cell(notebook).execution_count = None


def error(notebook):
    code_cell(notebook).outputs = [
        nbformat.v4.new_output("error", ename="ValueError", evalue="", traceback=[])
    ]


def widget_state(notebook):
    notebook.metadata["widgets"] = {"state": {}}


def widget_view(notebook):
    data = {WIDGET_VIEW: {"model_id": "0", "version_major": 2, "version_minor": 0}}
    code_cell(notebook).outputs.append(nbformat.v4.new_output("display_data", data=data))


def stray_metadata(notebook):
    notebook.cells[0].metadata["collapsed"] = True


@pytest.mark.parametrize("plant", [unexecuted, error, widget_state, widget_view, stray_metadata])
def test_a_planted_fault_is_found(chapter, plant):
    assert list(complaints(chapter)) == []
    plant(chapter)
    assert list(complaints(chapter)) != []


def nbval(notebook, folder):
    path = folder / "planted.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    command += ["--nbval", "--nbval-current-env", "--rootdir", str(folder), "-c", "/dev/null", str(path)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_nbval_fails_on_a_wrong_stored_output(chapter, tmp_path):
    # The opening of the chapter is enough: up to the first cell that prints.
    first = chapter.cells.index(code_cell(chapter))
    chapter.cells = chapter.cells[: first + 1]
    healthy = nbval(chapter, tmp_path)
    assert healthy.returncode == 0, healthy.stdout
    code_cell(chapter).outputs[0].text = code_cell(chapter).outputs[0].text.replace("0.6", "0.7")
    planted = nbval(chapter, tmp_path)
    assert planted.returncode == 1 and "1 failed" in planted.stdout, planted.stdout
