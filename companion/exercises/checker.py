"""Grade a code exercise: generated cases, smallest first, against the reference and the listed mistakes."""

import copy
import inspect
import linecache
import time
import zlib

import numpy as np

from companion import limits
from companion.exercises.kinds.code import Code
from companion.exercises.verdict import Failure, Verdict
from companion.extras import extra

__all__ = ["build", "verdict"]

A_CALL = 1.5  # seconds
ALL_CALLS = 3.0
A_DIAGNOSIS = 10.0  # seconds; it takes less than one where nothing else runs
SEEDS = 2  # cases of one size


def verdict(spec, function):
    """The :class:`Verdict` on ``function``; see :func:`companion.exercises.check`."""
    if not isinstance(spec, Code):
        raise TypeError(f"id: a code exercise expected, {spec.id!r} is of kind {spec.kind!r}")
    if not callable(function):
        raise TypeError(f"function: the function itself expected, {type(function).__name__} came")
    if _same_code(function, build(spec, spec.stub)):
        return _not_attempted(spec)
    cases = list(_cases(spec))
    outcomes, problems, deadline = [], [], time.monotonic() + ALL_CALLS
    for case in cases:
        seconds = min(A_CALL, max(deadline - time.monotonic(), 0.01))
        args = copy.deepcopy(case.args)
        outcome = limits.call(function, args, seconds)
        if isinstance(outcome.error, NotImplementedError) or outcome.value is ...:
            return _not_attempted(spec)
        outcomes.append(outcome)
        problems.append(_problem(spec, case, args, outcome))
        if outcome.state in ("stopped", "stuck"):
            break
    failing = [index for index, problem in enumerate(problems) if problem]
    if not failing:
        return Verdict(spec.id, "passed", spec.why, count=f"{len(cases)} cases", printed=outcomes[0].printed)
    first = failing[0]
    mistake = _mistake(spec, cases, outcomes, failing)
    message = mistake.message if mistake else _diagnosis(spec, function, outcomes) or problems[first]
    return Verdict(
        spec.id,
        "failed",
        message,
        mistake=mistake.name if mistake else None,
        count=f"{len(problems) - len(failing)} of {len(cases)} cases agree",
        failure=_failure(cases[first], outcomes[first]),
        printed=outcomes[first].printed,
    )


def build(spec, source):
    """The function that ``source``, a stub, a solution or a mistake of ``spec``, defines."""
    names = {"__name__": f"exercise {spec.id}"}
    file = f"<exercise {spec.id} {zlib.crc32(source.encode()):08x}>"
    # triton.jit asks Python for the source of a kernel.
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    with extra("torch"):
        exec(compile(source, file, "exec"), names)
    return names[spec.function]


class _Case:
    """Arguments with their names, and what is right for them."""

    def __init__(self, spec, right, size, seed):
        self.args = spec.inputs(np.random.default_rng([size, seed]), size)
        self.names = list(inspect.signature(right).parameters)[: len(self.args)]
        self.right = (spec.reference or right)(*copy.deepcopy(self.args))


def _cases(spec):
    right = build(spec, spec.code)
    return (_Case(spec, right, size, seed) for size in spec.sizes for seed in range(SEEDS))


def _not_attempted(spec):
    message = f"Replace the body of {spec.function} with your own, run its cell, then this one again."
    return Verdict(spec.id, "not attempted", message)


def _same_code(one, other):
    code, stub = getattr(one, "__code__", None), other.__code__
    return (
        code is not None
        and (code.co_code, code.co_names) == (stub.co_code, stub.co_names)
        and _constants(code) == _constants(stub)
    )


def _constants(code):
    return [constant for constant in code.co_consts if not isinstance(constant, str)]


def _problem(spec, case, args, outcome):
    """What is wrong with this outcome, in words; None when nothing is."""
    if outcome.state == "stopped":
        return f"It was stopped: a case may take {A_CALL} s, all together {ALL_CALLS}. Does a loop never end?"
    if outcome.state == "stuck":
        return "It does not end, and cannot be stopped from here: restart the kernel."
    if outcome.state == "raised":
        where = f" in its line {outcome.line}" if outcome.line else ""
        return f"It raised {type(outcome.error).__name__}{where}: {_one_line(outcome.error)}"
    for name, given, left in zip(case.names, case.args, args):
        if not _equal(given, left):
            return f"It writes into its argument {name}; work on a copy."
    return _difference(outcome.value, case.right, spec.tolerance)


