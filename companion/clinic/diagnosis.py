"""The differential diagnosis: which fault, or pair of faults, explains all outputs at once."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from companion.clinic.cases import Case
from companion.clinic.model import RESHAPES, predict

__all__ = ["Result", "diagnose"]


@dataclass(frozen=True, eq=False)
class Result:
    """A case, what the function returned for it, and how it was called."""

    case: Case
    output: np.ndarray
    call: str
    epsilon: float

    @cached_property
    def right(self) -> bool:
        return agrees(self, self.case.expected)

    def worst(self, wanted):
        """(batch, head, row) of the output row that is farthest from the wanted one."""
        gap = np.abs(np.where(self.case.counted, self.output - wanted, 0)).max(axis=-1)
        return np.unravel_index(np.argmax(np.where(np.isnan(gap), np.inf, gap)), gap.shape)


def agrees(result, wanted, known=True, slack=1):
    """Whether the output is the wanted one, NaN for NaN, in the rows that count and are known."""
    rows = np.broadcast_to(result.case.counted & known, result.output.shape)
    got, wanted = result.output[rows], np.broadcast_to(wanted, result.output.shape)[rows]
    near = np.abs(got - wanted) <= slack * result.case.tolerance(result.epsilon)
    return bool((near | (np.isnan(got) & np.isnan(wanted))).all())


#: Switches of `companion.clinic.model.predict` by finding. A finding may show in several ways.
HYPOTHESES = [
    ("leaks the future", {"mask": "shifted"}),
    ("leaks the future", {"mask": "ignored"}),
    ("excludes itself", {"mask": "strict"}),
    ("mask polarity inverted", {"mask": "inverted"}),
    ("window one key too many", {"mask": 1}),
    ("window one key too few", {"mask": -1}),
    ("aligned top-left", {"align": "top-left"}),
    ("masked after the softmax", {"order": "after"}),
    ("mask used as numbers", {"numbers": "added"}),
    ("mask used as numbers", {"numbers": "multiplied"}),
    ("softmax over the wrong axis", {"axis": -2}),
    ("softmax over the wrong axis", {"axis": -3}),
    ("softmax over the wrong axis", {"axis": -4}),
    ("no scale", {"scale": "none"}),
    ("scaled by D", {"scale": "squared"}),
    ("scale multiplied", {"scale": "multiplied"}),
    ("keys used as values", {"values": "keys"}),
    ("kv heads tiled", {"groups": "tiled"}),
    ("-1 read as the last key", {"slots": "last"}),
    ("duplicates counted twice", {"repeats": "twice"}),
    ("NaN on empty rows", {"empty": "nan"}),
    ("mean of V on empty rows", {"empty": "mean"}),
    ("padding attended", {"padding": "first"}),
    *[("padding attended", {"padding": block}) for block in (4, 8, 16, 32, 64, 128)],
    *[
        ("heads mixed by a reshape", {"reshape": (inputs, output)})
        for inputs in (None, *RESHAPES)
        for output in (None, *RESHAPES)
        if inputs or output
    ],
]  # fmt: skip

#: These say nothing of some cases: they are asked last, and need more than that nothing speaks against them.
PARTIAL = [
    ("batch elements mixed", {"batch": "mixed"}),
    *[("right only for multiples of a block", {"block": 2**n}) for n in range(1, 8)],
]


def diagnose(results, mixes_batch):
    """Names of the faults that explain the results, each with the smallest result that shows it.

    ``mixes_batch()`` says whether changing one batch element changes another's output. Returns an empty list
    if nothing is wrong or if no fault and no pair of faults explains what is.
    """
    if all(result.right for result in results):
        return []
    for combination in _combinations():
        if _explains(combination, results, mixes_batch):
            found = [(name, _shown(switches, combination, results)) for name, switches in combination]
            if all(shown for _, shown in found):
                return found
    return []


def _combinations():
    """What may explain the results: one fault, then two; those that say nothing of some cases come last."""
    yield from ((fault,) for fault in HYPOTHESES)
    yield from ((fault,) for fault in PARTIAL)
    yield from (pair for pair in combinations(HYPOTHESES, 2) if _distinct(*pair))
    yield from ((fault, partial) for partial in PARTIAL for fault in HYPOTHESES)


def _explains(combination, results, mixes_batch):
    """Whether the faults together predict every output, and each has something to show for it."""
    if not all(_predicts(combination, result) for result in results):
        return False
    *others, (_, switches) = combination
    if "batch" in switches:
        return mixes_batch() and (not others or _shows(others, results))
    if "block" in switches:
        return _ends_show(switches["block"], others, results) and (not others or _shows(others, results))
    return _shows(combination, results)


def _shows(combination, results):
    """Whether some output is wrong where the prediction is known."""
    switches = _merged(combination)
    known = ((result, predict(result.case, **switches)[1]) for result in results if not result.right)
    return any(not agrees(result, result.case.expected, rows) for result, rows in known)


def _ends_show(block, others, results):
    """Whether lengths that fill blocks were tried, and all that end in a shorter one come out wrong."""
    lengths = [(result, result.case.query.shape[2]) for result in results]
    ragged = [result for result, L in lengths if L % block and L > block]
    filled = [L for _, L in lengths if L % block == 0]
    return bool(filled) and len(ragged) > 1 and not any(_predicts(others, result) for result in ragged)


def _predicts(combination, result):
    return agrees(result, *predict(result.case, **_merged(combination)), slack=4)


def _merged(combination):
    """The switches of all faults in one dict."""
    return {key: value for _, part in combination for key, value in part.items()}


def _distinct(first, second):
    return not first[1].keys() & second[1].keys() and first[0] != second[0]


def _shown(switches, combination, results):
    """The smallest result that the other faults of the combination do not explain, or None."""
    others = [part for part in combination if part[1] is not switches]
    return next((result for result in results if not _predicts(others, result)), None)
