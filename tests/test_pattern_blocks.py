"""Patterns a block at a time: three-valued truths are exact, and layouts describe the mask."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import patterns as room
from companion.patterns import (
    ALL,
    NONE,
    SOME,
    causal,
    dilated,
    full,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)
from helpers.pattern_cases import RULES, TOKENS, compounds, patterns, windows_and_sinks

SINGLES = [
    "full()",
    *RULES,
    "random_blocks(1, 2, 5)",
    "random_blocks(4, 2, 7)",
    "random_blocks(5, 1, 1)",
    "random_blocks(3, 9, 0)",
]


def all_blocks():
    """The ends (i0, i1, j0, j1) of every block within TOKENS x TOKENS."""
    start, stop = np.triu_indices(TOKENS + 1, 1)
    rows, columns = np.meshgrid(np.arange(len(start)), np.arange(len(start)), indexing="ij")
    return start[rows], stop[rows], start[columns], stop[columns]


def counted(mask, i0, i1, j0, j1):
    """The truths of blocks by counting the allowed pairs in them."""
    sums = np.zeros((len(mask) + 1, len(mask) + 1), int)
    sums[1:, 1:] = mask.cumsum(axis=0).cumsum(axis=1)
    inside = sums[i1, j1] - sums[i0, j1] - sums[i1, j0] + sums[i0, j0]
    return np.where(inside == 0, NONE, np.where(inside == (i1 - i0) * (j1 - j0), ALL, SOME))


def states(mask, size):
    """The block states of a mask (heads, L, S), block by block."""
    cuts = [np.arange(0, n, size) for n in mask.shape[1:]]
    states = np.zeros((len(mask), len(cuts[0]), len(cuts[1])), int)
    for h, r, c in np.ndindex(states.shape):
        block = mask[h, r * size : (r + 1) * size, c * size : (c + 1) * size]
        states[h, r, c] = ALL if block.all() else SOME if block.any() else NONE
    return states


@pytest.mark.parametrize("code", SINGLES)
def test_single_patterns_know_every_block(code):
    pattern, blocks = eval(code, vars(room)), all_blocks()
    np.testing.assert_array_equal(pattern.truth(*blocks), counted(pattern.mask(TOKENS), *blocks))


@settings(deadline=None, max_examples=25)
@given(compounds(windows_and_sinks))
def test_windows_and_sinks_know_every_block(pattern):
    blocks = all_blocks()
    np.testing.assert_array_equal(pattern.truth(*blocks), counted(pattern.mask(TOKENS), *blocks))


@settings(deadline=None, max_examples=60)
@given(patterns, st.integers(0, 2**32 - 1))
def test_all_compositions_know_their_blocks(pattern, seed):
    some = np.random.default_rng(seed).integers(0, (TOKENS * (TOKENS + 1) // 2) ** 2, 400)
    blocks = [ends.ravel()[some] for ends in all_blocks()]
    np.testing.assert_array_equal(pattern.truth(*blocks), counted(pattern.mask(TOKENS), *blocks))


def test_two_mixed_patterns_may_make_an_even_block():
    """Kleene's logic alone would answer SOME to both."""
    row = 15, 16, 0, 16
    assert sinks(8).truth(*row) == sliding_window(8).truth(*row) == SOME
    assert (sinks(8) | sliding_window(8)).truth(*row) == ALL
    assert (sinks(8) & sliding_window(8)).truth(*row) == NONE
    assert (strided(64) & strided(63)).truth(4000, 4032, 0, 64) == NONE


def test_truth_broadcasts_the_ends_of_blocks():
    starts = np.arange(0, 24, 8)
    for pattern in (causal(), full(), sinks(3), causal() | sinks(3), random_blocks(4, 2, 0)):
        truth = pattern.truth(starts[:, None], starts[:, None] + 8, starts, starts + 8)
        assert truth.shape == (3, 3) and truth.dtype == np.int8


