"""Index sets and top-k, on arrays and on tensors alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from companion.indices import IndexSet, topk
from companion.patterns import causal, chunks, full, per_head, sinks, sliding_window
from helpers.pattern_cases import TOKENS, patterns

torch = pytest.importorskip("torch")

KINDS = [np.asarray, torch.as_tensor]


@pytest.fixture(params=KINDS, ids=["numpy", "torch"])
def kind(request):
    return request.param


def same_kind(a, b):
    return type(a) is type(b) or isinstance(a, torch.Tensor) == isinstance(b, torch.Tensor)


masks = arrays.arrays(bool, arrays.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=5))


@settings(deadline=None)
@given(masks, st.sampled_from(KINDS))
def test_masks_come_back_whole(mask, kind):
    index_set = IndexSet.from_mask(kind(mask))
    back = index_set.to_mask(mask.shape[-1])
    assert same_kind(back, kind(mask)) and same_kind(index_set.array, kind(mask))
    np.testing.assert_array_equal(back, mask, strict=True)
    for row in np.ndindex(mask.shape[:-1]):
        G = np.flatnonzero(mask[row]).tolist()
        assert index_set.array[row].tolist() == G + [-1] * (index_set.array.shape[-1] - len(G))


def test_any_order_and_any_place_for_pads(kind):
    index_set = IndexSet(kind(np.array([[2, -1, 0], [-1, -1, -1]], np.int16)))
    assert index_set.to_mask(4).tolist() == [[True, False, True, False], [False] * 4]
    assert IndexSet([[2, -1]]).array.dtype == np.int64


@pytest.mark.parametrize(
    "array, error, says",
    [
        ([[0, 1], [1, 1]], ValueError, "row 1 holds position 1 more than once"),
        ([[[0, 2], [-1, -1]], [[0, 1], [2, 2]]], ValueError, r"row \(1, 1\) holds position 2 more than once"),
        ([[0, 1, 0]], ValueError, "row 0 holds position 0 more than once"),
        ([[0, -2]], ValueError, "row 0 holds -2: only -1"),
        ([[0.0, 1.0]], TypeError, "array must hold integers, not float"),
        ([[True, False]], TypeError, "array must hold integers, not bool"),
        ([0, 1], ValueError, r"array must have shape \(..., L, k\); got \(2,\)"),
    ],
)
def test_index_sets_refuse(array, error, says, kind):
    with pytest.raises(error, match=says):
        IndexSet(kind(np.array(array)))


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="array must have rows of one length; pad the shorter ones with -1"):
        IndexSet([[0], [0, 1]])


def test_conversions_refuse(kind):
    with pytest.raises(ValueError, match=r"row \(1, 0\) holds position 4; expected 0 to 3, or -1"):
        IndexSet(kind(np.array([[[0, 1]], [[4, -1]]]))).to_mask(4)
    with pytest.raises(TypeError, match="mask must be boolean.*float"):
        IndexSet.from_mask(kind(np.ones((2, 2))))
    with pytest.raises(ValueError, match=r"mask must have shape \(..., L, S\)"):
        IndexSet.from_mask(kind(np.ones(2, bool)))
    with pytest.raises(ValueError, match="S must be at least 0"):
        IndexSet(kind(np.array([[0]]))).to_mask(-1)


def test_top_k_never_takes_the_future_to_fill_up(kind):
    """flash-sparse-attention#146."""
    scores = kind(np.arange(16.0).reshape(4, 4))
    chosen = topk(scores, 4).array
    assert chosen.tolist() == [[0, -1, -1, -1], [1, 0, -1, -1], [2, 1, 0, -1], [3, 2, 1, 0]]
    assert same_kind(chosen, scores)


def test_of_equal_scores_the_smaller_index_wins(kind):
    assert topk(kind(np.zeros((3, 5))), 3, full()).array.tolist() == [[0, 1, 2]] * 3
    assert topk(kind(np.array([[1.0, 2.0, 2.0, 1.0]])), 3, full()).array.tolist() == [[1, 2, 0]]


@settings(deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, TOKENS + 3),
    patterns,
    st.sampled_from(KINDS),
)
def test_top_k_is_what_sorting_the_allowed_gives(seed, k, pattern, kind):
    scores = np.random.default_rng(seed).choice([-np.inf, -1.5, 0, 2, np.inf], (2, TOKENS, TOKENS))
    chosen = topk(kind(scores), k, pattern).array
    for row in np.ndindex(2, TOKENS):
        G = sorted(pattern.indices(row[1], TOKENS).tolist(), key=lambda j: (-scores[row][j], j))[:k]
        assert chosen[row].tolist() == G + [-1] * (k - len(G))


def test_top_k_while_decoding_and_by_head(kind):
    scores = kind(np.array([[3.0, 1.0, 2.0, 9.0, 5.0]]))
    assert topk(scores, 2, causal(), query_offset=2).array.tolist() == [[0, 2]]
    assert topk(scores, 2, sliding_window(2), query_offset=2).array.tolist() == [[2, 1]]
    with pytest.raises(ValueError, match="query_offset must be given"):
        topk(scores, 2)
    by_head = per_head([sinks(1), chunks(2)])
    chosen = topk(kind(np.zeros((3, 2, 4, 4))), 2, by_head).array
    assert chosen[1].tolist() == [[[0, -1]] * 4, [[0, -1], [0, 1], [2, -1], [2, 3]]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32])
def test_top_k_of_other_dtypes(dtype):
    scores = torch.tensor([[1, 3, 2]] * 3, dtype=dtype)
    assert topk(scores, 2).array.tolist() == [[0, -1], [1, 0], [1, 2]]
    assert topk(scores.float().requires_grad_(), 2).array.tolist() == [[0, -1], [1, 0], [1, 2]]


def test_top_k_looks_at_allowed_scores_only(kind):
    scores = np.zeros((2, 3, 3))
    scores[:, 0, 2] = np.nan
    assert topk(kind(scores), 1).array.tolist() == [[[0], [0], [0]]] * 2
    scores[1, 2, 1] = np.nan
    with pytest.raises(ValueError, match=r"row \(1, 2\) holds the score nan at an allowed position"):
        topk(kind(scores), 1)


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        ((np.ones(3), 1), ValueError, r"scores must have shape \(..., L, S\); got \(3,\)"),
        ((np.ones((3, 3)), 0), ValueError, "k must be at least 1"),
        ((np.ones((3, 3)), 1.0), TypeError, "k must be an integer"),
        ((np.ones((3, 3), bool), 1), TypeError, "scores must hold real numbers, not bool"),
        ((np.ones((3, 3)), 1, np.ones((3, 3), bool)), TypeError, "pattern must be a Pattern"),
        ((np.ones((3, 3)), 1, per_head([causal()] * 2)), ValueError, r"shape \(..., 2, L, S\); got \(3, 3\)"),
        ((np.ones((1, 3, 3)), 1, per_head([causal()] * 2)), ValueError, r"shape \(..., 2, L, S\)"),
    ],
)
def test_top_k_refuses(arguments, error, says):
    with pytest.raises(error, match=says):
        topk(*arguments)


def test_scores_are_not_written_to(kind):
    scores = np.random.default_rng(0).normal(size=(4, 4))
    before = scores.copy()
    topk(kind(scores), 2)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_a_set_does_not_follow_the_array_it_came_from(kind):
    array = kind([[0, -1], [0, 1]])
    index_set = IndexSet(array)
    array[1, 1] = 0
    assert index_set.array[1, 1] == 1
