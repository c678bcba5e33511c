"""What an examination found, and what it tried."""

import json
from dataclasses import asdict, dataclass

from companion.clinic import show

__all__ = ["Evidence", "Finding", "Report", "Trial", "Unhealthy"]


class Unhealthy(AssertionError):
    """Raised by `Report.raise_for_findings`; its message is the report."""


@dataclass(frozen=True)
class Evidence:
    """The smallest input that shows a finding, and the two outputs.

    case: the input in words. call: how the function was called. where: which part of the output is shown.
    got, expected: that part, as the function gave it and as it should be. inputs: query, key and value, each
    ``(B, H, tokens, dim)`` as nested lists, where they are small. note: what else was seen.
    """

    case: str
    call: str
    where: str = ""
    got: list | None = None
    expected: list | None = None
    inputs: dict | None = None
    note: str = ""

    def __str__(self):
        return show.evidence(self)


@dataclass(frozen=True)
class Finding:
    """One fault: its name, the evidence, its likely cause in code terms, the chapter that explains it."""

    name: str
    evidence: Evidence
    cause: str
    chapter: str


@dataclass(frozen=True)
class Trial:
    """One part of the examination: how many cases were tried, and what came of them."""

    part: str
    cases: int
    outcome: str


@dataclass(frozen=True, repr=False)
class Report:
    """The result of `companion.clinic.examine`.

    function: how it was called. pattern: what it was held to. findings: the first is the one to mend first.
    tried: all parts of the examination, with those that were refused, skipped or not reached. called: whether
    the function could be called at all.
    """

    function: str
    pattern: str
    findings: tuple[Finding, ...]
    tried: tuple[Trial, ...]
    called: bool = True

    @property
    def healthy(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the findings."""
        return tuple(finding.name for finding in self.findings)

    def in_words(self) -> str | None:
        """The first finding in a sentence or two, for a reader who wrote the function; None if healthy."""
        return show.sentence(self.findings[0]) if self.findings else None

    def raise_for_findings(self) -> None:
        """Raises Unhealthy, with the report as its message, if there are findings."""
        if self.findings:
            raise Unhealthy(str(self))

    def to_dict(self) -> dict:
        """The report as dicts, lists, text and numbers; a NaN or infinity is text."""
        return _plain({**asdict(self), "healthy": self.healthy})

    def to_json(self, indent: int | None = 2) -> str:
        """The report as strict JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def __str__(self):
        return show.text(self)

    __repr__ = __str__

    def _repr_html_(self):
        return show.html(self)


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    return value
