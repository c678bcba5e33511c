"""The detection matrix: ``python -m companion.clinic.matrix``.

Each planted fault against each finding, NumPy and torch forms. The diagonal is full; a mark beside it needs
an entry in `JUSTIFIED`.
"""

from companion.clinic.examination import examine
from companion.clinic.faults import FORMS, PLANTED

__all__ = ["JUSTIFIED", "detections", "grid", "main", "misfits"]

#: Findings beside a planted fault's own, by (fault, finding), with the reason why they are right.
JUSTIFIED: dict[tuple[str, str], str] = {}


def detections(form: str, seed: int = 0) -> dict[str, tuple[str, ...]]:
    """The findings for each planted fault in one form, "numpy" or "torch", in the order of the report."""
    return {fault.name: examine(**fault.examination(form), seed=seed).names for fault in PLANTED}


def grid(found: dict[str, tuple[str, ...]]) -> str:
    """The matrix as text, rows faults, columns findings: 1 found first, + found as well, . not found."""
    names = list(found)
    names += sorted({name for findings in found.values() for name in findings} - set(names))
    width = max(map(len, names)) + 4
    numbers = [f"{number:2}" for number in range(1, len(names) + 1)]
    lines = [" " * width + _fives(number[digit] for number in numbers) for digit in (0, 1)]
    for number, name in zip(numbers, names, strict=True):
        findings = found.get(name, ())
        marks = ("1" if findings[:1] == (other,) else "+" if other in findings else "." for other in names)
        lines.append(f"{number} {name:<{width - 3}}{_fives(marks) if name in found else ''}".rstrip())
    return "\n".join(lines)


def _fives(marks):
    """The marks in groups of five."""
    marks = "".join(marks)
    return " ".join(marks[start : start + 5] for start in range(0, len(marks), 5))


def misfits(found: dict[str, tuple[str, ...]]) -> list[str]:
    """What is not as it should be: a fault that is not the first finding, or a finding without a reason."""
    words = []
    for fault, findings in found.items():
        unjustified = [name for name in findings if name != fault and (fault, name) not in JUSTIFIED]
        if findings[:1] != (fault,) or unjustified:
            words.append(f"{fault}: found {', '.join(findings) or 'nothing'}")
    return words


def main() -> int:
    """Prints the matrix of both forms; returns 0 if nothing is amiss."""
    wrong = []
    for form in FORMS:
        found = detections(form)
        print(f"{form} (1 found first, + found as well, . not found; columns are numbered as rows)\n")
        print(grid(found), end="\n\n")
        wrong += [f"{form}: {words}" for words in misfits(found)]
    print(
        "\n".join(wrong) or f"{len(PLANTED)} faults in {len(FORMS)} forms, each found first by its own name"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
