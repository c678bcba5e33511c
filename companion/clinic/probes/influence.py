"""What moves when one position changes?"""

from dataclasses import replace

import numpy as np

from companion.clinic.exam import place
from companion.clinic.kinds import epsilon

__all__ = ["leaks", "mixes_batch", "outside"]


def leaks(exam):
    """Adds "leaks the future" if a change of the last token moves rows before it that do not attend it.

    Returns whether it did. For outputs that no known fault explains.
    """
    if exam.length < 2:
        return False
    case = exam.case("influence")
    key, value = case.key.copy(), case.value.copy()
    key[:, :, -1], value[:, :, -1] = key[:, :, -1] + 1, value[:, :, -1] - 3
    outputs = exam.changed(case, key=key, value=value)
    if outputs is None:
        return False
    moved = exam.moved(case, outputs) & ~case.full_mask[..., -1]
    if not moved[..., :-1].any():
        return False
    row = tuple(np.argwhere(moved)[0])
    exam.find(
        "leaks the future", case, exam.call(case).call, f"{place(case, row)} of the output",
        outputs[1][row].tolist(), outputs[0][row].tolist(),
        f"key and value {case.key.shape[2] - 1} were changed, which the row does not attend",
    )  # fmt: skip
    return True


def mixes_batch(exam):
    """Whether a change of one batch element moves the output of another."""
    if "B" not in exam.adapter.layout:
        return False
    case = exam.crowd("influence")
    for element in range(2):
        arrays = {name: getattr(case, name).copy() for name in ("query", "key", "value")}
        for x in arrays.values():
            x[element] = x[element][..., ::-1] + 1
        outputs = exam.changed(case, **arrays)
        if outputs is not None and exam.moved(case, outputs)[1 - element].any():
            return True
    return False


def outside(exam, strict=False):
    """Finds "NaN outside G reaches in": a hidden position that holds NaN or infinity must not show.

    Only a strict examination counts it, since no plain matrix product keeps 0 * NaN out.
    """
    case = exam.case("outside G")
    hidden = ~case.full_mask.any(axis=(0, 1))
    tried = 0
    for position in np.flatnonzero(hidden.any(axis=0)):
        for number in (np.nan, np.inf):
            key, value = case.key.copy(), case.value.copy()
            key[:, :, position] = value[:, :, position] = number
            poisoned = replace(case, key=key, value=value)
            outcome = exam.call(poisoned)
            tried += 1
            if outcome.output is None:
                return tried, f"refused: {outcome.words}"
            unmoved = ~case.full_mask[..., position]
            gap = np.abs(outcome.output - case.expected)[unmoved]
            if not (gap <= case.tolerance(epsilon(exam.adapter.dtype))).all():
                if not strict:
                    return tried, "a hidden NaN shows: counted in a strict examination only"
                rows = np.argwhere(unmoved & ~np.isfinite(outcome.output).all(axis=-1))
                row = tuple(rows[0]) if len(rows) else tuple(np.argwhere(unmoved)[0])
                exam.find(
                    "NaN outside G reaches in", case, outcome.call, f"{place(case, row)} of the output",
                    outcome.output[row].tolist(), case.expected[row].tolist(),
                    f"key and value {position} are {number}, and the row does not attend them",
                )  # fmt: skip
                return tried, "found: NaN outside G reaches in"
    return tried, "right" if tried else "nothing is hidden by this pattern"