def _one_line(error):
    text = " ".join(str(error).split())
    # The message becomes text of an exercise, where these three mark up.
    return text.translate({ord("$"): None, ord("`"): "'", ord("*"): "·"})[:200] or "(no message)"


def _difference(value, right, tolerance):
    if value is None:
        return "It returned None: is there a return at its end?"
    if isinstance(right, tuple):
        if not isinstance(value, tuple) or len(value) != len(right):
            return f"It returned {_kind(value)}; {len(right)} results were expected."
        parts = (_difference(one, other, tolerance) for one, other in zip(value, right))
        return next(filter(None, parts), None)
    if hasattr(right, "shape") and np.ndim(_array(right)) > 0 and type(value) is not type(right):
        return f"It returned {_kind(value)}; {_kind(right)} was expected."
    got, want = _array(value), _array(right)
    if got.dtype.kind not in "iufb":
        return f"It returned {_kind(value)}; {_kind(right)} was expected."
    if got.shape != want.shape:
        swapped = got.ndim > 1 and got.shape == want.shape[::-1]
        hint = " It looks transposed." if swapped else ""
        return f"It returned shape {got.shape}; {want.shape} was expected.{hint}"
    if want.dtype.kind == "f" and hasattr(value, "dtype") and value.dtype != right.dtype:
        return f"It returned {value.dtype}; {right.dtype} was expected, as the inputs are."
    return _values(got.astype(np.float64), want.astype(np.float64), tolerance)


def _values(got, want, tolerance):
    if (np.isnan(got) & ~np.isnan(want)).any():
        return "It returned NaN where a number was expected."
    if _close(got, want, tolerance):
        return None
    if got.ndim > 1 and got.shape == got.T.shape and _close(got.T, want, tolerance):
        return "It returned the transpose of what is right."
    if _close(got, want, 1e-5):
        return "It is right to about 7 digits only: something in it is float32."
    return "The values differ."


def _close(got, want, tolerance):
    finite = np.abs(want[np.isfinite(want)])
    scale = finite.max() if finite.size else 1.0
    return np.allclose(got, want, rtol=0, atol=tolerance * max(scale, 1e-300), equal_nan=True)


def _array(value):
    """NumPy's view of an array, a tensor or a number; bfloat16, which NumPy lacks, as float32."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value.float() if "bfloat16" in str(value.dtype) else value).numpy()
    try:
        return np.asarray(value)
    except ValueError:  # a ragged list
        return np.asarray(None)


def _equal(one, other):
    if hasattr(one, "shape"):
        return np.array_equal(_array(one), _array(other), equal_nan=_array(one).dtype.kind == "f")
    return one == other


def _kind(value):
    if hasattr(value, "shape") and np.ndim(_array(value)) > 0:
        name = "a tensor" if hasattr(value, "detach") else "an array"
        return f"{name} of shape {tuple(value.shape)}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _mistake(spec, cases, outcomes, failing):
    """The first listed mistake whose results are the function's own, wherever that fails."""
    if outcomes[-1].state in ("stopped", "stuck"):
        return None
    for mistake in spec.mistakes:
        function = build(spec, mistake.source)
        theirs = (limits.call(function, copy.deepcopy(cases[index].args), A_CALL) for index in failing)
        if all(_alike(outcomes[index], other) for index, other in zip(failing, theirs)):
            return mistake
    return None


def _alike(one, other):
    if one.state != other.state:
        return False
    if one.state == "raised":
        return type(one.error) is type(other.error)
    if one.value is None or other.value is None:
        return one.value is other.value
    return _difference(one.value, other.value, 1e-7) is None


def _diagnosis(spec, function, outcomes):
    if spec.diagnose is None or outcomes[-1].state != "value":
        return None
    return limits.call(spec.diagnose, (function,), A_DIAGNOSIS).value


def _failure(case, outcome):
    if outcome.state != "value":
        actual = {"raised": type(outcome.error).__name__}.get(outcome.state, "it does not end")
    else:
        actual = _shown(outcome.value)
    arguments = tuple((name, _shown(value)) for name, value in zip(case.names, case.args))
    return Failure(arguments, _shown(case.right), actual)


def _shown(value):
    if isinstance(value, tuple):
        return "\n".join(_shown(part) for part in value)
    array = _array(value)
    if array.dtype.kind not in "iufb" or array.size == 0:
        text = repr(value)
        return text if len(text) <= 120 else f"{text[:120]} ..."
    return np.array2string(
        array, precision=4, suppress_small=True, threshold=60, edgeitems=3, max_line_width=72
    )
