"""FlexAttention, really compiled. Compiling takes seconds, so cases share few patterns and kinds of call.

The patterns themselves are proven as mask_mods elsewhere; here it is the layout, the offset, the guard and
the compiling that are at stake.
"""

import shutil

import pytest
import torch
from torch.nn.attention.flex_attention import create_mask

from companion.attention import attention, choose
from companion.backends import flex
from companion.indices import IndexSet
from companion.patterns import causal, sinks, sliding_window
from helpers.attention_oracle import assert_as_exact_as_plain, dense_mask, tensors

compiled = pytest.mark.skipif(
    shutil.which("g++") is None, reason="compiling FlexAttention needs a C++ compiler (g++)"
)
WINDOW = sliding_window(50) | sinks(3)
LENGTHS = [129, 200, 256, 137, 384, 300, 500, 640, 64, 17]


def attend(*inputs, **options):
    with torch.no_grad():
        return attention(*inputs, backend="flex", **options)


def test_the_block_mask_stands_at_its_offset():
    for L, S, offset in ((20, 300, 280), (200, 200, 0), (64, 130, 50)):
        blocks = flex._block_mask(WINDOW, L, S, offset, torch.device("cpu"))
        mask = create_mask(blocks.mask_mod, 1, 1, L, S, device="cpu")
        assert torch.equal(mask[0, 0], dense_mask(WINDOW, L, S, offset))


@compiled
def test_ten_lengths_and_offsets_need_few_compilations():
    """And none of them runs uncompiled: that is an error, not a slow surprise."""
    flex._compiled.cache_clear()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    cases = [(L, L, 0) for L in LENGTHS] + [(20, 300, 280), (20, 310, 290), (50, 200, 100), (137, 137, 60)]
    for L, S, offset in cases:
        inputs = tensors(L, S)
        out = attend(*inputs, pattern=WINDOW, query_offset=offset)
        assert_as_exact_as_plain(out, *inputs, dense_mask(WINDOW, L, S, offset))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] <= 6


@compiled
def test_poison_outside_the_window_is_not_felt():
    inputs = tensors(200)
    before = attend(*inputs, pattern=WINDOW)
    touched = dense_mask(WINDOW, 200)
    for which, poison in ((1, torch.nan), (2, torch.inf), (1, torch.finfo(torch.float32).max), (2, 5.0)):
        poisoned = [x.clone() for x in inputs]
        poisoned[which][:, :, 90, 1] = poison
        after = attend(*poisoned, pattern=WINDOW)
        assert torch.equal(before[:, :, ~touched[:, 90]], after[:, :, ~touched[:, 90]])
        assert not torch.equal(before, after)
        if poison != poison or poison == torch.inf:
            assert after[:, :, touched[:, 90]].isnan().all()


@compiled
def test_empty_rows_grouped_heads_and_another_width():
    pattern = sliding_window(30) & sinks(20)
    inputs = tensors(200, heads=4, heads_kv=2, batch=2, dim_value=32)
    out = attend(*inputs, pattern=pattern, enable_gqa=True)
    assert_as_exact_as_plain(out, *inputs, dense_mask(pattern, 200))
    assert (out[:, :, 49:] == 0).all()


@compiled
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision(dtype):
    inputs = tensors(200, dtype=dtype)
    out = attend(*inputs, pattern=sliding_window(50))
    assert_as_exact_as_plain(out, *inputs, dense_mask(sliding_window(50), 200))


@compiled
def test_strides():
    query, key, value = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in tensors(200))
    key = key[:, :1].expand(key.shape)
    out = attend(query, key, value, pattern=WINDOW)
    assert_as_exact_as_plain(out, query, key, value, dense_mask(WINDOW, 200))


def test_what_it_cannot_do_it_refuses_and_says_why(monkeypatch):
    inputs = tensors(50)
    indices = IndexSet.from_mask(causal().mask(50))
    double = [x.double() for x in inputs]
    empty = [x[:, :, :0] for x in inputs]
    for arguments, options, why in (
        ([*inputs, indices], {}, "index set"),
        ([*double, causal()], {}, "float64"),
        ([*empty, causal()], {}, "empty"),
        ([*inputs, causal()], {"return_lse": True}, "log-sum-exp"),
    ):
        with pytest.raises(ValueError, match=f"'flex' cannot do this call: .*{why}"):
            attention(*arguments, backend="flex", **options)
    with pytest.raises(ValueError, match="gradients"):
        attention(inputs[0].clone().requires_grad_(), *inputs[1:], causal(), backend="flex")
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ValueError, match="C\\+\\+ compiler, and there is no no-such-compiler"):
        attention(*inputs, causal(), backend="flex")
    assert choose(*tensors(500), causal()).name != "flex"
