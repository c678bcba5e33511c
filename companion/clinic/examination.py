"""`examine`: from the first call to the report."""

from collections.abc import Callable, Collection, Sequence

from companion.clinic.adapt import LAYOUTS, STYLES, Adapter, adapt, name_of
from companion.clinic.cases import cases, typical, unreached, usable
from companion.clinic.catalog import CATALOG
from companion.clinic.diagnosis import diagnose
from companion.clinic.exam import Exam, Hangs
from companion.clinic.probes.extremes import scores, sentinel
from companion.clinic.probes.gradient import gradient as gradients
from companion.clinic.probes.influence import leaks, mixes_batch, outside
from companion.clinic.probes.memory import strides
from companion.clinic.probes.precision import precisions
from companion.clinic.probes.repeat import determinism
from companion.clinic.report import Evidence, Finding, Report, Trial
from companion.patterns import Pattern, causal

__all__ = ["PARTS", "examine"]

#: The parts of an examination that ``skip`` may name.
PARTS = (
    "batch and heads", "decoding", "determinism", "dtypes", "duplicates", "empty rows", "gradient",
    "grouped heads", "head width", "outside G", "padding", "scores", "strides", "value width",
)  # fmt: skip


def examine(
    fn: Callable,
    pattern: Pattern = causal(),
    *,
    style: str | None = None,
    layout: str | None = None,
    kind: str | None = None,
    scale: float | None = None,
    lengths: Sequence[int] | None = None,
    gradient: Callable | None = None,
    strict: bool = False,
    skip: Collection[str] = (),
    seed: int = 0,
    seconds: float = 10.0,
    device: str = "cpu",
) -> Report:
    """Examines an attention function from outside, and names what is wrong with it.

    The function is called on generated inputs, smallest first, and compared with `companion.reference`.
    Outputs that differ are compared with those of attention with each known fault, and each pair of them.

    Parameters
    ----------
    fn
        The function, called as ``fn(query, key, value)``, ``fn(query, key, value, mask)`` or
        ``fn(query, key, value, indices)``. A mask is boolean, True = may attend, ``(L, S)`` or, where
        sequences are padded, ``(B, 1, L, S)``; indices are integers ``(L, k)``, padded by -1. May return a
        tuple whose first item is the output.
    pattern
        Who may attend to whom.
    style : "qkv", "mask" or "indices"
        Guessed from the names of the parameters.
    layout : "BHLD", "BLHD", "BLD" or "LD"
        Found by trying.
    kind : "numpy" or "torch"
        Guessed from the code.
    scale
        What scores are multiplied by, ``D ** -0.5`` unless given.
    lengths
        Token counts to try, for a function that cannot do all.
    gradient
        A hand-written backward pass, ``gradient(grad, *arguments of fn)``, which returns the gradients of
        query, key and value. PyTorch functions are differentiated by autograd.
    strict
        Also demand what this book's own functions promise and a matrix product alone does not give: a hidden
        NaN or infinity does not show, and float16 products may not overflow.
    skip
        Names of parts (``companion.clinic.examination.PARTS``) that are no part of the function's contract.
    seed
        Of the inputs.
    seconds
        After which a call is stopped; see ``companion.limits.call``.
    device
        Where tensors lie.

    Raises
    ------
    TypeError, ValueError
        An argument is none of these. Never for what ``fn`` does.

    Examples
    --------
    PyTorch's function without its mask, examined as a causal one:

    >>> from torch.nn.functional import scaled_dot_product_attention
    >>> report = examine(scaled_dot_product_attention)
    >>> report.healthy, report.names
    (False, ('leaks the future',))
    """
    _check(fn, pattern, style, layout, gradient, skip, seconds)
    able = usable(pattern, lengths)
    named = {"style": style, "layout": layout, "kind": kind, "scale": scale, "device": device}
    adapter = adapt(fn, pattern, typical(able), seconds=seconds, **named)
    if not isinstance(adapter, Adapter):
        return _uncallable(fn, pattern, adapter)
    exam = Exam(adapter, pattern, able, scale, seed, gradient)
    if unreached(pattern, able):
        exam.note("window", 0, f"its end was not reached with {able[-1]} tokens: name longer lengths")
    try:
        _run(exam, strict, set(skip))
    except Hangs:
        exam.note("the rest", 0, "not examined: the function hangs")
    return Report(str(adapter), repr(pattern), tuple(exam.findings), tuple(exam.tried))


