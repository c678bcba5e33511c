"""What the exercises of chapter 9 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.exercises.answers import draws
from companion.exercises.answers.oracles import attention_under
from companion.patterns import chunks, global_tokens, sinks, sliding_window, strided


def reach(patterns, L):
    """Which key reaches which query through layers with these patterns, layer 0 first."""
    product = np.eye(L, dtype=bool)
    for pattern in patterns:
        product = (pattern.mask(L) | np.eye(L, dtype=bool)) @ product
    return product


def reached(patterns, i, L=21):
    """The positions that reach query i."""
    return set(np.flatnonzero(reach(patterns, L)[i]).tolist())


def relays(pattern, i, j):
    """Where a path of two layers from j to i can stand after the first, j and i left out."""
    allowed = pattern.mask(i + 1)
    return {g for g in range(j + 1, i) if allowed[i, g] and allowed[g, j]}


def both_ways(pattern, i, j):
    """The same without the causal rule: a hub joins whatever it may exchange anything with."""
    allowed = pattern.mask(i + 1)
    either = allowed | allowed.T
    return {g for g in range(i + 1) if either[i, g] and either[g, j] and g not in (i, j)}


HUB = sliding_window(6) | global_tokens([0])
MIXED = sliding_window(4) | strided(4)
SINK = sliding_window(4) | sinks(1)


def window_reach(d):
    """How many positions reach the last token of a long text."""
    L = d.n * d.w + 1
    return len(reached([sliding_window(int(d.w))] * int(d.n), L - 1, L))


def uniform_mass(d):
    """Mass by distance, from 0, after n layers of equal weights over a window of w."""
    mass = np.ones(1)
    for _ in range(int(d.n)):
        mass = np.convolve(mass, np.full(int(d.w), 1 / d.w))
    return mass


def earliest(patterns, i):
    return min(reached(patterns, i))


ORDERS = ((sliding_window(2), chunks(4)), (chunks(4), sliding_window(2)))


def recall_reach(d):
    """The largest distance from value to question at which key and value have a path through two windows."""
    L = 3 * d.w
    row = reach([sliding_window(int(d.w))] * 2, L)[L - 1]
    return L - 1 - (np.flatnonzero(row).min() + 1)


def some_masks(rng, size):
    """Layers of causal masks without anything on the diagonal in some rows."""
    layers = int(rng.integers(2, 4))
    return (np.tril(rng.random((layers, size, size)) < 0.35),)


REACH_STUB = '''
import numpy as np


def stack_reach(masks):
    """masks: (layers, L, L), boolean, layer 0 first. Returns (L, L), boolean."""
    ...
'''

REACH_CODE = """
import numpy as np


def stack_reach(masks):
    L = masks.shape[-1]
    product = np.eye(L, dtype=int)
    for mask in masks:
        layer = mask | np.eye(L, dtype=bool)
        product = (layer.astype(int) @ product) > 0
    return product > 0
"""

MIXED_STUB = '''
import numpy as np


def mixed_attention(query, key, value):
    """query, key, value and the result: (batch, heads, tokens, dim)."""
    ...
'''

MIXED_CODE = """
import numpy as np


def mixed_attention(query, key, value):
    L, D = query.shape[-2:]
    i, j = np.arange(L)[:, None], np.arange(L)
    near = i - j < 4
    same = (i - j) % 4 == 0
    keep = (j <= i) & (near | same)
    scores = np.where(keep, query @ key.swapaxes(-1, -2) / D**0.5, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value
"""

batch = partial(draws.batch, heads=2)
mixed_reference = attention_under(MIXED)
