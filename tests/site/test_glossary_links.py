"""Terms link to the glossary where a chapter uses them first, and nowhere else."""

import re
import tomllib

import pytest
from helpers.pages import SITE, chapters, pages
from helpers.project import ROOT

REGISTRY = tomllib.loads((ROOT / "book/glossary.toml").read_text())
TERMS = REGISTRY["terms"]
LINK = re.compile(r'<a class="att-term-link[^"]*" href="\.\./book/glossary\.html#(term-[^"]+)">')
CLOSED = "h1, h2, h3, code, pre, .math, mjx-container, .cell_output, .att-mount"


def anchor(term):
    return f"term-{term.replace(' ', '-')}"


def linked(page):
    return LINK.findall((SITE / page).read_text())


@pytest.mark.parametrize("page", chapters())
def test_a_term_links_at_most_once_on_a_page(page):
    found = linked(page)
    assert found and len(found) == len(set(found))
    assert set(found) <= {anchor(term) for term in TERMS}


@pytest.mark.parametrize("page", chapters())
def test_a_chapter_links_the_terms_that_it_introduces(page):
    mine = {anchor(term) for term, (home, _) in TERMS.items() if f"{home}.html" == page}
    assert mine - set(linked(page)) == set()


@pytest.mark.parametrize(
    ("page", "term", "words"),
    [
        ("notebooks/04_the_dense_assumption.html", "head", "head"),
        ("notebooks/07_the_index_set.html", "log-sum-exp", "log-sum-exp"),
        ("notebooks/08_patterns.html", "index set", "index set"),
        ("notebooks/11_tiles.html", "prefill", "prefill"),
        ("notebooks/12_block_sparse.html", "query", "querie"),
    ],
)
def test_known_terms_are_linked(page, term, words):
    html = (SITE / page).read_text()
    found = re.search(rf'<a class="att-term-link[^"]*" href="[^"]*#{anchor(term)}">([^<]+)</a>', html)
    assert found and found[1].lower() in (words, f"{words}s")


@pytest.mark.parametrize("page", chapters())
def test_no_term_links_before_it_is_introduced_or_out_of_place(page):
    order = sorted(chapters(), key=lambda name: name.split("/")[1].removesuffix(".html").partition("_")[0])
    homes = {anchor(term): f"{home}.html" for term, (home, _) in TERMS.items()}
    everyday = {anchor(term) for term in REGISTRY["everyday"]}
    for name in linked(page):
        assert order.index(homes[name]) <= order.index(page), name
        assert name not in everyday or homes[name] == page, name


@pytest.mark.parametrize("page", chapters())
def test_a_link_stands_in_prose(visit, http, page):
    with visit(f"{http}/{page}") as v:
        inside = v.page.locator("a.att-term-link").evaluate_all(
            "(all, closed) => all.filter(a => a.closest(closed) || a.parentElement.closest('a'))"
            ".map(a => a.textContent)",
            CLOSED,
        )
        assert inside == []


@pytest.mark.parametrize("page", chapters())
def test_no_link_stands_in_a_link(page):
    tags = re.findall(r"<(/?)a\b", (SITE / page).read_text())
    assert [n for n, (one, other) in enumerate(zip(tags, tags[1:], strict=False)) if one == other] == []


def test_a_link_is_the_first_use_on_its_page(visit, http):
    with visit(f"{http}/notebooks/07_the_index_set.html") as v:
        earlier = v.page.locator("a[href$='#term-softmax']").first.evaluate(
            """a => {
              const range = document.createRange();
              range.setStart(document.querySelector("article"), 0);
              range.setEndBefore(a);
              const before = range.cloneContents();
              const closed = "h1, h2, h3, code, pre, a, .att-mount, .cell_output, .math, mjx-container";
              before.querySelectorAll(closed).forEach(e => e.remove());
              return before.textContent;
            }"""
        )
        assert not re.search(r"\bsoftmax\b", earlier, re.I)


def test_everyday_words_are_terms():
    assert set(REGISTRY["everyday"]) <= set(TERMS)


@pytest.mark.parametrize("page", [page for page in pages() if not page.startswith("notebooks/")])
def test_only_chapters_link_terms(page):
    assert linked(page) == []


def test_the_glossary_leads_to_where_a_term_is_introduced():
    shown = (SITE / "book/glossary.html").read_text()
    for term, (home, _) in TERMS.items():
        assert f'href="../{home}.html#{anchor(term)}"' in shown, term
        html = (SITE / f"{home}.html").read_text()
        found = re.search(rf'id="{re.escape(anchor(term))}"[^>]*>(.*?)</strong>', html, re.S)
        assert found and term.lower() in re.sub(r"<[^>]+>", "", found[1]).replace("’", "'").lower(), term


def test_a_link_looks_quiet_but_not_by_colour_alone(visit, http):
    with visit(f"{http}/notebooks/07_the_index_set.html") as v:
        style = v.page.locator("a.att-term-link").first.evaluate(
            "a => [getComputedStyle(a).textDecorationLine, getComputedStyle(a).textDecorationStyle,"
            " getComputedStyle(a).color === getComputedStyle(a.closest('p, li')).color]"
        )
        assert style == ["underline", "dotted", True]
