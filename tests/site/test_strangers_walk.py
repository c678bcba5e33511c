"""A stranger's walk, in one go: over the published site, and on in JupyterLab with the chapter from it."""

import json
import threading
from io import BytesIO

import pytest
from exercises.drive import Card
from helpers.lab import jupyterlab, open_notebook, run_all
from playwright.sync_api import expect
from pypdf import PdfReader

from companion.exercises.bank import find
from tools.serve import server

CHAPTER = "7 The index set G"
ANSWERED = ("ch07-gather", "ch07-output", "ch07-mix")
KEPT = """async () => {
  const kept = await caches.open("attention-token-by-token");
  const needed = [location.href, ...performance.getEntriesByType("resource").map((entry) => entry.name)];
  const found = await Promise.all(needed.map((url) => kept.match(url)));
  return found.every(Boolean);
}"""

NO_SCALE = """import numpy as np


def sparse_attention(query, key, value, indices):
    output = np.zeros((len(query), value.shape[-1]))
    for i, row in enumerate(indices):
        G = np.unique(row[row >= 0])
        if len(G):
            powers = np.exp(key[G] @ query[i])
            output[i] = powers / powers.sum() @ value[G]
    return output
"""


class Network:
    """A server of the built site that can go away and come back at the same address."""

    def __init__(self, site):
        self.site, self.port = site, 0
        self.up()

    def up(self):
        self.running = server(self.site, ports=(self.port,))
        self.port = self.running.server_port
        threading.Thread(target=self.running.serve_forever, daemon=True).start()

    def down(self):
        self.running.shutdown()
        self.running.server_close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def network(site):
    network = Network(site)
    yield network
    network.down()


@pytest.fixture
def stranger(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab on the folder ``notebooks`` of ``tmp_path``, still empty."""
    (tmp_path / "notebooks").mkdir()
    with jupyterlab(tmp_path) as address:
        yield address


def test_a_stranger_walks_through_the_book(stranger, network, lab, tmp_path):
    land_on_the_front_page(stranger, network)
    open_chapter_7(stranger)
    solved = solve_three_exercises(stranger)
    break_the_network_and_reload(stranger, network)
    progress_is_kept(stranger, solved)
    network.up()
    search_for_renormalise(stranger, network)
    open_the_pattern_explorer(stranger)
    go_back_to_chapter_7(stranger)
    print_the_chapter(stranger)
    notebook = download_the_notebook(stranger, tmp_path / "notebooks")
    run_it_in_jupyterlab(stranger, lab, notebook)
    break_the_sparse_function(stranger)
    the_clinic_says_what_is_wrong(stranger)


def land_on_the_front_page(page, network):
    page.goto(f"{network.address}/")
    page.wait_for_url("**/book/intro.html")
    assert page.title().startswith("Attention, Token by Token")


def open_chapter_7(page):
    page.locator(".bd-sidebar-primary").get_by_role("link", name=CHAPTER).click()
    page.wait_for_url("**/07_the_index_set.html")
    assert page.locator("article h1").inner_text().startswith(CHAPTER)


def solve_three_exercises(page):
    for name in ANSWERED:
        Card(page, name).answer(next(probe.entry for probe in find(name).probes() if probe.state == "right"))
        assert Card(page, name).state == "solved"
    return ANSWERED


def break_the_network_and_reload(page, network):
    page.wait_for_function(KEPT, timeout=20_000)
    network.down()
    page.reload()
    assert page.locator("article h1").inner_text().startswith(CHAPTER)


def progress_is_kept(page, solved):
    for name in solved:
        assert Card(page, name).state == "solved"
    assert page.locator("[data-mount='chapter-progress']").inner_text().strip().startswith("3 of")


def search_for_renormalise(page, network):
    page.keyboard.press("Control+k")
    page.keyboard.type("renormalise")
    page.keyboard.press("Enter")
    found = page.locator("#search-results").get_by_role("link", name=CHAPTER).first
    expect(found).to_be_visible(timeout=20_000)
    assert page.url == f"{network.address}/search.html?q=renormalise"


def open_the_pattern_explorer(page):
    page.locator(".bd-sidebar-primary").get_by_role("link", name="8 Patterns").click()
    explorer = page.locator("[data-explorer='pattern']")
    code = explorer.locator(".att-python code")
    expect(code).to_have_text("sliding_window(8) | sinks(2)")
    explorer.get_by_role("slider", name="w of sliding_window").press("ArrowRight")
    assert code.inner_text() == "sliding_window(9) | sinks(2)"


def go_back_to_chapter_7(page):
    page.locator(".bd-sidebar-primary").get_by_role("link", name=CHAPTER).click()
    page.wait_for_url("**/07_the_index_set.html")


def print_the_chapter(page):
    sheets = PdfReader(BytesIO(page.pdf(format="A4"))).pages
    text = " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())
    assert CHAPTER in text and "Exercise" in text


def download_the_notebook(page, folder):
    page.get_by_role("button", name="Download this page").click()
    with page.expect_download() as download:
        page.locator(".btn-download-source-button").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def run_it_in_jupyterlab(page, lab, notebook):
    open_notebook(page, lab, notebook.name, len(json.loads(notebook.read_text())["cells"]))
    run_all(page)
    expect(page.locator("[data-exercise='ch07-gather']")).to_be_visible(timeout=20_000)


def break_the_sparse_function(page):
    page.evaluate(
        """source => {
          const panel = window.jupyterapp.shell.currentWidget;
          const cells = panel.content.widgets.map((cell) => cell.model.sharedModel);
          cells.find((cell) => cell.getSource().includes("def sparse_attention(")).setSource(source);
        }""",
        NO_SCALE,
    )
    run_all(page)


def the_clinic_says_what_is_wrong(page):
    verdict = page.locator(".jp-RenderedHTML", has_text="ch07-sparse: ↩ not yet")
    expect(verdict).to_have_count(1, timeout=20_000)
    assert "The clinic finds: no scale. The scores are not divided by sqrt(D)." in verdict.inner_text()
