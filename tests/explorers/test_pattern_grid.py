"""What the pattern explorer draws against companion.patterns, at every value that its controls allow."""

from itertools import product

import numpy as np
import pytest
from helpers.explorers import page_of
from helpers.pattern_page import READ, TOKENS, differences

from companion.explorers.pattern import BLOCK_SIZES, KINDS, pattern, slots, state
from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    global_tokens,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

RNG = np.random.default_rng(8)
SCHEDULES = ("A", "AA", "AB", "BA", "AAB", "ABB", "ABAB", "BAAA", "AAAA")


def some_ids(count):
    return [sorted(RNG.choice(TOKENS, RNG.integers(2, 9), replace=False).tolist()) for _ in range(count)]


def some_lengths(count):
    inner = [RNG.integers(1, TOKENS, RNG.integers(0, 9)).tolist() for _ in range(count)]
    return [np.diff(sorted({0, TOKENS, *borders})).tolist() for borders in inner]


def every(maker):
    """All patterns of a kind at every combination of numbers that its sliders allow."""
    fields = KINDS[maker.__name__][1]
    return [maker(*args) for args in product(*(range(f["low"], f["high"] + 1) for f in fields))]


# Numbers are taken all; of the lists, all with one entry, the extremes, and some drawn.
SINGLES = {
    "causal": [causal()],
    "sliding_window": every(sliding_window),
    "dilated": every(dilated),
    "strided": every(strided),
    "sinks": every(sinks),
    "chunks": every(chunks),
    "random_blocks": every(random_blocks),
    "global_tokens": [
        global_tokens(ids) for ids in [[], range(TOKENS), *([j] for j in range(TOKENS)), *some_ids(40)]
    ],
    "documents": [documents(lengths) for lengths in [[TOKENS], [1] * TOKENS, *some_lengths(60)]],
}
FEW = [
    causal(), sliding_window(5), sliding_window(24), dilated(3, 7), dilated(8, 4), strided(6), strided(16),
    sinks(1), sinks(11), global_tokens([9]), global_tokens([0, 31, 40]), chunks(7), chunks(16),
    random_blocks(8, 2, 4), random_blocks(5, 1, 3), documents([10, 30, 24]), documents([32, 1, 31]),
]  # fmt: skip
PAIRS = [both for a, b in product(FEW, FEW) for both in (a & b, a | b)]


def triples(count):
    """Three parts with two operators, grouped as Python groups them."""
    for _ in range(count):
        a, b, c = (FEW[k] for k in RNG.integers(0, len(FEW), 3))
        yield from (a & b & c, a & b | c, a | b & c, a | b | c)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    page = browser.new_page()
    page.goto(page_of(pattern(), tmp_path_factory.mktemp("grid")))
    yield page
    page.close()


def shown(page, starts):
    """What the explorer shows when it starts in each of the given states."""
    return page.evaluate(
        """([spec, starts]) => starts.map((start) => {
          const node = document.createElement("div");
          const unmount = front.mount(node, { ...spec, start });
          const seen = (%s)(node);
          unmount();
          return seen;
        })""" % READ,
        [pattern().spec, starts],
    )


def differing(page, cases):
    """The cases that the explorer shows otherwise than companion computes them, and what differs.

    ``cases`` are pattern and block size; schedule, row and the other pattern go round.
    """
    found = []
    for first in range(0, len(cases), 400):
        batch = []
        for place, (a, size) in enumerate(cases[first : first + 400], first):
            b, schedule, row = FEW[place % len(FEW)], SCHEDULES[place % len(SCHEDULES)], 23 * place % TOKENS
            batch.append((a, b, schedule, size, row))
        starts = [
            state(slots("a", a), slots("b", b), schedule, size, row, "")
            for a, b, schedule, size, row in batch
        ]
        for seen, case in zip(shown(page, starts), batch, strict=True):
            if parts := differences(seen, *case):
                found.append((case, parts))
    return found


@pytest.mark.parametrize("kind", SINGLES)
def test_a_single_pattern_at_every_value_and_block_size(page, kind):
    assert kind in KINDS and len(SINGLES) == len(KINDS)
    assert differing(page, list(product(SINGLES[kind], BLOCK_SIZES))) == []


def test_all_kinds_joined_in_pairs(page):
    assert differing(page, [(both, BLOCK_SIZES[place % 3]) for place, both in enumerate(PAIRS)]) == []


def test_three_parts_are_grouped_as_in_python(page):
    assert differing(page, [(each, BLOCK_SIZES[place % 3]) for place, each in enumerate(triples(60))]) == []
