"""Does the same call give the same output?"""

from dataclasses import replace

import numpy as np

__all__ = ["determinism"]

_CALLS = 8


def determinism(exam):
    """Finds "dropout left on" and "not deterministic". Everything else needs repeatable outputs.

    With values that form a unit matrix the output is the weights. Dropout shows as weights that are 0 in
    some calls and one and the same number in all others.
    """
    cases = [exam.crowd("determinism"), exam.case("determinism", exam.longer)]
    for tried, case in enumerate(cases, 1):
        outputs = [x for x in (exam.call(case) for _ in range(_CALLS)) if x.output is not None]
        for other in outputs[1:]:
            if not np.array_equal(other.output, outputs[0].output, equal_nan=True):
                name = "dropout left on" if _drops(exam) else "not deterministic"
                note = "expected is what another call with the same arrays gave"
                exam.compare(name, exam.result(case, outputs[0]), other.output, note)
                return tried, f"found: {name}"
    return len(cases), f"{_CALLS} calls of each gave the same bits"


def _drops(exam):
    """Whether weights come and go. Keys are a unit matrix too, for functions that use them as values."""
    case = exam.case("determinism", D=max(exam.length, 4))
    unit = np.broadcast_to(np.eye(*case.value.shape[-2:]), case.value.shape)
    case = replace(case, key=unit, value=unit)
    outputs = [exam.call(case).output for _ in range(2 * _CALLS)]
    if any(output is None for output in outputs):
        return False
    weights = np.nan_to_num(np.stack(outputs))
    gone = weights == 0
    most = np.abs(weights).max(axis=0)
    same = np.isclose(weights, most, rtol=1e-4, atol=0)
    flicker = gone.any(axis=0) & ~gone.all(axis=0)
    return bool(flicker.any() and (gone | same).all())
