"""Positions outside G cannot be felt, whatever they hold; rows that attend NaN or infinity say so."""

from importlib.util import find_spec

import numpy as np
import pytest
import torch

from companion.attention import attention
from companion.backends import lists, tile
from companion.indices import IndexSet
from companion.patterns import causal, full, sinks, sliding_window
from helpers.attention_oracle import COMPOSED, LENGTH, SINGLE, dense_mask, expected, tensors

HUGE = torch.finfo(torch.float32).max
POISONS = [7.0, -1e4, 1e30, HUGE, -HUGE, torch.inf, -torch.inf, torch.nan]
NOT_FINITE = [torch.inf, -torch.inf, torch.nan]


@pytest.fixture(params=["dense", "blocks", "blocks, plain tiles", "triton"])
def backend(request, monkeypatch):
    """A backend's name. The third runs the formulas that "blocks" uses where there is no fused kernel."""
    name, _, how = request.param.partition(",")
    if how:
        monkeypatch.setattr(tile, "_is_fused", lambda x: False)
    if name == "triton":
        if find_spec("triton") is None:
            pytest.skip("there is no Triton for this system")
        if torch.cuda.is_available():
            pytest.skip("with a GPU the kernels take no CPU tensors; tools/gpu/checks.py asks there")
        monkeypatch.setattr(lists, "_BLOCKS", (32,))  # of the default size there would be two blocks in a row
        lists.block_size.cache_clear()
    yield name
    lists.block_size.cache_clear()


def everything(inputs, pattern, backend, **options):
    """Output, log-sum-exp and gradients, of a loss that weighs every row."""
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    out, lse = attention(*inputs, pattern, backend=backend, return_lse=True, **options)
    generator = torch.Generator().manual_seed(3)
    weights = torch.randn(out.shape, generator=generator)
    lse_weights = torch.randn(lse.shape, generator=generator)
    reached = lse.masked_fill(lse == -torch.inf, 0.0)
    grads = torch.autograd.grad((weights * out).sum() + (lse_weights * reached).sum(), inputs)
    return out.detach(), lse.detach(), *grads


def assert_unmoved(before, after, mask, position, heads_kv=2):
    """Nothing moved, bit for bit, but what may when key and value ``position`` of all heads change.

    ``mask`` is (heads, L, S). Rows that attend the position may move, and the key and value gradients of
    positions that such rows attend.
    """
    group = mask.shape[0] // heads_kv
    rows = mask[:, :, position]                                            # (heads, L)
    keys = (mask & rows[:, :, None]).any(dim=1).unflatten(0, (heads_kv, group)).any(dim=1)
    for a, b in zip(before[:3], after[:3], strict=True):
        assert torch.equal(a[:, ~rows], b[:, ~rows])
    for a, b in zip(before[3:], after[3:], strict=True):
        assert torch.equal(a[:, ~keys], b[:, ~keys])


def by_head(pattern, heads=2):
    return dense_mask(pattern, LENGTH).expand(heads, LENGTH, LENGTH)


@pytest.mark.parametrize("pattern", SINGLE + COMPOSED, ids=repr)
def test_every_pattern_under_poison(backend, pattern):
    inputs, mask = tensors(LENGTH), by_head(pattern)
    before = everything(inputs, pattern, backend)
    for number, poison in enumerate(POISONS):
        position = 17 * number + 3
        query, key, value = (x.clone() for x in inputs)
        (key, value)[number % 2][:, :, position, number] = poison
        after = everything((query, key, value), pattern, backend)
        assert_unmoved(before, after, mask, position)
        if mask[:, :, position].any():
            moved = [not torch.equal(a, b) for a, b in zip(before[:2], after[:2], strict=True)]
            assert any(moved)  # an only key moves its row's log-sum-exp alone


