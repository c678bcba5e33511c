"""The tiles explorer: its float32 against NumPy's and the reference, its page, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.tiles import SCORES, VALUES, WORDS
from companion.explorers.tiles import tiles as explorer
from companion.reference import softmax, weighted_sum

NUMBER = r"(?:−?[\d.]+(?:e−?\d+)?|−?∞|NaN)"


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def shown(page):
    """The numbers that the page has: m, c, l, u, and the output or None."""
    sums, output = page.locator(".att-formula").all_inner_texts()
    found = [number(x) for x in re.findall(NUMBER, sums)]
    o = [number(x) for x in re.findall(NUMBER, output.split("=")[-1])]
    return found[0], found[1], found[2], np.array(found[3:]), np.array(o) if len(o) == 2 else None


def expected(read, size, factor=1, fixed=None):
    """The state after ``read`` keys in float32, by (11.3) and (11.4)."""
    s = (factor * np.array(SCORES)).astype(np.float32)
    V = np.array(VALUES, np.float32)
    m = np.float32(-np.inf if fixed is None else fixed)
    c, l, u = np.float32(1), np.float32(0), np.zeros(2, np.float32)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for start in range(0, read, size):
            tile = s[start : min(start + size, read)]
            top = max(m, tile.max()) if fixed is None else np.float32(fixed)
            c, p, m = np.exp(m - top), np.exp(tile - top), top
            l, u = c * l + p.sum(), c * u + p @ V[start : start + len(tile)]
        return m, c, l, u, u / l


def close(one, other):
    return np.allclose(one, other, rtol=0.06, atol=0.0051, equal_nan=True)


def dial(page, name, value):
    slider = page.get_by_role("slider", name=name)
    slider.evaluate("(node, value) => { node.value = value; }", value)
    slider.dispatch_event("input")


def next_tile(page):
    page.get_by_role("button", name="Next tile").press("Enter")


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("factor", [1, 10, 100])
def test_every_step_is_the_online_softmax(page, size, factor):
    page.get_by_role("combobox", name="Scores").select_option(f"× {factor}")
    dial(page, "Keys in a tile", size)
    for read in [*range(size, len(WORDS), size), len(WORDS)]:
        next_tile(page)
        want = expected(read, size, factor)
        for one, other in zip(shown(page), want, strict=True):
            assert close(one, other), (read, one, other)
        whole = weighted_sum(softmax(factor * np.array(SCORES)[:read]), np.array(VALUES[:read]))
        assert close(shown(page)[4], whole)
        assert f"{read} of 5 keys read" in page.locator(".att-note").inner_text()
    assert page.get_by_role("button", name="Next tile").is_disabled()


@pytest.mark.parametrize(
    ("fixed", "lost"), [(0, False), (-80, False), (80, False), (-90, True), (110, True), (-300, True)]
)
def test_a_fixed_reference_survives_until_it_overflows_or_vanishes(page, fixed, lost):
    page.get_by_role("combobox", name="Reference").select_option("fixed number")
    dial(page, "Fixed reference m", fixed)
    for _ in range(3):
        next_tile(page)
    m, c, l, u, o = shown(page)
    want = expected(5, 2, fixed=fixed)
    assert m == fixed and c == 1 and close(l, want[2]) and close(u, want[3])
    assert np.isfinite(o).all() != lost
    assert ("lost" in page.locator(".att-note").inner_text()) == lost
    if not lost:
        assert close(o, weighted_sum(softmax(SCORES), np.array(VALUES)))


def test_no_fixed_reference_serves_scores_times_a_hundred(page):
    page.get_by_role("combobox", name="Scores").select_option("× 100")
    page.get_by_role("combobox", name="Reference").select_option("fixed number")
    dial(page, "Keys in a tile", 1)
    for m in range(-300, 301, 10):
        dial(page, "Fixed reference m", m)
        page.get_by_role("button", name="Start again").click()
        finite = []
        for _ in WORDS:
            next_tile(page)
            finite.append(np.isfinite(shown(page)[4]).all())
        assert not all(finite), m


def test_rows_say_what_is_read(page):
    rows = page.locator("tbody tr")
    assert [row.get_attribute("data-state") for row in rows.all()] == ["unread"] * 5
    next_tile(page)
    next_tile(page)
    states = [row.get_attribute("data-state") for row in rows.all()]
    assert states == ["before", "before", "tile", "tile", "unread"]
    weights = [row.locator("td").nth(3).inner_text() for row in rows.all()]
    assert weights == ["0.05", "0.30", "0.15", "0.50", ""]
    bars = page.locator(".att-weight-bar")
    widths = bars.evaluate_all("nodes => nodes.map((n) => parseFloat(n.style.width))")
    assert np.allclose(widths, [5, 30, 15, 50, 0], atol=0.1)


def test_reset_and_the_tile_start_over(page):
    next_tile(page)
    page.get_by_role("slider", name="Keys in a tile").press("ArrowRight")
    assert "0 of 5" in page.locator(".att-note").inner_text()
    page.get_by_role("combobox", name="Scores").select_option("× 10")
    page.get_by_role("button", name="Reset").press("Enter")
    next_tile(page)
    assert close(shown(page)[2], 7 / 6) and "2 of 5" in page.locator(".att-note").inner_text()


def test_no_key_reaches_the_notebook(page):
    slider = page.get_by_role("slider", name="Keys in a tile")
    assert keys_heard(page, slider, ("a", "d", "x", "ArrowRight")) == []
    assert slider.input_value() == "3"


def test_changes_are_announced_once_they_have_settled(page):
    next_tile(page)
    assert "2 of 5 keys" in announced(page, "2 of 5 keys")


def test_accessible_in_both_themes_and_widths(themed):
    next_tile(themed)
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    o = weighted_sum(softmax(SCORES), np.array(VALUES))
    assert f"[{o[0]:.2f}, {o[1]:.2f}]" in explorer().alt()
    assert "flooded" in fallback(explorer())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ["one"]}, r"\(1,\) and \(1, 2\) for 1 words"),
        ({"values": [[1, 2, 3]] * 5}, r"got \(5,\) and \(5, 3\)"),
        ({"scores": [0, 0, 0, 0, np.inf]}, "must be finite, got .*inf"),
        ({"size": 0}, "from 1 to 5, got 0"),
        ({"size": 6}, "from 1 to 5, got 6"),
    ],
)
def test_a_spec_that_is_none_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        explorer(**change)
