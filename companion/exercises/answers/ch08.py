"""What the exercises of chapter 8 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.cost import cache_bytes
from companion.exercises.answers.oracles import attention_under
from companion.exercises.kinds import edited
from companion.patterns import sliding_window
from companion.reference import softmax

MIB = 2**20

# Text -> the condition, for a query i, a key j that does not come later, and a window w.
CONDITIONS = {
    "`i - w < j`": lambda i, j, w: i - w < j,
    "`i - j <= w`": lambda i, j, w: i - j <= w,
    "`i - j < w`": lambda i, j, w: i - j < w,
    "`i - w <= j`": lambda i, j, w: i - w <= j,
    "`i - j <= w - 1`": lambda i, j, w: i - j <= w - 1,
    "`i - j < w - 1`": lambda i, j, w: i - j < w - 1,
}


def with_keys(count, w=4, i=20):
    """The conditions that allow ``count`` keys to a query that has more than w + 1 before it."""
    keys = [sum(rule(i, j, w) for j in range(i + 1)) for rule in CONDITIONS.values()]
    return {place for place, number in enumerate(keys) if number == count}


def both_directions(ids, L):
    """Global tokens without the causal rule: one set a query."""
    return [set(range(L)) if i in ids else set(ids) for i in range(L)]


def keys_read(pattern, queries=(1, 4, 9)):
    """How many keys each of some queries reads."""
    return np.array([len(pattern.indices(i)) for i in queries])


def sets(pattern, L):
    return [set(pattern.indices(i)) for i in range(L)]


def fewest_first(*patterns, L=64):
    """The patterns as code, from the fewest pairs to the most."""
    return tuple(f"`{pattern!r}`" for pattern in sorted(patterns, key=lambda pattern: pattern.pairs(L)))


def rolled(tokens, slots):
    """The positions in the slots of a rolling cache after ``tokens`` tokens."""
    held = np.arange(slots)
    for t in range(tokens):
        held[t % slots] = t
    return held


def with_sink(scores, b):
    """The weights of the keys when a sink of logit b shares the softmax."""
    return softmax([*scores, b])[:-1]


def window_mib(d, **other):
    """MiB of the keys and values of a window, in bfloat16."""
    sizes = {"tokens": d.w, "dim": d.dim, "kv_heads": d.kv_heads, "layers": d.layers, **other}
    return cache_bytes(**sizes) / MIB


def last_queries(rng, size):
    # Sizes up to 4 fit into the window. Odd sizes are whole texts; of even ones the last half asks.
    batch, heads, dim = (1, 1, 2) if size < 4 else (2, 3, 4)
    queries = size if size % 2 else size // 2
    query = rng.normal(size=(batch, heads, queries, dim))
    key, value = rng.normal(size=(2, batch, heads, size, dim))
    return query, key, value


window_reference = attention_under(sliding_window(4))

WINDOW_STUB = '''
import numpy as np


def window_attention(query, key, value):
    """query: (batch, heads, L, dim), for the last L of the S tokens in key, value."""
    ...
'''

WINDOW_CODE = """
import numpy as np


def window_attention(query, key, value):
    w = 4
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    scores = query @ key.swapaxes(-1, -2) / D**0.5  # (B, H, L, S)
    i = S - L + np.arange(L)[:, None]  # (L, 1): where the queries stand
    j = np.arange(S)  # (S,)
    keep = (i - w < j) & (j <= i)  # (L, S)
    scores = np.where(keep, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)  # (B, H, L, S)
    return weights @ value  # (B, H, L, D)
"""


spoiled = partial(edited, WINDOW_CODE)
