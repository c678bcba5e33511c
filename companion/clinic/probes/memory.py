"""The same numbers in other orders of memory."""

from dataclasses import replace

from companion.clinic.diagnosis import agrees

__all__ = ["strides"]


def strides(exam):
    """Finds "depends on strides": transposed, sliced and shared memory gives the contiguous answer."""
    case = exam.crowd("strides")
    kind, words = exam.adapter.kind, []
    for name, view in (("transposed", kind.swapped), ("sliced", kind.stepped), ("shared", kind.shared)):
        arrays = [view(x) for x in exam.adapter.arrays(case)]
        names = ("query", "key", "value")
        numbers = [exam.adapter.canonical(kind.float64(x)) for x in arrays]
        seen = replace(case, **dict(zip(names, numbers, strict=True)))
        outcome = exam.call(seen, arrays=arrays)
        if outcome.output is None:
            words.append(f"{name} refused")
            continue
        result = exam.result(seen, outcome)
        if not agrees(result, seen.expected):
            note = f"the arrays are {name}; contiguous ones come out right"
            exam.compare("depends on strides", result, note=note)
            words.append(f"{name} wrong")
        else:
            words.append(f"{name} right")
    return 3, ", ".join(words)
