"""The Triton kernels equal the reference: on a GPU where there is one, else in Triton's interpreter.

The interpreter is slow, so sizes and blocks are small; small blocks also make many of them full or ragged.
"""

from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest
import torch

from companion.attention import attention
from companion.backends import guard, launch, lists
from companion.device import device
from companion.patterns import (
    causal,
    chunks,
    full,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)
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

pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="there is no Triton for this system")
WINDOW = sliding_window(20) | sinks(3)
ALONE = sliding_window(9) & sinks(12)  # rows from 20 on are empty
SIZES = [1, 2, 17, 64, 137]


@pytest.fixture(autouse=True)
def block(request, monkeypatch):
    """The block size: 16 unless the test is parametrised with another."""
    size = getattr(request, "param", 16)
    monkeypatch.setattr(lists, "_BLOCKS", (size,))
    lists.block_size.cache_clear()
    yield size
    lists.block_size.cache_clear()


def attend(query, key, value, pattern, **options):
    """By the kernels, wherever they run; the answer comes back."""
    inputs = (x.to(device()) for x in (query, key, value))
    options = {"backend": "triton", "enable_gqa": True, "return_lse": True} | options
    out, lse = attention(*inputs, pattern, **options)
    return out.to(query.device), lse.to(query.device)


def assert_right(inputs, pattern, offset=None, scale=None):
    """Output, log-sum-exp and gradients against float64, by the plain formula's own error as the yardstick.

    Twice that error, and a few roundings of the dtype: 4 for outputs; 16 for gradients, where the plain
    formula may be right by chance, as for a query with one key, whose gradient is 0.
    """
    L, S = inputs[0].shape[2], inputs[1].shape[2]
    mask = dense_mask(pattern, L, S, offset)
    out, lse = attend(*inputs, pattern, query_offset=offset, scale=scale)
    assert_as_exact_as_plain(out, *inputs, mask, scale)
    right = expected(*inputs, mask, scale)[1]
    assert lse.dtype == torch.float32 and torch.equal(lse == -torch.inf, right == -torch.inf)
    torch.testing.assert_close(lse.double(), right, rtol=1e-6, atol=2e-6)

    def ours(q, k, v):
        return attend(q, k, v, pattern, query_offset=offset, scale=scale)[0]

    def formula(q, k, v):
        return plain(q, k, v, mask, scale)

    exact = gradients(formula, [x.double() for x in inputs])
    for got, same, right in zip(gradients(ours, inputs), gradients(formula, inputs), exact, strict=True):
        assert got.dtype == inputs[0].dtype and got.shape == right.shape
        roundings = 16 * torch.finfo(got.dtype).eps * max(1.0, right.abs().max())
        assert (got.double() - right).abs().max() <= 2 * (same.double() - right).abs().max() + roundings


@pytest.mark.parametrize("block", [64], indirect=True)
@pytest.mark.parametrize("pattern", SINGLE + COMPOSED, ids=repr)
def test_every_pattern(pattern, block):
    assert_right(tensors(LENGTH, heads=pattern.heads or 1), pattern)


@pytest.mark.parametrize("pattern", [causal(), WINDOW, ALONE, chunks(20), strided(5)], ids=repr)
def test_small_blocks(pattern):
    assert_right(tensors(50, heads=1), pattern)


@pytest.mark.parametrize(("L", "S"), list(product(SIZES, SIZES)))
def test_every_size(L, S):
    offset = max(S - L, 0)
    inputs = tensors(L, S, heads=1)
    out, _ = attend(*inputs, WINDOW, query_offset=offset)
    assert_as_exact_as_plain(out, *inputs, dense_mask(WINDOW, L, S, offset))


@pytest.mark.parametrize(
    ("L", "S", "offset"), [(1, 40, 39), (17, 2, 0), (17, 40, 23), (40, 17, 0), (5, 40, 9)]
)
def test_gradients_of_sizes_and_offsets(L, S, offset):
    assert_right(tensors(L, S, heads=1), sliding_window(12) | sinks(2), offset)


def test_full_looks_ahead_and_needs_no_offset():
    assert_right(tensors(17, 40, heads=1), full())


