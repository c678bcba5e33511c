"""Blocks drawn at random, by arithmetic alone: no matrix is stored, and all kinds of array agree."""

from dataclasses import dataclass

import numpy as np

from companion.patterns.base import Pattern
from companion.patterns.numbers import FAR, whole
from companion.patterns.truth import truth

__all__ = ["random_blocks"]

_MASK = FAR - 1


@dataclass(frozen=True, repr=False)
class random_blocks(Pattern):
    """The keys of ``count`` distinct blocks, drawn by ``seed`` for each block of ``size`` queries.

    Query block b draws among key blocks 0 to b, its own included, and takes them all while there are no
    more than ``count``. A draw depends on seed, b and count only, never on the number of tokens. Asking for
    one pair takes about ``count**2 / 2`` steps.

    Source: Zaheer et al. 2020, section 2, there on both sides of b. The distinct draws are Floyd's (Bentley
    and Floyd 1987), over a multiplicative hash instead of a generator.

    >>> random_blocks(size=2, count=2, seed=0).indices(9)
    array([2, 3, 4, 5])
    """

    size: int
    count: int
    seed: int

    def __post_init__(self):
        object.__setattr__(self, "size", whole("size", self.size, 1, FAR))
        object.__setattr__(self, "count", whole("count", self.count, 1, FAR))
        object.__setattr__(self, "seed", whole("seed", self.seed, 0, FAR))

    def __call__(self, batch, head, q_idx, kv_idx):
        key_block = kv_idx // self.size
        drawn = False
        for block in self._drawn(q_idx // self.size):
            drawn = drawn | (key_block == block)
        return drawn & (kv_idx <= q_idx)

    def truth(self, i0, i1, j0, j1):
        first, last = j0 // self.size, (j1 - 1) // self.size
        some, every = np.False_, np.True_
        # One query block after the other; blocks that span fewer ask their last one again.
        for step in range(np.max((i1 - 1) // self.size - i0 // self.size, initial=0) + 1):
            row = np.minimum(i0 // self.size + step, (i1 - 1) // self.size)
            stop = np.minimum(i1, (row + 1) * self.size)
            inside = 0
            for block in self._drawn(row):
                hit = (first <= block) & (block <= last)
                some = some | (hit & (np.maximum(block * self.size, j0) < stop))
                inside = inside + hit
            every = every & (inside == last - first + 1)
        return truth(some, every & (j1 <= i0 + 1))

    def spans(self, i0, i1, S):
        run, start = [], []
        for step in range(np.max((i1 - 1) // self.size - i0 // self.size, initial=0) + 1):
            row = np.minimum(i0 // self.size + step, (i1 - 1) // self.size)
            for block in self._drawn(row):
                run.append(np.arange(len(i0)))
                start.append(block * self.size)
        run, start = np.concatenate(run), np.concatenate(start)
        return run, start, start + self.size

    def _drawn(self, b):
        """The ``count`` key blocks of query block b, in the order of the draws.

        Draw number k is from 0 to b - count + k + 1, and gives the last of these when it repeats an earlier
        one. While there are at most ``count`` blocks it is block k, which the causal rule drops if k > b.
        """
        b = _wide(b)
        enough = b >= self.count
        drawn = []
        for k in range(self.count):
            last = (b - self.count + 1 + k) * enough
            block = _scramble(b ^ _scramble(_scramble(self.seed) ^ k)) % (last + 1)
            repeated = False
            for earlier in drawn:
                repeated = repeated | (block == earlier)
            block = block + (last - block) * repeated
            drawn.append(block * enough + k * (enough == 0))
        return drawn


def _wide(x):
    """x with room for products of 62 bits."""
    if isinstance(x, int | np.integer):
        return int(x)
    return x.astype(np.int64) if isinstance(x, np.ndarray) else x.long()


def _scramble(x):
    """A hash of 31 bits to 31 bits, one to one; no intermediate leaves 62 bits."""
    x = ((x ^ (x >> 16)) * 0x2C1B3C6D) & _MASK
    x = ((x ^ (x >> 12)) * 0x297A2D39) & _MASK
    return x ^ (x >> 15)
