"""The concept map: every concept a link, every line of the registry drawn, the reader's progress on it."""

import gzip
import json
import re
import tomllib

import pytest
from bs4 import BeautifulSoup
from helpers.axe import violations
from helpers.pages import SITE, heading_at, notebook_cells, words
from helpers.progress import kept
from helpers.project import ROOT

from companion.exercises.bank import find

MAP = "book/concept_map.html"
SOUP = BeautifulSoup((SITE / MAP).read_text(), "html.parser")
CONCEPTS = {c["id"]: c for c in tomllib.loads((ROOT / "book/concepts.toml").read_text())["concept"]}
BROKEN = "for (const key of Object.keys(localStorage)) localStorage.setItem(key, '{broken');"
THROWING = """Object.defineProperty(window, "localStorage", {get() { throw new DOMException("denied"); }});"""
WIDE, NARROW = ".att-map-wide .att-map", ".att-map-narrow .att-map"


def ancestors(id):
    direct = CONCEPTS[id]["learn_before"]
    return set(direct).union(*map(ancestors, direct))


def with_role(page, role, tag="a"):
    nodes = page.locator(f'{WIDE} {tag}[data-role="{role}"]')
    return set(nodes.evaluate_all("all => all.map(e => e.dataset.concept)"))


def picture(drawing):
    return SOUP.select_one(f".att-map-{drawing} svg")


def boxes(svg):
    """Concept to left, top, right, bottom."""
    found = {node["data-concept"]: node.rect for node in svg.select("a[data-concept]")}
    sides = {id: [int(rect[side]) for side in ("x", "y", "width", "height")] for id, rect in found.items()}
    return {id: (x, y, x + wide, y + high) for id, (x, y, wide, high) in sides.items()}


def lines(page, role):
    """The ends of the lines that are lit so."""
    lit = page.locator(f'{WIDE} path[data-role="{role}"]')
    return set(map(tuple, lit.evaluate_all("all => all.map(e => [e.dataset.from, e.dataset.to])")))


@pytest.mark.parametrize("drawing", ["wide", "narrow"])
def test_every_concept_is_a_link_that_bears_its_title(drawing):
    told = {
        node["data-concept"]: (words(str(node.find("text"))), node["href"])
        for node in picture(drawing).select("a[data-concept]")
    }
    assert told == {id: (c["title"], f"../{c['page']}.html#concept-{id}") for id, c in CONCEPTS.items()}


@pytest.mark.parametrize("drawing", ["wide", "narrow"])
def test_every_line_of_the_registry_is_drawn_once(drawing):
    svg = picture(drawing)
    before, related = (
        [(line["data-from"], line["data-to"]) for line in svg.select(f"path.att-{kind}")]
        for kind in ("before", "related")
    )
    assert sorted(before) == sorted((other, id) for id, c in CONCEPTS.items() for other in c["learn_before"])
    wanted = {frozenset((id, other)) for id, c in CONCEPTS.items() for other in c["related"]}
    wanted -= {frozenset(pair) for pair in before}
    assert len(related) == len(wanted) and {frozenset(pair) for pair in related} == wanted


@pytest.mark.parametrize("drawing", ["wide", "narrow"])
def test_a_line_goes_from_the_foot_of_the_upper_concept_to_the_head_of_the_lower(drawing):
    svg = picture(drawing)
    at, loose = boxes(svg), []
    for line in svg.select("path[data-from]"):
        upper, lower = at[line["data-from"]], at[line["data-to"]]
        if "att-related" in line["class"]:
            upper, lower = sorted((upper, lower), key=lambda box: box[1])
        x, foot, *_, end, head = map(int, re.findall(r"-?\d+", line["d"]))
        # Related concepts may stand side by side: the line hangs below them.
        meets = (foot, head) == (upper[3], lower[3] if lower[1] == upper[1] else lower[1])
        if not (meets and upper[0] < x < upper[2] and lower[0] < end < lower[2]):
            loose.append((line["data-from"], line["data-to"]))
    assert loose == []


