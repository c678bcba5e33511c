"""The selection explorer: its tables against companion.reference, its page, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.selection import selection
from companion.reference import attend, softmax

TEXT = "a letter or two <b>"
N, HEADS, D = len(TEXT), 2, 4
RNG = np.random.default_rng(4)
KEYS, VALUES = RNG.normal(size=(2, HEADS, N, D))
QUERIES = 3 * RNG.normal(size=(HEADS, D))
ALPHA = softmax(np.einsum("hd,hnd->hn", QUERIES, KEYS) / D**0.5)
NAMES = [f"head {h}" for h in range(HEADS)]
SELECTORS = ["top-k", "window", "<random>"]
ORDERS = [[np.argsort(-ALPHA[h]), np.arange(N)[::-1], RNG.permutation(N)] for h in range(HEADS)]


def rows():
    return {
        name: (ALPHA[h], VALUES[h], dict(zip(SELECTORS, ORDERS[h], strict=True)))
        for h, name in enumerate(NAMES)
    }


def explorer():
    return selection(rows(), TEXT, start=4)


def expected(head, selector, k):
    """Kept positions, mass, and error by attention over the kept positions alone."""
    kept = ORDERS[head][selector][:k]
    whole = attend(QUERIES[head], KEYS[head], VALUES[head])
    cut = attend(QUERIES[head], KEYS[head], VALUES[head], kept)
    return set(kept), ALPHA[head][kept].sum(), np.linalg.norm(cut - whole) / np.linalg.norm(whole)


def kept(page):
    marks = page.locator(".att-passage span").evaluate_all(
        "nodes => nodes.map((node) => node.classList.contains('att-kept'))"
    )
    return set(np.flatnonzero(marks))


def formula(page):
    return [float(x) for x in re.findall(r"= (\d+\.\d\d)", page.locator(".att-formula").inner_text())]


def readout(page):
    """Mass and error of every selector, from the table."""
    return [
        tuple(float(cell) for cell in row.locator("td").all_inner_texts())
        for row in page.locator(".att-readout tbody tr").all()
    ]


def choose(page, **choices):
    for label, value in choices.items():
        page.get_by_role("combobox", name=label).select_option(value)


def move(page, k):
    slider = page.get_by_role("slider", name="Budget")
    slider.press("Home")
    for _ in range(k - 1):
        slider.press("ArrowRight")


@pytest.mark.parametrize("head", range(HEADS))
@pytest.mark.parametrize("selector", range(len(SELECTORS)))
def test_tables_are_attention_over_the_kept_positions(head, selector):
    table = explorer().spec["rows"][head]["tables"][selector]
    for k in range(1, N + 1):
        positions, mass, error = expected(head, selector, k)
        assert set(table["order"][:k]) == positions
        assert table["mass"][k - 1] == pytest.approx(mass, abs=5.1e-4)
        assert table["error"][k - 1] == pytest.approx(error, abs=5.1e-4)


@pytest.mark.parametrize("head", range(HEADS))
def test_the_page_shows_every_selector_for_every_budget(page, head):
    choose(page, Head=NAMES[head])
    for k in (1, 3, N):
        move(page, k)
        want = [expected(head, selector, k)[1:] for selector in range(len(SELECTORS))]
        np.testing.assert_allclose(readout(page), want, atol=0.0056)


@pytest.mark.parametrize("selector", range(len(SELECTORS)))
def test_a_selector_marks_what_it_keeps_and_its_line(page, selector):
    choose(page, Selector=SELECTORS[selector])
    positions, mass, error = expected(0, selector, 4)
    assert kept(page) == positions
    assert formula(page) == pytest.approx([mass, error], abs=0.0056)
    chosen = page.locator(".att-readout .att-chosen")
    assert chosen.count() == 1 and chosen.locator("th").inner_text() == SELECTORS[selector]


@pytest.mark.parametrize(("measure", "place"), [("error", 2), ("mass", 1)])
def test_the_mark_stands_on_the_curve_of_the_measure(page, measure, place):
    choose(page, Curves=measure, Selector="window")
    move(page, 3)
    tables = explorer().spec["rows"][0]["tables"]
    most = max(1, *(x for table in tables for x in table[measure]))
    dot = page.locator(f".att-{measure}-dot").evaluate("node => Number(node.getAttribute('cy'))")
    bottom, height = 200 - 26, 200 - 26 - 10
    assert (bottom - dot) / height * most == pytest.approx(expected(0, 1, 3)[place], abs=1e-3)
    assert page.locator(".att-other-line").count() == len(SELECTORS)


def test_the_chosen_curve_and_the_kept_letters_stand_out(page):
    """Without its style sheet the picture would be black on black."""
    stroke = "node => getComputedStyle(node).stroke + getComputedStyle(node).strokeWidth"
    chosen = page.locator(".att-error-line").evaluate(stroke)
    assert chosen != page.locator(".att-other-line").first.evaluate(stroke)
    border = "node => getComputedStyle(node).borderBottomWidth"
    assert page.locator(".att-passage .att-kept").first.evaluate(border) == "3px"


def test_starts_as_told_and_resets(page):
    assert page.locator(".att-passage").inner_text() == TEXT
    assert kept(page) == expected(0, 0, 4)[0]
    choose(page, Head=NAMES[1], Selector="window", Curves="mass")
    move(page, 9)
    page.get_by_role("button", name="Reset").press("Enter")
    assert kept(page) == expected(0, 0, 4)[0]
    assert page.locator(".att-readout caption").inner_text() == f"head 0: 4 of {N} keys"


def test_no_key_reaches_the_notebook(page):
    slider = page.get_by_role("slider", name="Budget")
    assert keys_heard(page, slider, ("a", "d", "x", "ArrowRight")) == []
    assert slider.get_attribute("aria-valuetext") == f"5 of {N}"


def test_changes_are_announced_once_they_have_settled(page):
    choose(page, Selector="window")
    assert "window, 4 of" in announced(page, "window, 4 of")


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    told = fallback(explorer())
    mass, error = expected(0, 1, 4)[1:]
    assert f"window: mass {mass:.2f}, error {error:.2f}" in told and "<random>" not in told


def changed(**parts):
    """The rows with the first one's weights, values or orders replaced."""
    alpha, values, orders = rows()["head 0"]
    new = {"alpha": alpha, "values": values, "orders": orders, **parts}
    return {**rows(), "head 0": (new["alpha"], new["values"], new["orders"])}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((changed(alpha=ALPHA[0][:3]), TEXT), r"weights \(19,\).*got \(3,\)"),
        ((changed(values=VALUES), TEXT), r"\(19, D\).*\(2, 19, 4\)"),
        ((changed(alpha=ALPHA[0] * 2), TEXT), "add up to 1; those of 'head 0' do not"),
        ((changed(values=VALUES[0] * 0), TEXT), "whose length is not 0"),
        ((changed(orders={"top-k": range(N)}), TEXT), "the same selectors"),
        ((changed(orders=dict.fromkeys(SELECTORS, [0] * N)), TEXT), "each of 0 to 18 once"),
        ((rows(), TEXT, 20), "from 1 to 19, got 20"),
        (({}, TEXT), r"the same selectors; got \[\]"),
    ],
)
def test_a_spec_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        selection(*arguments)
