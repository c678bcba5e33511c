"""A stranger's walk over the published site, in one go; the JupyterLab end of it is in tests/jupyter."""

import json
import threading
from io import BytesIO

import pytest
from exercises.drive import Card
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


def test_a_stranger_walks_through_the_book(stranger, network):
    land_on_the_front_page(stranger, network)
    open_chapter_7(stranger)
    solved = solve_three_exercises(stranger)
    break_the_network_and_reload(stranger, network)
    progress_is_kept(stranger, solved)
    network.up()
    search_for_renormalise(stranger, network)
    open_the_pattern_explorer(stranger)
    print_the_chapter(stranger)
    assert download_the_notebook(stranger)["cells"]


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
    explorer = page.locator("[data-explorer]").first
    expect(explorer).to_be_visible()
    explorer.scroll_into_view_if_needed()
    assert explorer.locator("select, input, button").count() > 0


def print_the_chapter(page):
    sheets = PdfReader(BytesIO(page.pdf(format="A4"))).pages
    text = " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())
    assert "8 Patterns" in text and "Exercise" in text and "live on the book's page" in text


def download_the_notebook(page):
    page.get_by_role("button", name="Download this page").click()
    with page.expect_download() as download:
        page.locator(".btn-download-source-button").click()
    return json.loads(download.value.path().read_text())