@pytest.mark.parametrize("poison", NOT_FINITE)
@pytest.mark.parametrize("which", [1, 2], ids=["key", "value"])
def test_a_row_that_attends_nan_or_infinity_is_nan_and_sends_no_gradient(backend, which, poison):
    pattern, inputs = sliding_window(20) | sinks(3), tensors(LENGTH)
    inputs[which][0, 1, 50, 4] = poison
    out, lse, *grads = everything(inputs, pattern, backend)
    rows = torch.zeros(1, 2, LENGTH, dtype=torch.bool)
    rows[0, 1, 50:70] = True
    assert torch.equal(out.isnan().all(dim=-1), rows) and torch.equal(out.isnan().any(dim=-1), rows)
    assert torch.equal(lse.isnan(), rows)
    assert all(grad.isfinite().all() for grad in grads)
    assert (grads[0][rows] == 0).all()
    # Without those rows' share, the gradients are those of the rows that are left.
    only = [x.clone() for x in tensors(LENGTH)]
    kept = (~rows).float()
    leaves = [x.requires_grad_() for x in only]
    out, lse = attention(*leaves, pattern, backend=backend, return_lse=True)
    generator = torch.Generator().manual_seed(3)
    loss = torch.randn(out.shape, generator=generator) * out * kept[..., None]
    loss = loss.sum() + (torch.randn(lse.shape, generator=generator) * lse * kept).sum()
    for a, b in zip(grads, torch.autograd.grad(loss, leaves), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("poison", NOT_FINITE)
def test_a_bad_query_spoils_its_own_row_only(backend, poison):
    pattern, inputs = causal(), tensors(LENGTH)
    before = everything(inputs, pattern, backend)
    inputs[0][0, 0, 60, 2] = poison
    after = everything(inputs, pattern, backend)
    others = torch.arange(LENGTH) != 60
    assert after[0][0, 0, 60].isnan().all() and after[1][0, 0, 60].isnan()
    for a, b in zip(before[:3], after[:3], strict=True):
        assert torch.equal(a[:, 1], b[:, 1]) and torch.equal(a[:, 0, others], b[:, 0, others])
    assert all(grad.isfinite().all() for grad in after[2:])
    assert (after[2][0, 0, 60] == 0).all()
    for a, b in zip(before[3:], after[3:], strict=True):
        assert torch.equal(a[:, 1], b[:, 1]) and torch.equal(a[:, 0, 61:], b[:, 0, 61:])


def test_an_empty_row_stays_empty_whatever_its_query_holds(backend):
    pattern, inputs = sliding_window(30) & sinks(20), tensors(LENGTH)
    inputs[0][0, 0, 100] = torch.nan
    inputs[1][0, 0, 90] = torch.inf
    out, lse, *grads = everything(inputs, pattern, backend)
    assert (out[0, 0, 49:] == 0).all() and (lse[0, 0, 49:] == -torch.inf).all()
    assert all(grad.isfinite().all() for grad in grads)


@pytest.mark.parametrize("heads_kv", [1, 2])
def test_grouped_heads_share_the_bad_position(backend, heads_kv):
    query, key, value = tensors(LENGTH, heads=4, heads_kv=heads_kv, batch=2)
    mask = by_head(sliding_window(9), 4)
    before = everything((query, key, value), sliding_window(9), backend, enable_gqa=True)
    key[1, -1, 70] = torch.nan
    after = everything((query, key, value), sliding_window(9), backend, enable_gqa=True)
    served = torch.zeros(2, 4, LENGTH, dtype=torch.bool)
    served[1, 4 - 4 // heads_kv :, 70:79] = True
    assert torch.equal(after[0].isnan().any(dim=-1), served)
    assert_unmoved(before, after, mask, 70, heads_kv)


@pytest.mark.parametrize("backend", ["dense", "blocks", "blocks, plain tiles"], indirect=True)
def test_index_sets_under_poison(backend):
    drawn = np.random.default_rng(0).random((2, LENGTH, LENGTH)) < 0.1
    mask = torch.from_numpy(drawn & causal().mask(LENGTH))
    indices, inputs = IndexSet.from_mask(mask), tensors(LENGTH)
    before = everything(inputs, indices, backend)
    for number, poison in enumerate(POISONS):
        query, key, value = (x.clone() for x in inputs)
        key[:, :, 60 + number, 0] = value[:, :, 60 + number, 5] = poison
        after = everything((query, key, value), indices, backend)
        assert_unmoved(before, after, mask, 60 + number)
        if not np.isfinite(poison):
            assert torch.equal(after[0].isnan().any(dim=-1)[0], mask[:, :, 60 + number])


@pytest.mark.parametrize("offset", [119, 40])
def test_the_guard_knows_the_offset(backend, offset):
    query, key, value = tensors(17, LENGTH)
    value[:, :, 45] = torch.nan
    out = attention(query, key, value, sliding_window(10), query_offset=offset, backend=backend)
    touched = dense_mask(sliding_window(10), 17, LENGTH, offset)[:, 45]
    assert torch.equal(out.isnan().any(dim=-1), touched.expand(1, 2, 17))


def test_finite_numbers_beyond_the_kernels_are_still_right(backend):
    """A key of 1e25 gives scores of 1e25 that are finite, and an output that the formula gives too."""
    query, key, value = tensors(LENGTH)
    key[0, 0, 20] = 1e25
    value[0, 1, 30] = -1e25
    mask = dense_mask(sliding_window(40), LENGTH)
    out, lse = attention(query, key, value, sliding_window(40), backend=backend, return_lse=True)
    right, right_lse = expected(query, key, value, mask)
    torch.testing.assert_close(out.double(), right, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(lse.double(), right_lse, rtol=1e-5, atol=1e-5)


def test_every_key_bad(backend):
    query, key, value = tensors(LENGTH)
    out, lse = attention(query, key * torch.nan, value, causal(), backend=backend, return_lse=True)
    assert out.isnan().all() and lse.isnan().all()
    out = attention(query, key * torch.nan, value, full(), backend=backend)
    assert out.isnan().all()


def test_poison_in_bfloat16(backend):
    inputs = tensors(LENGTH, dtype=torch.bfloat16)
    before = attention(*inputs, sliding_window(20), backend=backend)
    inputs[1][:, :, 40], inputs[2][:, :, 90] = torch.finfo(torch.bfloat16).max, torch.nan
    after = attention(*inputs, sliding_window(20), backend=backend)
    touched = dense_mask(sliding_window(20), LENGTH)[:, [40, 90]].any(dim=-1)
    assert torch.equal(before[:, :, ~touched], after[:, :, ~touched])
    assert after[:, :, 90:110].isnan().all()