@settings(deadline=None, max_examples=60)
@given(patterns, st.integers(0, TOKENS), st.sampled_from([1, 3, 8, 64]), st.data())
def test_layouts_have_the_states_of_the_mask(pattern, L, size, data):
    offset = data.draw(st.integers(0, TOKENS - L))
    layout = pattern.layout(L, TOKENS, block_size=size, query_offset=offset)
    assert (layout.query_tokens, layout.key_tokens, layout.block_size) == (L, TOKENS, size)
    assert layout.query_offset == offset and layout.heads == 1
    mask = pattern.mask(L, TOKENS, query_offset=offset)
    np.testing.assert_array_equal(layout.states(), states(mask[None], size))


@settings(deadline=None, max_examples=40)
@given(patterns, st.integers(1, 30), st.integers(1, 30))
def test_layouts_at_two_block_sizes_describe_one_mask(pattern, a, b):
    def described(size):
        layout = pattern.layout(TOKENS, block_size=size)
        full_ = np.kron(layout.states()[0] == ALL, np.ones((size, size), bool))[:TOKENS, :TOKENS]
        i, j = np.indices((TOKENS, TOKENS))
        return full_ | layout.expand()[0] & pattern(0, 0, i, j)

    np.testing.assert_array_equal(described(a), described(b))


def test_layouts_of_heads_follow_each_other():
    pattern = per_head([causal(), sliding_window(5), sinks(2)]) & (causal() | sinks(3))
    layout = pattern.layout(20, block_size=4)
    assert layout.heads == 3 and layout.rows == 15
    np.testing.assert_array_equal(layout.states(), states(pattern.mask(20), 4))


@pytest.mark.parametrize(
    "pattern", [full(), causal(), strided(3), sinks(2) | causal(), random_blocks(4, 2, 0)]
)
def test_layouts_of_nothing(pattern):
    for L, S in ((0, 5), (5, 0), (0, 0)):
        layout = pattern.layout(L, S, query_offset=0)
        assert not layout.pairs_bound and layout.states().shape == (1, min(L, 1), min(S, 1))
        assert pattern.pairs(L, S, query_offset=0) == pattern.density(L, S, query_offset=0) == 0


def test_queries_far_past_the_keys_have_layouts():
    assert sliding_window(4).layout(3, 5, query_offset=100).states().sum() == 0
    assert causal().layout(3, 5, block_size=2, query_offset=100).states().tolist() == [[[ALL] * 3] * 2]
    # The last block holds key 4 alone, and the first of these queries sees it.
    assert causal().layout(4, 5, block_size=2, query_offset=4).states().tolist() == [[[ALL] * 3] * 2]


def test_a_long_layout_takes_memory_for_its_blocks_only():
    """131,072 tokens: the dense mask would be 17 GB, its grid of 64 x 64 blocks 4 million entries."""
    L, window = 2**17, 1024
    tracemalloc.start()
    layout = (sliding_window(window) | sinks(4)).layout(L, block_size=64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    # Away from the start a row lists 15 full blocks, the two that the window's edges cut, and the sinks'.
    assert layout.full(1000).tolist() == list(range(985, 1000))
    assert layout.partial(1000).tolist() == [0, 984, 1000]


def test_pairs_of_long_sequences():
    L = 2**17
    assert causal().pairs(L) == L * (L + 1) // 2
    assert sliding_window(4096).pairs(L) == L * 4096 - 4096 * 4095 // 2
    assert strided(64).pairs(512) == 512 * 9 // 2
    # The window leaves the sinks one by one, from query 1024 on.
    beside = 1 + 2 + 3 + 4 * (L - 1027)
    assert (sliding_window(1024) | sinks(4)).pairs(L) == sliding_window(1024).pairs(L) + beside
    # A stride shares with a window the steps that lie in it.
    apart = sliding_window(1024).pairs(L) + strided(128).pairs(L)
    assert (sliding_window(1024) | strided(128)).pairs(L) == apart - dilated(8, 128).pairs(L)


def test_a_block_size_must_be_a_size():
    with pytest.raises(ValueError, match="block_size must be at least 1"):
        causal().layout(4, block_size=0)
    with pytest.raises(ValueError, match="ask for_head"):
        per_head([causal()]).truth(0, 1, 0, 1)
