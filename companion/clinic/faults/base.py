"""Planted faults: edits of healthy source text."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from companion.patterns import Pattern, causal

__all__ = ["FORMS", "Fault", "compiled", "healthy_source", "pair"]

FORMS = ("numpy", "torch")


@dataclass(frozen=True, eq=False)
class Fault:
    """A faulty attention function, made from a healthy one by replacing pieces of its text.

    name: of the finding that it must get. base: which healthy source it is made from. numpy, torch: the edits
    of each form, as (old, new) pairs; each old text stands in the source exactly once. report: a public
    report of such a fault, "owner/repository#number". options: for `companion.clinic.examine`.
    """

    name: str
    base: str
    numpy: tuple[tuple[str, str], ...]
    torch: tuple[tuple[str, str], ...]
    report: str
    pattern: Pattern = causal()
    options: dict = field(default_factory=dict)

    def source(self, form: str) -> str:
        """The faulty source text, ``form`` "numpy" or "torch"."""
        return edited(healthy_source(self.base, form), getattr(self, form))

    def function(self, form: str) -> Callable:
        """The faulty function."""
        return compiled(self.source(form))["attention"]

    def examination(self, form: str, source: str | None = None) -> dict:
        """Arguments of `examine` for the faulty function, or for that of another source text."""
        names = compiled(self.source(form) if source is None else source)
        arguments = {"fn": names["attention"], "pattern": self.pattern, **self.options}
        return {**arguments, "gradient": names["gradient"]} if "gradient" in names else arguments


@cache
def healthy_source(base: str, form: str) -> str:
    """The source text that the faults of a base are edits of: their fix."""
    return files("companion.clinic.faults.sources").joinpath(f"{base}_{form}.py").read_text()


def edited(source, edits):
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"the text to be replaced must stand in the source once: {old!r}")
        source = source.replace(old, new)
    return source


def pair(first: Fault, second: Fault, form: str) -> str | None:
    """Source with both faults, or None if they have different bases or touch the same text."""
    if first.base != second.base or first.pattern != second.pattern:
        return None
    try:
        return edited(first.source(form), getattr(second, form))
    except ValueError:
        return None


def compiled(source: str) -> dict:
    """The names that a source text defines."""
    names = {"__name__": "planted"}
    exec(compile(source, "<planted>", "exec"), names)  # text of this package only
    return names
