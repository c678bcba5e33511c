"""What the bug gallery shows: every planted fault with its symptom, finding, cause, fix and report."""

import difflib
from dataclasses import dataclass

from companion.clinic.catalog import CATALOG
from companion.clinic.examination import examine
from companion.clinic.faults import FORMS, PLANTED, healthy_source
from companion.clinic.report import Report

__all__ = ["Exhibit", "exhibits"]


@dataclass(frozen=True)
class Exhibit:
    """One bug. Dicts are by form, "numpy" and "torch".

    name: that of its finding. symptom, cause, chapter: from the catalogue. pattern: what it is held to.
    source: the faulty text. fix: the lines that mend it, as a diff. found: the examination of the function.
    report: a public report of such a bug, "owner/repository#number". address: where to read it.
    """

    name: str
    symptom: str
    cause: str
    chapter: str
    pattern: str
    source: dict[str, str]
    fix: dict[str, str]
    found: dict[str, Report]
    report: str
    address: str


def exhibits() -> list[Exhibit]:
    """All exhibits, in the order of the catalogue. Examines every faulty function."""
    return [_exhibit(fault) for fault in PLANTED]


def _exhibit(fault):
    entry = CATALOG[fault.name]
    source = {form: fault.source(form) for form in FORMS}
    repository, number = fault.report.split("#")
    return Exhibit(
        name=fault.name,
        symptom=entry.symptom,
        cause=entry.cause,
        chapter=entry.chapter,
        pattern=repr(fault.pattern),
        source=source,
        fix={form: _change(source[form], healthy_source(fault.base, form)) for form in FORMS},
        found={form: examine(**fault.examination(form)) for form in FORMS},
        report=fault.report,
        address=f"https://github.com/{repository}/issues/{number}",
    )


def _change(before, after):
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line.rstrip() for line in lines if line[0] in "+-")
