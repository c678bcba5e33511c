"""Chapters in a real JupyterLab, driven by a real browser."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from exercises.drive import Card
from exercises.keyboard import SOLVERS, press
from helpers.project import ROOT
from playwright.sync_api import expect

from tools.notebooks import METADATA

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
START_S = 60
# Every cell in the page, not only those in view: the tests count them.
DEMO = "demo.ipynb"
SETTINGS = {"@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"}}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab of its own on a copy of the chapters."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    nbformat.write(demo(), home / "notebooks" / DEMO)
    for name, settings in SETTINGS.items():
        (home / "settings" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "settings" / name).write_text(json.dumps(settings))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    command += [f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="]
    command += [f"--ServerApp.root_dir={home / 'notebooks'}", f"--LabApp.user_settings_dir={home / 'settings'}"]
    command += [f"--LabApp.workspaces_dir={home / 'workspaces'}"]
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "RUNTIME", "DATA")}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, env={**os.environ, **folders}, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + START_S
            while not answers(f"{address}/api"):
                assert process.poll() is None and time.monotonic() < deadline, (home / "log").read_text()
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def demo():
    """A notebook with one exercise of each kind."""
    setup = f"""import sys
sys.path[:0] = [{str(ROOT / "tests")!r}]
from companion.exercises.widget import ExerciseWidget
from exercises.demo_bank import EXERCISES
demo = {{spec.id: ExerciseWidget(spec) for spec in EXERCISES}}"""
    cells = [setup, *(f"demo[{name!r}]" for name in SOLVERS)]
    # Without a kernel named in it, JupyterLab would ask which one to start.
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells], metadata=METADATA)


def answers(address):
    try:
        return urllib.request.urlopen(address, timeout=2).status == 200
    except OSError:
        return False


@pytest.fixture
def open_chapter(lab, browser):
    contexts = []

    def opened(name, theme="light"):
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme=theme)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{lab}/lab/tree/{name}?reset")
        ready(page, 1 + len(SOLVERS) if name == DEMO else lab_cells(name))
        return page

    yield opened
    for context in contexts:
        context.close()


def lab_cells(name):
    return len(json.loads((ROOT / "notebooks" / name).read_text())["cells"])


def ready(page, cells):
    """Wait until every cell is in the page and the kernel answers."""
    page.wait_for_function(f"document.querySelectorAll('.jp-Notebook .jp-Cell').length === {cells}", timeout=60_000)
    settled(page, "window.jupyterapp.shell.currentWidget.context.sessionContext.ready")


def run_all(page):
    settled(page, "window.jupyterapp.commands.execute('notebook:run-all-cells')")


def settled(page, promise, seconds=120):
    """Wait for a promise of JupyterLab's, but not for ever."""
    late = f"new Promise((_, no) => setTimeout(() => no(new Error('not settled in {seconds} s')), {seconds * 1000}))"
    page.evaluate(f"Promise.race([{promise}, {late}])")


def calls(path):
    """The exercises that a notebook calls, and how many explorers."""
    source = "\n".join("".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code")
    return re.findall(r"^exercise\(\"([\w-]+)\"\)", source, re.M), len(re.findall(r"^from companion\.explorers\.", source, re.M))


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


WRONG = """import numpy as np


def sparse_attention(query, key, value, indices):
    output = np.zeros((len(query), value.shape[-1]))
    for i, row in enumerate(indices):
        G = np.unique(row[row >= 0])
        if len(G):
            powers = np.exp(key[G] @ query[i])
            output[i] = powers / powers.sum() @ value[G]
    return output
"""


def test_a_broken_sparse_function_is_told_what_is_wrong(open_chapter):
    """The end of the stranger's walk: the chapter run, its function broken, the clinic naming the cause."""
    name = next(path.name for path in CHAPTERS if path.name.startswith("07_"))
    page = open_chapter(name)
    run_all(page)
    page.evaluate(
        """source => {
          const panel = window.jupyterapp.shell.currentWidget;
          const cells = panel.content.widgets.map((cell) => cell.model.sharedModel);
          const stub = cells.find((cell) => cell.getSource().includes("def sparse_attention("));
          stub.setSource(source);
        }""",
        WRONG,
    )
    run_all(page)
    verdict = page.locator(".jp-RenderedHTML", has_text="ch07-sparse: ↩ not yet")
    expect(verdict).to_have_count(1, timeout=20_000)
    assert "The clinic finds: no scale. The scores are not divided by sqrt(D)." in verdict.inner_text()
