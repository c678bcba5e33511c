"""What the exercises of chapter 12 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.exercises.answers import draws
from companion.exercises.answers.oracles import attention_under
from companion.patterns import causal, sinks, sliding_window, strided

MIXED = sliding_window(6) | sinks(2)


def listed(layout):
    return len(layout.partial_blocks) + len(layout.full_blocks)


def blocks_of(pattern, d):
    return listed(pattern.layout(d.L, block_size=d.B))


def stride_share(d):
    """Share of the causal pairs that the stride allows, in percent."""
    return 100 * strided(d.step).pairs(d.L) / causal().pairs(d.L)


def per_row(w, size):
    """Partial and full blocks of a query block far from the beginning."""
    layout = sliding_window(w).layout(16 * size, block_size=size)
    return np.array([len(layout.partial(12)), len(layout.full(12))])


def smallest_window(size, skip=0):
    """The smallest window with a full block, or, skipping some, a later one."""
    L = 8 * size
    full = (w for w in range(1, L) if len(sliding_window(w).layout(L, block_size=size).full_blocks))
    return next(full) + skip


def block_sets(pattern, L, size):
    """For each query block, the key blocks to be visited."""
    layout = pattern.layout(L, block_size=size)
    return [{*layout.partial(row).tolist(), *layout.full(row).tolist()} for row in range(layout.rows)]


def last_block(d):
    """Keys that are alive in the last block of keys."""
    layout = causal().layout(d.L, block_size=d.B)
    return layout.expand()[0, -1].nonzero()[0][-1] + 1 - (layout.key_blocks - 1) * d.B


def starts(d):
    return sliding_window(d.w).layout(d.L, block_size=d.B).partial_starts


def fixed_and_slope(d):
    """The two numbers of t = t0 + density x slope, from two measurements."""
    slope = (d.t[0] - d.t[1]) / (d.density[0] - d.density[1])
    return d.t[0] - slope * d.density[0], slope


def predicted(d):
    fixed, slope = fixed_and_slope(d)
    return fixed + d.at * slope


def wasted(d):
    """Percent of the computed pairs that are thrown away."""
    pattern = sliding_window(d.w)
    return 100 * (1 - pattern.pairs(d.L) / pattern.layout(d.L, block_size=d.B).pairs_bound)


batch = partial(draws.batch, scale=2)
mixed_reference = attention_under(MIXED)


def block_cases(rng, size):
    """A window and the four ends of a block, with a window that is often just too small or just enough."""
    i0, j0 = (int(x) for x in rng.integers(0, 2 * size, 2))
    height, width = (int(x) for x in rng.integers(1, size + 2, 2))
    nearest, farthest = i0 - (j0 + width - 1), i0 + height - 1 - j0
    w = int(rng.choice([nearest, nearest + 1, farthest, farthest + 1, 3 * size]))
    return max(1, w), i0, i0 + height, j0, j0 + width


def block_truth(w, i0, i1, j0, j1):
    return int(sliding_window(w).truth(np.array(i0), np.array(i1), np.array(j0), np.array(j1)))


TRUTH_STUB = '''
def block_truth(w, i0, i1, j0, j1):
    """0 none, 1 some, 2 all: queries i0 .. i1 - 1 by keys j0 .. j1 - 1."""
    ...
'''

TRUTH_CODE = """
def block_truth(w, i0, i1, j0, j1):
    nearest, farthest = i0 - (j1 - 1), (i1 - 1) - j0  # the range of i - j
    if farthest < 0 or nearest >= w:
        return 0
    return 2 if nearest >= 0 and farthest < w else 1
"""

SPARSE_STUB = '''
import numpy as np

from companion.patterns import sinks, sliding_window

PATTERN = sliding_window(6) | sinks(2)
B = 4


def sparse_attention(query, key, value):
    """All (batch, heads, tokens, dim). Visits the listed blocks and no others."""
    layout = PATTERN.layout(query.shape[-2], block_size=B)
    ...
'''

SPARSE_CODE = """
import numpy as np

from companion.patterns import sinks, sliding_window

PATTERN = sliding_window(6) | sinks(2)
B = 4


def sparse_attention(query, key, value):
    L, D = query.shape[-2:]
    layout = PATTERN.layout(L, block_size=B)
    out = np.zeros(value.shape)
    for row in range(layout.rows):
        i = np.arange(row * B, min(row * B + B, L))
        m = np.full((*query.shape[:-2], len(i), 1), -np.inf)
        l = np.zeros_like(m)
        u = np.zeros((*value.shape[:-2], len(i), value.shape[-1]))
        blocks = [(b, True) for b in layout.full(row)]
        blocks += [(b, False) for b in layout.partial(row)]
        for block, full in blocks:
            j = np.arange(block * B, min(block * B + B, L))
            s = query[..., i, :] @ key[..., j, :].swapaxes(-1, -2) / D**0.5
            if not full:
                s = np.where(PATTERN(0, 0, i[:, None], j), s, -np.inf)
            new_m = np.maximum(m, s.max(axis=-1, keepdims=True))
            safe = np.where(new_m == -np.inf, 0.0, new_m)
            c, p = np.exp(m - safe), np.exp(s - safe)
            l = c * l + p.sum(axis=-1, keepdims=True)
            u = c * u + p @ value[..., j, :]
            m = new_m
        out[..., i, :] = u / np.where(l == 0, 1.0, l)
    return out
"""
