"""The indexes hold all that the chapters hold, and lead to it."""

import json
import re
import tomllib
from html import unescape

import pytest
from helpers.pages import SITE, chapters, heading_at, notebook_cells, words
from helpers.progress import kept
from helpers.project import ROOT

from companion.exercises.bank import find

RESULTS = tomllib.loads((ROOT / "book/results.toml").read_text())["result"]


def sources(page, kind):
    return ["".join(cell["source"]) for cell in notebook_cells(page) if cell["cell_type"] == kind]


def index(name):
    return re.search(r"<article.*?</article>", (SITE / f"book/{name}.html").read_text(), re.S)[0]


def section(name, page):
    """The HTML of what an index says of one chapter."""
    id = f"chapter-{page.split('/')[1].removesuffix('.html')}"
    return re.search(rf'<section id="{id}">(.*?)</section>', index(name), re.S)[1]


def plain_start(text):
    """The first sentence of a text in Markdown, up to its first maths, code or emphasis."""
    return re.match(r"[^$`*]*?[.?](?=\s|$)|[^$`*]*", text)[0].strip()


@pytest.mark.parametrize("page", chapters())
def test_every_figure_and_explorer_is_listed_in_order_by_what_it_shows(page):
    text = "\n".join(sources(page, "markdown"))
    captions = re.findall(r"^\*((?:Figure|Explorer) [\d.]*\d)\. (.+)", text, re.M)
    items = re.findall(r"<li>(.*?)</li>", section("figures", page), re.S)
    html = (SITE / page).read_text()
    assert captions and len(items) == len(captions)
    for item, (label, text) in zip(items, captions, strict=True):
        anchor = label.lower().replace(" ", "-")
        assert re.search(rf'href="\.\./{page}#{anchor}"[^>]*>{label}</a>', item), label
        assert re.search(rf'<p [^>]*id="{anchor}"[^>]*>\s*<em>{label}\. ', html), label
        # An explorer's caption says what to try with it; the index says what it is.
        shows = plain_start(text) if label.startswith("Figure") else ""
        assert words(item).startswith(words(f"{label}. {shows}")), label


def test_an_explorer_is_told_by_what_it_is():
    shown = words(index("figures"))
    assert "Explorer 1. The weighted sum in the plane: drag a value, a weight or the output, and see" in shown
    assert not re.search(r"Explorer \d+\. (?:None|Figure|Explorer)", shown)


def rows(html):
    """The exercise that a row leads to, those whose state it shows, and its cells in words."""
    for row in re.findall(r"<tr[^>]*>(<td>.*?)</tr>", html, re.S):
        marked = json.loads(unescape(re.search(r'data-exercises="(.*?)"', row)[1]))
        cells = [words(cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.S)]
        yield re.search(r'#([\w-]+)"', row)[1], marked, cells


WITH_EXERCISES = [page for page in chapters() if "exercise(" in "".join(sources(page, "code"))]


@pytest.mark.parametrize("page", WITH_EXERCISES)
def test_every_exercise_is_listed_with_its_facts_the_easiest_first(page):
    names = re.findall(r'^exercise\("([\w-]+)"\)', "\n".join(sources(page, "code")), re.M)
    specs = sorted(map(find, names), key=lambda spec: spec.difficulty)
    listed = [(marked, *cells[2:4]) for _, marked, cells in rows(section("exercises", page))]
    assert listed == [
        ({spec.id: spec.payload["version"]}, str(spec.difficulty), f"{spec.minutes:g}") for spec in specs
    ]
    assert [name for name, *_ in rows(section("exercises", page))] == [spec.id for spec in specs]


def test_an_exercise_is_listed_by_its_title_and_kind():
    kinds = set()
    for name, _, (title, kind, *_) in rows(index("exercises")):
        assert re.sub(r"\W", "", find(name).title) in re.sub(r"\W", "", title), name
        kinds.add((find(name).kind, kind))
    # One name for each kind, and one kind for each name.
    assert len(kinds) == len({kind for kind, _ in kinds}) == len({name for _, name in kinds}) > 5
    assert {("vector", "a vector"), ("choice", "one choice"), ("code", "code, in a notebook")} <= kinds


def test_what_is_solved_is_marked_in_words(visit, address):
    with visit(f"{address}/book/exercises.html", script=kept("ch01-output")) as v:
        marks = v.page.locator(".att-solved")
        assert marks.count() == len(re.findall('class="att-solved"', index("exercises"))) > 150
        states = marks.all_inner_texts()
        assert states.count("✓ solved") == 1 and set(states) == {"✓ solved", "open"}
        row = v.page.locator("tr", has=v.page.locator('a[href$="#ch01-output"]'))
        assert row.locator(".att-solved").inner_text() == "✓ solved"


def test_a_link_of_the_exercise_index_leads_to_the_exercise(visit, address):
    with visit(f"{address}/book/exercises.html") as v:
        v.page.locator('a[href$="#ch07-join-order"]').click()
        v.page.wait_for_url("**/notebooks/07_the_index_set.html#ch07-join-order")
        v.page.wait_for_function("document.querySelector('[data-exercise=\"ch07-join-order\"]')")
        assert v.page.locator('[data-exercise="ch07-join-order"]').evaluate(
            "e => { const box = e.getBoundingClientRect(); return box.top < innerHeight && box.bottom > 0; }"
        )


@pytest.mark.parametrize("page", chapters())
def test_a_result_links_its_place_and_names_its_tests(page):
    results = [row for row in RESULTS if f"{row['page']}.html" == page]
    items = re.findall(r"<li>(.*?)</li>", section("results", page), re.S)
    html = (SITE / page).read_text()
    for item, row in zip(items, results, strict=True):
        assert words(item).startswith(plain_start(row["result"]))
        tests = re.findall(r"<code.*?</code>", item.split("att-tests")[1])
        assert [words(test) for test in tests] == row["tests"]
        target, anchor = re.search(r'href="\.\./([^"#]+)#([^"]+)"', item).groups()
        assert target == page
        if "section" in row:
            assert heading_at(page, anchor) == words(row["section"])
        else:
            assert anchor == f"equation-{row['equation']}" and f'id="{anchor}"' in html


def test_an_equation_is_at_its_anchor(visit, address):
    with visit(f"{address}/notebooks/07_the_index_set.html#equation-7.7") as v:
        equation = v.page.locator("[id='equation-7.7']")
        top = equation.evaluate("e => e.getBoundingClientRect().top")
        assert equation.locator("mjx-labels").count() == 1 and -5 <= top < 900


def test_maths_in_an_index_is_set(visit, http):
    with visit(f"{http}/book/results.html") as v:
        assert v.page.locator("mjx-container").count() >= 20
        assert v.page.locator("mjx-merror").count() == 0
