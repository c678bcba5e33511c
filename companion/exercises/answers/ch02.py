"""What the exercises of chapter 2 draw, compute and ask to be written."""

import numpy as np

from companion.exercises.answers.draws import three_shares
from companion.exercises.diagnosis import named_fault
from companion.patterns import full
from companion.reference import softmax

# The weights of the running example of the book.
ALPHA = [0.1, 0.6, 0.3]


def fresh_keys(rng):
    """A query and three keys of four small whole numbers."""
    return {"q": rng.integers(-2, 4, 4), "K": rng.integers(-2, 4, (3, 4))}


def fresh_alpha(rng):
    return {"alpha": three_shares(rng) / 10}


def powered(alpha, exponent):
    """The weights whose scores are ``exponent`` times those of ``alpha``."""
    return softmax(exponent * np.log(alpha))


def column(alpha, k):
    """Derivatives of all weights by the score of token k."""
    return alpha * (np.arange(len(alpha)) == k) - alpha * alpha[k]


def random_token(rng, size):
    """A query and ``size`` keys and values; in the larger cases the products are in the thousands."""
    D, stretch = 4, 1.0 if size < 8 else 60.0
    return stretch * rng.normal(size=D), stretch * rng.normal(size=(size, D)), rng.normal(size=(size, 2))


def random_scores(rng, size):
    """Scores of either sign, or most of them negative; in the larger cases too large for an exponential."""
    return ((rng.normal(size=size) - rng.choice([0, 3])) * (1.0 if size < 8 else 500.0),)


def max_and_sum(scores):
    peak = scores.max()
    return peak, np.exp(scores - peak).sum()


def fault_of_one_token(function):
    """What the clinic says of attention for one token, asked for every row of a sequence."""

    def rows(query, key, value):
        return np.stack([function(q, key, value) for q in query])

    return named_fault(rows, full(), style="qkv", layout="LD", kind="numpy")
