"""What the exercises of chapter 10 draw, compute and ask to be written."""

import numpy as np

from companion.exercises.answers.draws import batch
from companion.exercises.answers.oracles import output_of_numbers
from companion.indices import topk
from companion.patterns import causal
from companion.reference import attention, softmax


def chosen(scores, i, k, pattern=causal()):
    """Row i of the top k of scores that are the same for every query, -1 included."""
    return topk(np.broadcast_to(scores, (len(scores), len(scores))), k, pattern).array[i]


def errors_of_one(d):
    """The error of keeping a single position, for each position."""
    return np.abs(d.v - output_of_numbers(d))


def bytes_of(d, *, choosing, kept):
    """Numbers read for one query: `choosing` for the choice, then keys and values of `kept` positions."""
    return choosing + 2 * kept * d.D


def block_masses(d):
    """Mass of each of the two blocks under the softmax over all scores."""
    return softmax(np.concatenate([d.a, d.b])).reshape(2, -1).sum(axis=1)


def block_bound(d):
    """The largest score that a key within the corners of the block could have."""
    return np.maximum(d.q * d.low, d.q * d.high).sum()


def own_and(block, d):
    """Positions 0 to i that lie in i's own block or in `block`."""
    return {j for j in range(d.i + 1) if j // d.size in (d.i // d.size, block)}


def winner_of_two(d, nudge=0.0):
    """The output when the larger of two cheap scores decides which value is read."""
    cheap = d.z + np.array([nudge, 0.0])
    return d.v[int(np.argmax(cheap))]


def entering(d):
    """G under top k, after the key outside was changed."""
    return set(chosen(np.where(np.arange(len(d.s)) == d.j, d.new, d.s), d.i, d.k).tolist())


def a_choice(rng, size):
    """Queries, keys, values, and up to four positions for each row; from three tokens on, row 1 has none."""
    query, key, value = batch(rng, size)
    indices = topk(rng.normal(size=(size, size)), min(size, 4)).array
    if size > 2:
        indices[1] = -1
    return query, key, value, indices


def over_indices(query, key, value, indices):
    mask = np.zeros((len(indices), key.shape[2] + 1), bool)
    np.put_along_axis(mask, indices, True, axis=1)
    return attention(query, key, value, mask[:, :-1])


def tied_scores(rng, size):
    """Whole scores, so that many are equal, and a k that the first rows cannot fill."""
    return rng.integers(0, 4, (size, size)).astype(float), min(size, 3) + 1


ATTEND_STUB = '''
import numpy as np


def attend_over(query, key, value, indices):
    """query, key, value: (batch, heads, tokens, dim). indices: (tokens, k), or -1."""
    ...
'''

ATTEND_CODE = """
import numpy as np


def attend_over(query, key, value, indices):
    kept = indices >= 0  # (L, k)
    place = np.where(kept, indices, 0)  # a place that exists; its score is masked below
    K, V = key[:, :, place], value[:, :, place]  # (B, H, L, k, D)
    scores = (K @ query[..., None])[..., 0] / query.shape[-1] ** 0.5  # (B, H, L, k)
    scores = np.where(kept, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = powers.sum(axis=-1, keepdims=True)
    weights = powers / np.where(total == 0, 1, total)  # (B, H, L, k)
    return (weights[..., None] * V).sum(axis=-2)  # (B, H, L, D)
"""

TOPK_STUB = '''
import numpy as np


def top_k_indices(scores, k):
    """scores: (n, n), row i of query i. Returns integers (n, k), padded with -1."""
    ...
'''

TOPK_CODE = """
import numpy as np


def top_k_indices(scores, k):
    G = np.full((len(scores), k), -1)
    for i, row in enumerate(scores):
        order = np.argsort(-row[: i + 1], kind="stable")[:k]
        G[i, : len(order)] = order
    return G
"""
