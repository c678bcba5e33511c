"""The static figures: what they draw, what they say, and that their SVG can stand in a page."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import weighted_sum as chapter1
from companion.figures.base import Figure, canvas
from companion.figures.plane import corners
from companion.look import COLOURS
from companion.reference import weighted_sum

V = [[1, 2], [3, 0], [4, 5]]
ALPHA = [0.1, 0.6, 0.3]
ROWS = np.array([[1, 0, 0, 0], [0.7, 0.3, 0, 0], [0.1, 0.6, 0.3, 0], [0.25, 0.25, 0.1, 0.4]])
FIGURES = {
    "head_to_tail": lambda: chapter1.head_to_tail(ALPHA, V),
    "hull": lambda: chapter1.hull(V, ALPHA, outside=[5, 1]),
    "causal_rows": lambda: chapter1.causal_rows(ROWS, ["the", "cat", "sat", "down"]),
    "influence": lambda: chapter1.influence(V, ALPHA),
}
PLACED = re.compile(r'<use xlink:href="#[^"]+" x="([^"]+)" y="([^"]+)" style="([^"]+)"')


def markers(figure, colour):
    """Places of the markers whose fill (or, for a cross, stroke) is ``colour``, in drawing order."""
    found = [(float(x), float(y), style) for x, y, style in PLACED.findall(figure.svg)]
    return [(x, y) for x, y, style in found if re.match(rf"(fill: {colour}|stroke: {colour})", style)]


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_a_colour_of_its_own_is_refused():
    with canvas(2, 2) as drawing:
        drawing.add_subplot().plot([0, 1], color="#123456")
    with pytest.raises(ValueError, match="#123456"):
        Figure("strange", "A line.", drawing)


def test_bytes_do_not_depend_on_the_process():
    code = (
        "import sys; from companion.figures.weighted_sum import hull\n"
        f"sys.stdout.write(hull({V}, {ALPHA}, outside=[5, 1]).svg)"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7"}
    )
    assert other.stdout == FIGURES["hull"]().svg


@pytest.mark.parametrize("make", ["head_to_tail", "hull"])
@pytest.mark.parametrize("alpha", [ALPHA, [1, 0, 0], [0.2, 0.2, 0.6]])
def test_output_is_drawn_where_the_weights_put_it(make, alpha):
    figure = chapter1.hull(V, alpha) if make == "hull" else chapter1.head_to_tail(alpha, V)
    values = np.array(markers(figure, COLOURS["paper"][0]))
    (output,) = markers(figure, COLOURS["v"][0])
    # The SVG keeps two decimals of a point.
    np.testing.assert_allclose(output, weighted_sum(alpha, values), atol=0.02)
    assert "[" + ", ".join(f"{x:g}" for x in np.round(weighted_sum(alpha, V), 2)) + "]" in figure.alt


def test_hull_marks_the_mean_and_the_point_out_of_reach():
    figure = FIGURES["hull"]()
    values = np.array(markers(figure, COLOURS["paper"][0]))
    (mean,) = markers(figure, COLOURS["muted"][0])
    np.testing.assert_allclose(mean, values.mean(0), atol=0.02)
    assert len(markers(figure, COLOURS["wrong"][0])) == 1
    assert "[5, 1] lies outside" in figure.alt
    assert not markers(chapter1.hull(V, ALPHA), COLOURS["wrong"][0])


def test_corners_leave_out_what_lies_inside():
    points = np.array([[0, 0], [4, 0], [2, 1], [4, 4], [0, 4], [2, 0]], float)
    assert sorted(corners(points)) == [0, 1, 3, 4]
    assert corners(np.array([[1.0, 1.0]])) == [0]


def test_a_theme_cannot_hide_the_drawing():
    """JupyterLab shows an SVG as an image: its own ground is what keeps it readable there on dark."""
    first = ElementTree.fromstring(FIGURES["hull"]().svg)[0]
    assert (first.get("class"), first.get("fill")) == ("att-ground", COLOURS["paper"][0])


def test_causal_bars_are_as_long_as_their_weights():
    figure = FIGURES["causal_rows"]()
    bar = re.compile(r'<path d="M (\S+) \S+ L (\S+) [^"]*"[^>]*style="fill: ' + COLOURS["alpha"][0])
    lengths = [float(right) - float(left) for left, right in bar.findall(figure.svg)]
    weights = ROWS[np.tril_indices(4)]
    assert len(lengths) == len(weights)
    np.testing.assert_allclose(lengths / np.max(lengths), weights, atol=0.001)
    assert figure.svg.count("fill: url(#causal-rows-") == 6
    assert "0.10 0.60 0.30" in figure.alt


def test_influence_names_the_winner_of_each_reading():
    alt = FIGURES["influence"]().alt
    assert re.findall(r"largest v_(\d)", alt) == ["1", "2", "2", "1"]
    for row in ("0.100, 0.600, 0.300", "0.224, 1.800, 1.921", "0.212, 1.022, 1.026", "0.236, 2.554, 1.466"):
        assert row in alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: chapter1.hull([[1, 2, 3]] * 3, ALPHA), r"values must be \(n, 2\).*\(3, 3\)"),
        (lambda: chapter1.head_to_tail([0.5, 0.5], V), r"alpha must be \(3,\).*\(2,\)"),
        (lambda: chapter1.causal_rows([[0.5, 0.5], [0.5, 0.5]]), "zero above the diagonal"),
        (lambda: chapter1.causal_rows([[1, 0], [0.5, 0.4]]), "sum to 1 by row"),
        (lambda: chapter1.causal_rows([[1, 0]]), r"weights must be \(n, n\), got shape \(1, 2\)"),
        (lambda: chapter1.hull(V, ALPHA, outside=[3, 2]), r"outside must lie outside.*\[3, 2\]"),
        (lambda: chapter1.hull(V, ALPHA, outside=[1, 2]), r"outside must lie outside.*\[1, 2\]"),
        (lambda: chapter1.hull(V, ALPHA, outside=[2, 1]), r"outside must lie outside.*\[2, 1\]"),
        (lambda: chapter1.causal_rows(ROWS, ["the", "cat"]), "tokens must hold 4 words, got 2"),
        (lambda: chapter1.influence(V, [0, 1, 0]), "alpha must be below 1"),
        (lambda: canvas(8, 2).__enter__(), "at most 7.0 inches, got 8"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
