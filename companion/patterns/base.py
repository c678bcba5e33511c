"""What every pattern can do, given its truth for a pair and for a block of pairs."""

import sys
from dataclasses import fields

import numpy as np

from companion.layout import BlockLayout
from companion.patterns import build
from companion.patterns.numbers import whole

__all__ = ["Pattern"]


class Pattern:
    """A set of allowed pairs (query position i, key position j). Immutable, hashable, equal by value.

    A pattern of its own needs ``__call__``, ``truth`` and ``spans``; the rest follows from them.

    >>> from companion.patterns import documents, sinks, sliding_window
    >>> pattern = (sliding_window(2) | sinks(1)) & documents([3, 3])
    >>> pattern.mask(6).astype(int)
    array([[1, 0, 0, 0, 0, 0],
           [1, 1, 0, 0, 0, 0],
           [1, 1, 1, 0, 0, 0],
           [0, 0, 0, 1, 0, 0],
           [0, 0, 0, 1, 1, 0],
           [0, 0, 0, 0, 1, 1]])
    >>> pattern.pairs(6), round(pattern.density(6), 3)
    (11, 0.306)
    """

    #: How many heads the pattern tells apart; None when it holds for any head.
    heads: int | None = None

    #: True if every key is allowed to every query: the pattern equals `full`.
    everywhere: bool = False

    def __call__(self, batch, head, q_idx, kv_idx):
        """Whether the query at ``q_idx`` may attend the key at ``kv_idx``: True = may attend.

        The two positions are ints, arrays or tensors that broadcast together; ``batch`` is not looked at, and
        ``head`` only by patterns that tell heads apart.
        """
        raise NotImplementedError

    def truth(self, i0, i1, j0, j1) -> np.ndarray:
        """NONE, SOME or ALL for blocks of pairs, queries i0 .. i1 - 1 by keys j0 .. j1 - 1.

        The ends are int arrays that broadcast together, one entry a block; no block may be empty. The answer,
        int8, is exact: SOME means that the block holds an allowed pair and a forbidden one.
        """
        raise NotImplementedError

    def spans(self, i0, i1, S) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the allowed keys of queries i0 .. i1 - 1 can lie, among S keys.

        ``i0`` and ``i1`` are 1-d arrays, one entry a run of queries. Returns three arrays ``(run, start,
        stop)``: every allowed key of a run lies in one of its intervals ``start .. stop - 1``, which may
        overlap and may stick out of 0 .. S - 1.
        """
        raise NotImplementedError

    def check(self, stop: int, S: int | None) -> None:
        """Raises ValueError if the pattern cannot describe queries before ``stop`` over ``S`` keys."""

    def for_head(self, head: int) -> "Pattern":
        """The pattern of one head: itself, unless it tells heads apart."""
        return self

    def indices(self, i: int, S: int | None = None):
        """The index set G of the query at position ``i``, among ``S`` keys (``i + 1`` unless given).

        Returns an ascending int64 array; a list of them, one a head, where heads differ.

        >>> from companion.patterns import sliding_window
        >>> sliding_window(3).indices(10)
        array([ 8,  9, 10])
        """
        i = whole("i", i, 0)
        if self.heads is not None:
            return [self.for_head(head).indices(i, S) for head in range(self.heads)]
        if S is None and self.everywhere:
            raise ValueError("S must be given: this pattern looks ahead")
        keys = np.arange(i + 1 if S is None else whole("S", S, 0))
        self.check(i + 1, None if S is None else len(keys))
        return np.flatnonzero(self(0, 0, np.full_like(keys, i), keys))

    def mask(self, L: int, S: int | None = None, *, query_offset: int | None = None) -> np.ndarray:
        """The dense mask, boolean ``(L, S)``, or ``(heads, L, S)`` where heads differ. S is L unless given.

        Query row r sits at position ``query_offset + r``, 0 + r when L = S. Raises ValueError if L and S
        differ and no offset says where the queries are.

        >>> from companion.patterns import causal
        >>> causal().mask(2, 4, query_offset=2).astype(int)
        array([[1, 1, 1, 0],
               [1, 1, 1, 1]])
        """
        L, S, offset = self._sizes(L, S, query_offset)
        head = 0 if self.heads is None else np.arange(self.heads)[:, None, None]
        shape = (L, S) if self.heads is None else (self.heads, L, S)
        allowed = self(0, head, offset + np.arange(L)[:, None], np.arange(S)[None, :])
        return np.broadcast_to(allowed, shape).copy()

    def layout(
        self, L: int, S: int | None = None, *, block_size: int = 64, query_offset: int | None = None
    ) -> BlockLayout:
        """The blocks that hold allowed pairs, with one layout a head where heads differ.

        Takes memory in proportion to the blocks considered, never to L x S. Errors are those of `mask`.

        >>> from companion.patterns import sliding_window
        >>> layout = sliding_window(1024).layout(131_072, block_size=128)
        >>> layout.rows, len(layout.full_blocks), len(layout.partial_blocks)
        (1024, 7140, 2040)
        """
        L, S, offset = self._sizes(L, S, query_offset)
        return build.layout(self, L, S, whole("block_size", block_size, 1), offset)

    def pairs(self, L: int, S: int | None = None, *, query_offset: int | None = None) -> int:
        """How many pairs are allowed, over all heads where heads differ. Errors are those of `mask`.

        >>> from companion.patterns import causal
        >>> causal().pairs(1000)
        500500
        """
        L, S, offset = self._sizes(L, S, query_offset)
        return sum(self.for_head(head)._count(L, S, offset) for head in range(self.heads or 1))

    def density(self, L: int, S: int | None = None, *, query_offset: int | None = None) -> float:
        """Allowed pairs over L x S, the mean over heads where heads differ; 0 where there are no pairs at
        all.

        >>> from companion.patterns import causal
        >>> causal().density(4)
        0.625
        """
        L, S, offset = self._sizes(L, S, query_offset)
        return self.pairs(L, S, query_offset=offset) / max((self.heads or 1) * L * S, 1)

    def __and__(self, other):
        from companion.patterns.algebra import Both

        return Both(self, other) if isinstance(other, Pattern) else NotImplemented

    def __or__(self, other):
        from companion.patterns.algebra import Either

        return Either(self, other) if isinstance(other, Pattern) else NotImplemented

    def __bool__(self):
        if sys._getframe(1).f_globals["__name__"].startswith("torch._dynamo."):
            return True  # PyTorch 2.11, about to trace a call, asks whether there is anything to call
        raise TypeError("a pattern is neither true nor false: combine patterns with & and |")

    def __repr__(self):
        values = (getattr(self, field.name) for field in fields(self) if field.repr)
        arguments = (repr(list(value) if isinstance(value, tuple) else value) for value in values)
        return f"{type(self).__name__}({', '.join(arguments)})"

    def _count(self, L, S, offset):
        return build.count(self, L, S, offset)

    def _sizes(self, L, S, query_offset):
        """L, S and the position of query 0, all checked."""
        L = whole("L", L, 0)
        S = L if S is None else whole("S", S, 0)
        if query_offset is not None:
            query_offset = whole("query_offset", query_offset, 0)
        elif L == S or all(self.for_head(head).everywhere for head in range(self.heads or 1)):
            query_offset = 0
        else:
            raise ValueError(
                f"query_offset must be given when L = {L} and S = {S} differ; "
                f"it is S - L = {S - L} if the queries are the last tokens"
            )
        self.check(query_offset + L, S)
        return L, S, query_offset
