"""The site's zip, opened from its folder with the network off, is the whole book."""

import zipfile

import pytest
from exercises.drive import Card
from helpers.pages import chapters
from playwright.sync_api import expect

from tools.downloads import PDF, ZIP, offered
from tools.offline import FOLDER, pack

CHAPTER = next(page for page in chapters() if "/07_" in page)


@pytest.fixture(scope="module")
def packed(site, tmp_path_factory):
    target = tmp_path_factory.mktemp("zip") / ZIP
    pack(site, target)
    return target


@pytest.fixture(scope="module")
def folder(packed, tmp_path_factory):
    """The address of the folder that the zip unpacks to."""
    home = tmp_path_factory.mktemp("offline")
    with zipfile.ZipFile(packed) as source:
        source.extractall(home)
    return (home / FOLDER).as_uri()


@pytest.fixture
def reader(browser):
    """A page without a network, and what it complains about."""
    context = browser.new_context()
    context.set_offline(True)
    page = context.new_page()
    troubles = []
    page.on("console", lambda message: message.type in ("error", "warning") and troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    yield page, troubles
    context.close()


def test_the_same_site_gives_the_same_zip(site, packed, tmp_path):
    pack(site, tmp_path / ZIP)
    assert (tmp_path / ZIP).read_bytes() == packed.read_bytes()


def test_the_zip_holds_all_of_the_site_but_the_downloads(site, packed):
    with zipfile.ZipFile(packed) as source:
        names = source.namelist()
        front = source.read(f"{FOLDER}/book/intro.html").decode()
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert sorted(names) == sorted(f"{FOLDER}/{name}" for name in files - {ZIP, PDF})
    assert f'href="../{ZIP}"' not in front and f'href="../{PDF}"' not in front


def test_a_chapter_works_from_the_folder(folder, reader):
    page, troubles = reader
    page.goto(f"{folder}/index.html")
    page.wait_for_url("**/book/intro.html")
    page.goto(f"{folder}/{CHAPTER}")
    page.evaluate("MathJax.startup.promise.then(() => true)")
    assert page.locator("mjx-container").count() > 100 and page.locator("mjx-merror").count() == 0
    assert page.locator(".att-explorer").count() > 0
    Card(page, "ch07-output").answer("0 0")
    assert Card(page, "ch07-output").state == "wrong"
    page.reload()
    assert Card(page, "ch07-output").state == "wrong"
    assert troubles == []


def test_one_reads_from_page_to_page_in_the_folder(folder, reader):
    """Front page, chapter, explorer, exercise, map, progress: by its links alone."""
    page, troubles = reader
    page.goto(f"{folder}/index.html")
    page.locator(".att-front-ways").get_by_role("link", name="1 The weighted sum").click()
    result = page.locator(".att-weighted-sum .att-result").first
    before = result.inner_text()
    page.get_by_label("Weight 0", exact=True).first.press("ArrowRight")
    expect(result).not_to_have_text(before)
    Card(page, "ch01-output").answer("3.1 1.7")
    page.goto(f"{folder}/book/concept_map.html")
    page.locator('.att-map-wide [data-concept="softmax"]').click()
    page.wait_for_url("**/notebooks/02_where_the_weights_come_from.html#concept-softmax")
    page.goto(f"{folder}/book/progress.html")
    expect(page.locator("[data-mount=progress]")).to_contain_text("1 of")
    assert page.url.startswith(folder) and troubles == []


def test_search_lists_titles_from_the_folder(folder, reader):
    page, troubles = reader
    page.goto(f"{folder}/search.html?q=renormalise")
    expect(
        page.locator("#search-results").get_by_role("link", name="7 The index set G").first
    ).to_be_visible()
    assert troubles == []


def test_the_front_page_offers_what_is_there():
    page = f'<li data-download="{PDF}" hidden><a>a</a></li><li data-download="{ZIP}" hidden><a>b</a></li>'
    shown = offered(page, {ZIP})
    assert f'<li data-download="{ZIP}"><a href="../{ZIP}" download>b' in shown
    assert f'<li data-download="{PDF}" hidden><a>a' in shown
    assert offered(shown, ()) == page
