"""Every backend equals the reference, whatever the pattern, the size, the dtype and the strides."""

from itertools import product

import numpy as np
import pytest
import torch

from companion.attention import attention
from companion.backends import tile
from companion.indices import IndexSet
from companion.patterns import causal, full, per_head, random_blocks, sinks, sliding_window, strided
from helpers.attention_oracle import (
    COMPOSED,
    LENGTH,
    SINGLE,
    STRIDES,
    assert_as_exact_as_plain,
    dense_mask,
    expected,
    gradients,
    plain,
    tensors,
)

SIZES = [1, 2, 17, 64, 137, 256]
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
FEW = [causal(), sliding_window(20) | sinks(3), random_blocks(16, 3, seed=1)]


@pytest.fixture(params=["dense", "blocks", "blocks, plain tiles"])
def backend(request, monkeypatch):
    """A backend's name. The last runs the formulas that "blocks" uses where there is no fused kernel."""
    if request.param == "blocks, plain tiles":
        monkeypatch.setattr(tile, "_is_fused", lambda x: False)
    return request.param.partition(",")[0]


@pytest.mark.parametrize("pattern", SINGLE + COMPOSED, ids=repr)
def test_every_pattern(backend, pattern):
    inputs = tensors(LENGTH)
    mask = dense_mask(pattern, LENGTH)
    out, lse = attention(*inputs, pattern, backend=backend, return_lse=True)
    assert_as_exact_as_plain(out, *inputs, mask)
    right = expected(*inputs, mask)[1]
    assert torch.equal(lse == -torch.inf, right == -torch.inf)
    torch.testing.assert_close(lse.double(), right, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("pattern", SINGLE + COMPOSED, ids=repr)
def test_gradients_of_every_pattern(backend, pattern):
    inputs = tensors(LENGTH, dtype=torch.float64)
    mask = dense_mask(pattern, LENGTH)
    got = gradients(lambda q, k, v: attention(q, k, v, pattern, backend=backend), inputs)
    right = gradients(lambda q, k, v: plain(q, k, v, mask), inputs)
    for a, b in zip(got, right, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("L", "S"), list(product(SIZES, SIZES)))
def test_every_size(backend, L, S):
    pattern, offset = sliding_window(20) | sinks(3), max(S - L, 0)
    inputs = tensors(L, S)
    out = attention(*inputs, pattern, query_offset=offset, backend=backend)
    assert_as_exact_as_plain(out, *inputs, dense_mask(pattern, L, S, offset))


@pytest.mark.parametrize("offset", [0, 1, 100, 255, 300])
def test_any_offset(backend, offset):
    pattern, inputs = sliding_window(70), tensors(17, 256)
    out = attention(*inputs, pattern, query_offset=offset, backend=backend)
    assert_as_exact_as_plain(out, *inputs, dense_mask(pattern, 17, 256, offset))


def test_full_needs_no_offset(backend):
    inputs = tensors(17, 64)
    out = attention(*inputs, full(), backend=backend)
    assert_as_exact_as_plain(out, *inputs, torch.ones(17, 64, dtype=torch.bool))


def test_more_keys_than_are_attended_at_once(backend):
    inputs = tensors(130, 5000, dim=8, dtype=torch.float64)
    for pattern in (causal(), strided(2) | sinks(300)):
        mask = dense_mask(pattern, 130, 5000, 4870)

        def ours(q, k, v, pattern=pattern):
            return attention(q, k, v, pattern, query_offset=4870, backend=backend)

        torch.testing.assert_close(ours(*inputs), plain(*inputs, mask), rtol=1e-10, atol=1e-12)
        right = gradients(lambda q, k, v, mask=mask: plain(q, k, v, mask), inputs)
        for a, b in zip(gradients(ours, inputs), right, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "pattern", [sliding_window(300) | sinks(3), random_blocks(64, 2, seed=1), strided(64)], ids=repr
)
def test_more_queries_than_run_at_once(backend, pattern):
    """One part cut into several batches; the sinks' keys stay where they are, a window's move on."""
    inputs, mask = tensors(2300, dim=8, dtype=torch.float64), dense_mask(pattern, 2300)

    def ours(q, k, v):
        return attention(q, k, v, pattern, backend=backend)

    torch.testing.assert_close(ours(*inputs), plain(*inputs, mask), rtol=1e-10, atol=1e-12)
    right = gradients(lambda q, k, v: plain(q, k, v, mask), inputs)
    for a, b in zip(gradients(ours, inputs), right, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("pattern", FEW, ids=repr)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(backend, dtype, pattern):
    inputs = tensors(LENGTH, dtype=dtype)
    mask = dense_mask(pattern, LENGTH)
    out, lse = attention(*inputs, pattern, backend=backend, return_lse=True)
    assert_as_exact_as_plain(out, *inputs, mask)
    assert lse.dtype == torch.promote_types(dtype, torch.float32)

    got = gradients(lambda q, k, v: attention(q, k, v, pattern, backend=backend), inputs)
    same = gradients(lambda q, k, v: plain(q, k, v, mask), inputs)
    right = gradients(lambda q, k, v: plain(q, k, v, mask), [x.double() for x in inputs])
    for a, b, exact in zip(got, same, right, strict=True):
        assert a.dtype == dtype
        # In float64 the oracle is the plain formula itself, so that the roundings are all there is.
        roundings = 16 * torch.finfo(dtype).eps * exact.abs().max()
        assert (a.double() - exact).abs().max() <= 2 * (b.double() - exact).abs().max() + roundings


@pytest.mark.parametrize("dim_value", [1, 8, 40])
@pytest.mark.parametrize(("heads", "heads_kv"), [(4, 4), (4, 2), (6, 1)])
def test_heads_and_widths(backend, heads, heads_kv, dim_value):
    inputs = tensors(
        70, heads=heads, heads_kv=heads_kv, batch=2, dim_value=dim_value, dtype=torch.float64
    )
    for pattern in (sliding_window(20) | sinks(3), per_head([sliding_window(h + 1) for h in range(heads)])):
        mask = dense_mask(pattern, 70)

        def ours(q, k, v, pattern=pattern):
            return attention(q, k, v, pattern, enable_gqa=True, backend=backend)

        assert_as_exact_as_plain(ours(*inputs), *inputs, mask)
        right = gradients(lambda q, k, v, mask=mask: plain(q, k, v, mask), inputs)
        for a, b in zip(gradients(ours, inputs), right, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 0.01, -0.5, 0.0])
def test_scale(backend, scale):
    inputs = tensors(50)
    out = attention(*inputs, causal(), scale=scale, backend=backend)
    assert_as_exact_as_plain(out, *inputs, dense_mask(causal(), 50), scale)


@pytest.mark.parametrize("how", STRIDES)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_strides(backend, which, how):
    inputs = tensors(LENGTH, batch=2, dtype=torch.float64)
    inputs[which] = STRIDES[how](inputs[which])
    for pattern in FEW:

        def ours(q, k, v, pattern=pattern):
            return attention(q, k, v, pattern, backend=backend)

        contiguous = [x.contiguous() for x in inputs]
        torch.testing.assert_close(ours(*inputs), ours(*contiguous), rtol=1e-13, atol=1e-13)
        weights = [x.requires_grad_() for x in inputs]
        strided_grads = torch.autograd.grad(ours(*weights).square().sum(), weights)
        weights = [x.requires_grad_() for x in contiguous]
        right = torch.autograd.grad(ours(*weights).square().sum(), weights)
        for a, b in zip(strided_grads, right, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)
        inputs = [x.detach() for x in inputs]


@pytest.mark.parametrize("shape", [(0, 2, 5, 5), (1, 2, 0, 0), (1, 2, 5, 0), (1, 2, 0, 5)])
def test_nothing_to_attend(backend, shape):
    B, heads, L, S = shape
    query, key, value = torch.ones(B, heads, L, 4), torch.ones(B, heads, S, 4), torch.ones(B, heads, S, 3)
    inputs = [x.requires_grad_() for x in (query, key, value)]
    out, lse = attention(*inputs, causal(), query_offset=0, backend=backend, return_lse=True)
    assert out.shape == (B, heads, L, 3) and lse.shape == (B, heads, L)
    if S == 0:
        assert (out == 0).all() and (lse == -torch.inf).all()
    for grad, x in zip(torch.autograd.grad(out.sum(), inputs), inputs, strict=True):
        assert grad.shape == x.shape and (grad == 0).all()


@pytest.mark.parametrize("pattern", FEW, ids=repr)
def test_gradcheck(backend, pattern):
    inputs = [x.requires_grad_() for x in tensors(20, heads=2, heads_kv=1, dim=3, dtype=torch.float64)]

    def both(q, k, v):
        return attention(q, k, v, pattern, enable_gqa=True, backend=backend, return_lse=True)

    assert torch.autograd.gradcheck(both, inputs)


def test_gradient_of_lse_alone(backend):
    inputs = tensors(40, dtype=torch.float64)
    mask = dense_mask(sliding_window(9), 40)

    def ours(q, k, v):
        return attention(q, k, v, sliding_window(9), backend=backend, return_lse=True)[1] + 0 * v.sum()

    def right(q, k, v):
        scores = q.shape[-1] ** -0.5 * q @ k.mT
        return torch.logsumexp(scores.masked_fill(~mask, -torch.inf), dim=-1) + 0 * v.sum()

    for a, b in zip(gradients(ours, inputs), gradients(right, inputs), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def random_indices(lead, L, S, *, share, offset=0, seed=0):
    """An index set of a random part of each row's past, and its mask. Row 0 is empty."""
    mask = np.random.default_rng(seed).random((*lead, L, S)) < share
    mask &= causal().mask(L, S, query_offset=offset)
    mask[..., 0, :] = False
    return IndexSet.from_mask(mask), torch.from_numpy(mask)


@pytest.mark.parametrize("lead", [(), (4,), (2, 4), (2, 1), (1, 4)], ids=str)
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_index_sets(backend, lead, share):
    inputs = tensors(LENGTH, heads=4, heads_kv=2, batch=2, dtype=torch.float64)
    indices, mask = random_indices(lead, LENGTH, LENGTH, share=share)

    def ours(q, k, v):
        return attention(q, k, v, indices, enable_gqa=True, backend=backend)

    assert_as_exact_as_plain(ours(*inputs), *inputs, mask)
    right = gradients(lambda q, k, v: plain(q, k, v, mask), inputs)
    for a, b in zip(gradients(ours, inputs), right, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def test_index_sets_of_many_keys_with_an_offset(backend):
    inputs = tensors(3, 4500, dim=8)
    indices, mask = random_indices((), 3, 4500, share=0.9, offset=4497)
    out, lse = attention(*inputs, indices, query_offset=4497, backend=backend, return_lse=True)
    assert_as_exact_as_plain(out, *inputs, mask)
    torch.testing.assert_close(lse.double(), expected(*inputs, mask)[1], rtol=1e-6, atol=1e-6)


def test_order_of_indices_and_their_kind_do_not_matter(backend):
    inputs = tensors(3)
    array = np.array([[0, -1, -1], [1, 0, -1], [0, 1, 2]])
    out = attention(*inputs, IndexSet(array), backend=backend)
    turned = IndexSet(torch.as_tensor(array[:, ::-1].copy()))
    assert torch.equal(out, attention(*inputs, turned, backend=backend))


def test_two_backward_passes_are_bit_identical(backend):
    inputs = tensors(300, heads=4, heads_kv=2, batch=2)
    for pattern in (sliding_window(60) | sinks(3), random_blocks(16, 3, seed=1)):

        def ours(q, k, v, pattern=pattern):
            return attention(q, k, v, pattern, enable_gqa=True, backend=backend)

        for a, b in zip(gradients(ours, inputs), gradients(ours, inputs), strict=True):
            assert torch.equal(a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_inputs_are_never_written_to(backend, dtype):
    inputs = tensors(LENGTH, dtype=dtype)
    inputs[1][0, 0, 5, 0] = torch.nan
    before = [x.clone() for x in inputs]
    gradients(lambda q, k, v: attention(q, k, v, FEW[1], backend=backend), inputs)
    for a, b in zip(inputs, before, strict=True):
        assert torch.equal(a.isnan(), b.isnan()) and torch.equal(a[~a.isnan()], b[~b.isnan()])