@pytest.mark.parametrize("block", [64], indirect=True)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("pattern", [causal(), WINDOW, random_blocks(16, 3, seed=1)], ids=repr)
def test_every_dtype(pattern, dtype, block):
    assert_right(tensors(100, heads=1, dtype=dtype), pattern)


@pytest.mark.parametrize("dim", [1, 16, 24, 100, 128, 256])
def test_every_width(dim):
    assert_right(tensors(20, heads=1, dim=dim), causal())


@pytest.mark.parametrize(("heads", "heads_kv", "dim_value"), [(4, 2, 40), (3, 1, 1)])
def test_grouped_heads_and_another_width(heads, heads_kv, dim_value):
    inputs = tensors(20, heads=heads, heads_kv=heads_kv, batch=2, dim_value=dim_value)
    assert_right(inputs, per_head([sliding_window(h + 1) for h in range(heads)]))


@pytest.mark.parametrize("scale", [1.0, -0.5, 0.0])
def test_scale(scale):
    assert_right(tensors(20, heads=1), causal(), scale=scale)


def test_large_scores_in_half_precision():
    """Dot products of 5.8e6, which float16 cannot hold: they must not be rounded to it on the way."""
    query, key, value = tensors(20, heads=1, dim=64, dtype=torch.float16)
    query, key = torch.full_like(query, 300.0), torch.full_like(key, 300.0)
    out, lse = attend(query, key, value, causal())
    right, right_lse = expected(query, key, value, dense_mask(causal(), 20))
    torch.testing.assert_close(out.double(), right, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(lse.double(), right_lse, rtol=1e-6, atol=0)


@pytest.mark.parametrize("how", STRIDES)
def test_strides(how):
    """Query, key, value and the gradient of the output, each in turn, laid out otherwise."""
    batch, heads = (2, 1) if "element" in how else (1, 2)
    inputs = [x.to(device()) for x in tensors(20, batch=batch, heads=heads)]
    grad = torch.randn(batch, heads, 20, 16, generator=torch.Generator().manual_seed(1)).to(device())
    for which in range(4):
        given = [*inputs, grad]
        given[which] = STRIDES[how](given[which])
        assert given[which].stride() != given[which].contiguous().stride()
        found = []
        for x in (given, [x.contiguous() for x in given]):
            leaves = [y.detach().requires_grad_() for y in x[:3]]
            out = attention(*leaves, sliding_window(4), backend="triton")
            found.append([out, *torch.autograd.grad(out, leaves, x[3])])
        for a, b in zip(*found, strict=True):
            assert torch.equal(a, b)


def test_what_lies_behind_the_ends_is_not_felt():
    """Memory past the last query and past the last key holds NaN: it reaches neither output nor gradient."""
    inputs = tensors(21, heads=4, heads_kv=2)
    right = gradients(lambda *x: attend(*x, causal())[0], inputs)
    for which in range(3):
        leaves = [x.to(device()) for x in inputs]
        long = torch.full((*leaves[which].shape[:2], 64, 16), torch.nan, device=device())
        long[:, :, :21] = leaves[which]
        leaves[which] = long[:, :, :21]
        leaves = [x.detach().requires_grad_() for x in leaves]
        out = attention(*leaves, causal(), backend="triton", enable_gqa=True)
        pulled = torch.full((1, 4, 64, 16), torch.nan)
        pulled[:, :, :21] = torch.randn(
            out.shape, generator=torch.Generator().manual_seed(5), dtype=torch.float64
        )
        grads = torch.autograd.grad(out, leaves, pulled.to(device())[:, :, :21])
        for a, b in zip(grads, right, strict=True):
            assert torch.equal(a.cpu(), b)


def test_blocks_not_listed_are_never_read():
    """Without the guard: NaN in a block that no row lists would spoil, by 0 x NaN, whatever met it."""
    pattern = sliding_window(5)
    query, key, value = (x.to(device()) for x in tensors(64, heads=1))
    query, key, value = query[:, :, 48:], key.clone(), value.clone()
    key[:, :, :32] = value[:, :, :32] = torch.nan
    leaves = [x.detach().requires_grad_() for x in (query, key, value)]
    out, lse = launch.forward(*leaves, pattern, query_offset=48, scale=0.25)
    grads = torch.autograd.grad(out.sum() + lse.sum(), leaves)
    assert out.isfinite().all() and lse.isfinite().all() and all(x.isfinite().all() for x in grads)


@pytest.mark.parametrize("poison", [torch.nan, torch.inf, -torch.inf], ids=str)
@pytest.mark.parametrize("which", [0, 1, 2], ids=["query", "key", "value"])
@pytest.mark.parametrize("pattern", [causal(), sliding_window(5)], ids=repr)
def test_the_log_sum_exp_tells_of_what_is_not_finite(pattern, which, poison):
    """Also of -inf in a key, although its weight is 0, and of what visited blocks hold beside the pattern."""
    inputs = [x.abs().to(device()) for x in tensors(64, heads=1)]  # -inf in a key makes all its scores -inf
    lse = launch.forward(*inputs, pattern, query_offset=0, scale=0.25)[1]
    assert lse.isfinite().all()
    inputs[which][:, :, 20, 3] = poison
    lse = launch.forward(*inputs, pattern, query_offset=0, scale=0.25)[1]
    rows = [20] if which == 0 else range(20, 25)  # those that attend it; 16 to 19 only meet its block
    assert lse[0, 0, rows].isnan().all()
    if which == 1:
        assert lse[0, 0, 16:20].isnan().all()


def test_one_pass_where_nothing_is_wrong(monkeypatch):
    """The guard looks at no entry, and runs the kernel again only for what a visited block holds."""
    passes, run = [], launch.forward
    monkeypatch.setattr(guard, "_within", None)
    monkeypatch.setattr(launch, "forward", lambda *given, **asked: passes.append(0) or run(*given, **asked))
    query, key, value = tensors(64, heads=1)
    query = query[:, :, 48:]
    for poison, position, expected_passes in ((0.0, 60, 1), (torch.nan, 10, 1), (torch.nan, 60, 2)):
        key[:, :, position] = poison
        passes.clear()
        attend(query, key, value, sliding_window(5), query_offset=48)
        assert len(passes) == expected_passes


def test_scores_that_overflow_when_scaled_are_those_of_the_formula():
    """Products of -1e4 and a scale of 1e35: every score of every row is -inf, and no row is empty."""
    query, key, value = tensors(20, heads=1)
    query, key = torch.full_like(query, 25.0), torch.full_like(key, -25.0)
    options = {"scale": 1e35, "return_lse": True}
    for ours, formula in zip(
        attend(query, key, value, ALONE | sliding_window(3), **options),
        attention(query, key, value, ALONE | sliding_window(3), backend="dense", **options),
        strict=True,
    ):
        assert torch.equal(ours, formula)


def poisoned(inputs, pattern):
    """Output, log-sum-exp and gradients of a loss that weighs every row and its log-sum-exp."""
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    out, lse = attend(*leaves, pattern)
    weights = torch.randn(out.shape, generator=torch.Generator().manual_seed(3))
    loss = (weights * out).sum() + (weights[..., 0] * lse.masked_fill(lse == -torch.inf, 0.0)).sum()
    return out.detach(), lse.detach(), *torch.autograd.grad(loss, leaves)


@pytest.mark.parametrize("block", [32], indirect=True)
@pytest.mark.parametrize("pattern", [WINDOW, strided(9), chunks(30), ALONE], ids=repr)
def test_poison_outside_g_is_not_felt(pattern, block):
    inputs, mask = tensors(70, heads=1), dense_mask(pattern, 70)
    before = poisoned(inputs, pattern)
    for which, position, poison in (
        (1, 8, torch.nan), (2, 12, torch.inf), (1, 40, 1e30), (2, 37, 3e38), (2, 15, 3e38)
    ):  # fmt: skip
        changed = [x.clone() for x in inputs]
        changed[which][:, :, position, 5] = poison
        after = poisoned(changed, pattern)
        rows = mask[:, position]
        keys = mask[rows].any(dim=0)
        for a, b in zip(before[:3], after[:3], strict=True):
            assert torch.equal(a[:, :, ~rows], b[:, :, ~rows])
        for a, b in zip(before[3:], after[3:], strict=True):
            assert torch.equal(a[:, :, ~keys], b[:, :, ~keys])
        assert torch.equal(before[0], after[0]) == (not rows.any())
        if not np.isfinite(poison):
            assert after[0][:, :, rows].isnan().all() and all(x.isfinite().all() for x in after[2:])


def test_gradient_of_lse_alone():
    inputs = tensors(40, heads=1)
    mask = dense_mask(sliding_window(9), 40)

    def ours(q, k, v):
        return attend(q, k, v, sliding_window(9))[1] + 0 * v.sum()

    def right(q, k, v):
        return torch.logsumexp((q @ k.mT / 4).masked_fill(~mask, -torch.inf), dim=-1) + 0 * v.sum()

    exact = gradients(right, [x.double() for x in inputs])
    for a, b in zip(gradients(ours, inputs), exact, strict=True):
        torch.testing.assert_close(a.double(), b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 2, 5, 5), (1, 2, 0, 0), (1, 2, 5, 0), (1, 2, 0, 5)])
