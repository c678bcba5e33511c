"""Prints a report as one table, ratios first."""

from companion.bench.report import Report, Row

__all__ = ["table"]

_COLUMNS = (
    "reached", "target", "met", "contestant", "against", "seconds", "prepare", "compile", "peak MB", "waste",
    "note",
)  # fmt: skip
_RIGHT = {"reached", "seconds", "prepare", "compile", "peak MB", "waste"}


def table(report: Report) -> str:
    """The table as text: the machine above it, a line before each measurement, what is missing below."""
    machine = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    settings = report.settings
    sizes = (
        f"{settings['device']}, {settings['dtype']}, batch {settings['batch']}, {settings['heads']} heads, "
        f"D {settings['dim']}, median of {settings['repeats']}"
    )
    lines = [machine, sizes]
    if not any(row.target is not None for row in report.rows):
        lines.append("no targets: they are set for a full run in float32 on a CPU or in bfloat16 on a GPU")
    heading, *aligned = _aligned([_COLUMNS, *(_cells(row) for row in report.rows)])
    lines += ["", heading]
    before = None
    for row, line in zip(report.rows, aligned, strict=True):
        if row.what != before:
            lines.append(row.what)
        lines.append(line)
        before = row.what
    return "\n".join(lines + [f"missing: {what}" for what in report.missing])


def _cells(row: Row):
    met = {True: "yes", False: "NO", None: "-"}[row.met]
    target = "-" if row.target is None else f"{row.sense} {row.target:g} {row.unit}"
    return (
        "-" if row.reached is None else f"{row.reached:.{_digits(row.reached)}f} {row.unit:2}",
        target, met, row.contestant, row.against or "-",
        _number(row.seconds, 4), _number(row.prepare, 4), _number(row.compile, 1), _number(row.megabytes, 1),
        _number(row.waste, 2), row.note,
    )  # fmt: skip


def _digits(value):
    return 0 if value >= 1000 else 2 if value >= 0.1 else 4


def _number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def _aligned(rows):
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if name in _RIGHT else cell.ljust(width)
            for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()
