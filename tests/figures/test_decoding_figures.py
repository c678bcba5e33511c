"""The figures of chapter 6: what they draw and say is what patterns and costs compute."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.cost import cache_bytes
from companion.figures import decoding
from companion.look import COLOURS
from companion.patterns import causal

PEAK, BANDWIDTH = 312e12, 2.039e12
WORK = {"decode": 4, "near the ridge": 32, "prefill": 3000}
FIGURES = {
    "calls": lambda: decoding.calls([5, 3, 1]),
    "alignments": lambda: decoding.alignments(3, 2),
    "bill": lambda: decoding.bill([32, 1], dim=128, layers=32, memory=80e9),
    "roofline": lambda: decoding.roofline(WORK, peak_flops=PEAK, bandwidth=BANDWIDTH),
}
PLACED = re.compile(r'<use xlink:href="#[^"]+" x="([^"]+)" y="([^"]+)" style="fill: ' + COLOURS["q"][0])


def cells(figure):
    """How many cells are filled, and how many are hatched."""
    filled = len(re.findall(r"fill: " + COLOURS["alpha"][0], figure.svg))
    return filled, figure.svg.count(f"fill: url(#{figure.name}-")


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


@pytest.mark.parametrize("lengths", [[5, 3, 1], [4], [1, 1, 2]])
def test_calls_together_are_the_causal_triangle(lengths):
    figure = decoding.calls(lengths)
    total, ends = sum(lengths), np.cumsum(lengths)
    rectangles = sum(length * end for length, end in zip(lengths, ends, strict=True))
    pairs = causal().pairs(total)
    assert cells(figure) == (pairs, rectangles - pairs)
    told = re.findall(r"brings (\d+) new and finds (\d+) cached", figure.alt)
    assert [(int(new), int(old)) for new, old in told] == list(zip(lengths, ends - lengths, strict=True))


def test_alignments_count_what_each_reads():
    figure = FIGURES["alignments"]()
    assert cells(figure) == (3 + 10 + 9, 7 + 0 + 1)
    told = [int(keys) for keys in re.findall(r"reads (\d+) key", figure.alt)]
    assert told == [1, 2, 5, 5, 4, 5]


def test_bill_tells_the_bytes():
    alt = FIGURES["bill"]().alt
    for heads in (32, 1):
        size = cache_bytes(8192, 128, kv_heads=heads, layers=32) / 2**30
        assert f"{heads} key head" in alt and f"{size:g} GiB at 8192 tokens" in alt
    assert f"{80e9 / 2**30:.1f} GiB" in alt


def test_roofline_places_work_below_its_bound():
    figure = FIGURES["roofline"]()
    places = np.array([(float(x), float(y)) for x, y in PLACED.findall(figure.svg)])
    assert len(places) == len(WORK)
    across = np.diff(places[:, 0]) / (places[1, 0] - places[0, 0])
    np.testing.assert_allclose(across, np.diff(np.log2(list(WORK.values()))) / 3, atol=0.01)
    up = -np.diff(places[:, 1]) / (places[0, 1] - places[1, 1])
    roofs = [min(PEAK, x * BANDWIDTH) for x in WORK.values()]
    np.testing.assert_allclose(up, np.diff(np.log2(roofs)) / 3, atol=0.01)
    assert f"level at {PEAK / BANDWIDTH:.0f} operations per byte" in figure.alt


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_a_call_without_tokens_is_refused(lengths):
    with pytest.raises(ValueError, match=r"lengths must hold numbers from 1 up, got \["):
        decoding.calls(lengths)
