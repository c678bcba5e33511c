"""The indexes hold all that the chapters hold, and lead to it."""

import re
import tomllib
from html import unescape

import pytest
from helpers.pages import SITE, chapters, notebook_cells
from helpers.progress import kept
from helpers.project import ROOT

from companion.exercises.bank import find

RESULTS = tomllib.loads((ROOT / "book/results.toml").read_text())["result"]


def sources(page, kind):
    return ["".join(cell["source"]) for cell in notebook_cells(page) if cell["cell_type"] == kind]


def index(name):
    return re.search(r"<article.*?</article>", (SITE / f"book/{name}.html").read_text(), re.S)[0]


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


@pytest.mark.parametrize("page", chapters())
def test_every_figure_and_explorer_is_listed_and_has_its_anchor(page):
    captions = re.findall(r"^\*((?:Figure|Explorer) [\d.]*\d)\. ", "\n".join(sources(page, "markdown")), re.M)
    assert captions
    html = (SITE / page).read_text()
    for label in captions:
        anchor = label.lower().replace(" ", "-")
        assert re.search(rf'href="\.\./{page}#{anchor}"[^>]*>{label}</a>', index("figures")), label
        assert re.search(rf'<p [^>]*id="{anchor}"[^>]*>\s*<em>{label}\. ', html), label


def test_a_figure_is_told_by_its_first_sentence_and_an_explorer_by_what_it_is():
    shown = words(index("figures"))
    assert "Figure 1.1. The sum, drawn. Figure 1.2." in shown
    assert "Explorer 1. The weighted sum in the plane: drag a value, a weight or the output, and see" in shown
    assert not re.search(r"Explorer \d+\. (?:None|Figure|Explorer)", shown)


@pytest.mark.parametrize("page", chapters())
def test_every_exercise_is_listed_with_its_facts_the_easiest_first(page):
    names = re.findall(r'^exercise\("([\w-]+)"\)', "\n".join(sources(page, "code")), re.M)
    html = index("exercises")
    rows = [row for row in re.findall(r"<tr.*?</tr>", html, re.S) if f'href="../{page}#' in row]
    listed = {re.search(r'#([\w-]+)"', row)[1]: words(row) for row in rows}
    assert sorted(listed) == sorted(names)
    for name, told in listed.items():
        spec = find(name)
        assert re.fullmatch(rf".+ {spec.difficulty} {spec.minutes:g}", told), told
        assert re.sub(r"\W", "", spec.title) in re.sub(r"\W", "", told)
    levels = [find(name).difficulty for name in listed]
    assert levels == sorted(levels)


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


@pytest.mark.parametrize("row", RESULTS, ids=[row["tests"][0].split("::")[-1] for row in RESULTS])
def test_a_result_links_its_place_and_names_its_tests(row):
    page = f"{row['page']}.html"
    items = re.findall(r"<li>.*?</li>", index("results"), re.S)
    here = [item for item in items if f'href="../{page}#' in item]
    mine = [item for item in here if all(test in words(item) for test in row["tests"])]
    anchors = {unescape(re.search(r'href="\.\./[^"#]+#([^"]+)"', item)[1]) for item in mine}
    html = (SITE / page).read_text()
    assert anchors and all(f'id="{anchor}"' in html for anchor in anchors)
    assert "section" in row or f"equation-{row['equation']}" in anchors


def test_an_equation_is_at_its_anchor(visit, address):
    with visit(f"{address}/notebooks/07_the_index_set.html#equation-7.7") as v:
        equation = v.page.locator("[id='equation-7.7']")
        top = equation.evaluate("e => e.getBoundingClientRect().top")
        assert equation.locator("mjx-labels").count() == 1 and -5 <= top < 900


def test_maths_in_an_index_is_set(visit, http):
    with visit(f"{http}/book/results.html") as v:
        assert v.page.locator("mjx-container").count() >= 20
        assert v.page.locator("mjx-merror").count() == 0
