"""What the exercises of chapter 1 draw, compute and ask to be written."""

import numpy as np

from companion.reference import weighted_sum

# The running example of the book.
ALPHA = [0.1, 0.6, 0.3]
VALUES = [[1, 2], [3, 0], [4, 5]]
EXAMPLE = {"alpha": ALPHA, "V": VALUES}


def output(d):
    return weighted_sum(d.alpha, d.V)


def length(x):
    return np.linalg.norm(x, axis=-1)


def removal(d, j):
    """How far the output moves when token j goes and the other weights add up to 1 again."""
    return d.alpha[j] / (1 - d.alpha[j]) * length(d.V[j] - output(d))


def sentence(rng, n):
    """Weights whose rows add up to 1 over the past, with anything to the right of the diagonal, and values."""
    past = np.tril(rng.random((n, n)) + 0.1)
    weights = past / past.sum(axis=1, keepdims=True)
    return weights + np.triu(rng.normal(size=(n, n)), 1), rng.normal(size=(n, 3))
