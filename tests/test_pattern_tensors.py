"""Patterns asked with tensors: FlexAttention takes each as its mask_mod, as it stands."""

import numpy as np
import pytest

from companion import patterns as room
from companion.patterns import (
    causal,
    dilated,
    documents,
    global_tokens,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
)
from companion.reference import attention

torch = pytest.importorskip("torch")
from torch.nn.attention.flex_attention import create_block_mask, flex_attention  # noqa: E402

L, HEADS, D = 40, 2, 16
CODES = [
    "full()",
    "causal()",
    "sliding_window(5)",
    "dilated(3, 4)",
    "strided(7)",
    "sinks(3)",
    "global_tokens([0, 5, 6, 30])",
    "chunks(6)",
    "random_blocks(4, 2, 7)",
    "documents([5, 10, 25])",
    "sliding_window(5) | sinks(3) & chunks(4)",
    "per_head([causal(), sliding_window(3)]) & (sinks(2) | documents([20, 20]))",
]


def positions(dtype):
    return torch.arange(L, dtype=dtype)


def dense(pattern):
    """The mask by vmap over heads, queries and keys, one pair at a time, as FlexAttention asks."""
    by_key = torch.vmap(pattern, (None, None, None, 0))
    by_query = torch.vmap(by_key, (None, None, 0, None))
    return torch.vmap(by_query, (None, 0, None, None))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("code", CODES)
def test_tensors_and_vmap_give_the_mask(code, dtype):
    pattern = eval(code, vars(room))
    expected = np.broadcast_to(pattern.mask(L), (HEADS, L, L))
    i, heads = positions(dtype), torch.arange(HEADS)
    asked = pattern(0, heads[:, None, None], i[:, None], i[None, :])
    assert asked.dtype == torch.bool
    np.testing.assert_array_equal(asked.expand(HEADS, L, L), expected)
    np.testing.assert_array_equal(dense(pattern)(torch.tensor(0), heads, i, i), expected)


@pytest.mark.parametrize("code", CODES)
def test_a_compiler_sees_through_the_pattern(code):
    """Traced whole, with no break and no branch on data; "eager" leaves out the code generator."""
    torch.compiler.reset()
    pattern = eval(code, vars(room))
    compiled = torch.compile(dense(pattern), backend="eager", fullgraph=True)
    mask = compiled(torch.tensor(0), torch.arange(HEADS), positions(torch.int64), positions(torch.int64))
    np.testing.assert_array_equal(mask, np.broadcast_to(pattern.mask(L), (HEADS, L, L)))


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("code", CODES)
def test_flex_attention_takes_pattern_and_layout(code):
    pattern = eval(code, vars(room))
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, HEADS, L, D)
    mask = pattern.mask(L)
    expected = attention(q, k, v, mask)
    scores = (q @ k.mT * D**-0.5).masked_fill(~torch.tensor(mask), -torch.inf)
    plain = scores.softmax(-1).nan_to_num() @ v
    # Twice the error of the plain computation in single precision, and never less than one rounding.
    tolerance = max(2 * np.abs(plain.numpy() - expected).max(), np.finfo(np.float32).eps)
    theirs = create_block_mask(pattern, None, pattern.heads, L, L, device="cpu", BLOCK_SIZE=16)
    ours = pattern.layout(L, block_size=16).to_flex("cpu", pattern)
    np.testing.assert_array_equal(ours.to_dense(), theirs.to_dense())
    for block_mask in (theirs, ours):
        output = flex_attention(q, k, v, block_mask=block_mask)
        np.testing.assert_allclose(output, expected, atol=tolerance, rtol=0)


def test_a_table_is_copied_to_each_device_once():
    i, cpu, meta = torch.arange(7), torch.device("cpu"), torch.device("meta")
    pattern = documents([2, 5])
    pattern.layout(7, block_size=4).to_flex(cpu, pattern | sinks(1))
    table = pattern._start._tensors[cpu]
    assert pattern(0, 0, i.to(meta)[:, None], i.to(meta)).device == meta
    np.testing.assert_array_equal(pattern(0, 0, i[:, None], i), pattern.mask(7))
    assert pattern._start._tensors.keys() == {cpu, meta} and pattern._start._tensors[cpu] is table


def test_equal_patterns_stay_equal_after_use():
    a, b = documents([3, 4]), documents([3, 4])
    a(0, 0, torch.tensor(1), torch.tensor(0))
    assert a == b and hash(a) == hash(b)


def test_positions_past_the_end_are_in_no_document_and_not_global():
    far = torch.tensor([6, 7, 100])
    assert documents([3, 4])(0, 0, far, torch.tensor(6)).tolist() == [True, False, False]
    assert global_tokens([6])(0, 0, far, far).tolist() == [True, False, False]


def test_all_kinds_of_number_draw_the_same_blocks():
    pattern, n = random_blocks(3, 4, 2**31 - 1), 300
    mask = pattern.mask(n)
    i = torch.arange(n, dtype=torch.int32)
    np.testing.assert_array_equal(pattern(0, 0, i[:, None], i), mask)
    for q, k in np.random.default_rng(0).integers(0, n, (200, 2)).tolist():
        assert pattern(0, 0, q, k) is bool(mask[q, k])


def test_draws_far_out_do_not_overflow():
    """FlexAttention's kernels count positions in 32 bits."""
    pattern, start = random_blocks(64, 3, 1), 2**30
    i = torch.arange(start, start + 200, dtype=torch.int32)
    j = torch.arange(0, 2**30, 2**21, dtype=torch.int32)
    asked = pattern(0, 0, i[:, None], j)
    np.testing.assert_array_equal(asked, pattern(0, 0, i.numpy()[:, None], j.numpy()))
    for q, k in ((0, 0), (70, 100), (199, 511)):
        assert pattern(0, 0, int(i[q]), int(j[k])) is bool(asked[q, k])
    drawn = {int(block) for block in pattern._drawn(start // 64)}
    assert len(drawn) == 3 and max(drawn) <= start // 64
    assert all(pattern(0, 0, start, 64 * block) for block in drawn)


def test_reaches_past_32_bits_do_not_wrap():
    i = torch.arange(4, dtype=torch.int32)
    for pattern in (sliding_window(2**31 - 1), dilated(2**31 - 1, 2), sinks(2**31 - 1)):
        np.testing.assert_array_equal(pattern(0, 0, i[:, None], i), pattern.mask(4))


def test_a_per_head_pattern_has_no_key_for_an_unknown_head():
    pattern = per_head([causal(), sliding_window(2)])
    i = torch.arange(3)
    assert not pattern(0, torch.tensor(2), i[:, None], i).any()


def test_a_pattern_is_true_for_the_compiler_alone():
    """PyTorch 2.11 asks, before it traces a call, whether there is anything to call."""
    ask = "found = bool(pattern)"
    compiler = {"__name__": "torch._dynamo.symbolic_convert", "pattern": causal()}
    exec(ask, compiler)
    assert compiler["found"] is True
    with pytest.raises(TypeError, match="neither true nor false"):
        exec(ask, {"__name__": "torch", "pattern": causal()})
