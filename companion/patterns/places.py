"""Patterns that depend on where positions lie: everything, sinks, global tokens, chunks, documents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from companion.patterns.base import Pattern
from companion.patterns.lookup import Lookup
from companion.patterns.numbers import FAR, whole
from companion.patterns.truth import ALL, truth

__all__ = ["chunks", "documents", "full", "global_tokens", "sinks"]


@dataclass(frozen=True, repr=False)
class full(Pattern):
    """Every key, the future included: the only pattern that looks ahead.

    >>> full().indices(1, S=4)
    array([0, 1, 2, 3])
    """

    everywhere = True

    def __call__(self, batch, head, q_idx, kv_idx):
        return (q_idx >= 0) & (kv_idx >= 0)

    def truth(self, i0, i1, j0, j1):
        return np.full(np.broadcast_shapes(*map(np.shape, (i0, i1, j0, j1))), ALL, np.int8)

    def spans(self, i0, i1, S):
        return np.arange(len(i0)), np.zeros_like(i0), np.full_like(i0, S)

    def _count(self, L, S, offset):
        return L * S


@dataclass(frozen=True, repr=False)
class sinks(Pattern):
    """The first ``n`` keys: j < n.

    Source: Xiao et al. 2023, section 3.2, without their renumbering of positions.

    >>> from companion.patterns import sliding_window
    >>> (sinks(2) | sliding_window(2)).indices(7)
    array([0, 1, 6, 7])
    """

    n: int

    def __post_init__(self):
        object.__setattr__(self, "n", whole("n", self.n, 1, FAR))

    def __call__(self, batch, head, q_idx, kv_idx):
        return (kv_idx < self.n) & (kv_idx <= q_idx)

    def truth(self, i0, i1, j0, j1):
        return truth(j0 < np.minimum(self.n, i1), j1 <= np.minimum(self.n, i0 + 1))

    def spans(self, i0, i1, S):
        return np.arange(len(i0)), np.zeros_like(i0), np.full_like(i0, self.n)


@dataclass(frozen=True, repr=False)
class global_tokens(Pattern):
    """The keys in ``ids``, for every query, and every key, for a query in ``ids``.

    ``ids`` are distinct positions, ascending. Causal like the rest, so a query sees the global keys up to
    its own position, and a global query what came before it.

    Source: Beltagy et al. 2020, section 3.1, there in both directions.

    >>> global_tokens([0, 3]).indices(2), global_tokens([0, 3]).indices(3), global_tokens([0, 3]).indices(5)
    (array([0]), array([0, 1, 2, 3]), array([0, 3]))
    """

    ids: Sequence[int]
    _is_global: Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        ids = tuple(whole(f"ids[{place}]", j, 0, FAR) for place, j in enumerate(self.ids))
        for before, after in zip(ids, ids[1:], strict=False):
            if before >= after:
                raise ValueError(f"ids must ascend; got {before} before {after}")
        object.__setattr__(self, "ids", ids)
        table = np.zeros(max(ids, default=-1) + 2, bool)
        table[list(ids)] = True
        object.__setattr__(self, "_is_global", Lookup(table))

    def __call__(self, batch, head, q_idx, kv_idx):
        return (self._is_global(kv_idx) | self._is_global(q_idx)) & (kv_idx <= q_idx)

    def check(self, stop, S):
        if S is not None and self.ids and self.ids[-1] >= S:
            raise ValueError(f"ids must lie below S = {S}; got {self.ids[-1]}")

    def truth(self, i0, i1, j0, j1):
        some = (self._between(np.maximum(i0, j0), i1) > 0) | (self._between(j0, np.minimum(j1, i1)) > 0)
        one_side = (self._between(i0, i1) == i1 - i0) | (self._between(j0, j1) == j1 - j0)
        return truth(some, one_side & (j1 <= i0 + 1))

    def spans(self, i0, i1, S):
        sees_all = np.flatnonzero(self._between(i0, i1))
        edges = np.diff(self._is_global.values.astype(np.int8), prepend=0)
        starts, stops = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
        runs = np.arange(len(i0))
        return (
            np.concatenate([sees_all, np.repeat(runs, len(starts))]),
            np.concatenate([np.zeros_like(sees_all), np.tile(starts, len(runs))]),
            np.concatenate([i1[sees_all], np.tile(stops, len(runs))]),
        )

    def _between(self, start, stop):
        """How many ids lie in start .. stop - 1; not positive where stop <= start."""
        return np.searchsorted(self.ids, stop) - np.searchsorted(self.ids, start)


class _FromStart(Pattern):
    """Keys from ``_start(i)``, which never descends as i grows, up to i itself."""

    def __call__(self, batch, head, q_idx, kv_idx):
        return (self._start(q_idx) <= kv_idx) & (kv_idx <= q_idx)

    def truth(self, i0, i1, j0, j1):
        # Of the queries that are not before all keys, the first looks back furthest.
        first = np.maximum(i0, j0)
        some = (first < i1) & (self._start(first) < j1)
        return truth(some, (self._start(i1 - 1) <= j0) & (j1 <= i0 + 1))

    def spans(self, i0, i1, S):
        return np.arange(len(i0)), self._start(i0), i1


@dataclass(frozen=True, repr=False)
class chunks(_FromStart):
    """The keys of the query's own chunk: j // size = i // size.

    >>> chunks(4).indices(6)
    array([4, 5, 6])
    """

    size: int

    def __post_init__(self):
        object.__setattr__(self, "size", whole("size", self.size, 1, FAR))

    def _start(self, i):
        return i // self.size * self.size


@dataclass(frozen=True, repr=False)
class documents(_FromStart):
    """The keys of the query's own document, where documents of the given ``lengths`` follow each other.

    The lengths must add up to the number of keys; asked over any other, the pattern raises ValueError. Asked
    for single pairs, it lets no query past the end attend anything.

    >>> documents([2, 5]).indices(4)
    array([2, 3, 4])
    """

    lengths: Sequence[int]
    _start: Lookup = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        lengths = tuple(whole(f"lengths[{place}]", n, 1, FAR) for place, n in enumerate(self.lengths))
        object.__setattr__(self, "lengths", lengths)
        ends = list(accumulate(lengths, initial=0))
        starts = np.append(np.repeat(np.array(ends[:-1], np.int64), lengths), np.iinfo(np.int64).max)
        object.__setattr__(self, "_start", Lookup(starts))

    def check(self, stop, S):
        total = sum(self.lengths)
        if S is not None and S != total:
            raise ValueError(f"lengths must add up to S = {S} tokens; they add up to {total}")
        if stop > total:
            raise ValueError(f"lengths must reach query position {stop - 1}; they add up to {total}")
