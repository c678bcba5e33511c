"""What the exercises of chapter 11 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.cost import bytes_moved
from companion.exercises.answers import draws
from companion.exercises.answers.oracles import attention_under
from companion.exercises.kinds import edited
from companion.patterns import causal
from companion.reference import softmax, weighted_sum

GIB = 2**30


def score_bytes(d, itemsize=2):
    """GiB of the scores of one head."""
    return itemsize * d.L**2 / GIB


def some_length(rng):
    power = int(rng.integers(14, 28))
    return {"power": power, "L": 2**power}


def share_of_scores(d, passes=4):
    """Percent of the bytes of keys and values that the scores of one query come to."""
    return 100 * passes * 2 / bytes_moved(0, 1, int(d.D))


def row(d):
    """The output of one row, its scores given as exponentials in two tiles."""
    return weighted_sum(softmax(np.log(np.concatenate([d.a, d.b]))), np.concatenate([d.v, d.w])[:, None])[0]


def tile_means(d):
    """The output of each tile alone."""
    return [weighted_sum(softmax(np.log(x)), y[:, None])[0] for x, y in ((d.a, d.v), (d.b, d.w))]


def two_scores(d):
    return weighted_sum(softmax(d.s), d.v[:, None])[0]


def taken_in(d, keep=lambda factor: factor, numerator=lambda factor: factor):
    """Sum and numerator after the tile, relative to its largest exponential."""
    top = max(d.m, *d.tile)
    factor, terms = d.m / top, np.array(d.tile) / top
    return np.array([keep(factor) * d.l + terms.sum(), numerator(factor) * d.u + terms @ d.v])


def tile_data(rng):
    m = int(rng.choice([2, 4, 5]))
    top = m * int(rng.choice([2, 4]))
    tile = [top, top // 2] if rng.random() < 0.5 else [top // 2, top]
    return {"m": m, "l": 1.5, "u": float(rng.integers(2, 8)), "tile": tile, "v": rng.integers(0, 5, 2)}


def tiles(d, queries=None, keys=None):
    """The causal mask, tile by tile; of the first ``queries`` and ``keys`` if given."""
    mask = causal().mask(d.L)[:queries, :keys]
    for top in range(0, mask.shape[0], d.rows):
        for left in range(0, mask.shape[1], d.columns):
            yield mask[top : top + d.rows, left : left + d.columns]


def tiles_visited(d, *sizes):
    """How many tiles hold at least one allowed pair."""
    return sum(tile.any() for tile in tiles(d, *sizes))


def score_gradients(d):
    """Equation (11.8) for one row."""
    output = weighted_sum(d.alpha, d.V)
    return d.alpha * (d.V @ d.g - output @ d.g)


batch = partial(draws.batch, scale=2)
causal_reference = attention_under(causal())

TILED_STUB = '''
import numpy as np

TILE = 4


def tiled_attention(query, key, value):
    """All (batch, heads, tokens, dim). Causal; reads TILE keys at a time."""
    ...
'''

TILED_CODE = """
import numpy as np

TILE = 4


def tiled_attention(query, key, value):
    L, D = query.shape[-2:]
    i = np.arange(L)[:, None]  # (L, 1)
    m = np.full((*query.shape[:-1], 1), -np.inf)  # (B, H, L, 1)
    l = np.zeros_like(m)
    u = np.zeros(value.shape)  # (B, H, L, D)
    for start in range(0, L, TILE):
        k, v = key[..., start : start + TILE, :], value[..., start : start + TILE, :]
        j = start + np.arange(k.shape[-2])  # the last tile may be shorter
        s = query @ k.swapaxes(-1, -2) / D**0.5  # (B, H, L, tile)
        s = np.where(j <= i, s, -np.inf)
        new_m = np.maximum(m, s.max(axis=-1, keepdims=True))
        c, p = np.exp(m - new_m), np.exp(s - new_m)
        l = c * l + p.sum(axis=-1, keepdims=True)
        u = c * u + p @ v
        m = new_m
    return u / l
"""


spoiled = partial(edited, TILED_CODE)
