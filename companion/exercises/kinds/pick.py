"""PickTokens and PickTerms: what is clicked in a row of tokens, or in an expression."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from companion.exercises import text
from companion.exercises.spec import Data, Exercise, Mistake, Probe
from companion.exercises.text import show

__all__ = ["PickTerms", "PickTokens"]


@dataclass(frozen=True, kw_only=True)
class _Pick(Exercise):
    """answer: the set of indices to be picked, or a function of the data. mistakes: other sets."""

    answer: Any
    mistakes: tuple[Mistake, ...] = ()

    def count(self):
        """How many things can be picked."""
        raise NotImplementedError

    def picks(self, field, source, names):
        """``source``, computed if need be, as sorted indices."""
        with self.blaming(field):
            value = source(names) if isinstance(source, Callable) else source
            picked = sorted({int(index) for index in ([value] if isinstance(value, int) else value)})
            if picked and not 0 <= picked[0] <= picked[-1] < self.count():
                raise ValueError(f"indices in 0 .. {self.count() - 1} expected, {picked} came")
            return picked

    def key(self, names):
        answer = self.picks("answer", self.answer, names)
        names = Data({**names, "answer": set(answer)})
        seen, rules = {tuple(answer): "the right answer"}, [self.rule(answer, True, self.why, names)]
        for mistake in self.mistakes:
            value = self.picks(f"mistakes, {mistake.name!r}", mistake.value, names)
            if tuple(value) in seen:
                raise ValueError(
                    f"exercise {self.id!r}, field mistakes: {mistake.name!r} picks {value}, "
                    f"which {seen[tuple(value)]!r} does too"
                )
            seen[tuple(value)] = mistake.name
            rules.append(self.rule(value, False, mistake.message, Data({**names, "value": set(value)})))
        return {"rules": rules, "names": {"answer": set(answer)}}

    def entries(self):
        known = {tuple(rule["value"]) for rule in self.cards[0]["rules"]}
        for size in range(1, self.count() + 1):
            for picked in combinations(range(self.count()), size):
                if picked not in known:
                    yield Probe("unmatched", "wrong", list(picked), None)
                    return


@dataclass(frozen=True, kw_only=True)
class PickTokens(_Pick):
    """Tokens that are clicked in and out of a set.

    tokens: their texts, or how many there are. rows: None for one row of tokens; a
    number for a grid with one row a query, where answer and mistakes are lists of sets, one a row.
    name: of the set in the live readout.
    """

    kind = "tokens"
    tokens: tuple[str, ...] | int
    rows: int | None = None
    name: str = "G"

    def _tokens(self):
        return tuple(str(j) for j in range(self.tokens)) if isinstance(self.tokens, int) else self.tokens

    def count(self):
        return len(self._tokens()) * (self.rows or 1)

    def picks(self, field, source, names):
        if self.rows is None:
            return super().picks(field, source, names)
        with self.blaming(field):
            sets = list(source(names) if isinstance(source, Callable) else source)
            width = len(self._tokens())
            if len(sets) != self.rows:
                raise ValueError(f"one set for each of {self.rows} rows expected, {len(sets)} came")
            if stray := [j for row in sets for j in row if not 0 <= j < width]:
                raise ValueError(f"tokens in 0 .. {width - 1} expected, {stray} came")
            return sorted({r * width + int(j) for r, row in enumerate(sets) for j in row})

    def public(self, names):
        tokens = [self.inline("tokens", token, names) for token in self._tokens()]
        return {"tokens": tokens, "rows": self.rows, "name": self.inline("name", self.name, names)}

    def spoilers(self, names):
        answer = self.picks("answer", self.answer, names)
        return (show(set(answer)).strip("{}"),) if self.rows is None and len(answer) > 1 else ()

    def fallback_parts(self):
        return f"<p>{' · '.join(text.fallback_line(token) for token in self._tokens())}</p>"


@dataclass(frozen=True, kw_only=True)
class PickTerms(_Pick):
    """The terms of an expression, of which some are to be clicked.

    terms: texts, as a rule ``$maths$`` or ```code```. lead: stands before them. joiner: between them.
    """

    kind = "terms"
    advice = "Ask of each term what it does there"
    terms: tuple[str, ...]
    lead: str = ""
    joiner: str = "$+$"

    def count(self):
        return len(self.terms)

    def key(self, names):
        with self.blaming("answer"):
            if not self.picks("answer", self.answer, names):
                raise ValueError("no right answer")
        return super().key(names)

    def public(self, names):
        return {
            "terms": [self.inline("terms", term, names) for term in self.terms],
            "lead": self.inline("lead", self.lead, names) if self.lead else "",
            "joiner": self.inline("joiner", self.joiner, names),
        }

    def fallback_parts(self):
        def shown(source):
            return text.fallback_line(text.fill(source, self._shown))

        joined = f" {shown(self.joiner)} ".join(shown(term) for term in self.terms)
        return f"<p>{shown(self.lead) + ' ' if self.lead else ''}{joined}</p>"

    def entries(self):
        yield Probe("empty", "empty", [], None)
        yield from super().entries()
