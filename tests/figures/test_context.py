"""The figures of chapter 3 and of the page after it: what they draw follows from the numbers given."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import context
from companion.figures.machine import stream
from companion.look import COLOURS
from companion.reference import softmax

SCORES = np.log([[1, 2, 1, 4], [3, 7, 5, 5], [1, 6, 3, 10], [1, 9, 6, 4]])
FIRST = softmax(np.where(np.tril(np.ones((4, 4))) > 0, SCORES, -np.inf))
LATE = np.tril(softmax(SCORES))
FIGURES = {
    "next_tokens": lambda: context.next_tokens(["the", "river", "bank", "flooded"]),
    "mask_orders": lambda: context.mask_orders({"first": FIRST, "late": LATE}),
    "kept_mass": lambda: context.kept_mass([0, 0, 0], [0, 2]),
    "sensitivity": lambda: context.sensitivity({"late": softmax(SCORES)}, {"late": LATE}),
    "stream": stream,
}


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_every_position_but_the_last_has_its_target():
    alt = FIGURES["next_tokens"]().alt
    assert 'position 0 reads "the" and predicts "river"' in alt
    assert 'position 3 reads "the river bank flooded" and predicts what is not known yet' in alt


def test_bars_are_as_long_as_the_weights():
    bar = re.compile(r'<path d="M (\S+) \S+ L (\S+) [^"]*"[^>]*style="fill: ' + COLOURS["alpha"][0])
    lengths = [float(b) - float(a) for a, b in bar.findall(FIGURES["mask_orders"]().svg)]
    lower = np.tril_indices(4)
    weights = np.concatenate([FIRST[lower], LATE[lower]])
    np.testing.assert_allclose(np.array(lengths) / max(lengths), weights, atol=0.002)


def test_row_sums_are_told():
    alt = FIGURES["mask_orders"]().alt
    assert "0.10 0.60 0.30 0.00, sum 1;" in alt
    assert "0.05 0.30 0.15 0.00, sum 0.5;" in alt


@pytest.mark.parametrize(("past", "mark", "told"), [([0, 0, 0], 2, "0.29 at 2"), ([1, 2], 0, "0.91 at 0")])
def test_kept_mass_is_the_softmax_of_the_past(past, mark, told):
    assert f"{softmax([*past, mark])[:-1].sum():.2f} at {mark}" == told
    assert told in context.kept_mass(past, [mark]).alt


def test_leaks_are_framed_and_named():
    figure = FIGURES["sensitivity"]()
    frames = re.findall(rf"stroke: {COLOURS['wrong'][0]}; stroke-width: 1.4", figure.svg)
    assert len(frames) == 6
    assert "late, keys: o_0 by k_1, o_0 by k_2, o_0 by k_3, o_1 by k_2" in figure.alt
    assert "late, values: none" in figure.alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: context.next_tokens(["one"]), r"two words or more, got \['one'\]"),
        (lambda: context.mask_orders({"a": np.eye(3), "b": np.eye(2)}), "one size, got shapes"),
        (lambda: context.mask_orders({}), r"one size, got shapes \[\]"),
        (lambda: context.sensitivity({"a": np.eye(2)}, {"b": np.eye(2)}), r"same names, got \['a'\]"),
        (lambda: context.sensitivity({"a": np.eye(2)}, {"a": np.ones((2, 3))}), "must be square"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
