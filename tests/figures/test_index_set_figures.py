"""The figures of chapter 7: bars, points and labels are the numbers that follow from weights and sets."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import index_set
from companion.look import COLOURS
from companion.reference import attend

ALPHA = np.array([0.04, 0.24, 0.12, 0.4, 0.2])
VALUES = np.array([[1.0, 2.0], [3.0, 0.0], [4.0, 5.0], [0.0, 1.0], [5.0, 3.0]])
WORDS = ["the", "river", "bank", "flooded", "again"]
G, R = [0, 2, 4], [1, 3]
FIGURES = {
    "sparse_weights": lambda: index_set.sparse_weights(ALPHA, G, WORDS),
    "mixing": lambda: index_set.mixing(VALUES, ALPHA, G),
    "subsets": lambda: index_set.subsets([0.4, 0.35, 0.25], [0, 10, 3], [[2], [0, 2], [0, 1, 2]]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def heights(svg, style):
    """Heights of the rectangles that are drawn in this style."""
    paths = re.findall(r'<path d="([^"]+)"[^>]*style="([^"]*)"', svg)
    drawn = [re.findall(r"[ML] \S+ (\S+)", path) for path, found in paths if re.search(style, found)]
    return np.array([float(points[0]) - float(points[2]) for points in drawn if len(points) in (4, 5)])


def test_bars_are_as_high_as_both_weights():
    svg = FIGURES["sparse_weights"]().svg
    weight, masked = COLOURS["alpha"][0], COLOURS["masked"][0]
    solid = heights(svg, f"fill: {weight}")
    outlines = heights(svg, f"fill: none; stroke: {weight}")
    hatched = heights(svg, f"stroke: {masked}")
    unit = outlines[0] / ALPHA[0]
    np.testing.assert_allclose(outlines / unit, ALPHA[G], atol=2e-3)
    np.testing.assert_allclose(solid / unit, ALPHA[G] / 0.36, atol=5e-3)
    np.testing.assert_allclose(hatched[:2] / unit, ALPHA[R], atol=5e-3)


def test_weights_are_told_for_each_position():
    alt = FIGURES["sparse_weights"]().alt
    assert "G = {0, 2, 4}" in alt
    for piece in ("the 0.04 to 0.11", "river 0.24 to 0, left out", "bank 0.12 to 0.33", "again 0.20 to 0.56"):
        assert piece in alt


def test_the_two_averages_and_the_division_are_told():
    alt = FIGURES["mixing"]().alt
    K = np.log(ALPHA)[:, None]
    for part in (G, R, range(5)):
        x, y = attend([1.0], K, VALUES, part)
        assert f"[{x:.2f}, {y:.2f}]" in alt
    assert "0.64 of it on the side of G, 0.36 on the other" in alt


def test_the_output_is_drawn_on_the_segment():
    """The dense output's mark divides the line between the two averages in the proportion of the masses."""
    svg = FIGURES["mixing"]().svg
    ink = COLOURS["ink"][0]
    lines = re.findall(r'<path d="M (\S+) (\S+) L (\S+) (\S+)"[^>]*style="[^"]*stroke: ' + ink, svg)
    segments = np.array(lines, float).reshape(-1, 2, 2)
    kept, rest = max(segments, key=lambda ends: np.linalg.norm(ends[0] - ends[1]))
    marks = np.array(re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"', svg), float)
    wanted = 0.36 * kept + 0.64 * rest
    assert np.abs(marks - wanted).max(axis=1).min() < 0.1


def test_every_subset_has_mass_error_and_bound():
    alt = FIGURES["subsets"]().alt
    assert alt.count("mass") == 8  # seven sets, and the axis
    for piece in (
        "{2} mass 0.25, error 1.25, bound 5.25",
        "{0, 2} mass 0.65, error 3.10, bound 3.50",
        "{0, 1, 2} mass 1.00, error 0.00, bound 0.00",
    ):
        assert piece in alt
    assert alt.endswith("Arrows lead along {2}, {0, 2}, {0, 1, 2}.")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: index_set.sparse_weights(ALPHA, G, WORDS[:3]), "hold 5 words, got 3"),
        (lambda: index_set.sparse_weights(2 * ALPHA, G, WORDS), "add up to 1"),
        (lambda: index_set.sparse_weights(ALPHA, [], WORDS), r"positions 0 to 4, some of weight, got \[\]"),
        (lambda: index_set.sparse_weights(ALPHA, [5], WORDS), r"positions 0 to 4, some of weight, got \[5\]"),
        (lambda: index_set.mixing(VALUES, ALPHA, range(5)), "leave a position out, got all 5"),
        (lambda: index_set.mixing(VALUES[:, :1], ALPHA, G), r"\(n, 2\).*\(5, 1\)"),
        (lambda: index_set.subsets([0.5, 0.5], [[1], [2]], [[0]]), r"\(2,\) and \(2, 1\)"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
