"""Patterns that depend only on how far back the key lies: causal, windows, dilated windows, strides."""

from dataclasses import dataclass

import numpy as np

from companion.patterns.base import Pattern
from companion.patterns.numbers import FAR, ragged, whole
from companion.patterns.truth import truth

__all__ = ["causal", "dilated", "sliding_window", "strided"]


class _Steps(Pattern):
    """Keys at distances 0, step, 2 step, ...: ``_keys`` of them, or all that there are if it is None."""

    _step: int = 1
    _keys: int | None = None

    def __call__(self, batch, head, q_idx, kv_idx):
        distance = q_idx - kv_idx
        allowed = distance >= 0
        if self._keys is not None:
            allowed = allowed & (distance <= min((self._keys - 1) * self._step, FAR - 1))
        if self._step > 1:
            allowed = allowed & (distance % self._step == 0)
        return allowed

    def truth(self, i0, i1, j0, j1):
        # A block holds every distance from its least to its largest: count those that are allowed.
        least, largest = i0 - j1 + 1, i1 - 1 - j0
        last = largest if self._keys is None else np.minimum(largest, (self._keys - 1) * self._step)
        first = np.maximum(least, 0)
        allowed = last // self._step - -(-first // self._step) + 1
        return truth(allowed > 0, allowed == largest - least + 1)

    def spans(self, i0, i1, S):
        steps = (i1 - 1) // self._step if self._keys is None else np.full_like(i1, self._keys - 1)
        if self._step < np.max(i1 - i0, initial=1):
            return np.arange(len(i0)), i0 - steps * self._step, i1
        run, step = ragged(np.minimum(steps, (i1 - 1) // self._step) + 1)
        return run, i0[run] - step * self._step, i1[run] - step * self._step

    def _count(self, L, S, offset):
        # Query i allows the steps m with 0 <= i - m step < S.
        i = offset + np.arange(L)
        last = i // self._step
        if self._keys is not None:
            last = np.minimum(last, self._keys - 1)
        first = -(-np.maximum(i - S + 1, 0) // self._step)
        return int(np.maximum(last - first + 1, 0).sum())


@dataclass(frozen=True, repr=False)
class causal(_Steps):
    """Every key up to the query itself: j <= i.

    >>> causal().indices(3)
    array([0, 1, 2, 3])
    """


@dataclass(frozen=True, repr=False)
class sliding_window(_Steps):
    """The last ``w`` keys, the query's own included: i - w < j <= i.

    Source: Beltagy et al. 2020, section 3.1, there on both sides of i.

    >>> sliding_window(3).indices(7)
    array([5, 6, 7])
    """

    w: int

    def __post_init__(self):
        object.__setattr__(self, "w", whole("w", self.w, 1, FAR))

    @property
    def _keys(self):
        return self.w


@dataclass(frozen=True, repr=False)
class dilated(_Steps):
    """Every ``step``-th key backwards from the query's own, ``w`` of them: a span of (w - 1) step + 1.

    Source: Beltagy et al. 2020, section 3.1, there on both sides of i.

    >>> dilated(3, 2).indices(7)
    array([3, 5, 7])
    """

    w: int
    step: int

    def __post_init__(self):
        object.__setattr__(self, "w", whole("w", self.w, 1, FAR))
        object.__setattr__(self, "step", whole("step", self.step, 1, FAR))

    @property
    def _keys(self):
        return self.w

    @property
    def _step(self):
        return self.step


@dataclass(frozen=True, repr=False)
class strided(_Steps):
    """Every ``step``-th key backwards from the query's own, to the beginning: (i - j) mod step = 0.

    Source: Child et al. 2019, section 4.3.

    >>> strided(3).indices(7)
    array([1, 4, 7])
    """

    step: int

    def __post_init__(self):
        object.__setattr__(self, "step", whole("step", self.step, 1, FAR))

    @property
    def _step(self):
        return self.step
