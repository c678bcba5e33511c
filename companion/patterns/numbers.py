"""Whole numbers from the caller, and rows of unequal length."""

import operator

import numpy as np

__all__ = ["FAR", "ragged", "whole"]

# Beyond any position: FlexAttention's kernels count in 32 bits, where more would wrap without a word.
FAR = 2**31


def whole(name: str, value, least: int, below: int | None = None) -> int:
    """``value`` as a Python int, at least ``least`` and less than ``below`` if that is given."""
    try:
        if isinstance(value, bool):
            raise TypeError
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    if below is not None and value >= below:
        raise ValueError(f"{name} must be less than {below}, not {value}")
    return value


def ragged(counts) -> tuple[np.ndarray, np.ndarray]:
    """Rows of unequal length laid end to end: which row each entry is in, and its place there.

    >>> ragged([2, 0, 1])
    (array([0, 0, 2]), array([0, 1, 0]))
    """
    counts = np.asarray(counts, np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
