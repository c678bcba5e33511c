"""What attention costs: operations, bytes, and the time below which no device can go.

An operation is one multiplication or one addition, so a multiply-add counts as two. Only the matrix
products are counted: softmax and masking come to a few operations a pair, against ``2 * dim`` for each
product.
"""

from companion.patterns.numbers import whole

__all__ = ["bound_seconds", "bytes_moved", "cache_bytes", "flops"]


def flops(
    pairs: int,
    dim: int,
    *,
    value_dim: int | None = None,
    heads: int = 1,
    batch: int = 1,
    backward: bool = False,
) -> int:
    """Operations of attention over ``pairs`` allowed pairs in each of ``heads`` query heads.

    Forward, a pair takes two products, q . k over ``dim`` and alpha v over ``value_dim``, in all
    ``2 * (dim + value_dim)``. Backward, with the scores recomputed rather than stored, it takes five, for
    the scores and for the gradients of weights, v, q and k: ``2 * (3 * dim + 2 * value_dim)``.
    ``value_dim`` is ``dim`` unless given. ``pattern.pairs(L, S)`` counts the pairs; for a pattern that
    tells heads apart it counts those of all heads.

    Source: Dao 2023, section 4.1, where the head dimension of values is that of keys.

    >>> from companion.patterns import causal, sliding_window
    >>> flops(causal().pairs(8192), 64, heads=8)
    68727865344
    >>> flops(sliding_window(256).pairs(8192), 64, heads=8)
    4228120576
    """
    pairs, dim = whole("pairs", pairs, 0), whole("dim", dim, 1)
    heads, batch = whole("heads", heads, 1), whole("batch", batch, 0)
    value_dim = dim if value_dim is None else whole("value_dim", value_dim, 1)
    products = 3 * dim + 2 * value_dim if backward else dim + value_dim
    return 2 * batch * heads * pairs * products


def bytes_moved(
    query_tokens: int,
    key_tokens: int,
    dim: int,
    *,
    value_dim: int | None = None,
    heads: int = 1,
    kv_heads: int | None = None,
    batch: int = 1,
    itemsize: int = 2,
    backward: bool = False,
) -> int:
    """The least bytes attention can move: every input read once, every output written once.

    Forward these are query, key, value and output; backward the same four and their gradients. The
    log-sum-exp, one number a query, is left out. ``key_tokens`` are those that some query attends.
    ``itemsize`` is bytes a number: 2 for float16 and bfloat16. ``kv_heads`` is ``heads`` unless given.

    >>> bytes_moved(8192, 8192, 64, heads=8)
    33554432
    """
    query_tokens, key_tokens = whole("query_tokens", query_tokens, 0), whole("key_tokens", key_tokens, 0)
    dim = whole("dim", dim, 1)
    value_dim = dim if value_dim is None else whole("value_dim", value_dim, 1)
    heads = whole("heads", heads, 1)
    kv_heads = heads if kv_heads is None else whole("kv_heads", kv_heads, 1)
    if heads % kv_heads:
        raise ValueError(f"heads must be a multiple of kv_heads; got {heads} and {kv_heads}")
    numbers = (heads * query_tokens + kv_heads * key_tokens) * (dim + value_dim)
    return (2 if backward else 1) * whole("batch", batch, 0) * whole("itemsize", itemsize, 1) * numbers


def cache_bytes(
    tokens: int,
    dim: int,
    *,
    value_dim: int | None = None,
    kv_heads: int = 1,
    layers: int = 1,
    batch: int = 1,
    itemsize: int = 2,
) -> int:
    """Bytes that the keys and values of ``tokens`` tokens take in a cache, and a decoding step must read.

    >>> cache_bytes(8192, 128, kv_heads=8, layers=32) / 2**30
    1.0
    """
    layers = whole("layers", layers, 1)
    return layers * bytes_moved(
        0, tokens, dim, value_dim=value_dim, heads=kv_heads, batch=batch, itemsize=itemsize
    )


def bound_seconds(operations: float, traffic: float, *, peak_flops: float, bandwidth: float) -> float:
    """The least time that a device can take: the longer of computing and moving.

    ``operations`` and ``traffic`` are counts of operations and of bytes; ``peak_flops`` and ``bandwidth``
    are the device's operations and bytes a second. The two times are equal where operations per byte come
    to ``peak_flops / bandwidth``.

    Source: Williams et al. 2009, the roofline.

    >>> bound_seconds(2e12, 4e9, peak_flops=1e15, bandwidth=4e12)
    0.002
    """
    for name, value in (("peak_flops", peak_flops), ("bandwidth", bandwidth)):
        if not value > 0:
            raise ValueError(f"{name} must be positive, not {value}")
    for name, value in (("operations", operations), ("traffic", traffic)):
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, not {value}")
    return max(operations / peak_flops, traffic / bandwidth)
