"""The concept map: every concept a link, every line of the registry drawn, the reader's progress on it."""

import gzip
import re
import tomllib

import pytest
from helpers.axe import violations
from helpers.pages import SITE
from helpers.progress import kept
from helpers.project import ROOT

from companion.exercises.bank import find

MAP = "book/concept_map.html"
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


@pytest.mark.parametrize("drawing", ["wide", "narrow"])
def test_every_concept_and_every_line_is_drawn(drawing):
    svg = re.search(rf'<div class="att-map-{drawing}">(.*?)</svg>', (SITE / MAP).read_text(), re.S)[1]
    assert sorted(re.findall(r'data-concept="([^"]+)"', svg)) == sorted(CONCEPTS)
    before = set(re.findall(r'class="att-before" data-from="([^"]+)" data-to="([^"]+)"', svg))
    assert before == {(other, id) for id, c in CONCEPTS.items() for other in c["learn_before"]}
    pairs = re.findall(r'class="att-related" data-from="([^"]+)" data-to="([^"]+)"', svg)
    related = {frozenset(pair) for pair in pairs}
    wanted = {frozenset((id, other)) for id, c in CONCEPTS.items() for other in c["related"]}
    assert related == wanted - {frozenset(pair) for pair in before}


@pytest.mark.parametrize("drawing", ["wide", "narrow"])
def test_what_to_learn_before_stands_above(drawing):
    svg = re.search(rf'<div class="att-map-{drawing}">(.*?)</svg>', (SITE / MAP).read_text(), re.S)[1]
    tops = {id: int(y) for id, y in re.findall(r'data-concept="([^"]+)"[^>]*><rect x="\d+" y="(\d+)"', svg)}
    assert [(o, id) for id, c in CONCEPTS.items() for o in c["learn_before"] if tops[o] >= tops[id]] == []


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
    with visit(f"{http}/{MAP}") as v:
        v.page.locator(f'{WIDE} [data-concept="mixing"]').focus()
        assert with_role(v.page, "before") == ancestors("mixing")
        assert with_role(v.page, "after") == {id for id in CONCEPTS if "mixing" in ancestors(id)}
        related = {id for id, concept in CONCEPTS.items() if "mixing" in concept["related"]}
        related |= set(CONCEPTS["mixing"]["related"])
        assert with_role(v.page, "related") == related - ancestors("mixing") - with_role(v.page, "after")
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
        first = v.page.locator(f"{WIDE if width == 1280 else NARROW} [data-concept]").first
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


def test_every_concept_has_an_anchor_on_both_pages():
    here = (SITE / MAP).read_text()
    missing = [
        id
        for id, concept in CONCEPTS.items()
        if f'id="concept-{id}"' not in here
        or f'id="concept-{id}"' not in (SITE / f"{concept['page']}.html").read_text()
    ]
    assert missing == []


def test_the_page_is_light():
    html = (SITE / MAP).read_text()
    own = set(re.findall(r"_static/((?:attention|site|solved|concept_map)\.(?:js|css))", html))
    assert {"solved.js", "concept_map.js", "concept_map.css"} <= own
    assert sum(len(gzip.compress((SITE / "_static" / name).read_bytes())) for name in own) < 60_000
    assert len(html.encode()) < 600_000
