"""What the exercises of chapter 4 draw, compute and ask to be written."""

import numpy as np

from companion import reference
from companion.reference import softmax, weighted_sum

EFFECTIVE = '''
import numpy as np


def effective_numbers(alpha):
    """The two effective numbers of one row: exp of the entropy, 1 / sum of squares."""
    seen = alpha[alpha > 0]
    return np.array([np.exp(-(seen * np.log(seen)).sum()), 1 / (alpha**2).sum()])
'''

WEIGHTS = '''
import numpy as np


def attend_and_weigh(query, key, value):
    """Causal attention of one head, with its weights: (L, D), (L, L)."""
    scores = query @ key.T / np.sqrt(query.shape[-1])
    scores = np.where(np.tri(len(query), dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ value, weights
'''

# Two heads of one query, over the same nine tokens.
WORDS = ("the", "river", "rose", "and", "the", "old", "bank", "gave", "way")
HEADS = {
    "A": (0.02, 0.41, 0.05, 0.01, 0.03, 0.06, 0.33, 0.04, 0.05),
    "B": (0.22, 0.03, 0.04, 0.02, 0.05, 0.07, 0.06, 0.12, 0.39),
}


def one_head(rng, size):
    return tuple(rng.normal(size=(size, 4)) for _ in range(3))


def output_and_weights(query, key, value):
    keys = [key[: i + 1] for i in range(len(query))]
    weights = np.zeros((len(query), len(query)))
    for i, row in enumerate(weights):
        row[: i + 1] = reference.attention_weights(query[i], keys[i])
    return weights @ value, weights


def entropy(alpha):
    alpha = np.asarray(alpha, float)
    seen = alpha[alpha > 0]
    return -(seen * np.log(seen)).sum()


def by_entropy(alpha):
    return np.exp(entropy(alpha))


def by_squares(alpha):
    return 1 / (np.asarray(alpha) ** 2).sum()


def half_and_others(d):
    """A weight of one half, the other half shared equally."""
    return np.array([0.5, *[0.5 / d.others] * d.others])


def a_row_with_zeros(rng, size):
    """Weights of one query; some of the larger rows hold exact zeros."""
    alpha = softmax(rng.normal(size=size) * 3)
    if size > 2:
        alpha[rng.integers(size)] = 0
    return (alpha / alpha.sum(),)


def kept_output(d):
    """The output when the last position is left out and the weights are divided by their sum."""
    kept = d.alpha[:-1] / d.alpha[:-1].sum()
    return weighted_sum(kept, d.v[:-1, None])[0]


def top(alpha, k):
    return set(np.argsort(-np.asarray(alpha), kind="stable")[:k])
