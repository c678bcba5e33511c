"""The model with switches: the reference when none is set, and the fault itself when one is."""

import numpy as np
import pytest

from companion import reference
from companion.clinic.cases import cases, square
from companion.clinic.diagnosis import HYPOTHESES
from companion.clinic.model import gradients, predict
from companion.patterns import causal, chunks, full, per_head, sinks, sliding_window

PATTERNS = [
    causal(),
    full(),
    sliding_window(3) | sinks(1),
    per_head([causal(), sliding_window(2), chunks(4)]),
]


# An index set serves all heads, so it cannot hold a pattern that tells them apart.
STYLED = [
    (p, style)
    for p in PATTERNS
    for style in ("qkv", "mask", "indices")
    if not (p.heads and style == "indices")
]


@pytest.mark.parametrize("pattern, style", STYLED, ids=repr)
def test_without_a_switch_it_is_the_reference(pattern, style):
    for case in cases(pattern, style, "BHLD", lengths=(1, 2, 5, 17)):
        output, known = predict(case)
        assert known.all()
        np.testing.assert_allclose(output, case.expected, atol=1e-12)


@pytest.mark.parametrize("groups", [1, 2])
def test_gradients_are_those_of_the_reference(groups):
    case = square("gradient", causal(), 4, size=(1, 2 * groups), kv_heads=2)
    grad = np.random.default_rng(1).normal(size=case.query.shape)
    arrays = {"query": case.query, "key": case.key, "value": case.value}

    def objective(arrays):
        key, value = (np.repeat(arrays[name], groups, axis=1) for name in ("key", "value"))
        return (reference.attention(arrays["query"], key, value, case.mask) * grad).sum()

    for (name, x), formula in zip(arrays.items(), gradients(case, grad), strict=True):
        for index in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[index] = 1e-6
            ends = [objective({**arrays, name: x + sign * step}) for sign in (1, -1)]
            np.testing.assert_allclose(formula[index], (ends[0] - ends[1]) / 2e-6, atol=1e-7)


TRIED = [
    (causal(), "qkv"),
    (sliding_window(4), "qkv"),
    (full(), "qkv"),
    (causal(), "mask"),
    (causal(), "indices"),
]


def changes(switches, pattern, style):
    """How a fault's outputs differ from the right ones, case by case, where they are known."""
    for case in cases(pattern, style, "BHLD", lengths=(2, 5, 17)):
        output, known = predict(case, **switches)
        change = np.where(known & case.counted, np.nan_to_num(output, nan=77) - case.expected, 0)
        yield np.where(np.abs(change) > 1e-6, change, 0).round(6) + 0.0


def test_every_switch_changes_some_case():
    """A fault that equals the reference on all cases could not be told from health."""
    for name, switches in HYPOTHESES:
        assert any(change.any() for where in TRIED for change in changes(switches, *where)), (name, switches)


@pytest.mark.parametrize("pattern, style", TRIED, ids=repr)
def test_no_two_findings_look_alike(pattern, style):
    """Were two faults to give one output on every case, the first in the list would always be named."""
    seen = {}
    for name, switches in HYPOTHESES:
        change = list(changes(switches, pattern, style))
        if any(part.any() for part in change):
            assert seen.setdefault(b"".join(part.tobytes() for part in change), name) == name
