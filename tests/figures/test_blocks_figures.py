"""The figures of chapter 12: what they draw and say is what layouts and numbers are."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import blocks as figures
from companion.look import COLOURS
from companion.patterns import causal, sinks, sliding_window, strided

CUT = {"window": (sliding_window(8), 16, 4), "more": (sliding_window(5) | sinks(2), 18, 4)}
RATIOS = {"a window": {16: 1.1, 32: 1.25, 64: 2.0}, "a stride": {16: 16.0, 32: 30.0, 64: 60.0}}
TIMES = {"dense": {1024: 0.001, 2048: 0.004}, "window": {1024: 0.0005, 2048: 0.001}}
FIGURES = {
    "grids": lambda: figures.grids(CUT),
    "waste": lambda: figures.waste(RATIOS),
    "scaling": lambda: figures.scaling(TIMES, "time at least"),
}
SQUARES = re.compile(r'<path d="([^"]*)"[^>]*style="fill: ' + COLOURS["alpha"][0])


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_grids_tell_and_draw_the_blocks_of_the_layout():
    figure = figures.grids(CUT)
    told = re.findall(r"(\d+) full and (\d+) partial", figure.alt)
    for (full, partial), (pattern, L, size) in zip(told, CUT.values(), strict=True):
        layout = pattern.layout(L, block_size=size)
        assert (int(full), int(partial)) == (len(layout.full_blocks), len(layout.partial_blocks))
    # A full block is one filled path; the live pairs of all partial blocks of a grid are one path.
    filled = [path.count("M") for path in SQUARES.findall(figure.svg)]
    fulls = sum(int(full) for full, _ in told)
    assert sum(count > 1 for count in filled) == len(CUT)
    assert sum(count == 1 for count in filled) == fulls
    live = 0
    for pattern, L, size in CUT.values():
        states = pattern.layout(L, block_size=size).states()[0]
        inside = (states == 1).repeat(size, 0).repeat(size, 1)[:L, :L]
        live += int((pattern.mask(L) & inside).sum())
    assert sum(filled) == fulls + live


def test_empty_blocks_stay_blank():
    only = figures.grids({"diagonal": (sliding_window(1), 8, 4)})
    assert only.svg.count("fill: url(#") == 2  # the two blocks on the diagonal are hatched


@pytest.mark.parametrize(("call", "named"), [("waste", RATIOS), ("scaling", TIMES)])
def test_lines_are_named_and_told(call, named):
    figure = FIGURES[call]()
    for name, row in named.items():
        factor, digits = (1, ".2f") if call == "waste" else (1e3, ".3g")
        low, high = (factor * row[x] for x in (min(row), max(row)))
        assert f"{name} from {low:{digits}} at {min(row)} to {high:{digits}} at {max(row)}" in figure.alt


def test_names_at_the_right_keep_apart():
    heights = figures.apart([3.0, 1.0, 1.1, 3.05], 0.5)
    assert heights == [3.0, 1.0, 1.5, 3.5]
    assert np.diff(sorted(heights)).min() >= 0.5


def test_the_stair_of_a_grid_is_the_diagonal():
    figure = figures.grids({"all": (causal() & strided(1), 6, 6)})
    assert "1 full and 0 partial" not in figure.alt
    assert "0 full and 1 partial" in figure.alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.grids({}), "at least one pattern"),
        (lambda: figures.waste({"a": {16: 1.0}}), "two points or more"),
        (lambda: figures.scaling({"a": {16: 1.0, 32: 0.0}}, "time"), "heights above 0"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
