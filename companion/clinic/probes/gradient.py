"""The gradients of a function whose outputs are right."""

import numpy as np

from companion import limits
from companion.clinic.adapt import overrun, said
from companion.clinic.exam import Hangs, place
from companion.clinic.kinds import epsilon
from companion.clinic.model import gradients

__all__ = ["gradient"]

_FACTOR = 8  # over the tolerance of an output: a gradient is a product more


def gradient(exam):
    """Finds "wrong gradient": compares with the formula, for a random gradient of the output.

    The gradients come from PyTorch's autograd, or from the backward function that came with the examination.
    """
    cases = [exam.crowd("gradient")]
    cases += [r.case for r in exam.results if r.case.part in ("grouped heads", "empty rows")]
    for tried, case in enumerate(cases, 1):
        rng = np.random.default_rng([exam.seed, tried])
        grad = rng.normal(size=(*case.query.shape[:3], case.value.shape[-1])).round(2)
        try:
            got = _by_hand(exam, case, grad) if exam.gradient else _by_autograd(exam, case, grad)
        except Hangs:
            raise
        except (Exception, SystemExit) as error:
            if exam.gradient:
                exam.find("raises", case, "its gradient", note=said(error))
                return tried, "found: raises"
            return tried, f"refused: {said(error)}"
        if got is None:
            return tried, "the output carries no gradient"
        for name, mine, wanted in zip(("query", "key", "value"), got, gradients(case, grad), strict=True):
            if mine is None:  # another input has one: autograd stops on the way to this one
                mine = np.zeros_like(wanted)
            if not _near(exam, case, grad, mine, wanted):
                _find(exam, case, name, mine, wanted)
                return tried, "found: wrong gradient"
    return len(cases), "right"


def _near(exam, case, grad, mine, wanted):
    size = max(1.0, np.abs(grad).max(), np.abs(wanted).max()) * max(1.0, np.abs(case.key).max())
    room = _FACTOR * size * case.tolerance(epsilon(exam.adapter.dtype))
    return mine.shape == wanted.shape and bool((np.abs(mine - wanted) <= room).all())


def _find(exam, case, name, mine, wanted):
    call, note = exam.call(case).call, "gradients of the sum of output times a random array"
    if mine.shape != wanted.shape:
        note = f"the gradient of {name} has shape {mine.shape}, expected {wanted.shape}"
        exam.find("wrong gradient", case, call, note=note)
        return
    gap = np.nan_to_num(np.abs(mine - wanted), nan=np.inf)
    worst = np.unravel_index(np.argmax(gap), gap.shape)[:3]
    where = f"{place(case, worst)} of the gradient of {name}"
    exam.find("wrong gradient", case, call, where, mine[worst].tolist(), wanted[worst].tolist(), note)


def _by_autograd(exam, case, grad):
    adapter = exam.adapter
    arrays = [x.requires_grad_() for x in adapter.arrays(case)]
    outcome = exam.call(case, arrays=arrays)
    if outcome.output is None:
        raise RuntimeError(outcome.words)
    if not outcome.raw.requires_grad:
        return None
    total = (outcome.raw * adapter.kind.make(adapter.laid(grad), adapter.dtype)).sum()
    _limited(exam, case, total.backward, ())
    return [None if x.grad is None else adapter.canonical(adapter.kind.float64(x.grad)) for x in arrays]


def _by_hand(exam, case, grad):
    adapter = exam.adapter
    positional, named = adapter.extras(case)
    dout = adapter.kind.make(adapter.laid(grad), adapter.dtype)
    got = _limited(exam, case, exam.gradient, (dout, *adapter.arrays(case), *positional), named)
    if len(got) != 3:
        raise ValueError(f"returned {len(got)} arrays, expected 3: the gradients of query, key and value")
    return [adapter.canonical(adapter.kind.float64(x)) for x in got]


def _limited(exam, case, function, args, named=None):
    seconds = exam.adapter.seconds
    found = limits.call(function, args, seconds, named)
    if found.state == "raised":
        raise found.error
    if found.state != "value":
        exam.find("hangs", case, "its gradient", note=overrun(found, seconds))
        raise Hangs
    return found.value
