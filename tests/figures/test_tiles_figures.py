"""The figures of chapter 11: what they draw and say is what softmax, patterns and costs compute."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import tiles
from companion.look import COLOURS
from companion.patterns import causal

SCORES = np.log([1.0, 6.0, 3.0, 10.0, 5.0])
TOKENS = ["the", "river", "bank", "flooded", "again"]
WHOLE, TILED = {1024: 28.4, 8192: 31.5}, {1024: 256.0, 8192: 2048.0}
DEVICES = [(7e10, 2e10), (312e12, 2.039e12)]
FIGURES = {
    "roofline": lambda: tiles.roofline(WHOLE, TILED, peak_flops=7e10, bandwidth=2e10),
    "roofline of a GPU": lambda: tiles.roofline(WHOLE, TILED, peak_flops=312e12, bandwidth=2.039e12),
    "states": lambda: tiles.states(SCORES, 2, TOKENS),
    "tiling": lambda: tiles.tiling(10, 4, 3),
}
PLACED = re.compile(r'<use xlink:href="#[^"]+" x="([^"]+)" y="([^"]+)" style="[^"]*: ' + COLOURS["q"][0])


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


@pytest.mark.parametrize(("peak", "bandwidth"), DEVICES)
def test_roofline_places_work_below_its_bound(peak, bandwidth):
    figure = tiles.roofline(WHOLE, TILED, peak_flops=peak, bandwidth=bandwidth)
    places = np.array([(float(x), float(y)) for x, y in PLACED.findall(figure.svg)])
    work = np.array([*WHOLE.values(), *TILED.values()])
    assert len(places) == len(work)
    step = (places[3, 0] - places[2, 0]) / 3  # from 256 to 2048: three doublings
    np.testing.assert_allclose(np.diff(places[:, 0]), step * np.diff(np.log2(work)), atol=0.03)
    roofs = np.log2(np.minimum(peak, work * bandwidth))
    up = -(places[:, 1] - places[0, 1])
    assert (np.diff(up) >= -0.01).all()
    if np.ptp(roofs):
        np.testing.assert_allclose(up / up.max(), (roofs - roofs[0]) / np.ptp(roofs), atol=0.01)
    else:
        np.testing.assert_allclose(up, 0, atol=0.01)
    assert f"level at {peak / bandwidth:.3g} operations per byte" in figure.alt
    assert "1024 tokens 28.4, 8192 tokens 31.5" in figure.alt and "8192 tokens 2.05e+03" in figure.alt


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_states_tell_the_terms_after_each_tile(size):
    alt = tiles.states(SCORES, size, TOKENS).alt
    ends = [min(start + size, 5) for start in range(0, 5, size)]
    told = re.findall(r"after (\d+) keys the terms are ([\d., ]+) and add up to (\d+\.\d\d)", alt)
    assert [int(end) for end, _, _ in told] == ends
    for end, terms, total in told:
        powers = np.exp(SCORES[: int(end)])
        want = powers / powers.max()
        np.testing.assert_allclose([float(x) for x in terms.split(", ")], want, atol=0.0051)
        assert float(total) == pytest.approx(want.sum(), abs=0.0051)


def bars(figure, fill):
    """Paths with this fill and the outline of a weight."""
    found = re.findall(r'style="fill: ([^;"]+)[^"]*stroke: ' + COLOURS["alpha"][0], figure.svg)
    return found.count(fill)


def test_states_fill_the_tile_that_was_just_read():
    figure = FIGURES["states"]()
    assert bars(figure, COLOURS["alpha"][0]) == 2 + 2 + 1
    assert bars(figure, "none") == 0 + 2 + 4
    assert figure.svg.count("fill: url(#states-") == 3 + 1


@pytest.mark.parametrize(("tokens", "rows", "columns"), [(10, 4, 3), (8, 4, 4), (5, 1, 1), (7, 9, 2)])
def test_tiling_counts_and_draws_the_three_kinds(tokens, rows, columns):
    figure = tiles.tiling(tokens, rows, columns)
    mask = causal().mask(tokens)
    found = {"full": 0, "partial": 0, "empty": 0}
    hatched = 0
    for top in range(0, tokens, rows):
        for left in range(0, tokens, columns):
            tile = mask[top : top + rows, left : left + columns]
            found["full" if tile.all() else "partial" if tile.any() else "empty"] += 1
            hatched += (~tile).sum() if tile.any() else 0
    for kind, count in found.items():
        assert f"{count} {kind}" in figure.alt
    assert len(re.findall(r"fill: " + COLOURS["alpha"][0], figure.svg)) == mask.sum()
    assert figure.svg.count("fill: url(#tiling-") == hatched


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tiles.states(SCORES, 0, TOKENS), "at least 1, got 0"),
        (lambda: tiles.states(SCORES, 2, TOKENS[:2]), "n words"),
        (lambda: tiles.states([0, -np.inf], 2, ["a", "b"]), "finite"),
        (lambda: tiles.tiling(10, 0, 3), "at least 1, got 10, 0, 3"),
        (lambda: tiles.roofline(WHOLE, TILED, peak_flops=0, bandwidth=1), "peak_flops must be positive"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
