"""The figures of chapter 8: what they draw and say is what patterns and caches do."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.cache import WindowCache
from companion.figures import patterns as figures
from companion.look import COLOURS
from companion.patterns import causal, chunks, global_tokens, sinks, sliding_window, strided

PAIR = (sliding_window(4), chunks(3) | sinks(1))
GROWING = (causal(), strided(4), sliding_window(8))
LENGTHS = [8, 16, 32, 64]
FIGURES = {
    "grids": lambda: grids(*PAIR),
    "growth": lambda: figures.growth(GROWING, LENGTHS),
    "ring": lambda: figures.ring(3, 2, 9),
}
SQUARES = re.compile(r'<path d="([^"]*)"[^>]*style="fill: ' + COLOURS["alpha"][0])
LINE = re.compile(r'<path d="([^"]*)"[^>]*style="fill: none; stroke: ' + COLOURS["alpha"][0])
TOLD = re.compile(r"(\{[\d, ]*\})")


def grids(*patterns, L=8, row=5):
    return figures.grids({str(pattern): pattern.mask(L) for pattern in patterns}, row)


def told(text):
    """The sets that an alternative text tells."""
    return [set(map(int, re.findall(r"\d+", numbers))) for numbers in TOLD.findall(text)]


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_grids_fill_the_pairs_and_name_the_keys_of_the_framed_row():
    figure = grids(*PAIR)
    drawn = [squares.count("M") for squares in SQUARES.findall(figure.svg)]
    assert drawn == [pattern.pairs(8) for pattern in PAIR]
    assert [int(pairs) for pairs in re.findall(r"(\d+) pairs", figure.alt)] == drawn
    assert told(figure.alt) == [set(pattern.indices(5)) for pattern in PAIR]


def test_every_filled_square_lies_at_its_pair():
    figure = grids(global_tokens([2, 5]), L=6, row=3)
    corners = re.findall(r"M (\S+) (\S+)", SQUARES.search(figure.svg)[1])
    x, y = np.array(corners, float).T
    side = np.diff(np.unique(x)).min()
    found = set(zip(((y - y.min()) / side).round(), ((x - x.min()) / side).round(), strict=True))
    i, j = np.nonzero(global_tokens([2, 5]).mask(6))
    assert found == set(zip(i - i.min(), j - j.min(), strict=True))


def test_an_empty_mask_has_no_squares():
    figure = figures.grids({"nothing": np.zeros((4, 4), bool)}, row=1)
    assert not SQUARES.search(figure.svg)
    assert "0 pairs, query 1 reads {}" in figure.alt


def test_grids_of_one_page_have_their_own_ids():
    ids = [set(re.findall(r' id="([^"]+)"', grids(pattern).svg)) for pattern in PAIR]
    assert ids[0] and ids[1] and not ids[0] & ids[1]


def test_growth_draws_the_mean_number_of_keys():
    figure = FIGURES["growth"]()
    lines = [np.array(re.findall(r"[ML] (\S+) (\S+)", path), float) for path in LINE.findall(figure.svg)]
    means = np.array([[pattern.pairs(L) / L for L in LENGTHS] for pattern in GROWING])
    heights = np.array([-line[:, 1] for line in lines])
    unit = (heights[0, -1] - heights[0, 0]) / np.log2(means[0, -1] / means[0, 0])
    np.testing.assert_allclose((heights - heights[0, 0]) / unit, np.log2(means / means[0, 0]), atol=0.01)
    for pattern, row in zip(GROWING, means, strict=True):
        assert f"{pattern} {row[0]:.1f} and {row[-1]:.1f}" in figure.alt


@pytest.mark.parametrize(("window", "sinks"), [(3, 2), (4, 0), (1, 1)])
def test_ring_holds_all_tokens_until_it_is_full_and_then_what_the_newest_query_reads(window, sinks):
    pattern = WindowCache(window, sinks).pattern
    held = [set(range(t + 1) if t < sinks + window else pattern.indices(t)) for t in range(9)]
    assert told(figures.ring(window, sinks, 9).alt) == held


def test_ring_takes_the_slots_of_the_window_in_turns():
    slots = re.findall(r"in slot (\d+)", FIGURES["ring"]().alt)
    assert list(map(int, slots)) == [0, 1, 2, 3, 4, 2, 3, 4, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.grids({}, 0), r"named must hold masks \(L, L\) of one size, got shapes \[\]"),
        (lambda: figures.grids({"a": np.eye(3), "b": np.eye(4)}, 0), r"of one size.*\(3, 3\), \(4, 4\)"),
        (lambda: figures.grids({"a": np.ones((2, 3))}, 0), r"of one size.*\(2, 3\)"),
        (lambda: figures.grids({"a": np.eye(3)}, 3), r"row must lie in 0 \.\. 2, got 3"),
        (lambda: figures.growth([causal()], [8, 4]), r"lengths must ascend.*\[8, 4\]"),
        (lambda: figures.growth([causal()], [8]), r"lengths must ascend.*\[8\]"),
        (lambda: figures.ring(0, 1, 4), "window"),
        (lambda: figures.ring(2, -1, 4), "sinks"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
