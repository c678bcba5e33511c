"""Patterns made of patterns: ``p & q``, ``p | q``, and one pattern for each head."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from companion.patterns.base import Pattern
from companion.patterns.truth import ALL, NONE, SOME

__all__ = ["Both", "Either", "per_head"]

_BLOCKS_AT_A_TIME = 4096


@dataclass(frozen=True, repr=False)
class _Compound(Pattern):
    left: Pattern
    right: Pattern

    def __post_init__(self):
        heads = {self.left.heads, self.right.heads} - {None}
        if len(heads) > 1:
            raise ValueError(f"both sides must tell as many heads apart; got {sorted(heads)}")

    @property
    def heads(self):
        return self.right.heads if self.left.heads is None else self.left.heads

    def check(self, stop, S):
        self.left.check(stop, S)
        self.right.check(stop, S)

    def for_head(self, head):
        return type(self)(self.left.for_head(head), self.right.for_head(head))

    def truth(self, i0, i1, j0, j1):
        blocks = np.stack(np.broadcast_arrays(i0, i1, j0, j1))
        shape, blocks = blocks.shape[1:], blocks.reshape(4, -1)
        truth, undecided = self._kleene(blocks)
        undecided = np.flatnonzero(undecided)
        for start in range(0, len(undecided), _BLOCKS_AT_A_TIME):
            part = undecided[start : start + _BLOCKS_AT_A_TIME]
            truth[part] = self._settle(blocks[:, part])
        return truth.reshape(shape)

    def _kleene(self, blocks):
        """The truth by Kleene's logic, and where it is only safe: two mixed blocks may make an even one."""
        left, right = self.left.truth(*blocks), self.right.truth(*blocks)
        return self._combine(left, right), (left == SOME) & (right == SOME)

    def _settle(self, blocks):
        """The exact truth of blocks that Kleene's logic leaves undecided.

        Looks at the last row of each, which tells most; then quarters what is still undecided and asks again,
        until a forbidden and an allowed pair have been met, or no part is left. A single pair is never mixed.
        """
        i0, i1, j0, j1 = blocks
        keys = j0[:, None] + np.arange((j1 - j0).max())
        inside = keys < j1[:, None]
        allowed = self(0, 0, i1[:, None] - 1, keys)
        met_forbidden, met_allowed = (inside & ~allowed).any(axis=1), (inside & allowed).any(axis=1)
        owner = np.arange(len(i0))
        while True:
            open_ = ~(met_forbidden & met_allowed)[owner]
            blocks, owner = _quarters(blocks[:, open_], owner[open_])
            if not owner.size:
                return np.where(met_allowed, np.where(met_forbidden, SOME, ALL), NONE)
            truth, undecided = self._kleene(blocks)
            met_forbidden[owner[~undecided & (truth != ALL)]] = True
            met_allowed[owner[~undecided & (truth != NONE)]] = True
            blocks, owner = blocks[:, undecided], owner[undecided]


class Both(_Compound):
    """What both patterns allow."""

    _combine = staticmethod(np.minimum)

    def __call__(self, batch, head, q_idx, kv_idx):
        return self.left(batch, head, q_idx, kv_idx) & self.right(batch, head, q_idx, kv_idx)

    @property
    def everywhere(self):
        return self.left.everywhere and self.right.everywhere

    def spans(self, i0, i1, S):
        def length(spans):
            _, start, stop = spans
            return np.maximum(np.minimum(stop, S) - np.maximum(start, 0), 0).sum()

        return min(self.left.spans(i0, i1, S), self.right.spans(i0, i1, S), key=length)

    def __repr__(self):
        left = f"({self.left!r})" if isinstance(self.left, Either) else repr(self.left)
        right = f"({self.right!r})" if isinstance(self.right, _Compound) else repr(self.right)
        return f"{left} & {right}"


class Either(_Compound):
    """What at least one of two patterns allows."""

    _combine = staticmethod(np.maximum)

    def __call__(self, batch, head, q_idx, kv_idx):
        return self.left(batch, head, q_idx, kv_idx) | self.right(batch, head, q_idx, kv_idx)

    @property
    def everywhere(self):
        return self.left.everywhere or self.right.everywhere

    def spans(self, i0, i1, S):
        sides = self.left.spans(i0, i1, S), self.right.spans(i0, i1, S)
        return tuple(np.concatenate(part) for part in zip(*sides, strict=True))

    def _count(self, L, S, offset):
        # The sides are often known by formula, and what they share is small.
        shared = Both(self.left, self.right)._count(L, S, offset)
        return self.left._count(L, S, offset) + self.right._count(L, S, offset) - shared

    def __repr__(self):
        right = f"({self.right!r})" if isinstance(self.right, Either) else repr(self.right)
        return f"{self.left!r} | {right}"


@dataclass(frozen=True, repr=False)
class per_head(Pattern):
    """Head h uses ``patterns[h]``. Combines with patterns that hold for any head and with its like.

    >>> from companion.patterns import sliding_window, strided
    >>> per_head([sliding_window(2), strided(3)]).indices(7)
    [array([6, 7]), array([1, 4, 7])]
    """

    patterns: Sequence[Pattern]

    def __post_init__(self):
        object.__setattr__(self, "patterns", tuple(self.patterns))
        if not self.patterns:
            raise ValueError("patterns must hold at least one pattern")
        for head, pattern in enumerate(self.patterns):
            if not isinstance(pattern, Pattern):
                raise TypeError(f"patterns[{head}] must be a Pattern, not {pattern!r}")
            if pattern.heads is not None:
                raise ValueError(f"patterns[{head}] must hold for any head; got {pattern!r}")

    @property
    def heads(self):
        return len(self.patterns)

    def __call__(self, batch, head, q_idx, kv_idx):
        if isinstance(head, int):
            return self.for_head(head)(batch, head, q_idx, kv_idx)
        turns = (
            (head == number) & pattern(batch, head, q_idx, kv_idx)
            for number, pattern in enumerate(self.patterns)
        )
        return reduce(operator.or_, turns)

    def check(self, stop, S):
        for pattern in self.patterns:
            pattern.check(stop, S)

    def for_head(self, head):
        if not 0 <= head < len(self.patterns):
            raise ValueError(f"head must lie in 0 .. {len(self.patterns) - 1}, not {head}")
        return self.patterns[head]

    def truth(self, i0, i1, j0, j1):
        raise ValueError("a block's truth differs between heads: ask for_head(head)")

    def spans(self, i0, i1, S):
        raise ValueError("spans differ between heads: ask for_head(head)")


def _quarters(blocks, owner):
    """Each block cut at its middle row and column, with its owner; parts without a pair are dropped."""
    i0, i1, j0, j1 = blocks
    i, j = (i0 + i1) // 2, (j0 + j1) // 2
    parts = np.hstack([[i0, i, j0, j], [i0, i, j, j1], [i, i1, j0, j], [i, i1, j, j1]])
    live = (parts[0] < parts[1]) & (parts[2] < parts[3])
    return parts[:, live], np.tile(owner, 4)[live]
