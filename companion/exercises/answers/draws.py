"""Data that the exercises of several chapters draw."""


def three_shares(rng):
    """Three whole numbers that add up to 10, no two of them equal."""
    return rng.permutation(rng.choice([[1, 2, 7], [1, 3, 6], [1, 4, 5], [2, 3, 5]]))


def small_example(rng):
    """Three weights in tenths, no two of them equal, and three small whole values."""
    return {"alpha": three_shares(rng) / 10, "V": rng.integers(0, 7, (3, 2))}


def batch(rng, size, heads=3, scale=1):
    """Queries, keys and values: (batch, heads, tokens, dim), normal numbers times ``scale``."""
    # One sentence, one head and two numbers while small, so that a failing case can be read.
    sentences, heads, dim = (1, 1, 2) if size < 4 else (2, heads, 4)
    return tuple(scale * rng.normal(size=(3, sentences, heads, size, dim)))