def test_nothing_to_attend(shape):
    B, heads, L, S = shape
    query, key, value = torch.ones(B, heads, L, 4), torch.ones(B, heads, S, 4), torch.ones(B, heads, S, 3)
    inputs = [x.requires_grad_() for x in (query, key, value)]
    out, lse = attend(*inputs, causal(), query_offset=0)
    assert out.shape == (B, heads, L, 3) and lse.shape == (B, heads, L)
    if S == 0:
        assert (out == 0).all() and (lse == -torch.inf).all()
    for grad in torch.autograd.grad(out.sum(), inputs):
        assert (grad == 0).all()


def test_chunks_of_a_prompt_equal_one_pass():
    query, key, value = tensors(40, heads=4, heads_kv=2)
    whole, whole_lse = attend(query, key, value, WINDOW)
    start = 0
    for stop in (17, 36, 39, 40):
        given = query[:, :, start:stop], key[:, :, :stop], value[:, :, :stop]
        out, lse = attend(*given, WINDOW, query_offset=start)
        torch.testing.assert_close(out, whole[:, :, start:stop], rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(lse, whole_lse[:, :, start:stop], rtol=1e-5, atol=1e-5)
        start = stop


@pytest.mark.parametrize("heads_kv", [2, 1])
@pytest.mark.parametrize("L", [1, 3])
@pytest.mark.parametrize("pattern", [causal(), sliding_window(50) | sinks(3)], ids=repr)
def test_decoding_splits_the_keys(pattern, L, heads_kv, monkeypatch):
    """Few queries over long keys: parts of a row's list run apart and are merged, to the same result."""
    grids, run = [], launch._launch
    monkeypatch.setattr(launch, "_programs", lambda device: 64)
    monkeypatch.setattr(launch, "_SHARE", 2)

    def noted(kernel, grid, *rest):
        grids.append(grid)
        run(kernel, grid, *rest)

    monkeypatch.setattr(launch, "_launch", noted)
    assert_right(tensors(L, 90, heads=2, heads_kv=heads_kv), pattern, 90 - L)
    listed = pattern.layout(L, 90, block_size=16, query_offset=90 - L)
    assert grids[0][1] == (len(listed.full(0)) + len(listed.partial(0))) // 2 > 1


def test_a_split_without_blocks_and_rows_without_keys(monkeypatch):
    monkeypatch.setattr(launch, "_programs", lambda device: 64)
    monkeypatch.setattr(launch, "_SHARE", 1)
    assert_right(tensors(40, heads=1), ALONE)
    assert_right(tensors(1, 90, heads=2), sliding_window(70), 89)


def test_two_backward_passes_are_bit_identical_and_inputs_are_never_written_to():
    inputs = tensors(40, heads=4, heads_kv=2)
    before = [x.clone() for x in inputs]
    first, second = (gradients(lambda *x: attend(*x, WINDOW)[0], inputs) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(inputs, before, strict=True))


def test_a_second_derivative_is_refused():
    inputs = [x.requires_grad_() for x in tensors(16, heads=1)]
    out, _ = attend(*inputs, causal())
    with pytest.raises(RuntimeError, match="cannot be differentiated twice; 'dense' can"):
        torch.autograd.grad(out.sum(), inputs[0], create_graph=True)
