"""Attention, one token at a time: the formulas of the book in plain NumPy, and the oracle of every test.

Everything is computed in float64. Numbers may come as lists or arrays, real or integer; booleans, complex
numbers, text and objects are a TypeError. A position outside the index set G is never read, so nothing that
it holds, NaN and infinity included, can reach the result.
"""

import math
from numbers import Real

import numpy as np

__all__ = ["attend", "attention", "attention_weights", "logsumexp", "softmax", "weighted_sum"]


def softmax(x) -> np.ndarray:
    """Softmax over the last axis.

    ``x`` is ``(..., n)`` and so is the result. An entry of ``-inf`` weighs 0. A row that is empty, or all
    ``-inf``, has nothing to share out and weighs 0 throughout; a row that holds a NaN or ``+inf`` is NaN.

    >>> softmax([0, np.log(3), -np.inf]).round(2)
    array([0.25, 0.75, 0.  ])
    """
    _, powers, total = _powers(_real("x", x))
    return powers / np.where(total == 0, 1, total)


def logsumexp(x) -> np.ndarray:
    """Natural logarithm of the softmax's denominator: ``(..., n)`` to ``(...)``.

    A row that is empty, or all ``-inf``, gives ``-inf``; a row that holds a NaN or ``+inf`` gives NaN.

    >>> logsumexp([[0, np.log(3)], [-np.inf, -np.inf]]).round(2)
    array([1.39, -inf])
    """
    peak, _, total = _powers(_real("x", x))
    with np.errstate(divide="ignore"):
        return (peak + np.log(total))[..., 0]


def attention_weights(q, K, G=None, *, scale: float | None = None) -> np.ndarray:
    """Weights of one query over the positions in G: softmax of ``scale * (q . k_j)`` for j in G.

    ``q`` is ``(D,)``, ``K`` is ``(n, D)``. ``G`` is a sequence or set of distinct positions from 0 to n -
    1, in any order; without it all n take part. ``scale`` is ``D ** -0.5`` unless given. Returns n weights,
    0 outside G; an empty G gives zeros. A NaN or infinity in q, or in a key of G, makes the weights in G
    NaN.

    Raises TypeError if G does not hold integers, ValueError if a position is repeated or out of range.

    Source: Vaswani et al. 2017, section 3.2.1; for the set G, Child et al. 2019, section 4.2.

    >>> attention_weights([1, 0], [[0, 1], [1, 0], [9, 9]], G={0, 1}, scale=np.log(3)).round(2)
    array([0.25, 0.75, 0.  ])
    """
    q, K = _real("q", q, "(D,)"), _real("K", K, "(n, D)")
    if q.size == 0 or q.size != K.shape[1]:
        raise ValueError(f"q and K must agree in D, at least 1; got shapes {q.shape} and {K.shape}")
    scale = _scale(scale, q.size)
    G = _positions(G, len(K))
    alpha = np.zeros(len(K))
    if np.isfinite(q).all() and np.isfinite(K[G]).all():
        alpha[G] = softmax(scale * (K[G] @ q))
    else:
        alpha[G] = np.nan
    return alpha


def weighted_sum(alpha, V) -> np.ndarray:
    """Sum over j of ``alpha_j * v_j``.

    ``alpha`` is ``(n,)``, or ``(..., n)`` for many rows at once; ``V`` is ``(n, Dv)``; the result is
    ``(Dv,)`` or ``(..., Dv)``. The weights need not add up to 1. A weight of 0 leaves its value unread.

    >>> weighted_sum([0.1, 0.6, 0.3], [[1, 2], [3, 0], [4, 5]]).round(2)
    array([3.1, 1.7])
    """
    alpha, V = _real("alpha", alpha), _real("V", V, "(n, Dv)")
    if alpha.shape[-1] != len(V):
        raise ValueError(f"alpha must hold one weight a row of V; got shapes {alpha.shape} and {V.shape}")
    output = np.zeros(alpha.shape[:-1] + V.shape[1:])
    for row in np.ndindex(alpha.shape[:-1]):
        used = alpha[row] != 0
        output[row] = alpha[row][used] @ V[used]
    return output


def attend(q, K, V, G=None, *, scale: float | None = None) -> np.ndarray:
    """Attention output of one query: the weighted sum of the values in G.

    ``q`` is ``(D,)``, ``K`` is ``(n, D)``, ``V`` is ``(n, Dv)``; the result is ``(Dv,)``. ``G``, ``scale``
    and the errors are those of `attention_weights`. An empty G gives 0. A NaN or infinity in q, or in a key
    or value of G, makes the whole output NaN, even where its weight would have rounded to 0.

    Two keys that score the same share the weight; the third lies outside G, and what it holds is not felt.

    >>> attend([1, 0], [[1, 0], [1, 5], [2, 0]], [[2.0], [4.0], [np.nan]], G=[0, 1])
    array([3.])
    """
    V = _real("V", V, "(n, Dv)")
    alpha = attention_weights(q, K, G, scale=scale)
    if len(V) != len(alpha):
        raise ValueError(f"K and V must hold as many rows; got {len(alpha)} and {len(V)}")
    if not np.isfinite(V[_positions(G, len(V))]).all():
        return np.full(V.shape[1], np.nan)
    return weighted_sum(alpha, V)


