"""What the exercises of chapter 5 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.exercises.answers.oracles import attention_under
from companion.exercises.kinds import edited
from companion.patterns import causal
from companion.reference import softmax, weighted_sum


def masked_zeros(L):
    """Scores that are all 0, the future masked."""
    return np.where(causal().mask(L), 0.0, -np.inf)


def column_sums_to_one(d):
    return softmax(masked_zeros(d.L).T).T.sum(axis=1)


def heads_of(d):
    """The numbers of two tokens, cut into two heads: (heads, tokens, dim)."""
    return d.x.reshape(2, 2, 2).swapaxes(0, 1)


def opposite(d):
    """Two heads of one number each, side by side."""
    return np.array([weighted_sum(d.A[head], d.V[:, [head]])[0] for head in range(2)])


def kv_head(d):
    return np.arange(d.heads_q) // (d.heads_q // d.heads_kv)


def keys_read(mask):
    return mask.sum(axis=1)


def wide_rows(rng, size):
    return rng.normal(size=(2, size, 6)), 2


causal_reference = attention_under(causal())

ATTENTION_STUB = '''
import numpy as np


def causal_attention(query, key, value):
    """query, key, value and the result: (batch, heads, tokens, dim)."""
    ...
'''

ATTENTION_CODE = """
import numpy as np


def causal_attention(query, key, value):
    L, D = query.shape[-2:]
    scores = query @ key.swapaxes(-1, -2) / D**0.5  # (B, H, L, L)
    keep = np.arange(L)[:, None] >= np.arange(L)  # (L, L)
    scores = np.where(keep, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)  # (B, H, L, L)
    return weights @ value  # (B, H, L, D)
"""


spoiled = partial(edited, ATTENTION_CODE)


SPLIT_STUB = '''
def split_heads(x, heads):
    """x: (batch, tokens, heads * dim). Returns (batch, heads, tokens, dim)."""
    ...
'''

SPLIT_CODE = """
def split_heads(x, heads):
    B, L, width = x.shape
    return x.reshape(B, L, heads, width // heads).swapaxes(1, 2)
"""