def _run(exam, strict, skip):
    """All parts, in an order in which no fault can be taken for another."""
    exam.note("determinism", *((0, "skipped") if "determinism" in skip else determinism(exam)))
    if exam.has("dropout left on", "not deterministic"):
        exam.note("the rest", 0, "not examined: outputs that change cannot be compared")
        return
    _outputs(exam, skip)
    right = bool(exam.results) and all(result.right for result in exam.results) and not exam.has("raises")
    parts = {
        "dtypes": precisions,
        "strides": strides,
        "scores": lambda exam: scores(exam, strict),
        "gradient": gradients,
        "outside G": lambda exam: outside(exam, strict),
    }
    for part, probe in parts.items():
        if part == "gradient" and exam.gradient is None and exam.adapter.kind.name == "numpy":
            continue
        if part in skip:
            exam.note(part, 0, "skipped")
        elif not right:
            exam.note(part, 0, "not examined: mend the outputs first")
        elif part == "gradient" and exam.has("writes to its inputs"):
            exam.note(part, 0, "not examined: the function writes to its inputs")
        else:
            exam.note(part, *probe(exam))


def _outputs(exam, skip):
    """Calls the function on all cases, compares, and looks for what explains the difference."""
    refused = {}
    tried = {}
    for case in cases(exam.pattern, exam.adapter.style, exam.adapter.layout, lengths=exam.lengths,
                      scale=exam.scale, seed=exam.seed):  # fmt: skip
        if case.part in skip:
            tried[case.part] = 0
            refused[case.part] = "skipped"
            continue
        outcome = exam.call(case)
        tried[case.part] = tried.get(case.part, 0) + 1
        if outcome.output is not None:
            exam.results.append(exam.result(case, outcome))
        else:
            refused[case.part] = f"{'refused' if case.optional else outcome.trouble}: {outcome.words}"
            if not case.optional:
                exam.find(outcome.trouble, case, outcome.call, note=outcome.words)
    _name(exam)
    wrong = {result.case.part for result in exam.results if not result.right}
    for part, count in tried.items():
        exam.note(part, count, "wrong" if part in wrong else refused.get(part, "right"))


def _name(exam):
    found = diagnose(exam.results, lambda: mixes_batch(exam))
    if [name for name, _ in found] == ["mean of V on empty rows"]:
        # A stand-in for -inf that scores can pass explains the mean too: then it is the one cause.
        sentinel(exam)
        if exam.has("finite sentinel"):
            return
    for name, result in found:
        exam.compare(name, result)
    if found or all(result.right for result in exam.results):
        return
    if mixes_batch(exam):
        result = next(r for r in exam.results if not r.right)
        note = "a change of one batch element moves another's output"
        exam.compare("batch elements mixed", result, note=note)
    elif exam.pattern.everywhere or not leaks(exam):
        result = next(r for r in exam.results if not r.right)
        exam.compare("differs from the reference", result)


def _uncallable(fn, pattern, outcomes):
    """The report on a function of which no call gave an array, or the first one did not end."""
    hangs = outcomes[0].trouble == "hangs"
    said = {}
    for outcome in outcomes:  # each complaint once, with the first call that met it
        said.setdefault(outcome.words, f"{outcome.call}: {outcome.words}")
    words = "; ".join(said.values())
    entry = CATALOG["hangs" if hangs else "cannot be called"]
    evidence = Evidence("one small input", outcomes[0].call, note=outcomes[0].words if hangs else words)
    finding = Finding(entry.name, evidence, entry.cause, entry.chapter)
    outcome = "the function hangs" if hangs else "no array of the right shape came back"
    tried = (Trial("calls", len(outcomes), outcome), Trial("the rest", 0, f"not examined: {outcome}"))
    return Report(name_of(fn), repr(pattern), (finding,), tried, called=hangs)


def _check(fn, pattern, style, layout, gradient, skip, seconds):
    if not callable(fn):
        raise TypeError(f"fn must be a function, not {fn!r}")
    if not isinstance(pattern, Pattern):
        raise TypeError(f"pattern must be a Pattern, such as causal(), not {pattern!r}")
    if style is not None and style not in STYLES:
        raise ValueError(f"style must be one of {sorted(STYLES)}, not {style!r}")
    if layout is not None and layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {list(LAYOUTS)}, not {layout!r}")
    if gradient is not None and not callable(gradient):
        raise TypeError(f"gradient must be a function, not {gradient!r}")
    if isinstance(skip, str) or (unknown := set(skip) - set(PARTS)):
        came = skip if isinstance(skip, str) else unknown
        raise ValueError(f"skip must name parts of {list(PARTS)}, not {came!r}")
    if not seconds > 0:
        raise ValueError(f"seconds must be more than 0, not {seconds!r}")
