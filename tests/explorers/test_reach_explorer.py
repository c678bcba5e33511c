"""The reach explorer: cone, path and mass against NumPy, its page, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.reach import PATTERNS
from companion.explorers.reach import reach as explorer

L = 24
NAMES = list(PATTERNS)
MASKS = {name: pattern.mask(L) for name, pattern in PATTERNS.items()}


def expected(schedule, query):
    """The positions of each row that reach the query, input first, and the mass of every key."""
    rows, mass = [np.arange(L) == query], np.eye(L)[query]
    for name in reversed(schedule):
        rows.insert(0, rows[0] @ (MASKS[name] | np.eye(L, dtype=bool)))
        mass = mass @ (MASKS[name] / MASKS[name].sum(axis=1, keepdims=True))
    return rows, mass


def shown(page):
    marks = page.locator("[data-row]").evaluate_all(
        "nodes => nodes.map((n) => [n.dataset.row, n.dataset.position, n.classList.contains('att-on')])"
    )
    rows = np.zeros((1 + max(int(row) for row, _, _ in marks), L), bool)
    for row, position, on in marks:
        rows[int(row), int(position)] = on
    mass = page.locator("[data-mass]").evaluate_all("nodes => nodes.map((n) => Number(n.dataset.mass))")
    return rows, np.array(mass)


def choose(page, schedule):
    for n, name in enumerate(schedule):
        page.get_by_role("combobox", name=f"Layer {n}").select_option(name)


def press(page, name, value):
    """Keys move the slider, as a reader would; two of them are enough for every position."""
    slider = page.get_by_role("slider", name=name)
    slider.press("Home" if value < L // 2 else "End")
    for _ in range(min(value, L - 1 - value)):
        slider.press("ArrowRight" if value < L // 2 else "ArrowLeft")


@pytest.mark.parametrize("first", NAMES)
def test_cone_and_mass_are_products_of_the_masks(page, first):
    for schedule in ([first] * 3, [first, "window 4", "chunks 6"], ["chunks 6", "global 0 and 12", first]):
        choose(page, schedule)
        rows, mass = shown(page)
        right, share = expected(schedule, 20)
        assert (rows == np.array(right)).all(), schedule
        np.testing.assert_allclose(mass, share, rtol=0, atol=1e-12)


@pytest.mark.parametrize("query", [0, 7, 23])
def test_every_row_can_ask(page, query):
    choose(page, ["window 4 or strided 4", "window 4", "window 4"])
    press(page, "Query", query)
    rows, mass = shown(page)
    right, share = expected(["window 4 or strided 4", "window 4", "window 4"], query)
    assert (rows == np.array(right)).all()
    np.testing.assert_allclose(mass, share, rtol=0, atol=1e-12)


def test_a_path_follows_the_masks_where_there_is_one(page):
    schedule = ["window 4 or global 12", "strided 4", "chunks 6"]
    choose(page, schedule)
    right, _ = expected(schedule, 20)
    press(page, "Key", 0)
    for key in range(L):
        note = page.locator(".att-note").inner_text()
        path = [int(p) for p in re.findall(r"\d+(?= →)|(?<=→ )\d+", note)]
        assert bool(path) == right[0][key], key
        if path:
            assert (path[0], path[-1], len(path)) == (key, 20, 4)
            for name, j, i in zip(schedule, path, path[1:], strict=False):
                assert MASKS[name][i, j] or i == j
        else:
            assert f"no path from key {key}" in note
        page.get_by_role("slider", name="Key").press("ArrowRight")


def test_a_click_on_the_lowest_row_chooses_the_key(page):
    page.locator(".att-target").nth(14).click()
    assert "A path from key 14: 14 →" in page.locator(".att-note").inner_text()
    assert "R20,14 = 1" in page.locator(".att-formula").inner_text().replace("\n", "")
    page.locator(".att-target").nth(3).click()
    assert "R20,3 = 0, mass 0.000" in page.locator(".att-formula").inner_text().replace("\n", "")


def test_reset_brings_back_the_start(page):
    before = page.locator(".att-note").inner_text()
    choose(page, ["full", "full", "full"])
    press(page, "Query", 5)
    page.get_by_role("button", name="Reset").press("Enter")
    assert page.locator(".att-note").inner_text() == before


def test_no_key_reaches_the_notebook(page):
    slider = page.get_by_role("slider", name="Query")
    assert keys_heard(page, slider, ("a", "d", "x", "ArrowLeft")) == []
    assert slider.input_value() == "19"


def test_changes_are_announced_once_they_have_settled(page):
    press(page, "Key", 23)
    assert "no path from key 23" in announced(page, "no path from key 23")


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    assert "layer 2 window 4" in fallback(explorer())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schedule": ["window 5"]}, r"of the names.*\['window 5'\]"),
        ({"schedule": ["full"] * 5}, "1 to 4"),
        ({"query": 24}, "query must be a position from 0 to 23, got 24"),
        ({"key": -1}, "key must be a position.*-1"),
    ],
)
def test_a_spec_that_is_none_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        explorer(**change)
