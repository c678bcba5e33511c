"""Every link of the built site leads somewhere: pages, anchors, files; addresses outside are well formed."""

import re
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from helpers.pages import SITE

from companion.exercises import ids as exercises
from tools.links import external, pages, read

PAGES = pages(SITE)


@cache
def anchors(path):
    """What a link to the page can name: its ids, and the exercises, which get theirs from the script."""
    text = path.read_text()
    mounted = re.findall(r'data-mount="exercise"><script type="application/json">.*?"id":"([\w-]+)"', text)
    return read(path).ids | (set(mounted) & set(exercises()))


def missing(address, page, site=SITE):
    """Why a link within the site leads nowhere, or None."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    # The server may show the page of the wrong address at any depth: its links start at the site's root.
    start = site if page == "404.html" and parts.path.startswith("/") else (site / page).parent
    target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else site / page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return f"{page}: {address} does not exist"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in anchors(target):
        return f"{page}: {address} has no such anchor"
    return None


def malformed(address):
    """What is wrong with an address outside the site, or None."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    faults = {
        "is not https": parts.scheme != "https",
        "holds a space or a sign that is no ASCII": not re.fullmatch(r"[!-~]+", address),
        "has no public host": not re.fullmatch(r"([\w-]+\.)+[a-z]{2,}", host) or host.endswith(".local"),
        "names a user": "@" in parts.netloc,
        "ends in a sign of the sentence": bool(re.search(r"[.,;:]$", address)),
        "has brackets that do not close": address.count("(") != address.count(")"),
    }
    return next((fault for fault, found in faults.items() if found), None)


@pytest.mark.parametrize("page", PAGES)
def test_links_within_the_site_lead_somewhere(page):
    found = [missing(address, page) for address in dict.fromkeys(PAGES[page].links)]
    assert [fault for fault in found if fault] == []


@pytest.mark.parametrize("sheet", sorted(SITE.glob("_static/*.css")), ids=lambda path: path.name)
def test_what_a_style_sheet_names_is_there(sheet):
    named = re.findall(r"url\(\s*['\"]?([^'\")]+)", sheet.read_text())
    files = [name.split("?")[0].split("#")[0] for name in named if not name.startswith(("data:", "#"))]
    assert [name for name in files if not (sheet.parent / name).exists()] == []


def test_addresses_outside_are_well_formed():
    faults = [f"{address} {malformed(address)}" for address in external(SITE) if malformed(address)]
    assert faults == []


@pytest.mark.parametrize(
    "address",
    ["nowhere.html", "book/notation.html#nowhere", "#nowhere", "notebooks/01_the_weighted_sum.html#ch02-qk"],
)
def test_a_link_that_leads_nowhere_is_found(address):
    assert missing(address, "index.html")


@pytest.mark.parametrize(
    "address",
    ["http://arxiv.org/abs/1706.03762", "https://localhost:8000/x", "https://arxiv.org/abs/1706.03762.",
     "https://arxiv.org/a b", "https://me@arxiv.org/", "https://arxiv.org/(x", "https://127.0.0.1/"],
)  # fmt: skip
def test_a_malformed_address_is_found(address):
    assert malformed(address)