@pytest.mark.parametrize(("width", "drawing"), [(1280, WIDE), (390, NARROW)])
def test_titles_stand_inside_their_boxes_and_boxes_apart(visit, http, width, drawing):
    with visit(f"{http}/{MAP}", viewport={"width": width, "height": 900}) as v:
        boxes = v.page.locator(f"{drawing} a[data-concept]").evaluate_all(
            """all => all.map(a => [...[a.querySelector("rect"), a.querySelector("text")].map(e => {
              const r = e.getBoundingClientRect();
              return [r.left, r.top, r.right, r.bottom];
            }), a.dataset.concept])"""
        )
        assert len(boxes) == len(CONCEPTS)
        outside = [
            id for b, t, id in boxes if t[0] < b[0] or t[1] < b[1] - 1 or t[2] > b[2] or t[3] > b[3] + 1
        ]
        assert outside == []
        apart = [
            (one, other)
            for n, (a, _, one) in enumerate(boxes)
            for b, _, other in boxes[:n]
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        ]
        assert apart == []


def test_focus_lights_all_that_comes_before_and_all_that_follows(visit, http):
    before, after = ancestors("mixing"), {id for id in CONCEPTS if "mixing" in ancestors(id)}
    related = {id for id, concept in CONCEPTS.items() if "mixing" in concept["related"]}
    related |= set(CONCEPTS["mixing"]["related"])
    with visit(f"{http}/{MAP}") as v:
        v.page.locator(f'{WIDE} [data-concept="mixing"]').focus()
        assert with_role(v.page, "before") == before
        assert with_role(v.page, "after") == after
        assert with_role(v.page, "related") == related - before - after
        for role, lit in (("before", before), ("after", after)):
            ends = lit | {"mixing"}
            wanted = {(o, id) for id in ends for o in CONCEPTS[id]["learn_before"] if o in ends}
            assert lines(v.page, role) == wanted
        assert lines(v.page, "related") and all("mixing" in ends for ends in lines(v.page, "related"))
        v.page.locator(f'{WIDE} [data-concept="mixing"]').blur()
        assert v.page.locator(f"{WIDE} [data-role]").count() == 0


def test_pointing_lights_too_and_roles_differ_without_colour(visit, http):
    with visit(f"{http}/{MAP}") as v:
        v.page.locator(f'{WIDE} [data-concept="softmax"]').hover()
        dashes = v.page.evaluate(
            """where => ["self", "before", "after", "related"].map(role => {
              const box = document.querySelector(`${where} a[data-role="${role}"] > rect`);
              const style = getComputedStyle(box);
              return `${style.strokeWidth} ${style.strokeDasharray}`;
            })""",
            WIDE,
        )
        assert len(set(dashes)) == 4, dashes


@pytest.mark.parametrize("width", [1280, 390])
def test_tab_goes_from_concept_to_concept_and_enter_opens_the_section(visit, http, width):
    with visit(f"{http}/{MAP}", viewport={"width": width, "height": 900}) as v:
        nodes = v.page.locator(f"{WIDE if width == 1280 else NARROW} [data-concept]")
        assert nodes.evaluate_all("all => all.every(e => e.tabIndex === 0)")
        first = nodes.first
        first.focus()
        v.page.keyboard.press("Tab")
        concept = v.page.evaluate("document.activeElement.dataset.concept")
        assert concept and concept != first.get_attribute("data-concept")
        stroke = v.page.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth")
        assert stroke == "3px"
        v.page.keyboard.press("Enter")
        v.page.wait_for_url(f"**/{CONCEPTS[concept]['page']}.html#concept-{concept}")
        heading = v.page.evaluate(
            """document.getElementById(location.hash.slice(1)).closest("section").querySelector("h1, h2, h3")
               .firstChild.textContent"""
        )
        assert heading.strip() == CONCEPTS[concept]["section"]


def test_progress_is_told_by_bar_number_and_words(visit, http):
    solved = ["ch01-same-output", "ch01-removal"]
    with visit(f"{http}/{MAP}", script=kept(*solved)) as v:
        told = {
            id: v.page.locator(f'{WIDE} [data-concept="{id}"]').evaluate(
                """e => {
                  const width = part => e.querySelector(part).getBoundingClientRect().width;
                  const share = Math.round(100 * width(".att-share") / width("rect"));
                  const mark = e.querySelector(".att-mark").textContent;
                  return [e.dataset.solved, mark, e.getAttribute("aria-description"), share];
                }"""
            )
            for id in ("same-output", "influence", "sentence-outputs")
        }
        assert told["same-output"][:3] == ["all", "✓", "1 of 1 exercise solved"]
        assert told["same-output"][3] >= 95
        assert told["influence"][:3] == ["some", "1/3", "1 of 3 exercises solved"]
        assert 30 <= told["influence"][3] <= 36
        assert told["sentence-outputs"][0] == "none" and told["sentence-outputs"][3] == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_map_with_progress_and_light_is_accessible(visit, http, theme, width):
    script = kept("ch01-same-output", "ch01-removal")
    with visit(f"{http}/{MAP}", viewport={"width": width, "height": 900}, theme=theme, script=script) as v:
        v.page.locator(f'{WIDE if width == 1280 else NARROW} [data-concept="softmax"]').focus()
        assert violations(v.page) == []


