"""The cell that fetches the package, run as Colab would: an older PyTorch is there, and stays."""

import json
import subprocess
import sys

import nbformat
import pytest
from helpers.environments import UV, run
from nbformat.v4 import new_code_cell, new_notebook

from tools import colab, notebooks

STUBS = {"torch": "2.11.0", "triton": "3.6.0"}
# What Colab's kernel has loaded before the first cell runs.
KERNEL = """
import json, pathlib, sys, types
for name in ("google", "google.colab"):
    sys.modules[name] = types.ModuleType(name)
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in json.loads(pathlib.Path("cells.json").read_text()):
    shell.run_cell(cell).raise_error()
"""
REPORT = """
import json
from importlib.metadata import version
import companion, torch
from companion.exercises import exercise
print(json.dumps({
    "package": companion.__file__, "torch": version("torch"), "stub": torch.STUB,
    "html": "data-mount" in exercise("ch01-output")._repr_mimebundle_()[0]["text/html"],
}))
"""


@pytest.fixture
def colab_machine(tmp_path):
    """An interpreter with IPython, pip and something that says it is PyTorch; a folder to run in."""
    folder = tmp_path / "machine"
    run(*UV, "venv", "--seed", "--python", sys.executable, str(folder))
    python = folder / "bin" / "python"
    run(*UV, "pip", "install", "--python", str(python), "ipython")
    (site,) = (folder / "lib").glob("python*/site-packages")
    for name, version in STUBS.items():
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("STUB = True\n")
        info = site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n")
    return python, tmp_path


@pytest.fixture
def repository(sources):
    """The sources as a repository, at an address that pip can fetch."""
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-C", str(sources)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The book"]):
        subprocess.run([*git, *command], check=True)
    return sources.as_uri()


def run_cells(machine, *cells):
    python, folder = machine
    (folder / "cells.json").write_text(json.dumps(cells))
    return subprocess.run(
        [str(python), "-c", KERNEL], cwd=folder, capture_output=True, text=True, timeout=170, check=False
    )


def test_the_cell_installs_the_package_and_leaves_torch_alone(colab_machine, repository):
    done = run_cells(colab_machine, colab.cell(repository), REPORT)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["package"].startswith(str(colab_machine[0].parents[1]))
    assert (found["torch"], found["stub"], found["html"]) == (STUBS["torch"], True, True)


def test_without_an_address_the_cell_says_what_to_do(colab_machine):
    done = run_cells(colab_machine, colab.cell(""))
    assert done.returncode != 0 and "write it into ADDRESS" in done.stderr


def book(address=""):
    return new_notebook(cells=[new_code_cell(colab.cell(address)), new_code_cell("ADDRESS = 1")])


def test_an_empty_address_is_filled_and_another_is_kept():
    empty, filled = book(), book("https://example.org/book")
    for notebook in (empty, filled):
        colab.fill(notebook, "https://example.org/fork")
    assert empty.cells[0].source == colab.cell("https://example.org/fork")
    assert filled.cells[0].source == colab.cell("https://example.org/book")


def test_a_notebook_without_the_cell_is_an_error():
    with pytest.raises(ValueError, match="first code cell must hold ADDRESS; it is 'import numpy'"):
        colab.fill(new_notebook(cells=[new_code_cell("import numpy")]), "https://example.org/book")


def test_the_address_is_written_without_running_anything(tmp_path, monkeypatch, capsys):
    path = tmp_path / "chapter.ipynb"
    nbformat.write(notebooks.normalise(book()), path)
    monkeypatch.setenv("BOOK_REPOSITORY_URL", "git@github.com:someone/book.git")
    monkeypatch.setattr(notebooks, "execute", None)
    notebooks.main(["--address", str(path)])
    written = nbformat.read(path, as_version=4)
    assert written.cells[0].source == colab.cell("https://github.com/someone/book")
    assert written == notebooks.normalise(written)
    assert "https://github.com/someone/book" in capsys.readouterr().out


def test_no_address_is_one_line_and_a_failure(monkeypatch, capsys):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", "")
    with pytest.raises(SystemExit, match="1"):
        notebooks.main(["--address"])
    assert capsys.readouterr().err == "No address: set BOOK_REPOSITORY_URL, or a remote named origin.\n"
