"""Bugs that people really hit, each as an input and the right answer. A docstring names where it was
reported.

What a bug's victims saw is run too where a few lines can show it, so that the test tells the two apart.
"""

import warnings

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from companion.attention import attention
from companion.cache import KVCache, WindowCache
from companion.indices import IndexSet, topk
from companion.merge import merge
from companion.patterns import causal, dilated, full, sinks, sliding_window
from helpers.attention_oracle import assert_as_exact_as_plain, dense_mask, expected, gradients, plain, tensors

INF = float("inf")


@pytest.fixture(params=["dense", "blocks"])
def backend(request):
    return request.param


def test_alignment(backend):
    """pytorch/pytorch#108108, pytorch/pytorch#103082: a causal mask with L != S was aligned top-left."""
    query, key, value = tensors(2, 5)
    value = torch.eye(5).expand(1, 2, 5, 5)  # the output is then the weights
    top_left = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert (top_left[..., 1, :] > 0).sum() == 2 * 2
    with pytest.raises(ValueError, match="S - L = 3"):
        attention(query, key, value, causal(), backend=backend)
    weights = attention(query, key, value, causal(), query_offset=3, backend=backend)
    assert torch.equal(weights > 0, torch.ones(5, 5).tril().bool()[3:].expand(1, 2, 2, 5))


def test_decoding(backend):
    """google/flax#5591, pytorch/pytorch#144858: one query over eight keys saw the first key alone."""
    query, key, value = tensors(8)
    value = torch.eye(8).expand(1, 2, 8, 8)
    whole = attention(query, key, value, causal(), backend=backend)
    last = attention(query[:, :, 7:], key, value, causal(), query_offset=7, backend=backend)
    assert (last > 0).all()
    torch.testing.assert_close(last, whole[:, :, 7:])


@pytest.mark.parametrize("make", [KVCache, lambda: WindowCache(3, 1)], ids=["all", "window"])
def test_chunked_prefill(make):
    """Mikyx-1/TinyLLM#17, QwenLM/Qwen#979, Lightning-AI/litgpt#2182: a warm cache dropped or misplaced the
    mask."""
    inputs = tensors(9)
    pattern = causal() if make is KVCache else sliding_window(3) | sinks(1)

    def run(inputs):
        cache = make()
        chunks = [[x[:, :, part] for x in inputs] for part in (slice(0, 5), slice(5, 8), slice(8, 9))]
        return torch.cat([cache.attention(*chunk) for chunk in chunks], dim=2)

    out = run(inputs)
    torch.testing.assert_close(out, attention(*inputs, pattern))
    for t in range(9):
        changed = [x.clone() for x in inputs]
        for x in changed:
            x[:, :, t] += 1.0
        assert torch.equal(run(changed)[:, :, :t], out[:, :, :t])


def test_empty_rows(backend):
    """pytorch/pytorch#103749, pytorch/pytorch#103963: a row without an allowed key became NaN, gradients
    too."""
    inputs = [x.requires_grad_() for x in tensors(300)]
    out, lse = attention(*inputs, sliding_window(5) & sinks(40), backend=backend, return_lse=True)
    assert (out[:, :, 44:] == 0).all() and (lse[:, :, 44:] == -INF).all()
    assert lse[:, :, :44].isfinite().all()
    for grad in torch.autograd.grad(out.sum(), inputs):
        assert grad.isfinite().all() and (grad[:, :, 44:] == 0).all()


def test_left_padding(backend):
    """huggingface/transformers#47651, huggingface/transformers#48363: padding in front changed the real
    tokens."""
    inputs = tensors(20)
    padded = [torch.cat([torch.full_like(x[:, :, :7], 9.0), x], dim=2) for x in inputs]
    mask = causal().mask(27) & (np.arange(27) >= 7)
    mask[:7] = False
    out = attention(*padded, IndexSet.from_mask(mask), backend=backend)
    torch.testing.assert_close(out[:, :, 7:], attention(*inputs, causal(), backend=backend))
    assert (out[:, :, :7] == 0).all()


