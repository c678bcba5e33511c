"""What the exercises of chapter 7 draw, compute and ask to be written."""

from functools import partial

import numpy as np

from companion.exercises.answers.draws import three_shares
from companion.exercises.answers.oracles import output_of_numbers
from companion.exercises.kinds import edited
from companion.reference import attention, softmax, weighted_sum


def renormalised(d):
    """The weights of the running example over G = {0, 1}."""
    kept = d.alpha[:2]
    return kept / kept.sum()


def fresh_gather(rng):
    """Four small values and three weights in tenths for the positions 0, 2 and 3."""
    a = three_shares(rng) / 10
    return {"V": rng.integers(0, 7, (4, 2)), "a": a, "G": [0, 2, 3]}


def apart(alpha, G):
    """The sum of the changes of all weights when only G is kept."""
    kept = np.isin(np.arange(len(alpha)), G)
    return np.abs(np.where(kept, alpha / alpha[kept].sum(), 0) - alpha).sum()


def merged(d):
    """The output over A and B together; a and b are the sums of exponentials, the lse their logarithms."""
    return weighted_sum(softmax(np.log([d.a, d.b])), np.stack([d.o_a, d.o_b]))


def beta(d):
    return d.p / (d.p + d.powers.sum())


def joined(d):
    return np.append((1 - beta(d)) * softmax(np.log(d.powers)), beta(d))


def error(d, G):
    """How far the output over G is from the dense one, for values that are numbers."""
    kept = d.alpha[G] / d.alpha[G].sum()
    return abs(weighted_sum(kept, d.v[G, None])[0] - output_of_numbers(d))


def lost_at_most(d):
    """The bound on the mass left out, when no omitted score is above s = ln of `p`."""
    return d.n * d.p / (d.n * d.p + d.powers.sum())


def index_rows(rng, size):
    """Queries, keys and values, and a row of indices for each query: shuffled, padded by -1, sometimes
    empty, and with a position listed twice where there is room."""
    slots = min(size, 4) + 1
    indices = np.full((size, slots), -1)
    for row in indices:
        kept = rng.permutation(size)[: rng.integers(0, slots)]
        row[: len(kept)] = kept
        if len(kept) and rng.random() < 0.3:
            row[-1] = kept[0]
        row[:] = rng.permutation(row)
    return *rng.normal(size=(3, size, 2)), indices


def by_mask(query, key, value, indices):
    """The reference, asked with a mask: True where a row lists the position."""
    mask = (indices[:, :, None] == np.arange(len(key))).any(axis=1)
    return attention(query, key, value, mask)


STUB = '''
import numpy as np


def sparse_attention(query, key, value, indices):
    """query (L, D), key (S, D), value (S, Dv), indices (L, k). Returns (L, Dv)."""
    ...
'''

CODE = """
import numpy as np


def sparse_attention(query, key, value, indices):
    output = np.zeros((len(query), value.shape[1]), dtype=value.dtype)
    for i, row in enumerate(indices):
        G = np.unique(row[row >= 0])
        if len(G) == 0:
            continue
        scores = key[G] @ query[i] / query.shape[1] ** 0.5
        powers = np.exp(scores - scores.max())
        weights = powers / powers.sum()
        output[i] = weights @ value[G]
    return output
"""


spoiled = partial(edited, CODE)
