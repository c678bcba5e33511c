"""Chapters in a real JupyterLab, driven by a real browser."""

import json
import re
import shutil

import nbformat
import pytest
from exercises.drive import Card
from exercises.keyboard import SOLVERS, press
from helpers.lab import jupyterlab, open_notebook, ready, run_all
from helpers.project import ROOT
from playwright.sync_api import expect

from tools.notebooks import METADATA

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DEMO = "demo.ipynb"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab of its own on a copy of the chapters."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    nbformat.write(demo(), home / "notebooks" / DEMO)
    with jupyterlab(home) as address:
        yield address


def demo():
    """A notebook with one exercise of each kind."""
    setup = f"""import sys
sys.path[:0] = [{str(ROOT / "tests")!r}]
from companion.exercises.widget import ExerciseWidget
from exercises.demo_bank import EXERCISES
demo = {{spec.id: ExerciseWidget(spec) for spec in EXERCISES}}"""
    cells = [setup, *(f"demo[{name!r}]" for name in SOLVERS)]
    # Without a kernel named in it, JupyterLab would ask which one to start.
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=METADATA
    )


@pytest.fixture
def open_chapter(lab, browser):
    contexts = []

    def opened(name, theme="light"):
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme=theme)
        contexts.append(context)
        page = context.new_page()
        open_notebook(page, lab, name, 1 + len(SOLVERS) if name == DEMO else lab_cells(name))
        return page

    yield opened
    for context in contexts:
        context.close()


def lab_cells(name):
    return len(json.loads((ROOT / "notebooks" / name).read_text())["cells"])


def calls(path):
    """The exercises that a notebook calls, and how many explorers."""
    cells = json.loads(path.read_text())["cells"]
    source = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    explorers = re.findall(r"^from companion\.explorers\.", source, re.M)
    return re.findall(r"^exercise\(\"([\w-]+)\"\)", source, re.M), len(explorers)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_before_and_after_a_run(open_chapter, path):
    page = open_chapter(path.name)
    exercises, explorers = calls(path)

    # Before a run: the stored prompt can be read, its maths is set, and nothing pretends to work.
    stored = page.locator(".jp-RenderedHTML", has_text="Exercise:")
    expect(stored).to_have_count(len(exercises), timeout=20_000)
    assert stored.locator("input, button, textarea").count() == 0
    if exercises:
        expect(stored.locator("mjx-container").first).to_be_visible(timeout=20_000)
    assert not re.search(r"\$[^$\n]+\$", "\n".join(stored.all_inner_texts()))

    run_all(page)
    page.wait_for_function(f"document.querySelectorAll('[data-exercise]').length >= {len(exercises)}")
    live = page.locator("[data-exercise]").evaluate_all("all => all.map(e => e.dataset.exercise)")
    assert live == exercises
    assert page.locator("[data-explorer]").count() == explorers
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']").count() == 0


def test_keys_typed_into_an_exercise_stay_there(open_chapter):
    page = open_chapter(CHAPTERS[0].name)
    run_all(page)
    box = page.locator("[data-exercise='ch01-output'] input").first
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    box.click()
    for key in ("a", "b", "d", "d", "x", "Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert box.input_value() == "abddx"
    card = page.locator("[data-exercise='ch01-output']")
    assert card.get_attribute("data-state") != "solved"
    box.fill("[3.1, 1.7]")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-exercise='ch01-output'][data-state=solved]")


def test_a_solved_exercise_is_still_solved_after_a_reload(open_chapter):
    page = open_chapter(CHAPTERS[0].name)
    run_all(page)
    card = page.locator("[data-exercise='ch01-row-zero']")
    card.locator("input").first.fill("1 2")
    card.get_by_role("button", name="Check").click()
    page.wait_for_selector("[data-exercise='ch01-row-zero'][data-state=solved]")
    page.reload()
    ready(page, lab_cells(CHAPTERS[0].name))
    run_all(page)
    page.wait_for_selector("[data-exercise='ch01-row-zero'][data-state=solved]")
    assert card.locator("input").first.input_value() == "1 2"


def test_the_keyboard_alone_solves_one_exercise_of_each_kind(open_chapter):
    page = open_chapter(DEMO)
    run_all(page)
    expect(page.locator("[data-exercise]")).to_have_count(len(SOLVERS), timeout=20_000)
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    for name, solve in SOLVERS.items():
        card = Card(page, name)
        card.root.locator("a, button, input, textarea").first.focus()
        solve(page, card)
        if card.kind != "code":
            press(page, card, "Check")
        assert card.state == "solved", name
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
