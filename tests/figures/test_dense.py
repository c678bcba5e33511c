"""The figures of chapter 4: bars, curves and dots are the numbers that they were given."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import dense
from companion.look import COLOURS
from companion.reference import softmax

ROWS = {"equal": np.full(4, 0.25), "one": np.array([0.9, 0.1])}
NUMBERS = {"equal": (4.0, 4.0), "one": (1.384, 1.22)}
ALPHA = softmax(np.random.default_rng(0).normal(size=(2, 40)) * 2)
CURVES = np.sort(ALPHA, axis=1)[:, ::-1].cumsum(axis=1)
LOST, ERROR = np.array([0.09, 0.1, 0.5, 0.8]), np.array([0.3, 0.05, 0.2, 1.4])
PATH = re.compile(r'<path d="([^"]+)"[^>]*style="fill: ' + COLOURS["alpha"][0])
FIGURES = {
    "effective": lambda: dense.effective(ROWS, NUMBERS),
    "heads": lambda: dense.heads_of_one_query(ALPHA, ["a", "b"], "x" * 40),
    "top_mass": lambda: dense.top_mass(CURVES, ["a", "b"], ["one", "two"]),
    "mass_and_error": lambda: dense.mass_and_error(LOST, ERROR),
}


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


@pytest.mark.parametrize(("name", "rows"), [("effective", list(ROWS.values())), ("heads", list(ALPHA))])
def test_bars_are_as_high_as_the_weights(name, rows):
    drawn = PATH.findall(FIGURES[name]().svg)
    for row, path in zip(rows, drawn, strict=True):
        bars = np.array(re.findall(r"M \S+ (\S+) L \S+ (\S+)", path), float)
        heights = bars[:, 0] - bars[:, 1]
        np.testing.assert_allclose(heights / heights.max(), row / row.max(), atol=0.005)


def test_numbers_and_places_are_told():
    assert "one: largest of 2 weights 0.90, 1.38, 1.22" in FIGURES["effective"]().alt
    heads = FIGURES["heads"]().alt
    for name, row in zip("ab", ALPHA, strict=True):
        assert f"{name} {row.max():.2f} at {row.argmax()}" in heads
    assert f"a {CURVES[0, 3]:.2f}, {CURVES[0, 15]:.2f}; b {CURVES[1, 3]:.2f}" in FIGURES["top_mass"]().alt


def test_dots_above_the_line_and_near_the_mark_are_counted():
    alt = FIGURES["mass_and_error"]().alt
    assert "4 diamonds" in alt and "50% lie above" in alt
    assert "2 diamonds, the error goes from 0.05 to 0.30" in alt
    marks = re.search(r'd="(M[^"]+)"[^>]*stroke: ' + COLOURS["v"][0], FIGURES["mass_and_error"]().svg)[1]
    assert marks.count("M") == 4
    assert "the error goes" not in dense.mass_and_error([0.5], [0.2]).alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dense.effective(ROWS, {"equal": (4, 4)}), r"same names, got \['equal', 'one'\]"),
        (lambda: dense.heads_of_one_query(ALPHA, ["a"], "x" * 40), r"\(1, 40\).*\(2, 40\)"),
        (lambda: dense.top_mass(CURVES, ["a"], ["one", "two"]), r"\(1, n\).*\(2, 40\)"),
        (lambda: dense.mass_and_error(LOST, ERROR[:2]), r"\(4,\) and \(2,\)"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
