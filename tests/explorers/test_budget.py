"""The budget explorer: its tables against companion.reference, its page, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.budget import budget
from companion.reference import attend, softmax

TEXT = "a letter or two <b>"
N, HEADS, D = len(TEXT), 3, 4
RNG = np.random.default_rng(4)
KEYS, VALUES = RNG.normal(size=(2, HEADS, N, D))
QUERIES = 3 * RNG.normal(size=(HEADS, D))
ALPHA = softmax(np.einsum("hd,hnd->hn", QUERIES, KEYS) / D**0.5)
NAMES = [f"head {h}" for h in range(HEADS)]


def explorer():
    return budget(ALPHA, VALUES, TEXT, NAMES)


def expected(head, k):
    """Kept positions, mass, and error by attention over the kept positions alone."""
    kept = np.argsort(-ALPHA[head], kind="stable")[:k]
    whole = attend(QUERIES[head], KEYS[head], VALUES[head])
    cut = attend(QUERIES[head], KEYS[head], VALUES[head], kept)
    return set(kept), ALPHA[head][kept].sum(), np.linalg.norm(cut - whole) / np.linalg.norm(whole)


def shown(page):
    """Kept positions, mass and error, as the page has them."""
    marks = page.locator(".att-passage span").evaluate_all(
        "nodes => nodes.map((node) => node.classList.contains('att-kept'))"
    )
    mass, error = re.findall(r"= (\d+\.\d\d)", page.locator(".att-formula").inner_text())
    return set(np.flatnonzero(marks)), float(mass), float(error)


def move(page, k):
    slider = page.get_by_role("slider", name="Budget")
    slider.press("Home")
    for _ in range(k - 1):
        slider.press("ArrowRight")


@pytest.mark.parametrize("head", range(HEADS))
def test_tables_are_attention_over_the_kept_positions(head):
    table = explorer().spec["heads"][head]
    for k in range(1, N + 1):
        kept, mass, error = expected(head, k)
        assert set(table["order"][:k]) == kept
        assert table["mass"][k - 1] == pytest.approx(mass, abs=5.1e-5)
        assert table["error"][k - 1] == pytest.approx(error, abs=5.1e-5)


@pytest.mark.parametrize("head", range(HEADS))
def test_the_page_shows_the_table_for_every_budget(page, head):
    page.get_by_role("combobox", name="Head").select_option(NAMES[head])
    for k in (1, 2, 5, N):
        move(page, k)
        kept, mass, error = expected(head, k)
        found = shown(page)
        assert found[0] == kept
        assert found[1:] == pytest.approx((mass, error), abs=0.00506)


def test_starts_at_four_and_resets(page):
    assert len(shown(page)[0]) == 4
    assert page.locator(".att-passage").inner_text() == TEXT
    move(page, 9)
    page.get_by_role("combobox", name="Head").select_option(NAMES[1])
    page.get_by_role("button", name="Reset").press("Enter")
    assert shown(page)[0] == expected(0, 4)[0]


def test_the_note_counts_the_union_of_all_heads(page):
    for k in range(1, N + 1):
        move(page, k)
        together = set().union(*(expected(head, k)[0] for head in range(HEADS)))
        assert f"with {k} each: {len(together)} different positions" in page.locator(".att-note").inner_text()


def test_marks_stand_on_the_curves(page):
    """The chart's dots lie at the height that the numbers say."""
    move(page, 3)
    _, mass, error = expected(0, 3)
    most = max(1, *explorer().spec["heads"][0]["error"])
    box = page.locator(".att-mass-dot").evaluate("node => Number(node.getAttribute('y')) + 5")
    dot = page.locator(".att-error-dot").evaluate("node => Number(node.getAttribute('cy'))")
    bottom, height = 190 - 26, 190 - 26 - 10
    assert (bottom - box) / height * most == pytest.approx(mass, abs=1e-3)
    assert (bottom - dot) / height * most == pytest.approx(error, abs=1e-3)


def test_no_key_reaches_the_notebook(page):
    slider = page.get_by_role("slider", name="Budget")
    assert keys_heard(page, slider, ("a", "d", "x", "ArrowRight")) == []
    assert slider.get_attribute("aria-valuetext") == f"5 of {N}"


def test_changes_are_announced_once_they_have_settled(page):
    move(page, 2)
    assert ": 2 of" in announced(page, ": 2 of")


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    widget = budget(ALPHA, VALUES, TEXT, ["<i>", *NAMES[1:]])
    told = fallback(widget)
    assert "Together the heads read" in told and "<i>" not in told


def test_ties_keep_the_smaller_position_first():
    table = budget([[0.25] * 4], [np.eye(4)], "abcd", ["even"]).spec["heads"][0]
    assert table["order"] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": ALPHA[0]}, r"\(heads, n\).*\(19,\)"),
        ({"values": VALUES[:2]}, r"\(heads, n, D\).*\(2, 19, 4\)"),
        ({"text": "short"}, "must hold 19 and 3; got 5 and 3"),
        ({"names": ["one"]}, "must hold 19 and 3; got 19 and 1"),
        ({"alpha": ALPHA * 2}, "add up to 1"),
        ({"start": 0}, "from 1 to 19, got 0"),
        ({"values": VALUES * 0}, "whose length is not 0"),
    ],
)
def test_a_spec_that_is_none_is_refused(change, message):
    arguments = {"alpha": ALPHA, "values": VALUES, "text": TEXT, "names": NAMES, **change}
    with pytest.raises(ValueError, match=message):
        budget(**arguments)
