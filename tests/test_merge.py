"""Merging equals attending both sets at once, and an empty set changes nothing."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import reference
from companion.attention import attention
from companion.indices import IndexSet
from companion.merge import merge
from companion.patterns import causal

INF = float("inf")


def part(scores, values):
    """Attention over ``scores`` (n,) and ``values`` (n, Dv), which may be empty."""
    return reference.weighted_sum(reference.softmax(scores), values), reference.logsumexp(scores)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 2**31), st.sampled_from([1.0, 30.0, 1000.0]))
def test_merging_two_sets_gives_the_union(a, b, seed, spread):
    rng = np.random.default_rng(seed)
    scores, values = spread * rng.normal(size=a + b), rng.normal(size=(a + b, 3))
    out, lse = merge(*part(scores[:a], values[:a]), *part(scores[a:], values[a:]))
    right, right_lse = part(scores, values)
    np.testing.assert_allclose(out, right, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(lse, right_lse, rtol=1e-12)
    assert isinstance(out, np.ndarray) and isinstance(lse, np.ndarray)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 40), st.integers(0, 2**31))
def test_splitting_the_keys_anywhere_and_merging_gives_the_whole(cut, seed):
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(1, 2, 40, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    mask = causal().mask(40)
    before = np.arange(40) < cut
    left, right = (
        attention(query, key, value, IndexSet.from_mask(mask & side), return_lse=True)
        for side in (before, ~before)
    )
    whole = attention(query, key, value, causal(), return_lse=True)
    for a, b in zip(merge(*left, *right), whole, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("convert", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_known_answers(convert):
    def m(*given):
        return [np.asarray(x).tolist() for x in merge(*(convert(np.array(x)) for x in given))]

    assert m([[0.0]], [-INF], [[0.0]], [-INF]) == [[[0.0]], [-INF]]
    assert m([[9.0]], [-INF], [[2.0]], [3.0]) == [[[2.0]], [3.0]]
    assert m([[2.0]], [3.0], [[9.0]], [-INF]) == [[[2.0]], [3.0]]
    assert m([[np.nan]], [-INF], [[2.0]], [3.0]) == [[[2.0]], [3.0]]
    assert m([[1.0]], [1000.0], [[5.0]], [0.0]) == [[[1.0]], [1000.0]]
    out, lse = m([[0.0]], [0.0], [[4.0]], [np.log(3.0)])  # weights 1 and 3, natural logarithm
    np.testing.assert_allclose(out, [[3.0]])
    np.testing.assert_allclose(lse, [np.log(4.0)])


def test_nan_that_weighs_something_is_not_hidden():
    out, lse = merge(np.array([np.nan]), np.array(np.nan), np.array([1.0]), np.array(0.0))
    assert np.isnan(out).all() and np.isnan(lse)


@pytest.mark.parametrize("lse", [(-INF, -INF), (-INF, 1.0), (1.0, -INF), (1000.0, 0.0), (0.3, 0.3)])
def test_gradients_are_finite_and_right(lse):
    out_a, out_b = torch.tensor([1.0, -2.0]).double(), torch.tensor([0.5, 3.0]).double()
    inputs = [out_a, torch.tensor(lse[0]).double(), out_b, torch.tensor(lse[1]).double()]
    inputs = [x.requires_grad_() for x in inputs]
    out, total = merge(*inputs)
    grads = torch.autograd.grad(out.sum() + total.masked_fill(total == -INF, 0.0), inputs)
    assert all(grad.isfinite().all() for grad in grads)
    for which in (0, 1):
        if lse[which] == -INF:
            assert (grads[2 * which] == 0).all() and grads[2 * which + 1] == 0
    if -INF not in lse:
        assert torch.autograd.gradcheck(merge, inputs)


def test_dtypes():
    half, single = torch.ones(2, 3, dtype=torch.bfloat16), torch.zeros(2)
    out, lse = merge(half, single, half, single)
    assert out.dtype == torch.bfloat16 and lse.dtype == torch.float32
    out, lse = merge(np.ones((2, 3), np.float32), np.zeros(2), np.ones((2, 3), np.float32), np.zeros(2))
    assert out.dtype == np.float32 and lse.dtype == np.float64


def test_what_does_not_fit_is_refused():
    out, lse = np.ones((2, 3)), np.ones(2)
    with pytest.raises(TypeError, match="out_a is a ndarray; all four must be NumPy arrays"):
        merge(out, lse, out, torch.ones(2))
    with pytest.raises(TypeError, match="out_a is a list"):
        merge([[1.0]], lse, out, lse)
    with pytest.raises(TypeError, match="lse_a must hold floating-point numbers; got dtype int64"):
        merge(out, np.ones(2, int), out, lse)
    with pytest.raises(TypeError, match="out_b must hold floating-point numbers; got dtype torch.int64"):
        merge(*map(torch.from_numpy, (out, lse, np.ones((2, 3), int), lse)))
    with pytest.raises(ValueError, match=r"out_a \(2, 3\) and out_b \(2, 4\)"):
        merge(out, lse, np.ones((2, 4)), lse)
    with pytest.raises(ValueError, match=r"lse_b must have .* \(2,\); got \(2, 1\)"):
        merge(out, lse, out, np.ones((2, 1)))


def test_inputs_are_not_written_to():
    given = [np.ones((2, 3)), np.full(2, -INF), np.ones((2, 3)), np.zeros(2)]
    copies = [x.copy() for x in given]
    merge(*given)
    assert all(np.array_equal(a, b) for a, b in zip(given, copies, strict=True))
