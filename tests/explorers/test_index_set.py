"""The index set explorer: its numbers against companion.reference, its page, keyboard, and what it says."""

import re
from itertools import combinations

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.index_set import index_set as explorer
from companion.reference import attend

ALPHA = np.array([0.04, 0.24, 0.12, 0.4, 0.2])
VALUES = np.array([[1.0, 2.0], [3.0, 0.0], [4.0, 5.0], [0.0, 1.0], [5.0, 3.0]])
SETS = [set(G) for size in range(1, 6) for G in combinations(range(5), size)]


def keep(page, G):
    """Clicks until exactly the positions of G are in."""
    boxes = page.get_by_role("checkbox").all()
    for j, box in enumerate(boxes):
        box.set_checked(j in G)


def numbers(text):
    return [float(x) for x in re.findall(r"\d+\.\d\d", text.replace("−", "-"))]


def output(G):
    """Attention over G by the reference: scores are the logarithms of the dense weights."""
    return attend([1.0], np.log(ALPHA)[:, None], VALUES, sorted(G), scale=1)


def weights_shown(page):
    return [float(text) for text in page.locator(".att-position > .att-is-weight").all_inner_texts()]


def test_every_set_gives_the_reference(page):
    """All 31 sets: weights, both averages, mass, error and bound."""
    for G in SETS:
        keep(page, G)
        R = set(range(5)) - G
        mass = ALPHA[sorted(G)].sum()
        wanted = [ALPHA[j] / mass if j in G else 0 for j in range(5)]
        assert weights_shown(page) == pytest.approx(wanted, abs=0.0051)
        formula = numbers(page.locator(".att-formula").inner_text())
        rest = [1 - mass, *(output(R) if R else [])]
        assert formula == pytest.approx([mass, *output(G), *rest, *output(range(5))], abs=0.0051)
        spread = max((np.linalg.norm(VALUES[j] - VALUES[k]) for j in G for k in R), default=0)
        error = np.linalg.norm(output(G) - output(range(5)))
        told = numbers(page.locator(".att-note").inner_text())
        assert told == pytest.approx([mass, error, (1 - mass) * spread, 1 - mass], abs=0.0051)


def places(page, mark):
    where = "nodes => nodes.map((node) => node.getAttribute('transform'))"
    moved = page.locator(f".att-plane .{mark}").evaluate_all(where)
    return [np.array(re.findall(r"-?[\d.]+", text), float) for text in moved]


def test_the_output_divides_the_segment_by_the_mass(page):
    for G in ({0, 2, 4}, {3}, {0, 1, 2, 4}):
        keep(page, G)
        marks = ("att-average-G", "att-average-R", "att-dense")
        (kept,), (rest,), (dense,) = (places(page, mark) for mark in marks)
        mass = ALPHA[sorted(G)].sum()
        np.testing.assert_allclose(dense, mass * kept + (1 - mass) * rest, atol=0.15)
        assert len(places(page, "att-in")) == len(G)
        ends = re.findall(r"-?[\d.]+", page.locator(".att-segment").get_attribute("d"))
        np.testing.assert_allclose(np.array(ends, float), [*kept, *rest])


def test_the_drawing_keeps_lengths_in_proportion(page):
    """Both axes have one scale, so equal distances look equal."""
    keep(page, set(range(5)))
    drawn = np.array(places(page, "att-in"))
    ratio = [
        np.linalg.norm(drawn[j] - drawn[k]) / np.linalg.norm(VALUES[j] - VALUES[k])
        for j, k in combinations(range(5), 2)
    ]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-2)


def test_bars_are_as_long_as_the_weights(page):
    keep(page, {0, 2, 4})
    lengths = "nodes => nodes.map((node) => parseFloat(node.style.width))"
    for mark, wanted in (("before", ALPHA), ("after", [1 / 9, 0, 3 / 9, 0, 5 / 9])):
        shown = page.locator(f".att-{mark}").evaluate_all(lengths)
        assert shown == pytest.approx(100 * np.array(wanted), abs=0.01)


def test_exchange_all_reset_and_empty(page):
    checked = "nodes => nodes.map((node) => node.checked)"
    boxes = page.get_by_role("checkbox")
    page.get_by_role("button", name="Exchange").press("Enter")
    assert boxes.evaluate_all(checked) == [False, True, False, True, False]
    page.get_by_role("button", name="All").press("Enter")
    assert boxes.evaluate_all(checked) == [True] * 5
    page.get_by_role("button", name="Exchange").press("Enter")
    assert "G is empty" in page.locator(".att-note").inner_text()
    assert weights_shown(page) == [0] * 5
    assert numbers(page.locator(".att-formula").inner_text()) == [0, 1, 2.24, 1.68, 2.24, 1.68]
    page.get_by_role("button", name="Reset").press("Enter")
    assert boxes.evaluate_all(checked) == [True, False, True, False, True]


def test_no_key_reaches_the_notebook(page):
    box = page.get_by_role("checkbox", name="1 river")
    assert keys_heard(page, box, ("a", "d", "x", "Space")) == []
    assert box.is_checked()


def test_changes_are_announced_once_they_have_settled(page):
    keep(page, {0, 1, 2})
    assert "[3.10, 1.70]" in announced(page, "[3.10, 1.70]")


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    widget = explorer([0.5, 0.5], [[0, 0], [1, 1]], ["<i>", "b"], [1])
    assert "<i>" not in fallback(widget)
    assert "mass 0.50, output [1.00, 1.00] in place of [0.50, 0.50], error 0.71" in widget.alt()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": VALUES[:, :1]}, r"\(n, 2\).*\(5, 1\)"),
        ({"alpha": ALPHA[:4]}, r"must hold 5, one a value; got \(4,\) and 5"),
        ({"tokens": ["a"]}, r"must hold 5, one a value; got \(5,\) and 1"),
        ({"alpha": [0, 0.24, 0.16, 0.4, 0.2]}, "above 0 that add up to 1"),
        ({"alpha": ALPHA * 2}, "above 0 that add up to 1"),
        ({"values": np.full((5, 2), np.inf)}, "must be finite"),
        ({"start": []}, "from 0 to 4"),
        ({"start": [5]}, r"from 0 to 4, got \[5\]"),
    ],
)
def test_a_spec_that_is_none_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        explorer(**change)
