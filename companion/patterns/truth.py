"""The three truths of a block of pairs."""

import numpy as np

__all__ = ["ALL", "NONE", "SOME", "truth"]

# In this order Kleene's "and" is the minimum and his "or" the maximum.
NONE, SOME, ALL = 0, 1, 2


def truth(some, every) -> np.ndarray:
    """NONE, SOME or ALL as int8, given where some pair of a block is allowed and where every pair is."""
    return np.where(every, ALL, np.where(some, SOME, NONE)).astype(np.int8)