def test_finite_sentinels(backend):
    """huggingface/transformers#17306, NVIDIA-NeMo/Automodel#2658: finfo.min on a row without keys averages
    V."""
    query, key, value = tensors(4)
    lowest = torch.finfo(torch.float32).min
    averaged = scaled_dot_product_attention(query, key, value, attn_mask=torch.full((4, 4), lowest))
    torch.testing.assert_close(averaged, value.mean(dim=2, keepdim=True).expand_as(value))
    assert 2 * torch.tensor(torch.finfo(torch.bfloat16).min, dtype=torch.bfloat16) == -INF
    nobody = IndexSet(np.full((4, 1), -1))
    assert (attention(query, key, value, nobody, backend=backend) == 0).all()
    for dtype in (torch.float16, torch.bfloat16):
        both = sliding_window(2) & dilated(2, 3)
        inputs = tensors(20, dtype=dtype)
        assert_as_exact_as_plain(attention(*inputs, both, backend=backend), *inputs, dense_mask(both, 20))


def test_polarity(backend):
    """rasbt/LLMs-from-scratch#1061, pytorch/pytorch#170415: triu was passed where True means "may attend"."""
    query, key, value = tensors(6)
    with pytest.raises(ValueError, match="in the future of position 0"):
        attention(query, key, value, IndexSet.from_mask(np.triu(np.ones((6, 6), bool))), backend=backend)
    kept = attention(query, key, value, IndexSet.from_mask(np.tril(np.ones((6, 6), bool))), backend=backend)
    torch.testing.assert_close(kept, scaled_dot_product_attention(query, key, value, is_causal=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool], ids=str)
def test_mask_dtype(backend, dtype):
    """pytorch/pytorch#21518, huggingface/trl#1460: a 0/1 mask of floats was added to the scores."""
    with pytest.raises(TypeError, match="pattern must be a Pattern or an IndexSet; got Tensor"):
        attention(*tensors(6), torch.ones(6, 6).tril().to(dtype), backend=backend)


