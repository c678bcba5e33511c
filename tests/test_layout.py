"""Block layouts, made by hand from random block states: none of these tests knows a pattern."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.layout import BlockLayout


def from_states(states, L, S, size):
    """A layout with the given states (heads, query_blocks, key_blocks), by plain loops."""
    lists = {1: ([0], []), 2: ([0], [])}
    for row in states.reshape(states.shape[0] * states.shape[1], states.shape[2]):
        for state, (starts, blocks) in lists.items():
            blocks += [block for block in range(states.shape[2]) if row[block] == state]
            starts.append(len(blocks))
    fields = [np.array(part, np.int64) for state in (1, 2) for part in lists[state]]
    return BlockLayout(L, S, size, 0, len(states), *fields)


@st.composite
def layouts(draw):
    heads, size = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    L, S = draw(st.integers(0, 11)), draw(st.integers(0, 11))
    shape = heads, -(-L // size), -(-S // size)
    entries = st.lists(st.integers(0, 2), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    states = np.array(draw(entries), int).reshape(shape)
    return states, from_states(states, L, S, size)


@settings(deadline=None)
@given(layouts())
def test_states_and_rows_are_what_was_listed(case):
    states, layout = case
    np.testing.assert_array_equal(layout.states(), states)
    assert (layout.heads, layout.query_blocks, layout.key_blocks) == states.shape
    assert layout.rows == states.shape[0] * states.shape[1]
    for row in range(layout.rows):
        listed = states[divmod(row, layout.query_blocks)]
        assert layout.partial(row).tolist() == np.flatnonzero(listed == 1).tolist()
        assert layout.full(row).tolist() == np.flatnonzero(listed == 2).tolist()


@settings(deadline=None)
@given(layouts())
def test_transposed_lists_the_same_blocks_by_key_block(case):
    states, layout = case
    turned = layout.transposed()
    np.testing.assert_array_equal(turned.states(), states.transpose(0, 2, 1))
    assert (turned.query_tokens, turned.key_tokens) == (layout.key_tokens, layout.query_tokens)
    for row in range(turned.rows):
        assert (np.diff(turned.partial(row)) > 0).all() and (np.diff(turned.full(row)) > 0).all()
    np.testing.assert_array_equal(turned.transposed().states(), states)


@settings(deadline=None)
@given(layouts())
def test_expand_and_counts_clip_the_tail_blocks(case):
    states, layout = case
    L, S, size = layout.query_tokens, layout.key_tokens, layout.block_size
    expanded = np.zeros((layout.heads, L, S), bool)
    for h, i, j in np.ndindex(expanded.shape):
        expanded[h, i, j] = states[h, i // size, j // size] > 0
    np.testing.assert_array_equal(layout.expand(), expanded)
    assert layout.pairs_bound == expanded.sum()
    assert layout.density == (expanded.mean() if expanded.size else 0)


@settings(deadline=None)
@given(layouts())
def test_from_pairs_rebuilds_the_layout(case):
    states, layout = case
    L, S, size = layout.query_tokens, layout.key_tokens, layout.block_size
    again = BlockLayout.from_pairs(L, S, size, 5, layout.heads, layout.partial_pairs(), layout.full_pairs())
    np.testing.assert_array_equal(again.states(), states)
    assert again.query_offset == 5 and again.partial_starts.dtype == again.partial_blocks.dtype == np.int64


@settings(deadline=None, max_examples=30)
@given(layouts().filter(lambda case: case[0].size))
def test_to_flex_fields_hold_the_lists(case):
    pytest.importorskip("torch")
    states, layout = case
    mask = layout.to_flex("cpu", lambda b, h, q, k: q >= k)
    assert mask.seq_lengths == (layout.query_tokens, layout.key_tokens)
    assert mask.BLOCK_SIZE == (layout.block_size, layout.block_size)
    for state, counts, indices in (
        (1, mask.kv_num_blocks, mask.kv_indices),
        (2, mask.full_kv_num_blocks, mask.full_kv_indices),
    ):
        for h, row in np.ndindex(states.shape[:2]):
            listed = indices[0, h, row, : counts[0, h, row]].tolist()
            assert listed == np.flatnonzero(states[h, row] == state).tolist()
    for state, counts, indices in (
        (1, mask.q_num_blocks, mask.q_indices),
        (2, mask.full_q_num_blocks, mask.full_q_indices),
    ):
        for h, column in np.ndindex(states.shape[0], states.shape[2]):
            listed = indices[0, h, column, : counts[0, h, column]].tolist()
            assert listed == np.flatnonzero(states[h, :, column] == state).tolist()


def test_to_flex_needs_the_pattern_where_blocks_are_partial():
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match="mask_mod must be given: the layout lists 1 partial"):
        from_states(np.array([[[1, 0], [2, 2]]]), 4, 4, 2).to_flex()
    full = from_states(np.array([[[0, 0], [2, 2]]]), 4, 4, 2).to_flex()
    assert full.full_kv_num_blocks.tolist() == [[[0, 2]]]


@pytest.mark.parametrize(
    "starts, blocks, says",
    [
        ([0, 1], [0], "partial_starts must run from 0 to 1 in 3 steps"),
        ([0, 1, 3], [0, 1], "partial_starts must run from 0 to 2"),
        ([0, 2, 1], [0], "partial_starts must not descend"),
        ([0, 1, 2], [0, 2], r"partial_blocks must lie in 0 .. 1; got \[0 2\]"),
        ([0, 1, 2], [0, -1], "partial_blocks must lie in 0 .. 1"),
    ],
)
def test_impossible_lists_are_refused(starts, blocks, says):
    with pytest.raises(ValueError, match=says):
        BlockLayout(4, 4, 2, 0, 1, starts, blocks, [0, 0, 0], [])
