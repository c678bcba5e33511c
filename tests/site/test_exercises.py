"""Every exercise of the book, on its page of the built site, answered in every way that it knows.

The cases come from the specs: a new exercise is covered without a new test.
"""

import re

import pytest
from exercises.drive import Card, check_probes, words
from helpers.pages import SITE, chapters

from companion.exercises.bank import find

ON_PAGE = [
    (page, name)
    for page in chapters()
    for name in re.findall(r'"id":"(ch\d\d-[\w-]+)"', (SITE / page).read_text().split("chapter-progress")[-1])
]
WITH_EXERCISES = sorted({page for page, _ in ON_PAGE})
EXERCISES = [pytest.param(page, name, id=name) for page, name in dict.fromkeys(ON_PAGE)]


@pytest.fixture(scope="module")
def pages_open(browser, http):
    """Each chapter opened once; tests that need empty storage open their own."""
    opened = {}

    def page(name):
        if name not in opened:
            opened[name] = browser.new_page()
            opened[name].goto(f"{http}/{name}")
        return opened[name]

    yield page
    for one in opened.values():
        one.close()


def right(spec):
    """An entry that solves the exercise; a code exercise is ticked off by the reader."""
    return True if spec.kind == "code" else next(p.entry for p in spec.probes() if p.state == "right")


@pytest.mark.parametrize("page", chapters())
def test_every_mount_is_live(visit, address, page):
    with visit(f"{address}/{page}") as v:
        mounted = (SITE / page).read_text().count('data-mount="exercise"')
        assert v.page.locator("[data-exercise]").count() == mounted
        assert v.page.locator(".att-mount:not(:has(.att-stage))").count() == 0


@pytest.mark.parametrize(("page", "name"), EXERCISES)
def test_each_answer_gets_its_own_verdict(pages_open, page, name):
    spec = find(name)
    check_probes(pages_open(page), spec)
    rules = [probe for probe in spec.probes() if probe.name.startswith("rule") and probe.state == "wrong"]
    messages = [words(probe.message) for probe in rules]
    assert len(set(messages)) == len(messages), "two mistakes share a message"
    card = Card(pages_open(page), name)
    card.press("Reset")
    assert card.state == "unanswered"


@pytest.mark.parametrize(("page", "name"), EXERCISES)
def test_hints_come_one_at_a_time(pages_open, page, name):
    card = Card(pages_open(page), name)
    card.press("Reset")
    for count in range(len(find(name).hints)):
        assert card.root.locator(".att-hints li").count() == count
        card.press("Hint")
    assert card.root.locator(".att-hints li").count() == len(find(name).hints)


@pytest.mark.parametrize("page", WITH_EXERCISES)
def test_a_reload_restores_progress(visit, http, page):
    names = [name for where, name in dict.fromkeys(ON_PAGE) if where == page]
    with visit(f"{http}/{page}") as v:
        for name in names:
            Card(v.page, name).answer(right(find(name)))
        v.page.reload()
        assert {name: Card(v.page, name).state for name in names} == dict.fromkeys(names, "solved")
        assert f"{len(names)} of {len(names)}" in v.page.locator("[data-mount='chapter-progress']").inner_text()


BROKEN = "for (const key of Object.keys(localStorage)) localStorage.setItem(key, '{broken');"
THROWING = """Object.defineProperty(window, "localStorage", {get() { throw new DOMException("denied"); }});"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""


@pytest.mark.parametrize("storage", [BROKEN, THROWING, FULL], ids=["broken", "throwing", "full"])
def test_storage_that_fails_breaks_nothing(visit, http, storage):
    page, name = next(iter(dict.fromkeys(ON_PAGE)))
    entry = right(find(name))
    with visit(f"{http}/{page}", script=storage) as v:
        Card(v.page, name).answer(entry)
        assert Card(v.page, name).state == "solved"
        v.page.reload()
        assert Card(v.page, name).state == "unanswered"
        Card(v.page, name).answer(entry)
        assert Card(v.page, name).state == "solved"
        assert [error for error in v.errors if "att" in error.lower()] == []


@pytest.mark.parametrize("page", WITH_EXERCISES)
def test_an_answer_comes_within_100_ms(visit, http, page):
    """From the click to the words, in the page's own clock; not a benchmark but a reader's patience."""
    name = next(name for where, name in dict.fromkeys(ON_PAGE) if where == page)
    with visit(f"{http}/{page}") as v:
        card = Card(v.page, name)
        card.enter(right(find(name)))
        elapsed = card.root.evaluate(
            """root => {
              const check = [...root.querySelectorAll("button")].find(b => b.textContent.trim() === "Check");
              const start = performance.now();
              check.click();
              root.querySelector('[role="status"]').getBoundingClientRect();
              return root.dataset.state === "solved" ? performance.now() - start : Infinity;
            }"""
        )
        assert elapsed < 100


def test_the_progress_page_sums_up(visit, http):
    page, name = next(iter(dict.fromkeys(ON_PAGE)))
    with visit(f"{http}/{page}") as v:
        Card(v.page, name).answer(right(find(name)))
        v.page.goto(f"{http}/book/progress.html")
        shown = v.page.locator("[data-mount='progress']").inner_text()
        total = len(dict.fromkeys(ON_PAGE))
        assert re.search(rf"\b1 of {total}\b", shown), shown
