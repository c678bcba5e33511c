"""What a run of the table found, as it is written to JSON and read back."""

import json
from dataclasses import asdict, dataclass, field

__all__ = ["AT_LEAST", "AT_MOST", "Report", "Row"]

AT_LEAST, AT_MOST = "at least", "at most"


@dataclass(frozen=True)
class Row:
    """One contestant in one measurement; None and "" where there is nothing to say.

    ``reached`` is in ``unit``: "x" for a ratio, the speed-up over ``against`` or growth from it, "s" or "MB".
    ``target`` is what to reach, ``at least`` or ``at most`` as ``sense`` says. ``seconds`` is the median,
    ``prepare`` the time for mask, layout or plan, ``compile`` that for compiling, ``megabytes`` the peak
    above the inputs, and ``waste`` the pairs in the pattern's blocks of 64 over the pattern's own.
    """

    what: str
    contestant: str
    reached: float | None = None
    unit: str = "x"
    against: str = ""
    sense: str = ""
    target: float | None = None
    seconds: float | None = None
    prepare: float | None = None
    compile: float | None = None
    megabytes: float | None = None
    waste: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none, or nothing was reached."""
        if self.target is None or self.reached is None:
            return None
        return self.reached >= self.target if self.sense == AT_LEAST else self.reached <= self.target


@dataclass(frozen=True)
class Report:
    """``machine`` and ``settings`` say where and how; ``scaling`` holds ``[contestant, tokens, seconds]``."""

    machine: dict
    settings: dict
    rows: list[Row]
    missing: list[str] = field(default_factory=list)
    scaling: list[list] = field(default_factory=list)

    def to_json(self) -> str:
        found = asdict(self)
        found["rows"] = [asdict(row) | {"met": row.met} for row in self.rows]
        return json.dumps(found, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "Report":
        found = json.loads(text)
        for row in found["rows"]:
            del row["met"]  # follows from the rest
        found["rows"] = [Row(**row) for row in found["rows"]]
        return cls(**found)
