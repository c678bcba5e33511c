"""Calling a function of any style, layout and kind of array, and what came of the call."""

import inspect
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from companion import limits
from companion.clinic.cases import square
from companion.clinic.kinds import kind_named, likely_kinds
from companion.patterns import full

__all__ = ["LAYOUTS", "STYLES", "Adapter", "Outcome", "adapt", "name_of", "overrun", "said"]

#: Axes of query, key and value. Letters left out have size 1.
LAYOUTS = ("BHLD", "BLHD", "BLD", "LD")

#: What the function takes beside query, key and value, and the parameter names that tell it.
STYLES = {
    "mask": ("mask", "attn_mask", "attention_mask", "keep", "allowed"),
    "indices": ("indices", "index", "idx", "index_set", "topk_indices", "selected", "G"),
    "qkv": (),
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of one call: an output in float64, ``(B, H, L, Dv)``, or a trouble and the words for it.

    trouble: None, "raises", "hangs" or "wrong shape". raw: what was returned. dtype: that of the output.
    wrote: names of the arguments that were written to. call: how it was called.
    """

    call: str
    output: np.ndarray | None = None
    trouble: str | None = None
    words: str = ""
    raw: object = None
    dtype: str = ""
    wrote: tuple[str, ...] = ()


@dataclass(frozen=True)
class Adapter:
    """A function and how it is called.

    extra: name of the parameter for the mask or the indices, None if it goes by position.
    """

    fn: object
    kind: object
    style: str
    layout: str
    extra: str | None = None
    dtype: str = "float32"
    seconds: float = 10.0

    @property
    def name(self) -> str:
        return name_of(self.fn)

    def __str__(self):
        arguments = "query, key, value" + {"qkv": "", "mask": ", mask", "indices": ", indices"}[self.style]
        return f"{self.name}({arguments}), {self.kind.name}, layout ({', '.join(self.layout)})"

    def arrays(self, case, dtype=None):
        """Fresh query, key and value in the function's kind and layout."""
        dtype = dtype or self.dtype
        return [self.kind.make(self.laid(x), dtype) for x in (case.query, case.key, case.value)]

    def laid(self, x):
        """``(B, H, L, D)`` in the function's layout."""
        if self.layout == "BLHD":
            return x.swapaxes(1, 2)
        return x if self.layout == "BHLD" else x[:, 0] if self.layout == "BLD" else x[0, 0]

    def canonical(self, x):
        """The function's layout as ``(B, H, L, D)``."""
        if self.layout == "BLHD":
            return x.swapaxes(1, 2)
        return x if self.layout == "BHLD" else x[:, None] if self.layout == "BLD" else x[None, None]

    def extras(self, case):
        """The mask or the indices, as positional and named arguments."""
        if self.style == "qkv":
            return (), {}
        extra = case.mask if self.style == "mask" else case.indices
        if self.style == "mask" and extra.ndim == 4 and "H" not in self.layout:
            extra = extra[:, 0]
        extra = self.kind.make(extra)
        return ((), {self.extra: extra}) if self.extra else ((extra,), {})

    def call(self, case, dtype=None, arrays=None) -> Outcome:
        """Calls the function on a case; ``arrays`` take the place of its query, key and value."""
        arrays = self.arrays(case, dtype) if arrays is None else arrays
        positional, named = self.extras(case)
        given = [*arrays, *positional, *named.values()]
        names = ["query", "key", "value", *([self.style] if len(given) > 3 else [])]
        before = [self.kind.copy(x) for x in given]
        call = self._words(names, given, named)
        with np.errstate(all="ignore"):
            found = limits.call(self.fn, (*arrays, *positional), self.seconds, named)
        if found.state == "raised":
            return Outcome(call, trouble="raises", words=said(found.error))
        if found.state != "value":
            return Outcome(call, trouble="hangs", words=overrun(found, self.seconds))
        changed = [
            not np.array_equal(self.kind.float64(x), self.kind.float64(y), equal_nan=True)
            for x, y in zip(given, before, strict=True)
        ]
        wrote = tuple(name for name, differs in zip(names, changed, strict=True) if differs)
        return replace(self._read(case, found.value, call), wrote=wrote)

    def _read(self, case, raw, call):
        value = raw[0] if isinstance(raw, tuple) and raw else raw
        if not self.kind.holds(value):
            return Outcome(call, trouble="wrong shape", words=f"returned {_kind_of(value)}", raw=raw)
        wanted = self.laid(np.empty((*case.query.shape[:3], case.value.shape[-1]))).shape
        if tuple(value.shape) != wanted:
            words = f"returned shape {tuple(value.shape)}, expected {wanted}"
            return Outcome(call, trouble="wrong shape", words=words, raw=raw)
        output = self.canonical(self.kind.float64(value))
        return Outcome(call, output=output, raw=value, dtype=self.kind.dtype(value))

    def _words(self, names, given, named):
        keyword = f"{self.extra}=" if named else ""
        parts = [f"{name} {tuple(x.shape)}" for name, x in zip(names, given, strict=True)]
        if len(parts) > 3:
            parts[3] = keyword + parts[3]
        return f"{self.name}({', '.join(parts)}), {self.kind.dtype(given[0])}, {self.kind.name}"


def adapt(fn, pattern, length, *, style=None, layout=None, kind=None, scale=None, device="cpu", seconds=10.0):
    """The way of calling ``fn`` that fits best, as an Adapter; a list of Outcomes if none gives an array.

    What is not named is guessed: the style from the signature, the kind of array from what the function
    mentions. What remains open is tried out on ``length`` tokens: the first choice is a way that gives right
    outputs, then one that returns a lone token's value, as every attention must, then one of the right shape.
    """
    kinds = [kind_named(name, device) for name in ((kind,) if kind else likely_kinds(fn))]
    layouts = [name for name in ((layout,) if layout else LAYOUTS) if pattern.heads is None or "H" in name]
    best, tried = (0, None), []
    for kind_, (style_, extra), layout_ in product(kinds, _styles(fn, style), layouts):
        for dtype in kind_.dtypes:
            adapter = Adapter(fn, kind_, style_, layout_, extra, dtype, seconds)
            score, outcome = _score(adapter, pattern, length, scale)
            if outcome.trouble == "hangs":
                return [outcome]
            if dtype == kind_.dtypes[0]:
                tried.append(outcome)
            if outcome.trouble != "raises":
                break
        if score > best[0]:
            best = (score, adapter)
        if score == 3:
            break
    return best[1] or tried


def _styles(fn, style):
    """(style, parameter's name) pairs to try; the name is None where the parameter goes by position."""
    fn = fn.forward if hasattr(fn, "forward") else fn
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    found = []
    for parameter in parameters:
        for name, words in STYLES.items():
            if parameter.name in words and style in (None, name):
                by_name = parameter.kind is not parameter.POSITIONAL_ONLY
                found.append((name, parameter.name if by_name else None))
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    if style is not None:
        return found or [(style, None)]
    if found and found[0][1] in [p.name for p in needed]:
        return found
    return [*found, ("qkv", None)]


def _score(adapter, pattern, length, scale):
    """3 right, 2 right for one token, 1 right shape, 0 none of these; and what came of the call."""
    options = {"size": (2, pattern.heads or 3), "scale": scale, "style": adapter.style}
    options["size"] = (2 if "B" in adapter.layout else 1, options["size"][1] if "H" in adapter.layout else 1)
    case = square("adapting", pattern, length, **options)
    outcome = adapter.call(case)
    if outcome.trouble:
        return 0, outcome
    if _near(outcome.output, case.expected, case):
        return 3, outcome
    lone = square("adapting", full(), 1, **options)
    output = adapter.call(lone).output
    alone = output is not None and (_near(output, lone.value, lone) or _near(output, lone.key, lone))
    return (2 if alone else 1), outcome


def _near(output, wanted, case):
    return bool(np.abs(output - wanted).max() <= case.tolerance(2.0**-12))


def name_of(fn) -> str:
    """What a function is called in a report."""
    fn = getattr(fn, "func", fn)
    return getattr(fn, "__qualname__", None) or type(fn).__name__


def said(error) -> str:
    """An exception in one line: its type and the first line of its message, not too long."""
    first = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {first[:200]}{' ...' if len(first) > 200 else ''}"


def overrun(found, seconds) -> str:
    """What happened to a call that took longer than ``seconds``: a `limits.Outcome` in words."""
    if found.state == "stuck":
        return f"not done after {seconds:g} s, could not be stopped and still runs"
    return f"stopped after {seconds:g} s"


def _kind_of(value):
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__}" + (f" of shape {tuple(shape)}" if shape is not None else "")