def test_range(backend):
    """huggingface/transformers#382, huggingface/transformers#17437: float16 scores overflowed before the
    scale."""
    query = torch.full((1, 1, 40, 64), 300.0, dtype=torch.float16)
    _, _, value = tensors(40, heads=1, dim=64, dtype=torch.float16)
    out, lse = attention(query, query, value, causal(), backend=backend, return_lse=True)
    right, right_lse = expected(query, query, value, dense_mask(causal(), 40))
    assert out.isfinite().all()
    torch.testing.assert_close(out.double(), right, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(lse.double(), right_lse, rtol=1e-6, atol=0)


def test_order_of_mask_and_softmax(backend):
    """huggingface/pytorch-image-models#2236, NVIDIA/Megatron-LM#731: weights were masked after the
    softmax."""
    query, key, value = (x.double().requires_grad_() for x in tensors(12))
    late = torch.softmax(query @ key.mT / 4, dim=-1).tril()
    assert (late.sum(dim=-1)[..., :-1] < 1).all()
    assert torch.autograd.grad(late[:, :, 5].square().sum(), key)[0][:, :, 6:].abs().max() > 0
    ones = attention(query, key, torch.ones_like(value), causal(), backend=backend)
    torch.testing.assert_close(ones, torch.ones_like(ones))
    row = attention(query, key, value, causal(), backend=backend)[:, :, 5]
    for grad in torch.autograd.grad(row.square().sum(), (key, value)):
        assert (grad[:, :, 6:] == 0).all() and (grad[:, :, :6] != 0).any()


def test_window_count(backend):
    """huggingface/transformers#39408, huggingface/transformers#29623, vllm-project/vllm#9679: w or w + 1
    keys."""
    query, key, _ = tensors(10)
    weights = attention(query, key, torch.eye(10).expand(1, 2, 10, 10), sliding_window(4), backend=backend)
    counts = torch.tensor([min(i + 1, 4) for i in range(10)])
    assert torch.equal((weights > 0).sum(dim=-1), counts.expand(1, 2, 10))


def test_duplicates_in_g():
    """NVIDIA/cudnn-frontend#793: a position listed twice counted twice."""
    with pytest.raises(ValueError, match="row 1 holds position 1 more than once"):
        IndexSet(np.array([[0, -1, -1], [0, 1, 1]]))


def test_top_k_and_the_future(backend):
    """HKUSTDial/flash-sparse-attention#146: rows with fewer than k keys were filled up from the future."""
    query, key, value = tensors(6)
    chosen = topk((query @ key.mT)[0], 4)
    assert chosen.array[0, 0].tolist() == [0, -1, -1, -1]
    out = attention(query, key, value, chosen, backend=backend)
    torch.testing.assert_close(out[:, :, 0], value[:, :, 0])


def test_dead_slots(backend):
    """flashinfer-ai/flashinfer#4484, deepseek-ai/FlashMLA#77: a row of -1 only gave NaN or another row's
    output."""
    inputs = [x.requires_grad_() for x in tensors(3)]
    indices = IndexSet(np.array([[0, -1], [-1, -1], [-1, 2]]))
    out, lse = attention(*inputs, indices, backend=backend, return_lse=True)
    assert (out[:, :, 1] == 0).all() and (lse[:, :, 1] == -INF).all()
    for grad in torch.autograd.grad(out.square().sum(), inputs):
        assert grad.isfinite().all() and (grad[:, :, 1] == 0).all()


def test_head_mapping(backend):
    """onnx/onnx#7274: grouped heads were tiled (0, 1, 0, 1) where runs (0, 0, 1, 1) are meant."""
    query, key, _ = tensors(5, heads=4, heads_kv=2)
    value = torch.tensor([10.0, 20.0]).reshape(1, 2, 1, 1).expand(1, 2, 5, 16)
    out = attention(query, key, value, causal(), enable_gqa=True, backend=backend)
    torch.testing.assert_close(out[0, :, 0, 0], torch.tensor([10.0, 10.0, 20.0, 20.0]))
    with pytest.raises(ValueError, match="4 and 3"):
        attention(*tensors(5, heads=4, heads_kv=3), causal(), enable_gqa=True, backend=backend)


@pytest.mark.parametrize("pattern", [causal(), full(), sliding_window(100)], ids=repr)
def test_ragged_lengths(backend, pattern):
    """pytorch/pytorch#159247, pytorch/pytorch#153799, pytorch/pytorch#137801: L = 137 in blocks of 128."""
    inputs, mask = tensors(137), dense_mask(pattern, 137)
    assert_as_exact_as_plain(attention(*inputs, pattern, backend=backend), *inputs, mask)
    got = gradients(lambda q, k, v: attention(q, k, v, pattern, backend=backend), inputs)
    right = gradients(lambda q, k, v: plain(q, k, v, mask), [x.double() for x in inputs])
    for a, b in zip(got, right, strict=True):
        torch.testing.assert_close(a.double(), b, rtol=1e-4, atol=1e-5)


def test_silent_slow_path():
    """vllm-project/vllm#27178: the ninth length through one compiled function ran uncompiled without a word.

    Nothing is compiled unless "flex" is asked for, whose ten lengths are in the tests of that backend.
    """
    torch._dynamo.utils.counters.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for length in range(100, 110):
            attention(*tensors(length), sliding_window(9))
    assert not torch._dynamo.utils.counters["stats"]


def test_merging():
    """vllm-project/vllm#39148, pytorch/pytorch#181645: two empty parts gave NaN, large ones overflowed, log2
    met ln."""
    one, two = torch.tensor([1.0]), torch.tensor([2.0])

    def m(lse_a, lse_b):
        out, lse = merge(one, torch.tensor(lse_a), two, torch.tensor(lse_b))
        return out.item(), lse.item()

    assert m(-INF, -INF) == (0.0, -INF)
    assert m(-INF, 3.0) == (2.0, 3.0)
    assert m(1000.0, 0.0) == (1.0, 1000.0)
    assert m(0.0, 0.0) == (1.5, pytest.approx(np.log(2.0)))


def test_shared_keys(backend):
    """NVIDIA/cudnn-frontend#385, meta-pytorch/attention-gym#244: of many queries that chose one key one
    gradient stayed."""
    query, key, value = (x.requires_grad_() for x in tensors(50))
    zeros = IndexSet(np.zeros((50, 1), int))
    out = attention(query, key, value, zeros, backend=backend)
    (grad,) = torch.autograd.grad(out.sum(), value)
    torch.testing.assert_close(grad[:, :, 0], torch.full_like(grad[:, :, 0], 50.0))
    assert (grad[:, :, 1:] == 0).all()


def test_memory():
    """ByteDance-Seed/Depth-Anything-3#268, pytorch/pytorch#134756: a mask of (B, 1, 1, S) was expanded over
    all heads.

    Index sets that hold for all heads are planned once, and the mask of a tile is (rows, keys), whatever the
    heads. That a window makes nothing of size L x L is in the tests of "blocks".
    """
    from companion.backends.plan import plan_indices

    parts = list(plan_indices(torch.zeros(1, 1, 100, 1, dtype=torch.int64), 100))
    assert [part.head for part in parts] == [None, None]
    assert [part.mask().shape for part in parts] == [(64, 1), (36, 1)]
