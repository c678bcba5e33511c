"""The figures of chapter 10: bars, marks and curves are the numbers that they were given."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import selection
from companion.look import COLOURS
from companion.reference import softmax

RNG = np.random.default_rng(0)
SCORES = [9, -9, -9, -9, 1, 1, 1, 1]
ALPHA = softmax(RNG.normal(size=40) * 2)
SETS = {"largest": np.argsort(-ALPHA)[:5], "last": np.arange(35, 40)}
PANELS = {
    title: {name: np.sort(RNG.random(64))[::-1] for name in ("a", "b", "c")} for title in ("one", "two")
}
T = np.linspace(0, 1, 11)
ERROR, LOSS = np.array([3.0] * 4 + [1.0] * 7), (1 - T) ** 2
FIGURES = {
    "hidden_peak": lambda: selection.hidden_peak(SCORES, 4),
    "choices": lambda: selection.choices(ALPHA, SETS),
    "budget_curves": lambda: selection.budget_curves(PANELS, ["a"]),
    "staircase": lambda: selection.staircase(T, ERROR, LOSS, 5),
}


def paths(figure, kind, colour):
    """The ``d`` of every path that has the colour as its fill or as its stroke."""
    style = rf'd="([^"]+)"[^>]*{kind}: {COLOURS[colour][0]}'
    return re.findall(style, figure.svg)


def corners(path):
    return np.array(re.findall(r"[ML] (\S+) (\S+)", path), float)


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_the_block_of_larger_mean_is_read_and_the_other_holds_the_mass():
    figure = FIGURES["hidden_peak"]()
    assert "block 0, scores 9, -9, -9, -9, mean -4.5, mass 0.999, not read" in figure.alt
    assert "block 1, scores 1, 1, 1, 1, mean 1, mass 0.001, read" in figure.alt
    read = [np.ptp(corners(path)[:, 1]) for path in paths(figure, "fill", "k")]
    hatched = re.findall(r'd="([^"]+)"[^>]*style="fill: url', figure.svg)
    others = [np.ptp(corners(path)[:, 1]) for path in hatched]
    assert len(read) == len(others) == 4
    np.testing.assert_allclose(np.array(others) / read, 9, rtol=0.01)


def test_what_is_taken_is_filled_and_marked():
    figure = FIGURES["choices"]()
    filled, squares = paths(figure, "fill", "alpha"), paths(figure, "fill", "k")
    left = paths(figure, "fill", "rule")
    visible = np.flatnonzero(ALPHA > 1.05 * ALPHA.max() / 100)
    for G, bars, marks, others in zip(SETS.values(), filled, squares, left, strict=True):
        for path, drawn in ((bars, np.sort(G)), (others, np.setdiff1d(visible, G))):
            heights = np.ptp(corners(path)[:, 1].reshape(-1, 4), axis=1)
            np.testing.assert_allclose(heights / heights.max(), ALPHA[drawn] / ALPHA[drawn].max(), atol=0.02)
        assert marks.count("M") == 5
    assert f"largest {np.sort(ALPHA)[-5:].sum():.2f}; last {ALPHA[35:].sum():.2f}" in figure.alt


def test_curves_are_the_errors_and_colours_tell_who_looks():
    figure = FIGURES["budget_curves"]()
    assert f"one: a {PANELS['one']['a'][15]:.2f}, b {PANELS['one']['b'][15]:.2f}" in figure.alt
    drawn = [corners(path) for path in paths(figure, "stroke", "alpha")]
    curves = [path for path in drawn if len(path) > 20]
    assert len(curves) == 2
    for path, panel in zip(curves, PANELS.values(), strict=True):
        seen = np.interp(np.linspace(0, 1, 9), *relative(path))
        there = np.interp(np.linspace(0, 1, 9), np.log(np.arange(1, 65)) / np.log(64), panel["a"])
        scale = np.polyfit(there, seen, 1)
        np.testing.assert_allclose(np.polyval(scale, there), seen, atol=0.01 * abs(scale[0]))


def relative(path):
    """Shares of the width, ascending, and heights, of a curve drawn from left to right."""
    x = path[:, 0]
    return (x - x[0]) / (x[-1] - x[0]), -path[:, 1]


@pytest.mark.parametrize("rounding", [0, 1e-15])
def test_the_staircase_is_flat_and_jumps_once(rounding):
    figure = selection.staircase(T, ERROR * (1 + rounding * (-1) ** np.arange(len(T))), LOSS, 5)
    assert "2 flat pieces" in figure.alt and "slope 0 at t = 0.5" in figure.alt
    assert "from 1.00 to 0.00, slope -1.00 there" in figure.alt
    (path,) = paths(figure, "stroke", "v")
    first, second = corners(path).reshape(2, 2, 2)
    assert np.ptp(first[:, 1]) == np.ptp(second[:, 1]) == 0
    assert first[0, 1] < second[0, 1] and first[1, 0] == second[0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: selection.hidden_peak(SCORES[:7], 4), r"a multiple of 4; got shape \(7,\)"),
        (lambda: selection.choices(ALPHA, {"far": [3, 40]}), r"0 to 39; 'far' holds \[3, 40\]"),
        (lambda: selection.staircase(T, ERROR, LOSS, 10), "from 1 to 9, got 10"),
        (lambda: selection.budget_curves({"x": {"a": T}, "y": {"b": T}}, []), r"same selectors; got \[\['a'"),
        (lambda: selection.budget_curves(PANELS, ["z"]), r"among \['a', 'b', 'c'\]; got \['z'\]"),
        (lambda: selection.staircase(T, ERROR[:3], LOSS, 5), r"\(11,\), \(3,\) and \(11,\)"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
