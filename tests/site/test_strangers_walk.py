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
    page = stranger
    page.goto(f"{network.address}/")
    page.wait_for_url("**/book/intro.html")
    assert page.title().startswith("Attention, Token by Token")

    open_chapter(page, CHAPTER)
    assert heading(page).startswith(CHAPTER)
    solve(page, ANSWERED)
    assert states(page, ANSWERED) == ["solved"] * 3

    page.wait_for_function(KEPT, timeout=20_000)
    network.down()
    page.reload()
    assert heading(page).startswith(CHAPTER)
    assert states(page, ANSWERED) == ["solved"] * 3
    assert page.locator("[data-mount='chapter-progress']").inner_text().strip().startswith("3 of")
    network.up()

    search(page, "renormalise")
    assert page.url == f"{network.address}/search.html?q=renormalise"
    assert CHAPTER in page.locator("#search-results").inner_text()

    open_chapter(page, "8 Patterns")
    assert widened(page) == ("sliding_window(8) | sinks(2)", "sliding_window(9) | sinks(2)")

    open_chapter(page, CHAPTER)
    text = printed(page)
    assert CHAPTER in text and "Exercise" in text
    notebook = downloaded(page, tmp_path / "notebooks")

    open_notebook(page, lab, notebook.name, len(json.loads(notebook.read_text())["cells"]))
    run_all(page)
    assert page.locator("[data-exercise='ch07-gather']").count() == 1
    replace_the_sparse_function(page, NO_SCALE)
    run_all(page)
    assert "The clinic finds: no scale. The scores are not divided by sqrt(D)." in verdict(page)


def open_chapter(page, title):
    page.locator(".bd-sidebar-primary").get_by_role("link", name=title).click()
    expect(page.locator("article h1")).to_contain_text(title)


def heading(page):
    return page.locator("article h1").inner_text()


def solve(page, names):
    for name in names:
        Card(page, name).answer(next(probe.entry for probe in find(name).probes() if probe.state == "right"))


def states(page, names):
    return [Card(page, name).state for name in names]


def search(page, words):
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    expect(page.locator("#search-results").get_by_role("link").first).to_be_visible(timeout=20_000)
    expect(page.locator(".search-summary")).not_to_be_empty(timeout=20_000)


def widened(page):
    """What the pattern explorer says in Python before and after its window grows by one."""
    explorer = page.locator("[data-explorer='pattern']")
    code = explorer.locator(".att-python code")
    before = code.inner_text()
    explorer.get_by_role("slider", name="w of sliding_window").press("ArrowRight")
    expect(code).not_to_have_text(before)
    return before, code.inner_text()


def printed(page):
    sheets = PdfReader(BytesIO(page.pdf(format="A4"))).pages
    return " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())


def downloaded(page, folder):
    """The chapter's notebook, by the page's button, into ``folder``."""
    page.get_by_role("button", name="Download this page").click()
    with page.expect_download() as download:
        page.locator(".btn-download-source-button").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def replace_the_sparse_function(page, source):
    page.evaluate(
        """source => {
          const panel = window.jupyterapp.shell.currentWidget;
          const cells = panel.content.widgets.map((cell) => cell.model.sharedModel);
          cells.find((cell) => cell.getSource().includes("def sparse_attention(")).setSource(source);
        }""",
        source,
    )


def verdict(page):
    told = page.locator(".jp-RenderedHTML", has_text="ch07-sparse: ↩ not yet")
    expect(told).to_have_count(1, timeout=20_000)
    return told.inner_text()
