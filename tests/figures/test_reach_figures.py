"""The figures of chapter 9: dots, squares and curves are the paths and numbers that they were given."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import reach
from companion.look import COLOURS
from companion.patterns import chunks, sliding_window

WINDOWS = np.array([sliding_window(3).mask(9)] * 2)
NEEDED = {
    "window": np.tril(np.where(sliding_window(2).mask(5), 1, 2)),
    "chunks": chunks(2).mask(5).astype(int),
}
CURVES = {"even": np.array([1, 2, 3, 2, 1]) / 9, "near": np.array([6, 2, 1, 0, 0]) / 9}
FOUND = {"one": np.array([[np.nan, 1.0, 0.8, 0.1], [np.nan, 0.9, 0.6, 0.0]]), "two": np.full((2, 4), 0.5)}
PREDICTED = {name: np.array([1, 1, 0, 0]) for name in FOUND}
FIGURES = {
    "cone": lambda: reach.cone(WINDOWS, 6, [3, 4, 6]),
    "hops": lambda: reach.hops(NEEDED),
    "mass": lambda: reach.mass(CURVES, 4, {"far": 4}),
    "recall": lambda: reach.recall(FOUND, PREDICTED, 0.0625),
}


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_the_cone_fills_what_has_a_path():
    figure = FIGURES["cone"]()
    assert "1 after layer 1, 3 after layer 0, 5 input" in figure.alt
    assert "filled from 2 to 6" in figure.alt and "from below: 3, 4, 6" in figure.alt
    filled = figure.svg.count(f"fill: {COLOURS['k'][0]}")
    assert filled == 5  # the marks of the input within reach


def test_squares_stand_at_their_pairs_and_shrink_with_the_layers():
    svg = FIGURES["hops"]().svg
    paths = re.findall(r'd="(M[^"]+)"[^>]*style="fill: ' + COLOURS["k"][0], svg)
    counts = [path.count("M") for path in paths]
    assert counts == [9, 6, 7]  # window: one and two layers; chunks: one
    across = [re.findall(r"(?:M|L) (\S+) \S+", path)[1:3] for path in paths]
    widths = [abs(float(x) - float(y)) for x, y in across]
    assert widths[1] < widths[0]
    assert "window: 9, 6 pairs with 1 to 2 layers, 0 never" in FIGURES["hops"]().alt
    assert "chunks: 7, 0 pairs with 1 to 2 layers, 8 never" in FIGURES["hops"]().alt


def test_curves_are_told_by_their_peaks():
    alt = FIGURES["mass"]().alt
    assert "even: highest at 2" in alt and "near: highest at 0" in alt and "far at 4" in alt


def test_medians_of_recall_are_told_where_something_was_asked():
    alt = FIGURES["recall"]().alt
    assert "one: 0.95 at 1;" in alt and "two: 0.50 at 1" in alt and "0.062" in alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reach.cone(WINDOWS, 6, [4, 6]), r"3 positions and end at 6, got \[4, 6\]"),
        (lambda: reach.cone(WINDOWS, 6, [0, 4, 6]), "layer 0 does not let 4 read 0"),
        (lambda: reach.hops({"deep": np.full((2, 2), 5)}), "at most 4 layers, got 5"),
        (lambda: reach.recall(FOUND, {"one": [1]}, 0.1), r"same names, got \['one', 'two'\], \['one'\]"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
