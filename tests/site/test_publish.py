"""What only a published site has: descriptions, a preview picture, a map, a page for what is not there."""

import os
import re
import struct
import subprocess
import sys
import urllib.error
import urllib.request
from xml.etree import ElementTree

import pytest
from helpers.axe import violations
from helpers.pages import SITE, pages
from helpers.project import ROOT
from playwright.sync_api import expect

CONF = f"""
import sys
sys.path.insert(0, {str(ROOT / "book" / "_ext")!r})
project = "Attention, Token by Token"
extensions = ["booksite.publish"]
html_theme = "sphinx_book_theme"
templates_path = [{str(ROOT / "book" / "_templates")!r}]
html_static_path = [{str(ROOT / "book" / "_static")!r}]
root_doc = "intro"
"""
PAGE = """Attention
=========

*Time*: 5 minutes.

A weighted sum is the smallest thing that this book is about, and everything else is made of it.
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A small site built with variables of its own: ``published(BOOK_SITE_URL=...)``, the built folder."""
    source = tmp_path_factory.mktemp("source")
    (source / "conf.py").write_text(CONF)
    (source / "deep").mkdir()
    (source / "intro.rst").write_text(PAGE + "\n.. toctree::\n\n   one\n   deep/two\n")
    for name in ("one", "deep/two"):
        (source / f"{name}.rst").write_text(PAGE.replace("Attention\n=========", "Another\n======="))

    def build(**environment):
        out = tmp_path_factory.mktemp("site")
        command = [sys.executable, "-m", "sphinx", "-q", "-E", str(source), str(out)]
        run = subprocess.run(
            command, env={**os_environment(), **environment}, capture_output=True, text=True, check=False
        )
        return run, out

    return build


def os_environment():
    """The environment without the settings of a published book."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BOOK_")}


def metas(html):
    return dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', html))


@pytest.mark.parametrize("page", pages())
def test_a_page_says_what_it_is(page):
    said = metas((SITE / page).read_text())
    assert said["og:title"] and said["twitter:card"]
    assert said["description"] == said["og:description"]
    assert 60 < len(said["description"]) <= 202


def test_descriptions_are_of_their_pages():
    told = [metas((SITE / page).read_text())["description"] for page in pages()]
    assert len(set(told)) == len(told)


def test_the_picture_for_previews_has_its_size():
    data = (SITE / "_static" / "social-card.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert len(data) < 200_000


def test_with_an_address_there_are_canonical_links_a_map_and_a_picture(published):
    run, site = published(BOOK_SITE_URL="https://example.org/book")
    assert run.returncode == 0, run.stderr
    pages = [f"https://example.org/book/{name}.html" for name in ("deep/two", "intro", "one")]
    for page in pages:
        html = (site / page.removeprefix("https://example.org/book/")).read_text()
        assert re.findall(r'rel="canonical" href="([^"]+)"', html) == [page]
        assert metas(html)["og:url"] == page
        assert metas(html)["og:image"] == "https://example.org/book/_static/social-card.png"
    places = ElementTree.parse(site / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    assert [place.text for place in places] == pages
    assert "\nAllow: /\nSitemap: https://example.org/book/sitemap.xml\n" in (site / "robots.txt").read_text()
    for name in ("404", "search", "genindex"):
        assert "canonical" not in (site / f"{name}.html").read_text(), name
    assert '<base href="/book/">' in (site / "404.html").read_text()


def test_without_an_address_there_is_none_of_it(published):
    run, site = published(BOOK_REPOSITORY_URL="")
    assert run.returncode == 0, run.stderr
    html = (site / "one.html").read_text()
    assert "canonical" not in html and "og:image" not in metas(html) and "og:url" not in metas(html)
    assert metas(html)["description"].startswith("A weighted sum")
    assert not (site / "sitemap.xml").exists() and not (site / "robots.txt").exists()


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/Someone/the-book", "https://someone.github.io/the-book/"),
        ("https://github.com/Someone/someone.github.io", "https://someone.github.io/"),
        ("git@github.com:someone/book.git", "https://someone.github.io/book/"),
        ("https://gitlab.com/someone/book", None),
    ],
)
def test_the_address_follows_from_a_repository_on_github(published, repository, address):
    _, site = published(BOOK_REPOSITORY_URL=repository)
    found = re.search(r'rel="canonical" href="([^"]+)one.html"', (site / "one.html").read_text())
    assert (found and found[1]) == address


def test_an_address_that_is_none_is_refused(published):
    run, _ = published(BOOK_SITE_URL="example.org")
    assert run.returncode != 0 and "BOOK_SITE_URL" in run.stderr and "'example.org'" in run.stderr


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", ["nothing.html", "deep/er/nothing"])
def test_an_unknown_address_gets_a_page_that_helps(visit, http, path, theme):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{http}/{path}")
    with visit(f"{http}/{path}", theme=theme) as v:
        assert v.page.locator("article h1").inner_text() == "There is no such page"
        assert v.outside == [] and [e for e in v.errors if "404" not in e] == []
        assert len([e for e in v.errors if "404" in e]) == 1  # its own address, no part of it
        assert violations(v.page) == []
        v.page.locator("article").get_by_role("link", name="The glossary").click()
        assert v.page.locator("article h1").inner_text().startswith("Glossary")


def test_the_missing_page_searches(visit, http):
    with visit(f"{http}/deep/er/nothing") as v:
        v.page.locator("article").get_by_role("searchbox").fill("renormalise")
        v.page.keyboard.press("Enter")
        v.page.wait_for_url("**/search.html?q=renormalise")
        expect(
            v.page.locator("#search-results").get_by_role("link", name="7 The index set G").first
        ).to_be_visible()
        assert v.page.url.endswith("/search.html?q=renormalise")
