"""Number and Vector: answers that are computed from data, and can be practised on new data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from companion.exercises.spec import Data, Exercise, Mistake, Probe
from companion.exercises.text import show

__all__ = ["Number", "Vector"]

VARIANTS = 10
TRIES = 400


@dataclass(frozen=True, kw_only=True)
class _Numeric(Exercise):
    """A number or a vector.

    answer: the right value, or a function of the data that computes it.
    mistakes: the wrong values that we expect, each with its message.
    tolerance: how far off an answer may be; the default takes answers given to two decimals.
    label: what stands before the input.
    vary: ``vary(rng)`` returns data with the same names, for "Another like this"; at
    least ten variants are made, and data for which a mistake gives the right answer are drawn again.
    """

    answer: Any
    mistakes: tuple[Mistake, ...] = ()
    tolerance: float = 0.005
    label: str = "Your answer"
    vary: Callable[[np.random.Generator], dict] | None = None

    ndim = 0

    def public(self, names):
        return {"label": self.inline("label", self.label, names), "again": self.vary is not None}

    def key(self, names):
        with self.blaming("tolerance"):
            if not self.tolerance > 0:
                raise ValueError(f"a positive number expected, {self.tolerance!r} came")
        answer = self._value("answer", self.answer, names)
        if 0 < np.abs(answer).max() <= 2 * self.tolerance:
            raise ValueError(
                f"exercise {self.id!r}, field tolerance: {self.tolerance} is too wide for {show(answer)}"
            )
        names = Data({**names, "answer": answer})
        values, rules = [answer], [self.rule(answer.tolist(), True, self.why, names)]
        for mistake in self.mistakes:
            with self.blaming("mistakes"):
                if not isinstance(mistake, Mistake):
                    raise ValueError(f"a Mistake expected, {mistake!r} came")
            value = self._value(f"mistakes, {mistake.name!r}", mistake.value, names)
            self._apart(mistake, value, values)
            values.append(value)
            rules.append(self.rule(value.tolist(), False, mistake.message, Data({**names, "value": value})))
        return {"rules": rules, "tolerance": self.tolerance, "names": {"answer": answer}}

    def _value(self, field, source, names):
        with self.blaming(field):
            value = np.asarray(source(names) if callable(source) else source, dtype=np.float64)
            if value.ndim != self.ndim or value.size == 0 or not np.isfinite(value).all():
                kind = ("a finite number", "a finite vector")[self.ndim]
                raise ValueError(f"{kind} expected, {value.tolist()!r} came")
        # Ten digits: what the last bits of a sum are depends on the machine.
        return np.array([float(f"{x:.10g}") for x in value.ravel()]).reshape(value.shape)

    def _apart(self, mistake, value, others):
        for index, other in enumerate(others):
            if value.shape == other.shape and np.abs(value - other).max() <= 2 * self.tolerance:
                what = self.mistakes[index - 1].name if index else "the right answer"
                raise ValueError(
                    f"exercise {self.id!r}, field mistakes: {mistake.name!r} gives {show(value)}, "
                    f"which {what!r} gives too ({show(other)}, tolerance {self.tolerance})"
                )

    def spoilers(self, names):
        shown = show(self._value("answer", self.answer, names))
        return (shown.strip("[]"),)

    @cached_property
    def cards(self):
        base = self.card(self.base)
        if self.vary is None:
            return [base]
        cards, seen, last = [], {base["prompt"]}, None
        for seed in range(TRIES):
            with self.blaming("vary"):
                data = self.vary(np.random.default_rng(seed))
                if set(data) != set(self.data):
                    raise ValueError(f"data named {sorted(self.data)} expected, {sorted(data)} came")
            try:
                card = self.card(self.names(data))
            except ValueError as error:
                last = error
                continue
            if card["prompt"] not in seen:
                seen.add(card["prompt"])
                cards.append(card)
            if len(cards) == VARIANTS:
                return [base, *cards]
        raise ValueError(
            f"exercise {self.id!r}, field vary: {TRIES} draws gave {len(cards)} usable variants, "
            f"{VARIANTS} are needed" + (f"; the last was refused: {last}" if last else "")
        )

    def entries(self):
        values = [np.asarray(rule["value"]) for rule in self.cards[0]["rules"]]
        other = values[0] + 1.37 + 2 * max(np.abs(value).max() for value in values)
        yield Probe("unmatched", "wrong", self.entry(other.tolist()), self.cards[0]["otherwise"])
        yield Probe("empty", "empty", "", None)
        yield Probe("unreadable", "unreadable", "about three", None)


@dataclass(frozen=True, kw_only=True)
class Number(_Numeric):
    """One number, typed: ``0.5``, ``1/2``, ``1e-3``, ``0,5``."""

    kind = "number"
    advice = "Redo each step on paper"

    def entry(self, value):
        return repr(value)


@dataclass(frozen=True, kw_only=True)
class Vector(_Numeric):
    """A short vector, typed: ``[3.1, 1.7]``, ``3.1 1.7``, ``3,1; 1,7``."""

    kind = "vector"
    advice = "Redo it one coordinate at a time"
    ndim = 1

    def key(self, names):
        key = super().key(names)
        return {**key, "length": len(key["names"]["answer"])}

    def public(self, names):
        return {**super().public(names), "length": len(self._value("answer", self.answer, names))}

    def entry(self, value):
        return str(value)
