"""The front door: what it refuses, what it resolves, and which backend it takes."""

import numpy as np
import pytest
import torch

from companion.attention import attention, choose
from companion.device import device
from companion.indices import IndexSet
from companion.patterns import causal, documents, full, global_tokens, per_head, sliding_window
from helpers.attention_oracle import assert_as_exact_as_plain, dense_mask, tensors


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda q, k, v: (q.numpy(), k, v), TypeError, "query must be a torch tensor; got ndarray"),
        (lambda q, k, v: (q, k.double(), v), TypeError, "key must be torch.float32.*got torch.float64"),
        (lambda q, k, v: (q.long(), k, v), TypeError, "query must be float16.*got torch.int64"),
        (lambda q, k, v: (q[0], k, v), ValueError, r"query must be \(batch, heads, tokens, dim\)"),
        (lambda q, k, v: (q, k[..., :3], v), ValueError, r"key must be \(1, heads, tokens, 16\)"),
        (lambda q, k, v: (q, k.repeat(2, 1, 1, 1), v), ValueError, r"key must be \(1, heads"),
        (lambda q, k, v: (q, k, v[:, :, :4]), ValueError, r"value must be \(1, 2, 5, dim\)"),
        (lambda q, k, v: (q, k[:, :1], v[:, :1]), ValueError, "2 heads and key has 1.*enable_gqa=True"),
        (lambda q, k, v: (q[:, :0], k[:, :0], v[:, :0]), ValueError, "at least one head; got 0 and 0"),
        (lambda q, k, v: (q[..., :0], k[..., :0], v), ValueError, "head dimension of at least 1"),
    ],
)
def test_tensors_that_do_not_fit(change, error, message):
    for function in (attention, choose):
        with pytest.raises(error, match=message):
            function(*change(*tensors(5)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scale": "1"}, TypeError, "scale must be a real number; got '1'"),
        ({"scale": True}, TypeError, "scale must be a real number; got True"),
        ({"scale": float("nan")}, ValueError, "scale must be finite; got nan"),
        ({"query_offset": -1}, ValueError, "query_offset must be at least 0, not -1"),
        ({"query_offset": 1.0}, TypeError, "query_offset must be an integer, not 1.0"),
        ({"pattern": torch.ones(5, 5, dtype=torch.bool)}, TypeError, "got Tensor. IndexSet.from_mask"),
        ({"pattern": np.zeros((5, 5))}, TypeError, "pattern must be a Pattern or an IndexSet; got ndarray"),
        ({"pattern": None}, TypeError, "got NoneType"),
        ({"pattern": causal}, TypeError, "got type"),
        ({"pattern": documents([2, 2])}, ValueError, "lengths must add up to S = 5"),
        ({"pattern": global_tokens([7])}, ValueError, "ids must lie below S = 5; got 7"),
        ({"pattern": per_head([causal()] * 3)}, ValueError, "pattern tells 3 heads apart, but query has 2"),
    ],
)
def test_options_that_do_not_fit(options, error, message):
    with pytest.raises(error, match=message):
        attention(*tensors(5), **options)


def test_tensors_that_hold_no_numbers():
    with pytest.raises(ValueError, match="query must hold numbers, .*on device 'meta'"):
        attention(*(x.to("meta") for x in tensors(5)))


def test_an_unknown_backend():
    with pytest.raises(ValueError, match="backend must be one of .*'auto', 'dense', 'blocks'.*; got 'cudnn'"):
        attention(*tensors(5), backend="cudnn")
    with pytest.raises(ValueError, match=r"backend must be one of .*; got \['dense'\]"):
        attention(*tensors(5), backend=["dense"])


def test_lengths_that_differ_need_an_offset():
    inputs = tensors(2, 5)
    for pattern in (causal(), sliding_window(2), IndexSet(np.zeros((2, 1), int))):
        with pytest.raises(ValueError, match="query_offset must be given when .*2 .* has 5.* S - L = 3"):
            attention(*inputs, pattern)
    assert torch.equal(attention(*inputs, full()), attention(*inputs, full(), query_offset=3))


def test_equal_lengths_mean_offset_zero():
    inputs = tensors(5)
    assert torch.equal(attention(*inputs), attention(*inputs, causal(), query_offset=0))
    assert not torch.equal(attention(*inputs), attention(*inputs, query_offset=2))


@pytest.mark.parametrize(
    ("array", "offset", "message"),
    [
        ([[0], [2]], 0, "row 1 holds index 2, in the future of position 1"),
        ([[5], [0]], 9, "row 0 holds index 5, out of range for 5 keys"),
        ([[[0], [1]], [[-1], [4]]], 2, "row 1 holds index 4, in the future of position 3"),
        ([[0], [0], [0]], 3, r"pattern must hold indices \(2, k\).*; got \(3, 1\)"),
        ([[[0], [0]]] * 3, 3, r"pattern must hold indices .*; got \(3, 2, 1\)"),
    ],
)
def test_indices_that_do_not_fit(array, offset, message):
    with pytest.raises(ValueError, match=message):
        attention(*tensors(2, 5), IndexSet(np.array(array)), query_offset=offset)


def test_indices_may_look_as_far_as_the_offset_says():
    inputs = tensors(2, 5)
    mask = torch.zeros(2, 5, dtype=torch.bool)
    mask[0, 3] = mask[1, 4] = mask[1, 0] = True
    out = attention(*inputs, IndexSet(np.array([[3, -1], [4, 0]])), query_offset=3)
    assert_as_exact_as_plain(out, *inputs, mask)


def test_heads_that_do_not_divide():
    with pytest.raises(ValueError, match="multiple of key heads; got 4 and 3"):
        attention(*tensors(5, heads=4, heads_kv=3), enable_gqa=True)


def test_the_answer_in_one_line():
    """Alpha = (.1, .6, .3) over v = (1, 2), (3, 0), (4, 5) is (3.1, 1.7)."""
    alpha = torch.tensor([0.1, 0.6, 0.3], dtype=torch.float64)
    value = torch.tensor([[1.0, 2.0], [3.0, 0.0], [4.0, 5.0]], dtype=torch.float64)
    query, key = torch.ones(1, 1, 1, 1).double(), alpha.log().reshape(1, 1, 3, 1)
    out, lse = attention(query, key, value[None, None], query_offset=2, scale=1, return_lse=True)
    torch.testing.assert_close(out[0, 0, 0], torch.tensor([3.1, 1.7]).double())
    torch.testing.assert_close(lse[0, 0, 0], torch.tensor(0.0).double(), rtol=0, atol=1e-12)


def test_choice_by_size_and_its_reason():
    assert choose(*tensors(20)).name == "dense" and "few" in choose(*tensors(20)).why
    name, why = choose(*tensors(500), sliding_window(20))
    assert name == "blocks" and "CPU" in why
    inputs = [x.requires_grad_() for x in tensors(500)]
    assert choose(*inputs, sliding_window(20), return_lse=True).name == "blocks"


@pytest.mark.parametrize("length", [20, 500])
def test_auto_is_the_backend_it_names(length):
    inputs = tensors(length)
    named = attention(*inputs, sliding_window(9), backend=choose(*inputs, sliding_window(9)).name)
    assert torch.equal(attention(*inputs, sliding_window(9)), named)
    assert_as_exact_as_plain(named, *inputs, dense_mask(sliding_window(9), length))


def test_device_is_where_torch_can_compute():
    assert device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    assert torch.zeros(2, device=device()).sum() == 0
