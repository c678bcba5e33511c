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
    """state: "passed", "failed" or "not attempted". mistake: the name of the listed mistake recognised, or None."""

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
        lines = [self._head, f"  {self.message}"]
        if self.failure:
            lines.append("  The smallest case that fails:")
            for name, value in self.failure.arguments:
                lines += _hang(f"    {name} = ", value)
            lines += _beside(self.failure.expected, self.failure.actual)
        if self.printed:
            lines += _hang("  It printed: ", self.printed)
        return "\n".join(lines)

    def _repr_html_(self):
        parts = [f"<p><strong>{escape(self._head)}</strong></p>", f"<p>{text.fallback_line(self.message)}</p>"]
        if self.failure:
            given = "\n".join("\n".join(_hang(f"{name} = ", value)) for name, value in self.failure.arguments)
            both = zip(("expected", "yours"), (self.failure.expected, self.failure.actual))
            cells = "".join(f"<td>{name}<pre>{escape(value)}</pre></td>" for name, value in both)
            parts.append(f"<p>The smallest case that fails:</p><pre>{escape(given)}</pre>")
            parts.append(f"<table><tr>{cells}</tr></table>")
        if self.printed:
            parts.append(f"<p>It printed:</p><pre>{escape(self.printed)}</pre>")
        return "".join(parts)


def _hang(lead, value):
    first, *others = str(value).split("\n")
    return [lead + first, *(" " * len(lead) + line for line in others)]


def _beside(expected, actual):
    left, right = expected.split("\n"), actual.split("\n")
    width = max(len("expected"), *map(len, left)) + 4
    rows = zip_longest(["expected", *left], ["yours", *right], fillvalue="")
    return [f"    {one:<{width}}{other}".rstrip() for one, other in rows]
