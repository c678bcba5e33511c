"""A sequence that arrives in chunks gives what one pass over it gives."""

import pytest
import torch

from companion.attention import attention
from companion.cache import KVCache, WindowCache
from companion.patterns import causal, sinks, sliding_window, strided

CHUNKS = [[5, 3, 1], [1] * 9, [9], [1, 8], [0, 4, 0, 5], [5, 3, 1, 1, 20, 1, 1, 28]]


def sequence(tokens, dtype=torch.float64, heads=4, heads_kv=2):
    generator = torch.Generator().manual_seed(0)
    shapes = (2, heads, tokens, 8), (2, heads_kv, tokens, 8), (2, heads_kv, tokens, 6)
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def run(cache, inputs, chunks, *patterns, **options):
    """What the cache answers, chunk by chunk, laid end to end."""
    outs, start = [], 0
    for size in chunks:
        chunk = [x[:, :, start : start + size] for x in inputs]
        outs.append(cache.attention(*chunk, *patterns, enable_gqa=True, **options))
        start += size
    return torch.cat(outs, dim=2)


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("pattern", [causal(), sliding_window(4), strided(3) | sinks(1)], ids=repr)
def test_chunks_equal_one_pass(pattern, chunks):
    inputs = sequence(sum(chunks))
    cache = KVCache()
    whole = attention(*inputs, pattern, enable_gqa=True)
    torch.testing.assert_close(run(cache, inputs, chunks, pattern), whole, rtol=1e-12, atol=1e-12)
    assert len(cache) == sum(chunks)
    assert torch.equal(cache.keys, inputs[1]) and torch.equal(cache.values, inputs[2])


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize(("window", "first"), [(4, 2), (1, 0), (1, 3), (7, 0), (100, 4)])
def test_rolling_past_the_window_equals_one_pass(window, first, chunks):
    inputs = sequence(sum(chunks))
    cache = WindowCache(window, first)
    pattern = sliding_window(window) | sinks(first) if first else sliding_window(window)
    assert cache.pattern == pattern
    whole = attention(*inputs, pattern, enable_gqa=True)
    torch.testing.assert_close(run(cache, inputs, chunks), whole, rtol=1e-12, atol=1e-12)
    assert len(cache) == sum(chunks)


def test_memory_of_a_window_is_bounded():
    cache, inputs = WindowCache(7, 3), sequence(300)
    for start in range(0, 300, 5):
        cache.attention(*(x[:, :, start : start + 5] for x in inputs), enable_gqa=True)
        for held in (cache.keys, cache.values):
            assert held.shape[2] <= 9
            assert held.untyped_storage().nbytes() == held.numel() * held.element_size()
    assert torch.equal(cache.keys[:, :, :3], inputs[1][:, :, :3])
    assert torch.equal(cache.keys[:, :, 3:], inputs[1][:, :, -6:])


def test_memory_of_a_cache_grows_by_doubling():
    cache, inputs = KVCache(), sequence(300)
    places = set()
    for start in range(300):
        cache.attention(*(x[:, :, start : start + 1] for x in inputs), enable_gqa=True)
        places.add(cache.keys.data_ptr())
        assert cache.keys.untyped_storage().nbytes() <= 2 * cache.keys.numel() * 8
    assert len(places) <= 10, "one token at a time must not copy everything each time"


@pytest.mark.parametrize("make", [KVCache, lambda: WindowCache(4, 2)], ids=["all", "window"])
@pytest.mark.parametrize("token", [0, 5, 6, 8, 11])
def test_a_token_is_not_felt_before_it_comes(make, token):
    """Bit for bit, and inside its own chunk too."""
    inputs = sequence(12, torch.float32)
    before = run(make(), inputs, [5, 3, 1, 3])
    changed = [x.clone() for x in inputs]
    for x in changed:
        x[:, :, token] += 1.0
    after = run(make(), changed, [5, 3, 1, 3])
    assert torch.equal(before[:, :, :token], after[:, :, :token])
    assert not torch.equal(before[:, :, token], after[:, :, token])


def test_log_sum_exp_and_scale_pass_through():
    query, key, value = sequence(6)
    whole = attention(query, key, value, causal(), scale=0.3, enable_gqa=True, return_lse=True)
    for cache in (KVCache(), WindowCache(6)):
        for part in (slice(0, 4), slice(4, 6)):
            chunk = [x[:, :, part] for x in (query, key, value)]
            found = cache.attention(*chunk, scale=0.3, enable_gqa=True, return_lse=True)
            for a, b in zip(found, whole, strict=True):
                torch.testing.assert_close(a, b[:, :, part])


def test_inputs_are_copied_not_kept():
    query, key, value = sequence(3)
    for cache in (KVCache(), WindowCache(5)):
        cache.attention(query, key, value, enable_gqa=True)
        held = cache.keys.clone()
        key += 1.0
        assert torch.equal(cache.keys, held)


@pytest.mark.parametrize("make", [KVCache, lambda: WindowCache(4)], ids=["all", "window"])
def test_what_does_not_fit_is_refused_and_changes_nothing(make):
    cache, (query, key, value) = make(), sequence(3)
    with pytest.raises(ValueError, match="enable_gqa"):
        cache.attention(query, key, value)
    assert len(cache) == 0 and cache.keys is None
    cache.attention(query, key, value, enable_gqa=True)
    for arguments, error, message in (
        ((query, key[:, :, :2], value), ValueError, "key must have the 3 tokens of query; got 2"),
        ((query, key[:, :1], value[:, :1]), ValueError, "key must be like the tokens held"),
        ((query, key.float(), value), ValueError, "key must be like the tokens held"),
        ((query, key[0], value), ValueError, "key must be .batch, heads, tokens, dim.; got shape"),
        ((query, key.numpy(), value), TypeError, "key must be a torch tensor; got ndarray"),
        ((query, key.clone().requires_grad_(), value), ValueError, "key requires a gradient"),
    ):
        with pytest.raises(error, match=message):
            cache.attention(*arguments, enable_gqa=True)
    with pytest.raises(TypeError, match="query_offset"):
        cache.attention(query, key, value, enable_gqa=True, query_offset=0)
    assert len(cache) == 3 and cache.keys.shape[2] == 3
    with torch.no_grad():
        cache.attention(query, key.clone().requires_grad_(), value, enable_gqa=True)


def test_bad_windows():
    for window, error in ((0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="window"):
            WindowCache(window)
    with pytest.raises(ValueError, match="sinks"):
        WindowCache(4, -1)
