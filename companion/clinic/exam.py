"""The record of one examination, which its probes fill."""

from dataclasses import dataclass, field, replace

import numpy as np

from companion.clinic.adapt import Adapter
from companion.clinic.cases import square, typical
from companion.clinic.catalog import CATALOG
from companion.clinic.diagnosis import Result
from companion.clinic.kinds import epsilon
from companion.clinic.report import Evidence, Finding, Trial
from companion.patterns import Pattern

__all__ = ["Exam", "Hangs", "place"]

_SHOWN = 24  # numbers of an input that still make readable evidence


class Hangs(Exception):
    """A call was stopped: the examination ends."""


@dataclass
class Exam:
    """A function under examination. lengths: the token counts to try, ascending."""

    adapter: Adapter
    pattern: Pattern
    lengths: list[int]
    scale: float | None = None
    seed: int = 0
    gradient: object = None
    findings: list[Finding] = field(default_factory=list)
    tried: list[Trial] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    @property
    def length(self) -> int:
        """A small token count at which most faults show."""
        return typical(self.lengths)

    @property
    def longer(self) -> int:
        """A larger one, no multiple of a usual block if there is such."""
        ragged = [L for L in self.lengths if L % 4 and L > self.length]
        return ragged[len(ragged) // 2] if ragged else self.lengths[-1]

    def case(self, part, L=None, **options):
        """A case of the pattern; heads as the pattern and the layout ask, one batch element."""
        options = {"size": (1, self.pattern.heads or 1), "scale": self.scale, "seed": self.seed, **options}
        return square(part, self.pattern, L or self.length, style=self.adapter.style, **options)

    def crowd(self, part, **options):
        """A case with as many batch elements and heads as the layout allows, up to 2 and 3."""
        batch = 2 if "B" in self.adapter.layout else 1
        heads = self.pattern.heads or (3 if "H" in self.adapter.layout else 1)
        return self.case(part, size=(batch, heads), **options)

    def call(self, case, dtype=None, arrays=None):
        """One call; what it does to its inputs and to the dtype is noted on the way."""
        outcome = self.adapter.call(case, dtype, arrays)
        if outcome.trouble == "hangs":
            self.find("hangs", case, outcome.call, note=outcome.words)
            raise Hangs
        if outcome.wrote:
            words = f"{' and '.join(outcome.wrote)} changed during the call"
            self.find("writes to its inputs", case, outcome.call, note=words)
        given = dtype or self.adapter.dtype
        if outcome.output is not None and outcome.dtype != given:
            words = f"{given} went in, {outcome.dtype} came out"
            self.find("changes the dtype", case, outcome.call, note=words)
        return outcome

    def result(self, case, outcome, dtype=None):
        return Result(case, outcome.output, outcome.call, epsilon(dtype or self.adapter.dtype))

    def compare(self, name, result, expected=None, note=""):
        """Adds a finding with the worst row of a result as evidence."""
        expected = result.case.expected if expected is None else expected
        worst = result.worst(expected)
        where = f"{place(result.case, worst)} of the output"
        got, wanted = result.output[worst].tolist(), expected[worst].tolist()
        self.find(name, result.case, result.call, where, got, wanted, note)

    def find(self, name, case, call, where="", got=None, expected=None, note=""):
        """Adds a finding, unless there is one of that name."""
        if self.has(name):
            return
        arrays = {"query": case.query, "key": case.key, "value": case.value}
        small = sum(x.size for x in arrays.values()) <= _SHOWN
        inputs = {name: x.tolist() for name, x in arrays.items()} if small else None
        entry = CATALOG[name]
        shown = Evidence(str(case), call, where, got, expected, inputs, note)
        self.findings.append(Finding(name, shown, entry.cause, entry.chapter))

    def has(self, *names) -> bool:
        return any(finding.name in names for finding in self.findings)

    def note(self, part, cases, outcome):
        self.tried.append(Trial(part, cases, outcome))

    def changed(self, case, **arrays):
        """Outputs for a case and for the same case with other arrays, or None if a call failed."""
        outputs = [self.call(c).output for c in (case, replace(case, **arrays))]
        return None if any(output is None for output in outputs) else outputs

    def moved(self, case, outputs):
        """Which output rows differ, boolean ``(B, H, L)``; NaN equals NaN."""
        before, after = outputs
        tolerance = case.tolerance(epsilon(self.adapter.dtype))
        near = (np.abs(after - before) <= tolerance) | (np.isnan(before) & np.isnan(after))
        return ~near.all(axis=-1)


def place(case, index):
    """Where (batch, head, row) is, in as many words as the case needs."""
    batch, head, row = index
    alone = case.query.shape[:2] == (1, 1)
    return f"row {row}" if alone else f"batch {batch}, head {head}, row {row}"
