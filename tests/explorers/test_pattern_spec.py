"""What the pattern explorer hands over: bundle, claims of its examples, and starts it refuses."""

import numpy as np
import pytest
from helpers.explorers import fallback
from helpers.pattern_page import TOKENS, reach

from companion.explorers.pattern import EXAMPLES, pattern
from companion.patterns import (
    causal,
    chunks,
    documents,
    full,
    global_tokens,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
)

START = sliding_window(8) | sinks(2)


def reached(patterns, i):
    return [np.flatnonzero(after).tolist() for after in reach([each.mask(TOKENS) for each in patterns], i)]


def test_what_the_examples_say_is_so():
    said = {name: text for name, *_, text in EXAMPLES}
    a = {name: each for name, each, *_ in EXAMPLES}
    window = sliding_window(8)

    first, second = reached([a["Window and sinks"]] * 2, 40)
    assert set(second) - set(first) == set(range(26, 33))
    assert "reaches 7 positions further" in said["Window and sinks"]
    assert reached([a["Like Longformer"]] * 2, 63)[1] == [*range(33), *range(49, 64)]
    assert "0 to 32 to row 63" in said["Like Longformer"] and "from 33 to 48" in said["Like Longformer"]
    assert len(reached([a["Like BigBird"]] * 2, 63)[1]) == 39
    assert len(reached([window | global_tokens([0])] * 2, 63)[1]) == 16
    assert "bring 39 positions" in said["Like BigBird"] and "bring 16" in said["Like BigBird"]

    spread = reached([a["Dilated"]] * 9, 63)
    assert spread[1] != spread[2] == list(range(3, 64, 4)) == spread[8] and len(spread[2]) == 16
    assert 63 - a["Dilated"].indices(63)[0] + 1 == 29 and "span of 29" in said["Dilated"]
    strides = a["Window and stride"]
    assert len(strides.indices(40)) == 13 and reached([strides] * 2, 40)[1] == list(range(41))
    assert abs(strides.pairs(TOKENS) / causal().pairs(TOKENS) - 1 / 3) < 0.01
    assert (strides.layout(TOKENS, block_size=8).states()[0] > 0).sum() == 8 * 9 // 2

    assert reached([a["Chunks"]] * 4, 40)[3] == list(range(32, 41))
    layout = a["Chunks"].layout(TOKENS, block_size=16)
    assert len(layout.partial_blocks) + len(layout.full_blocks) == 4
    assert len(a["Documents"].indices(34, TOKENS)) == 3
    assert reached([window, causal()], 40)[1] == list(range(41))
    pairs = window.pairs(TOKENS) + causal().pairs(TOKENS)
    assert f"{50 * pairs / causal().pairs(TOKENS):.0f} %" == "62 %" and "62 %" in said["Window, then full"]


def test_it_is_told_without_scripts():
    widget = pattern(chunks(16) | sinks(1), row=20, block_size=16)
    assert "chunks(16)" in fallback(widget)
    assert "chunks(16) | sinks(1): 592 of the 2,080 causal pairs, density 0.14;" in widget.alt()
    assert "in blocks of 16, 0 full and 7 partial ones." in widget.alt()
    assert "Row 20 reads the keys 0, 16, 17, 18, 19, 20." in widget.alt()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"first": "causal"}, TypeError, "first must be a Pattern, not 'causal'"),
        ({"other": full()}, ValueError, r"other must be made of causal, .*got full\(\)"),
        ({"first": per_head([causal()])}, ValueError, "first must be made of causal, .*per_head"),
        ({"first": causal() & (sinks(1) | sinks(2))}, ValueError, "at most 3 parts and no brackets"),
        ({"first": START | sinks(1) | chunks(2)}, ValueError, "first must have at most 3 parts"),
        ({"first": sliding_window(65)}, ValueError, "w of sliding_window must lie from 1 to 64, got 65"),
        ({"first": random_blocks(8, 1, 99)}, ValueError, "seed of random_blocks must lie from 0 to 4"),
        ({"first": global_tokens([64])}, ValueError, "ids must lie below S = 64; got 64"),
        ({"first": documents([10])}, ValueError, "lengths must add up to S = 64 tokens; they add up to 10"),
        ({"layers": ["A"]}, TypeError, r"layers must be a string, not \['A'\]"),
        ({"layers": ""}, ValueError, "layers must be 1 to 4 letters A or B, got ''"),
        ({"layers": "AAAAA"}, ValueError, "layers must be 1 to 4 letters"),
        ({"layers": "AC"}, ValueError, "letters A or B, got 'AC'"),
        ({"row": 64}, ValueError, "row must be less than 64"),
        ({"block_size": 12}, ValueError, "block_size must be one of 8, 16, 32, got 12"),
    ],
)
def test_a_start_that_the_controls_cannot_show_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        pattern(**arguments)
