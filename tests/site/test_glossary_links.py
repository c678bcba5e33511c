"""Terms link to the glossary where a chapter uses them first, and nowhere else."""

import re
import tomllib

import pytest
from helpers.pages import SITE, chapters, pages, words
from helpers.project import ROOT

REGISTRY = tomllib.loads((ROOT / "book/glossary.toml").read_text())
TERMS = REGISTRY["terms"]
LINK = re.compile(r'<a class="att-term-link[^"]*" href="\.\./book/glossary\.html#(term-[^"]+)">')
CLOSED = "h1, h2, h3, code, pre, .math, mjx-container, .cell_output, .att-mount"


# The text of a page where terms are links, cut where they are not.
PROSE = """closed => {
  const article = document.querySelector("article").cloneNode(true);
  article.querySelectorAll(closed).forEach(e => e.replaceWith("\\n"));
  article.querySelectorAll("a").forEach(a => a.replaceWith(
    a.matches(".att-term-link") ? `⟦${a.getAttribute("href").split("#")[1]} ${a.textContent}⟧` : "\\n"));
  return article.textContent;
}"""


def anchor(term):
    return f"term-{term.replace(' ', '-')}"


def linked(page):
    return LINK.findall((SITE / page).read_text())


def known(page):
    """Terms that a chapter may link, by each form of their words; everyday words only where introduced."""
    order = sorted(chapters(), key=lambda name: name.split("/")[1].removesuffix(".html").partition("_")[0])
    before = order[: order.index(page)]
    terms = [
        term
        for term, (home, _) in TERMS.items()
        if f"{home}.html" == page or f"{home}.html" in before and term not in REGISTRY["everyday"]
    ]
    plurals = {re.sub(r"([^aeiou])ys$", r"\1ies", f"{term.lower()}s"): term for term in terms}
    return plurals | {term.lower(): term for term in terms}


@pytest.mark.parametrize("page", chapters())
def test_the_first_use_of_a_term_and_no_other_links_to_its_meaning(visit, http, page):
    forms, seen, wrong = known(page), set(), []
    with visit(f"{http}/{page}") as v:
        prose = v.page.evaluate(PROSE, CLOSED).replace("’", "'")
    spelled = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    # A link is written as its anchor and words; a longer term wins over one that it holds.
    for hit in re.finditer(rf"⟦(\S+) (.*?)⟧|(?<![\w-])(?:{spelled})(?![\w-])", prose, re.I):
        term = forms.get((hit[2] or hit[0]).lower())
        first = term is not None and term not in seen
        if hit[1] != (anchor(term) if first else None):
            wrong.append((hit[0], prose[max(0, hit.start() - 40) : hit.end() + 20]))
        seen.add(term)
    assert seen and wrong == []


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


def test_everyday_words_are_terms():
    assert set(REGISTRY["everyday"]) <= set(TERMS)


@pytest.mark.parametrize("page", [page for page in pages() if not page.startswith("notebooks/")])
def test_only_chapters_link_terms(page):
    assert linked(page) == []


@pytest.mark.parametrize("term", TERMS)
def test_the_glossary_says_what_a_term_means_and_where_it_is_introduced(term):
    home, meaning = TERMS[term]
    shown = (SITE / "book/glossary.html").read_text()
    entry = re.search(rf'<dt id="{re.escape(anchor(term))}">(.*?)</dt>\s*<dd>(.*?)</dd>', shown, re.S)
    assert words(entry[1]) == term and words(entry[2]).startswith(f"{meaning} Introduced in ")
    assert f'href="../{home}.html#{anchor(term)}"' in entry[2]
    html = (SITE / f"{home}.html").read_text()
    bold = re.search(rf'id="{re.escape(anchor(term))}"[^>]*>(.*?)</strong>', html, re.S)
    assert bold and term.lower() in words(bold[1]).lower()


def test_a_link_looks_quiet_but_not_by_colour_alone(visit, http):
    with visit(f"{http}/notebooks/07_the_index_set.html") as v:
        style = v.page.locator("a.att-term-link").first.evaluate(
            "a => [getComputedStyle(a).textDecorationLine, getComputedStyle(a).textDecorationStyle,"
            " getComputedStyle(a).color === getComputedStyle(a.closest('p, li')).color]"
        )
        assert style == ["underline", "dotted", True]
