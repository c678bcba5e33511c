"""What the exercises of chapter 6 draw, compute and ask to be written."""

from functools import partial

from companion.cost import bytes_moved, cache_bytes, flops
from companion.exercises.answers.draws import three_shares
from companion.exercises.answers.oracles import attention_under
from companion.exercises.kinds import edited
from companion.patterns import causal
from companion.reference import weighted_sum

GIB = 2**30
VALUES = [[1, 2], [3, 0], [4, 5]]


def step(d, read):
    """The output over the positions ``read``; the weights are shares of the exponentials."""
    powers = d.powers[read] / d.powers[read].sum()
    return weighted_sum(powers, d.V[read])


def fresh_step(rng):
    return {"powers": three_shares(rng), "V": rng.integers(0, 7, (3, 2))}


def gibibytes(d, heads):
    return cache_bytes(d.tokens, d.dim, kv_heads=heads, layers=d.layers) / GIB


def fresh_model(rng):
    heads_kv = int(rng.choice([2, 4, 8]))
    return {
        "layers": int(rng.choice([16, 32, 64])),
        "heads_q": heads_kv * int(rng.choice([4, 8])),
        "heads_kv": heads_kv,
        "dim": int(rng.choice([64, 128])),
        "tokens": int(rng.choice([4096, 8192, 16384, 32768])),
    }


def intensity(d, *, heads_kv, batch):
    """Operations per byte of the cache, for one decoding step over 8192 tokens in bfloat16."""
    return flops(8192, 128, heads=d.heads_q, batch=batch) / cache_bytes(
        8192, 128, kv_heads=heads_kv, batch=batch
    )


def chunk_intensity(d, *, chunk):
    """Operations per byte of a chunk at the end of 8192 tokens, every array moved once."""
    pairs = causal().pairs(chunk, 8192, query_offset=8192 - chunk)
    moved = bytes_moved(chunk, 8192, 128, heads=d.heads_q, kv_heads=d.heads_kv)
    return flops(pairs, 128, heads=d.heads_q) / moved


def row_of_call(offset, r):
    """The keys that query r of two may read, among five, if the first stands at ``offset``."""
    return set(causal().mask(2, 5, query_offset=offset)[r].nonzero()[0])


def continuation(rng, size):
    """New queries, and the keys and values of everything so far, the new tokens last."""
    # One sentence, one head and two numbers while small, so that a failing case can be read.
    batch, heads, dim = (1, 1, 2) if size < 4 else (2, 3, 4)
    new = int(rng.integers(1, size + 1))
    query = rng.normal(size=(batch, heads, new, dim))
    key, value = rng.normal(size=(2, batch, heads, size, dim))
    return query, key, value


causal_reference = attention_under(causal())

STUB = '''
import numpy as np


def attend_cached(query, key, value):
    """query: (batch, heads, L, dim), for the last L of the S tokens in key, value."""
    ...
'''

CODE = """
import numpy as np


def attend_cached(query, key, value):
    L, S, D = query.shape[-2], key.shape[-2], query.shape[-1]
    scores = query @ key.swapaxes(-1, -2) / D**0.5  # (B, H, L, S)
    positions = S - L + np.arange(L)  # (L,): where the queries stand
    keep = np.arange(S) <= positions[:, None]  # (L, S)
    scores = np.where(keep, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value  # (B, H, L, D)
"""


spoiled = partial(edited, CODE)
