"""What ``check`` says: the same words as text and as HTML, with no time and no address in them."""

from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from companion.exercises import text

__all__ = ["Failure", "Verdict"]


@dataclass(frozen=True)
class Failure:
    """The smallest case that fails: the arguments by name, and two results, all as text."""

    arguments: tuple[tuple[str, str], ...]
    expected: str
    actual: str


@dataclass(frozen=True)
class Verdict:
    """What became of a function.

    state: "passed", "failed" or "not attempted". mistake: the name of the listed mistake recognised, or None.
    """

    id: str
    state: str
    message: str
    mistake: str | None = None
    count: str = ""
    failure: Failure | None = None
    printed: str = ""

    @property
    def passed(self):
        return self.state == "passed"

    @property
    def _head(self):
        words = {"passed": "✓ right", "failed": "↩ not yet", "not attempted": "not attempted yet"}[self.state]
        return f"{self.id}: {words}" + (f" ({self.count})" if self.count else "")

    def __repr__(self):
        return "\n".join([self._head, f"  {self.message}", *(f"  {line}" for line in self._details())])

    def _repr_html_(self):
        head, details = escape(self._head), escape("\n".join(self._details()))
        shown = f"<p><strong>{head}</strong></p><p>{text.fallback_line(self.message)}</p>"
        return shown + (f"<pre>{details}</pre>" if details else "")

    def _details(self):
        """The case that fails, and what was printed, line by line."""
        lines = []
        if self.failure:
            lines.append("The smallest case that fails:")
            for name, value in self.failure.arguments:
                lines += _hang(f"  {name} = ", value)
            lines += _beside(self.failure.expected, self.failure.actual)
        if self.printed:
            lines += _hang("It printed: ", self.printed)
        return lines


def _hang(lead, value):
    first, *others = str(value).split("\n")
    return [lead + first, *(" " * len(lead) + line for line in others)]


def _beside(expected, actual):
    left, right = expected.split("\n"), actual.split("\n")
    width = max(len("expected"), *map(len, left)) + 4
    rows = zip_longest(["expected", *left], ["yours", *right], fillvalue="")
    return [f"  {one:<{width}}{other}".rstrip() for one, other in rows]
