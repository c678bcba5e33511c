"""Operations and bytes against counts by hand; the cost model's few laws."""

import pytest

from companion.cost import bound_seconds, bytes_moved, cache_bytes, flops
from companion.patterns import causal, per_head, sinks, sliding_window


def counted(queries, keys, allowed):
    """Multiplications and additions of attention written as loops, each product into an accumulator."""
    dim, value_dim = 3, 2
    operations = 0
    for i in range(queries):
        for j in range(keys):
            if allowed(i, j):
                operations += sum(2 for _ in range(dim)) + sum(2 for _ in range(value_dim))
    return operations


def test_forward_operations_are_those_of_the_loops():
    assert flops(causal().pairs(9), 3, value_dim=2) == counted(9, 9, lambda i, j: j <= i)
    assert flops(sliding_window(4).pairs(9), 3, value_dim=2) == counted(9, 9, lambda i, j: i - 4 < j <= i)


def test_dense_causal_operations():
    L, dim, heads = 4096, 128, 32
    assert flops(causal().pairs(L), dim, heads=heads, batch=2) == 2 * heads * 4 * dim * L * (L + 1) // 2


def test_backward_takes_five_products_to_two():
    pairs, dim = causal().pairs(100), 64
    assert flops(pairs, dim, backward=True) * 2 == flops(pairs, dim) * 5
    # Scores, query and key gradients over dim; gradients of weights and values over value_dim.
    assert flops(1, 3, value_dim=2, backward=True) == 2 * (3 + 3 + 3 + 2 + 2)


def test_patterns_by_head_count_their_own_pairs():
    pattern = per_head([causal(), sinks(1)])
    assert flops(pattern.pairs(8), 4) == flops(causal().pairs(8), 4) + flops(sinks(1).pairs(8), 4)


def test_the_cache_of_a_model_is_one_gibibyte():
    assert cache_bytes(8192, 128, kv_heads=8, layers=32, itemsize=2) == 2**30
    assert cache_bytes(8192, 128, kv_heads=32, layers=32, itemsize=2) == 4 * 2**30
    assert cache_bytes(10, 4, value_dim=6, itemsize=4) == 10 * (4 + 6) * 4


@pytest.mark.parametrize("batch", [1, 7])
def test_decoding_is_four_operations_a_byte_whatever_the_batch(batch):
    S, dim, heads, kv_heads = 8192, 128, 32, 8
    operations = flops(S, dim, heads=heads, batch=batch)
    assert operations / cache_bytes(S, dim, kv_heads=kv_heads, batch=batch) == 4
    moved = bytes_moved(1, S, dim, heads=heads, kv_heads=kv_heads, batch=batch)
    assert moved == cache_bytes(S, dim, kv_heads=kv_heads, batch=batch) + batch * heads * 2 * dim * 2
    assert 3.99 < operations / moved < 4


def test_bytes_are_every_array_once():
    L, S, dim, value_dim, heads, kv_heads = 5, 7, 3, 2, 4, 2
    query, output = heads * L * dim, heads * L * value_dim
    key, value = kv_heads * S * dim, kv_heads * S * value_dim
    sizes = dict(value_dim=value_dim, heads=heads, kv_heads=kv_heads, batch=3, itemsize=4)
    assert bytes_moved(L, S, dim, **sizes) == 3 * 4 * (query + key + value + output)
    assert bytes_moved(L, S, dim, backward=True, **sizes) == 2 * bytes_moved(L, S, dim, **sizes)


def test_the_bound_is_the_longer_of_computing_and_moving():
    device = dict(peak_flops=1e12, bandwidth=1e11)
    assert bound_seconds(2e12, 1e11, **device) == 2
    assert bound_seconds(1e12, 3e11, **device) == 3
    assert bound_seconds(0, 0, **device) == 0
    # Equal where the operations a byte are peak_flops / bandwidth.
    assert bound_seconds(10e9, 1e9, **device) == 10e9 / 1e12 == 1e9 / 1e11


@pytest.mark.parametrize(
    "ask, error, says",
    [
        (lambda: flops(-1, 4), ValueError, "pairs must be at least 0"),
        (lambda: flops(1.5, 4), TypeError, "pairs must be an integer"),
        (lambda: flops(1, 0), ValueError, "dim must be at least 1"),
        (lambda: bytes_moved(1, 1, 4, heads=4, kv_heads=3), ValueError, "multiple of kv_heads; got 4 and 3"),
        (lambda: cache_bytes(1, 4, layers=0), ValueError, "layers must be at least 1"),
        (lambda: bound_seconds(1, 1, peak_flops=0, bandwidth=1), ValueError, "peak_flops must be positive"),
        (lambda: bound_seconds(1, -1, peak_flops=1, bandwidth=1), ValueError, "traffic must not be negative"),
        (lambda: bound_seconds(1, 1, peak_flops=1, bandwidth=float("nan")), ValueError, "bandwidth must be"),
    ],
)
def test_impossible_counts_are_refused(ask, error, says):
    with pytest.raises(error, match=says):
        ask()
