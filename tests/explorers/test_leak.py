"""The leak explorer on a page: its table against NumPy, its verdict, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles, page_of, watched

from companion.explorers.leak import POWERS, VALUES
from companion.explorers.leak import leak as explorer
from companion.reference import attention, softmax

QUERY, KEY, V = 2 * np.log(POWERS), np.eye(4), np.array(VALUES, float)


def weights(query, key, mask):
    """The four ways of masking in NumPy."""
    scores = query @ key.T / np.sqrt(query.shape[1])
    lower = np.tril(np.ones_like(scores)) > 0
    if mask == "before":
        return softmax(np.where(lower, scores, -np.inf))
    alpha = softmax(scores) * (1 if mask == "none" else lower)
    return alpha / alpha.sum(axis=1, keepdims=True) if mask == "divided" else alpha


def poked(name, j, amount, key=KEY, value=V):
    arrays = {"key": key.copy(), "value": value.copy()}
    if name:
        arrays[name][j] += amount
    return arrays["key"], arrays["value"]


def expected_states(mask, name, j, amount, query=QUERY, key=KEY, value=V):
    before = weights(query, key, mask) @ value
    other_key, other_value = poked(name, j, amount, key, value)
    way = np.abs(weights(query, other_key, mask) @ other_value - before).max(axis=1)
    return ["still" if w < 1e-9 else "leaks" if j > i else "moves" for i, w in enumerate(way)]


def choose(page, mask, name, j):
    page.locator(f"input[value='{mask}']").check()
    page.locator(f"input[value='{name} {j}']" if name else "input[value='']").check()


def set_amount(page, amount):
    """By the keyboard, from the left end."""
    slider = page.get_by_label("Add to every entry")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(round((amount + 1) / 0.1)):
        page.keyboard.press("ArrowRight")


def table(page):
    """Per row: four weights, their sum, two coordinates."""
    rows = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    return np.array([[float(x.replace("\u2212", "-")) for x in " ".join(row).split()] for row in rows])


def states(page):
    return [row.get_attribute("data-state") for row in page.locator("tbody tr").all()]


def test_starts_masked_first_with_the_last_key_poked(page):
    assert states(page) == ["still", "still", "still", "moves"]
    assert table(page)[2].tolist() == [0.1, 0.6, 0.3, 0, 1, 3.1, 1.7]


@pytest.mark.parametrize("mask", ["before", "after", "divided", "none"])
def test_the_table_is_that_of_numpy_for_every_poke(page, mask):
    for amount in (0.5, -0.7):
        set_amount(page, amount)
        for name, j in [("", 0), *((name, j) for name in ("key", "value") for j in range(4))]:
            choose(page, mask, name, j)
            key, value = poked(name, j, amount)
            alpha = weights(QUERY, key, mask)
            right = np.column_stack([alpha, alpha.sum(axis=1), alpha @ value])
            np.testing.assert_allclose(table(page), right, atol=0.00501)
            assert states(page) == expected_states(mask, name, j, amount), (mask, name, j)


def test_masked_first_agrees_with_the_reference(page):
    choose(page, "before", "", 0)
    right = attention(QUERY, KEY, V, np.tril(np.ones((4, 4))) > 0)
    np.testing.assert_allclose(table(page)[:, 5:], right, atol=0.00501)


def test_other_numbers_and_large_scores(browser, tmp_path):
    rng = np.random.default_rng(0)
    query, key, value = 30 * rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    for page in watched(browser, page_of(explorer(query, key, value, ["a", "b", "c"]), tmp_path)):
        for mask in ("before", "after", "none"):
            choose(page, mask, "key", 1)
            other, _ = poked("key", 1, 0.5, key, value)
            np.testing.assert_allclose(table(page)[:, 4:], weights(query, other, mask) @ value, atol=0.00501)
            assert states(page) == expected_states(mask, "key", 1, 0.5, query, key, value)


def test_the_note_says_who_leaks(page):
    choose(page, "after", "key", 3)
    note = page.locator(".att-note")
    assert note.inner_text() == (
        "0.5 is added to every entry of key 3. Rows 0, 1 and 2 leak: position 3 lies ahead. "
        "Row 3 moves, and may."
    )
    choose(page, "after", "value", 3)
    assert note.inner_text().endswith("Row 3 moves, and may. No row before it moves.")
    set_amount(page, 0)
    assert note.inner_text().endswith("No row moves.")
    page.get_by_role("button", name="Reset").press("Enter")
    assert states(page) == ["still", "still", "still", "moves"]
    assert page.locator("input[value='before']").is_checked()


def test_the_formula_follows_the_mask(page):
    shown = {}
    for mask in ("before", "after", "divided", "none"):
        page.locator(f"input[value='{mask}']").check()
        shown[mask] = re.sub(r"\s", "", page.locator(".att-formula").inner_text())
    assert shown["before"] == "αi,j=esi,j/∑k≤iesi,kforj≤i"
    assert shown["after"] == "αi,j=esi,j/∑kesi,kforj≤i"
    assert shown["divided"] == "αi,j=(esi,j/∑kesi,k)/(∑k≤iesi,k/∑kesi,k)forj≤i"
    assert shown["none"] == "αi,j=esi,j/∑kesi,kforallj"


def test_arrow_keys_choose_and_no_key_reaches_the_notebook(page):
    place = page.locator("input[value='before']")
    assert keys_heard(page, place, ("ArrowDown", "a", "d", "x", "Enter")) == []
    assert page.locator("input[value='after']").is_checked()
    assert states(page) == ["leaks", "leaks", "leaks", "moves"]


def test_changes_are_announced_once_they_have_settled(page):
    choose(page, "none", "value", 2)
    said = page.get_by_role("status")
    assert "value 2" in announced(page, "value 2")
    assert said.inner_text().startswith("The mask stands nowhere. 0.5 is added")
    assert "Rows 0 and 1 leak" in said.inner_text()


def test_accessible_in_both_themes_and_widths(themed):
    choose(themed, "after", "key", 3)
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    assert "those leak" in fallback(explorer())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": ["one"]}, "2 to 6 words, got 1"),
        ({"query": np.ones((3, 2))}, r"query must be \(4, D\).*\(3, 2\)"),
        ({"query": np.ones((4, 0))}, r"query must be \(4, D\).*\(4, 0\)"),
        ({"key": np.ones((4, 3))}, r"key must have the shape of query, \(4, 4\), got \(4, 3\)"),
        ({"value": np.ones((4, 3))}, r"value must be \(4, 2\), got shape \(4, 3\)"),
        ({"value": [[np.nan, 0]] * 4}, "value must be finite.*nan"),
    ],
)
def test_a_spec_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        explorer(**arguments)
