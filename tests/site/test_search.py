"""Search finds words, names in code, symbols and both spellings, and says what to try otherwise."""

import json
import re
import tomllib
from html import unescape
from urllib.parse import quote

import pytest
from helpers.axe import violations
from helpers.pages import SITE, pages
from helpers.project import ROOT
from playwright.sync_api import expect

# What is searched for, and something that the results must show.
FOUND = {
    "renormalise": "7 The index set G",
    "renormalize": "7 The index set G",
    "sliding_window": "8 Patterns",
    "query_offset": "5 From rows to matrices",
    "alpha'": "α'_{i,j} (alpha prime)",
    "α'": "α'_{i,j} (alpha prime)",
    "α": "α_{i,j} (alpha)",
    "alpha": "α_{i,j} (alpha)",
    "q_i": "q_i",
    "K_{<=i}": "K_{≤i}",
    "log-sum-exp": "log-sum-exp",
    "WINDOW": "8 Patterns",
}


def results(page, root, query):
    """The results for ``query``: title, and where it leads."""
    page.goto(f"{root}/search.html?q={quote(query)}")
    expect(page.locator(".search-summary")).not_to_be_empty(timeout=20_000)
    links = page.locator("#search-results li > a:first-child")
    return {link.inner_text(): link.get_attribute("href") for link in links.all()}


def test_the_index_holds_every_page_term_and_symbol():
    script = (SITE / "searchindex.js").read_text()
    index = json.loads(script.removeprefix("Search.setIndex(").removesuffix(")"))
    assert {f"{name}.html" for name in index["docnames"]} == set(pages())
    kinds = {name: int(number) for number, (_, name, _) in index["objnames"].items()}
    named = {"term": set(), "symbol": set()}
    for kind in named:
        for page, number, _, anchor, name in index["objects"][""]:
            if number == kinds[kind]:
                named[kind].add(f"{kind}-{name}" if anchor == "-" else anchor)
    terms = tomllib.loads((ROOT / "book/glossary.toml").read_text())["terms"]
    assert named["term"] == {f"term-{term.replace(' ', '-')}" for term in terms}
    ids = re.findall(r'id="(symbol-[^"]+)"', (SITE / "book/notation.html").read_text())
    assert named["symbol"] == set(map(unescape, ids)) and len(ids) > 80
    assert not re.search(r"\\\\|[lr]Vert", str(named["symbol"])), "TeX in the name of a symbol"


@pytest.mark.parametrize("query", FOUND)
def test_a_query_finds_what_it_names(visit, http, query):
    with visit(f"{http}/search.html") as v:
        assert FOUND[query] in results(v.page, http, query)


def test_a_result_shows_where_its_words_stand(visit, http):
    with visit(f"{http}/search.html") as v:
        results(v.page, http, "renormalise")
        result = v.page.locator("#search-results li", has_text="7 The index set G")
        excerpt = result.locator("p.context").first
        expect(excerpt).to_contain_text(re.compile("renormalis", re.I), timeout=20_000)
        assert len(excerpt.inner_text()) > 60


def test_both_spellings_find_the_same(visit, http):
    with visit(f"{http}/search.html") as v:
        british, american = (results(v.page, http, query) for query in ("neighbour", "neighbor"))
        assert british == american != {}


def test_a_symbol_leads_to_its_row(visit, http):
    with visit(f"{http}/search.html") as v:
        v.page.goto(f"{http}/{results(v.page, http, 'α')['α_{i,j} (alpha)']}")
        assert (
            "attention weight" in v.page.locator(":target").locator("xpath=ancestor-or-self::tr").inner_text()
        )


def test_a_term_leads_to_its_meaning(visit, http):
    with visit(f"{http}/search.html") as v:
        v.page.goto(f"{http}/{results(v.page, http, 'log-sum-exp')['log-sum-exp']}")
        assert v.page.locator(":target").inner_text().startswith("log-sum-exp")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_found_says_what_to_try(visit, http, theme):
    with visit(f"{http}/search.html", theme=theme) as v:
        assert results(v.page, http, "zzqqxx") == {}
        tips = v.page.locator(".att-try")
        assert "Nothing was found" in tips.inner_text()
        assert violations(v.page) == []
        tips.get_by_role("link", name="sliding_window").click()
        found = v.page.locator("#search-results").get_by_role("link", name="8 Patterns").first
        expect(found).to_be_visible(timeout=20_000)
        assert not tips.is_visible()


def test_the_keyboard_alone_searches(visit, http):
    with visit(f"{http}/notebooks/07_the_index_set.html") as v:
        v.page.keyboard.press("Control+k")
        v.page.keyboard.type("renormalise")
        v.page.keyboard.press("Enter")
        result = v.page.locator("#search-results").get_by_role("link", name="7 The index set G").first
        expect(result).to_be_visible(timeout=20_000)
        for _ in range(60):
            v.page.keyboard.press("Tab")
            if result.evaluate("link => link === document.activeElement"):
                break
        v.page.keyboard.press("Enter")
        v.page.wait_for_url("**/07_the_index_set.html*")
        assert v.page.locator("article h1").inner_text().startswith("7 The index set G")


def test_titles_are_listed_from_a_folder_without_an_error(visit, site):
    with visit(f"file://{site}/search.html") as v:
        found = results(v.page, f"file://{site}", "renormalise")
        assert "7 The index set G" in found
        assert v.errors == [] and v.outside == []
