"""The other precisions of the same numbers."""

from dataclasses import replace

import numpy as np

from companion.clinic.diagnosis import agrees
from companion.clinic.kinds import DTYPES

__all__ = ["precisions"]


def precisions(exam):
    """Every dtype that the function takes gives the right output, in its own precision."""
    words, tried = [], 0
    for dtype in DTYPES:
        if dtype == exam.adapter.dtype or dtype not in exam.adapter.kind.dtypes:
            continue
        for case in (exam.crowd("dtypes"), exam.case("dtypes", exam.longer)):
            tried += 1
            rounded = _rounded(exam, case, dtype)
            outcome = exam.call(rounded, dtype)
            if outcome.output is None:
                words.append(f"{dtype} refused")
                break
            # A function may compute in float32 whatever it is given.
            result = exam.result(rounded, outcome, "float32" if dtype == "float64" else dtype)
            if not agrees(result, rounded.expected):
                unbounded = not np.isfinite(outcome.output).all()
                exam.compare("overflows" if unbounded else "differs from the reference", result,
                             note=f"right in {exam.adapter.dtype}, wrong in {dtype}")  # fmt: skip
                words.append(f"{dtype} wrong")
                break
        else:
            words.append(f"{dtype} right")
    return tried, ", ".join(words)


def _rounded(exam, case, dtype):
    """The case with its numbers as the precision holds them."""
    kind = exam.adapter.kind
    arrays = {name: kind.float64(kind.make(getattr(case, name), dtype)) for name in ("query", "key", "value")}
    return replace(case, **arrays)