def attention(query, key, value, mask, *, scale: float | None = None) -> np.ndarray:
    """Attention output of every query, one `attend` after the other.

    ``query`` is ``(..., L, D)``, ``key`` ``(..., S, D)``, ``value`` ``(..., S, Dv)``, with the same leading
    shape; the result is ``(..., L, Dv)``. ``mask`` is boolean, True where the query may attend the key:
    ``(L, S)``, or ``(..., L, S)`` whose leading shape broadcasts to that of the query.

    Raises TypeError for a mask that is not boolean: 0 and 1 would be ambiguous with numbers to be added.

    With scores that are all 0, every query averages what it may read:

    >>> zeros, value = np.zeros((3, 1)), [[3.0], [5.0], [10.0]]
    >>> attention(zeros, zeros, value, np.tri(3, dtype=bool))
    array([[3.],
           [4.],
           [6.]])
    """
    query = _real("query", query, "(..., L, D)")
    key = _real("key", key, "(..., S, D)")
    value = _real("value", value, "(..., S, Dv)")
    lead, (L, D), S = query.shape[:-2], query.shape[-2:], key.shape[-2]
    if key.shape != (*lead, S, D) or value.shape[:-1] != (*lead, S):
        raise ValueError(
            "query, key and value must be (..., L, D), (..., S, D) and (..., S, Dv); "
            f"got {query.shape}, {key.shape} and {value.shape}"
        )
    mask = _mask(mask, (*lead, L, S))
    output = np.zeros((*lead, L, value.shape[-1]))
    for *head, i in np.ndindex(*lead, L):
        head = tuple(head)
        G = np.flatnonzero(mask[head][i])
        output[head][i] = attend(query[head][i], key[head], value[head], G, scale=scale)
    return output


def _powers(x):
    """exp(x - peak), whose largest entry is 1 so that nothing overflows, with the peak and the row sums."""
    peak = x.max(axis=-1, keepdims=True, initial=-np.inf)
    peak = np.where(peak == -np.inf, 0, peak)
    with np.errstate(invalid="ignore"):
        powers = np.exp(x - peak)
    return peak, powers, powers.sum(axis=-1, keepdims=True)


def _real(name, x, shape="(..., n)"):
    """x as a float64 array with the axes that ``shape`` names."""
    try:
        x = np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of shape {shape}: {error}") from None
    if x.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, not {x.dtype}")
    axes = shape.strip("(,)").split(", ")
    fits = x.ndim >= len(axes) - 1 if axes[0] == "..." else x.ndim == len(axes)
    if not fits:
        raise ValueError(f"{name} must have shape {shape}; got {x.shape}")
    return x.astype(np.float64, copy=False)


def _scale(scale, D):
    if scale is None:
        return D**-0.5
    if isinstance(scale, bool) or not isinstance(scale, Real):
        raise TypeError(f"scale must be a number, not {scale!r}")
    if not math.isfinite(scale):
        raise ValueError(f"scale must be finite, not {scale!r}")
    return float(scale)


def _positions(G, n):
    """G as an ascending array, checked: distinct integers from 0 to n - 1."""
    if G is None:
        return np.arange(n)
    G = np.asarray(sorted(G) if isinstance(G, (set, frozenset)) else G)
    if G.ndim != 1:
        raise ValueError(f"G must be a sequence of positions; got shape {G.shape}")
    if G.size == 0:
        return np.arange(0)
    if G.dtype.kind not in "iu":
        raise TypeError(f"G must hold integer positions, not {G.dtype}")
    G = np.sort(G)
    for j in (G[0], G[-1]):
        if not 0 <= j < n:
            raise ValueError(f"G holds position {j}; expected 0 to {n - 1}")
    repeated = G[1:][G[1:] == G[:-1]]
    if repeated.size:
        raise ValueError(f"G holds position {repeated[0]} more than once")
    return G


def _mask(mask, shape):
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"mask must be boolean, True where the query may attend; got {mask.dtype}")
    if mask.shape[-2:] != shape[-2:]:
        raise ValueError(f"mask must end in (L, S) = {shape[-2:]}; got shape {mask.shape}")
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"mask of shape {mask.shape} does not broadcast to {shape}") from None
