"""A report as text for a terminal, and as HTML for a notebook."""

from html import escape
from textwrap import fill

__all__ = ["evidence", "html", "sentence", "text"]

_WIDTH = 96


def evidence(evidence) -> str:
    """The lines that show a finding."""
    return "\n".join(f"{label}: {words}" for label, words in _evidence(evidence))


def sentence(finding) -> str:
    """A finding's name, where it shows, and its cause."""
    evidence = finding.evidence
    seen = evidence.note
    if evidence.got is not None:
        seen = f"{evidence.where} is {_numbers(evidence.got)}, expected {_numbers(evidence.expected)}"
    return f"{_capital(finding.name)} ({evidence.case}). {_capital(seen)}. {finding.cause}"


def text(report) -> str:
    """The report in plain text, at most 96 columns wide where it can be wrapped."""
    lines = [f"{report.function}, held to {report.pattern}", "", _verdict(report)]
    for number, finding in enumerate(report.findings, 1):
        lines += ["", f"{number}. {finding.name}"]
        rows = [*_evidence(finding.evidence), ("cause", finding.cause), ("chapter", finding.chapter)]
        lines += [_row(f"{label:>8}", words, 3) for label, words in rows]
    width = max([len(trial.part) for trial in report.tried], default=0)
    lines += ["", "Tried:"]
    lines += [
        _row(f"{trial.part:<{width}}  {trial.cases:>3} {_cases(trial)}", trial.outcome, 2)
        for trial in report.tried
    ]
    return "\n".join(lines)


def html(report) -> str:
    """The report as two tables; takes its colours from the page it stands on."""
    findings = "".join(
        f"<tr><td>{number}</td><td><b>{escape(finding.name)}</b></td><td>{_cell(finding.evidence)}</td>"
        f"<td>{escape(finding.cause)}</td><td>{escape(finding.chapter)}</td></tr>"
        for number, finding in enumerate(report.findings, 1)
    )
    if findings:
        head = "".join(
            f'<th scope="col">{name}</th>' for name in ("", "finding", "evidence", "cause", "chapter")
        )
        findings = _table(f"<thead><tr>{head}</tr></thead><tbody>{findings}</tbody>")
    tried = "".join(
        f"<tr><td>{escape(trial.part)}</td><td>{trial.cases}</td><td>{escape(trial.outcome)}</td></tr>"
        for trial in report.tried
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("part", "cases", "outcome"))
    tried = _table(f"<thead><tr>{head}</tr></thead><tbody>{tried}</tbody>")
    return (
        f"<div><p><code>{escape(report.function)}</code>, held to <code>{escape(report.pattern)}</code></p>"
        f"<p><b>{escape(_verdict(report))}</b></p>{findings}"
        f"<details{'' if report.findings else ' open'}><summary>What was tried</summary>{tried}</details>"
        "</div>"
    )


def _verdict(report):
    cases = sum(trial.cases for trial in report.tried)
    if not report.findings:
        return f"Healthy: nothing found in {cases} cases."
    found = len(report.findings)
    return f"{found} finding{'s' if found > 1 else ''} in {cases} cases."


def _evidence(evidence):
    rows = [("case", evidence.case), ("call", evidence.call), ("where", evidence.where)]
    if evidence.inputs:
        rows += [(name, _numbers(_bare(values))) for name, values in evidence.inputs.items()]
    rows += [
        ("got", _numbers(evidence.got)),
        ("expected", _numbers(evidence.expected)),
        ("note", evidence.note),
    ]
    return [(label, words) for label, words in rows if words]


def _capital(text):
    return text[:1].upper() + text[1:]


def _bare(values):
    """Nested lists without the outer ones that hold a single list: one head is shown as (tokens, dim)."""
    while len(values) == 1 and isinstance(values[0][0], list):
        values = values[0]
    return values


def _numbers(values):
    if values is None:
        return ""
    if isinstance(values, list):
        return f"[{', '.join(map(_numbers, values))}]"
    return f"{values:.5g}" if isinstance(values, float) else str(values)


def _cases(trial):
    return "case " if trial.cases == 1 else "cases"


def _row(label, words, indent):
    first = " " * indent + label + "  "
    return fill(
        words, _WIDTH, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False
    )


def _cell(evidence):
    return "<br>".join(f"{label}: <code>{escape(words)}</code>" for label, words in _evidence(evidence))


def _table(body):
    # Jupyter's own style sheet aligns cells to the right, so each cell says otherwise itself.
    style = ' style="text-align: left; vertical-align: top"'
    body = body.replace("<td", f"<td{style}").replace("<th ", f"<th{style} ")
    return f"<table>{body}</table>"