def test_an_answer_to_an_older_version_does_not_count(visit, http):
    script = kept("ch01-same-output").replace(find("ch01-same-output").payload["version"], "older")
    with visit(f"{http}/{MAP}", script=script) as v:
        assert v.page.locator(f'{WIDE} [data-concept="same-output"]').get_attribute("data-solved") == "some"


def test_another_tab_changes_the_map(visit, http):
    with visit(f"{http}/{MAP}") as v:
        node = v.page.locator(f'{WIDE} [data-concept="same-output"]')
        assert node.get_attribute("data-solved") == "none"
        other = v.page.context.new_page()
        other.goto(f"{http}/book/notation.html")
        other.evaluate(kept("ch01-same-output"))
        v.page.wait_for_selector(f'{WIDE} [data-concept="same-output"][data-solved="all"]')
        assert node.get_attribute("aria-description") == "1 of 1 exercise solved"


@pytest.mark.parametrize("storage", [BROKEN, THROWING], ids=["broken", "throwing"])
def test_storage_that_fails_leaves_the_map_whole(visit, http, storage):
    with visit(f"{http}/{MAP}", script=kept("ch01-same-output") + storage) as v:
        marked = v.page.locator(f"{WIDE} [data-exercises]")
        states = marked.evaluate_all("all => all.map(e => e.dataset.solved)")
        assert set(states) == {"none"}
        v.page.locator(f'{WIDE} [data-concept="mixing"]').focus()
        assert with_role(v.page, "before") == ancestors("mixing")


def test_without_scripts_every_concept_is_still_a_link(browser, http):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{http}/{MAP}")
    page.locator(f'{WIDE} [data-concept="mixing"]').click()
    address = page.url
    context.close()
    assert address.endswith("/notebooks/07_the_index_set.html#concept-mixing")


@pytest.mark.parametrize(("width", "shown"), [(1280, WIDE), (390, NARROW)])
def test_one_drawing_shows_at_each_width(visit, http, width, shown):
    with visit(f"{http}/{MAP}", viewport={"width": width, "height": 900}) as v:
        assert v.page.locator(".att-map:visible").count() == 1
        assert v.page.locator(shown).is_visible()
        size = v.page.locator(f"{shown} [data-concept] text").first.evaluate(
            "e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a"
        )
        assert size >= 10.5


def exercises_under(page, section):
    """The exercises of a chapter below a heading and its subheadings."""
    found, depth = [], 0
    for cell in notebook_cells(page):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for marks, title in re.findall(r"^(#+) (.+)$", source, re.M):
                depth = len(marks) if title == section else depth * (len(marks) > depth)
        elif depth:
            found += re.findall(r'^exercise\("([\w-]+)"\)', source, re.M)
    return found


@pytest.mark.parametrize(("id", "concept"), CONCEPTS.items(), ids=CONCEPTS)
def test_a_concept_has_its_section_its_exercises_and_its_words(id, concept):
    page = f"{concept['page']}.html"
    assert heading_at(page, f"concept-{id}") == words(concept["section"])
    marked = SOUP.select_one(f'a[data-concept="{id}"]').get("data-exercises", "{}")
    assert sorted(json.loads(marked)) == sorted(exercises_under(page, concept["section"]))
    in_words = SOUP.select_one(f"li#concept-{id}")
    told = {"Learn before": concept["learn_before"], "Related": concept["related"]}
    titles = {label: ", ".join(CONCEPTS[o]["title"] for o in others) for label, others in told.items()}
    lines_told = [concept["title"], *(f"{label}: {some}" for label, some in titles.items() if some)]
    assert [words(str(line)) for line in in_words.select("p")] == list(map(words, lines_told))
    links = [link["href"] for link in in_words.select("p ~ p a")]
    assert links == [f"#concept-{other}" for others in told.values() for other in others]


def test_the_page_is_light():
    html = (SITE / MAP).read_text()
    own = set(re.findall(r"_static/((?:attention|site|solved|concept_map)\.(?:js|css))", html))
    assert {"solved.js", "concept_map.js", "concept_map.css"} <= own
    assert sum(len(gzip.compress((SITE / "_static" / name).read_bytes())) for name in own) < 60_000
    assert len(html.encode()) < 600_000
