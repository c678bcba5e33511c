"""What every exercise has, whatever its kind: texts, data, a key to grade by, a payload.

A spec checks itself when it is made and raises ValueError naming exercise and field.
The *card* is what one set of data makes of it: prompt, hints, solution and the ordered
rules of feedback, of which the first that matches an answer wins. The *payload* is what
the front end gets: the public part in clear, the card sealed.
"""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from companion.exercises import text

__all__ = ["BOOK", "Data", "Exercise", "Mistake", "Probe", "seal"]

BOOK = "attention-token-by-token"
_ID = re.compile(r"[a-z]+[0-9]*(-[a-z0-9]+)+")


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that we expect.

    name: how it comes about ("took the plain mean"). value: what it gives, or a function
    of the exercise's data that computes it. message: what the reader is told.
    """

    name: str
    value: Any
    message: str


@dataclass(frozen=True)
class Probe:
    """One answer and what must become of it; tests try all of them on the page."""

    name: str
    state: str  # right, wrong, empty or unreadable
    entry: Any  # in the terms of the kind: typed text, an index, a list of indices
    message: str | None  # the HTML expected; None where the front end words it


class Data(dict):
    """The data of an exercise: ``d.alpha`` for ``d["alpha"]``, lists of numbers as arrays."""

    def __init__(self, values):
        super().__init__({name: _array(value) for name, value in values.items()})

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the data have no {name!r}, only {sorted(self)}") from None


def _array(value):
    if isinstance(value, (list, tuple)) and np.asarray(value).dtype.kind in "iuf":
        return np.asarray(value)
    return value


def seal(value):
    """JSON in base64, so that no answer stands in plain text in a page or a search index.

    It hides, it does not protect: what grades in the browser can be read in the browser.
    """
    return b64encode(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).decode()


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """The common part.

    id: "ch01-output": chapter, dash, name. title: a few words.
    prompt, hints, solution, why: text as :mod:`companion.exercises.text` reads it.
    why: one line said with a right answer. otherwise: said of a wrong answer that no mistake matches.
    difficulty: 1, 2 or 3. minutes: how long it takes.
    data: names for ``<<name>>`` in the texts, and for answers and mistakes that are functions of them.
    derive: a function of the data that returns more names.
    version: stored progress is kept as long as this stays; by default it follows answers, mistakes and
    what can be chosen, and not the wording of prompt, hints and messages.
    payload: made by the spec itself.
    """

    kind: ClassVar[str]
    advice: ClassVar[str] = "Go through it once more"
    mistakes_field: ClassVar[str] = "mistakes"
    note: ClassVar[str] = "Run the cell above to answer here; on a page, this needs JavaScript."

    id: str
    title: str
    prompt: str
    solution: str
    why: str
    difficulty: int
    minutes: float
    hints: tuple[str, ...] = ()
    otherwise: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    derive: Callable[[Data], Mapping[str, Any]] | None = None
    version: int | None = None
    payload: dict = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            raise ValueError(f"exercise {self.id!r}, field id: 'ch01-some-name' expected")
        with self.blaming("difficulty"):
            _expect(self.difficulty in (1, 2, 3), f"1, 2 or 3 expected, {self.difficulty!r} came")
        with self.blaming("minutes"):
            _expect(0 < self.minutes <= 60, f"more than 0, at most 60 expected, {self.minutes!r} came")
        with self.blaming("hints"):
            _expect(not isinstance(self.hints, str), "a tuple of texts expected, one text came")
        object.__setattr__(self, "payload", self._payload())

    # What a kind fills in.

    def public(self, names):
        """What the front end shows of this kind, beyond the prompt."""
        return {}

    def key(self, names):
        """What the grading function needs: ``rules`` in order, and what the kind adds."""
        raise NotImplementedError

    def spoilers(self, names):
        """Texts that a hint must not hold, for they are the answer."""
        return ()

    def entries(self):
        """Probes of the empty, the unreadable and the unmatched wrong answer."""
        return ()

    # What all kinds share.

    @property
    def chapter(self):
        return self.id.partition("-")[0]

    @cached_property
    def base(self):
        """The names of the texts for the exercise's own data."""
        return self.names(self.data)

    def names(self, data):
        """The data with what is derived from them."""
        with self.blaming("data"):
            names = Data(data)
        if self.derive:
            with self.blaming("derive"):
                names = Data({**names, **self.derive(names)})
        return names

    def card(self, names):
        """Prompt, hints, solution and grading key, as HTML and values, for one set of data."""
        key = self.key(names)
        names = Data({**names, **key.pop("names", {})})
        return {
            "prompt": self.html("prompt", self.prompt, names),
            "hints": [self.hint(hint, names) for hint in self.hints],
            "solution": self.html("solution", self.solution, names),
            "otherwise": self.inline("otherwise", self.otherwise or self._advice(), names),
            **key,
        }

    def _advice(self):
        return f"{self.advice}, or take a hint." if self.hints else f"{self.advice}."

    def rule(self, value, right, message, names):
        field = "why" if right else self.mistakes_field
        return {"value": value, "right": right, "message": self.inline(field, message, names)}

    def hint(self, hint, names):
        shown = self.inline("hints", hint, names)
        filled = text.fill(hint, names)
        for spoiler in self.spoilers(names):
            if re.search(rf"(?<![\w.{{−-]){re.escape(spoiler)}(?![\w}}]|\.\d)", filled):
                raise ValueError(f"exercise {self.id!r}, field hints: {filled!r} holds the answer, {spoiler}")
        return shown

    def html(self, field, source, names):
        with self.blaming(field):
            return text.html(text.fill(source, names))

    def inline(self, field, source, names):
        with self.blaming(field):
            return text.inline(text.fill(source, names))

    @contextmanager
    def blaming(self, name):
        """Errors inside become ValueErrors that name the exercise and this field."""
        try:
            yield
        except Exception as error:
            if str(error).startswith("exercise "):
                raise
            raise ValueError(f"exercise {self.id!r}, field {name}: {error}") from error

    @cached_property
    def cards(self):
        """The card, then those of the variants where the kind has them."""
        return [self.card(self.base)]

    def _payload(self):
        """What the front end gets; making it tries every text, answer and variant."""
        card, *variants = (json.dumps(card, ensure_ascii=False, sort_keys=True) for card in self.cards)
        public = self.public(self.base)
        return {
            "book": BOOK,
            "id": self.id,
            "kind": self.kind,
            "version": self._digest(public) if self.version is None else self.version,
            "title": self.inline("title", self.title, self.base),
            "prompt": self.cards[0]["prompt"],
            "difficulty": self.difficulty,
            "minutes": self.minutes,
            "sealed": seal({"card": card, "variants": [_delta(card, variant) for variant in variants]}),
            **public,
        }

    def _digest(self, public):
        graded = [[rule["value"] for rule in card.get("rules", ())] for card in self.cards]
        content = json.dumps([self.kind, graded, public], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def fallback(self):
        """Plain HTML for where no script runs: the title, and the prompt with ``$maths$``."""
        prompt = text.fallback(text.fill(self.prompt, self._shown))
        title = text.fallback_line(text.fill(self.title, self.base))
        head, note = f"<p><strong>Exercise: {title}</strong></p>", f"<p><em>{self.note}</em></p>"
        return f"{head}{prompt}{self.fallback_parts()}{note}"

    @property
    def _shown(self):
        return Data({**self.base, **self.key(self.base).get("names", {})})

    def fallback_parts(self):
        """What stands between prompt and note."""
        return ""

    def alt(self):
        """One line of text in the widget's place."""
        return f"Exercise {self.id}: {self.title}"

    def probes(self):
        """Every answer that this exercise knows, and what must become of it."""
        for index, rule in enumerate(self.cards[0].get("rules", ())):
            state = "right" if rule["right"] else "wrong"
            yield Probe(f"rule {index}", state, self.entry(rule["value"]), rule["message"])
        yield from self.entries()

    def entry(self, value):
        """How ``value`` is entered."""
        return value


def _expect(condition, message):
    if not condition:
        raise ValueError(message)


def _delta(card, variant):
    """A variant as its differences from the card, both cut at < and >: start, end, replacement, start, ..."""
    old, new = (re.split(r"([<>])", source) for source in (card, variant))
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [x for tag, a, b, c, d in changes if tag != "equal" for x in (a, b, "".join(new[c:d]))]
