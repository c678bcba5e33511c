"""Scores far from 0."""

from dataclasses import replace

import numpy as np

from companion.clinic.diagnosis import agrees

__all__ = ["scores", "sentinel"]

#: Largest score, after the scale, that is tried: past the range of exp, with products inside the dtype's.
_LARGE = {"float32": 200, "float64": 2000, "bfloat16": 200, "float16": 30}
_LOW = (1e3, 1e5, 1e9, 1e12)  # how far below 0 the allowed scores lie when sentinels are looked for


def scores(exam, strict=False):
    """Finds "overflows" for large scores of either sign, then "finite sentinel" for very negative ones."""
    tried = 0
    for dtype in exam.adapter.kind.dtypes:
        for case in _large(exam, dtype, strict):
            outcome = exam.call(case, dtype)
            if outcome.output is None:
                break
            tried += 1
            result = exam.result(case, outcome, "float32" if dtype == "float64" else dtype)
            if not agrees(result, case.expected):
                row = result.output[result.worst(case.expected)]
                lost = not np.isfinite(row).all() or not row.any()
                top = np.abs(case.scale * case.query @ case.key.swapaxes(-1, -2)).max()
                exam.compare("overflows" if lost else "differs from the reference", result,
                             note=f"{dtype}, scores up to {top:.4g}")  # fmt: skip
                return tried, f"found: {exam.findings[-1].name}"
    more, low = sentinel(exam)
    return tried + more, low or "right"


def _large(exam, dtype, strict):
    """Cases with scores up to the limit, of both signs and all negative."""
    case = exam.crowd("large scores")
    size = np.abs(case.scale * case.query @ case.key.swapaxes(-1, -2)).max()
    factor = np.sqrt(_LARGE[dtype] / size)
    yield _as_held(exam, replace(case, query=case.query * factor, key=case.key * factor), dtype)
    # One number in all entries: a score is scale * D * a * b.
    D = case.query.shape[-1]
    side = np.sqrt(_LARGE[dtype] / (abs(case.scale) * D))
    tilt = 1 + np.linspace(0, 0.05, case.key.shape[2])[:, None]
    yield _as_held(exam, replace(case, query=0 * case.query - side, key=0 * case.key + side * tilt), dtype)
    if strict and dtype == "float16":
        wide = exam.case("large scores", D=64)
        yield replace(wide, query=0 * wide.query + 300, key=0 * wide.key + 300)


def _as_held(exam, case, dtype):
    kind = exam.adapter.kind
    names = ("query", "key")
    return replace(case, **{name: kind.float64(kind.make(getattr(case, name), dtype)) for name in names})


def sentinel(exam):
    """Finds "finite sentinel": hidden keys score 0, allowed ones lower and lower, until a finite stand-in for
    -inf is passed. Independent of the scale."""
    case = exam.case("low scores")
    # A row that has both hidden and allowed keys in every head; the others are not looked at.
    allowed = case.full_mask[0]
    rows = np.flatnonzero((allowed.any(axis=-1) & ~allowed.all(axis=-1)).all(axis=0))
    if exam.adapter.dtype == "float16" or not rows.size:
        return 0, ""
    row = rows[len(rows) // 2]
    counted = np.zeros((1, allowed.shape[1]), bool)
    counted[:, row] = True
    for tried, low in enumerate(_LOW, 1):
        side = np.sqrt(low / (abs(case.scale) * case.query.shape[-1]))
        query = np.full_like(case.query, -side)
        key = np.where(allowed[:, row, :, None], side, 0 * case.key)
        deep = _as_held(exam, replace(case, query=query, key=key, rows=counted), exam.adapter.dtype)
        outcome = exam.call(deep)
        if outcome.output is None:
            return tried, f"refused: {outcome.words}"
        # The allowed keys are all alike, so the right output is a plain mean whatever the rounding.
        result = exam.result(replace(deep, scale=0.0), outcome)
        if not agrees(result, result.case.expected):
            finite = np.isfinite(outcome.output[:, :, row]).all()
            name = "finite sentinel" if finite else "overflows"
            exam.compare(name, result, note=f"the allowed scores are {-low:g}, the hidden ones 0")
            return tried, f"found: {name}"
    return len(_LOW), ""
