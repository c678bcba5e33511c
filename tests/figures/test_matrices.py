"""The figures of chapter 5: what they draw is what the reference and NumPy compute."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import matrices
from companion.look import COLOURS
from companion.patterns import causal, documents
from companion.reference import attention

Q = np.log([[2, 2, 3, 1], [2, 1, 3, 3], [2, 2, 3, 3]])
K = np.array([[1, -1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]])
V = np.array([[1, 2], [3, 0], [4, 5]])
BAR = re.compile(r'<path d="M (\S+) \S+ L (\S+) [^"]*"[^>]*style="fill: ' + COLOURS["alpha"][0])
FIGURES = {
    "four_steps": lambda: matrices.four_steps(Q, K, V),
    "cut": matrices.cut,
    "concatenated": lambda: matrices.concatenated([[0, 0], [1, 1]], [[1, 0], [0, 1]]),
    "masks": lambda: matrices.masks({"causal": (causal().mask(4), "0123"), "packed": (packed(), "aabbb")}),
}


def packed():
    return documents([2, 3]).mask(5)


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_four_steps_ends_at_the_reference():
    figure = FIGURES["four_steps"]()
    outputs = attention(Q, K, V, causal().mask(3))
    told = figure.alt.split("Outputs: ")[1].rstrip(".")
    told = np.array([row.split() for row in told.split("; ")], float)
    np.testing.assert_allclose(told, outputs, atol=0.00501)
    assert "Weights: 1.00 0.00 0.00; 0.25 0.75 0.00; 0.10 0.60 0.30." in figure.alt
    lengths = np.array([float(right) - float(left) for left, right in BAR.findall(figure.svg)])
    np.testing.assert_allclose(lengths / lengths.max(), [1, 0.25, 0.75, 0.1, 0.6, 0.3], atol=0.002)
    assert figure.svg.count("fill: url(#four-steps-") == 6  # three future cells, in two of the grids


@pytest.mark.parametrize(("tokens", "heads", "dim"), [(3, 2, 2), (2, 4, 1), (4, 2, 1)])
def test_cut_names_the_numbers_of_head_0(tokens, heads, dim):
    x = np.arange(tokens * heads * dim)
    right = x.reshape(tokens, heads, dim)[:, 0].ravel()
    wrong = x.reshape(heads, tokens, dim)[0].ravel()
    told = re.findall(r"head 0 takes ([\d, ]+)", matrices.cut(tokens, heads, dim).alt)
    assert told == [", ".join(map(str, numbers)) for numbers in (right, wrong)]


def test_concatenated_marks_the_output_off_the_segment():
    figure = FIGURES["concatenated"]()
    assert "the output [0, 1] is a corner of the square" in figure.alt
    assert "[1, 0] is" in matrices.concatenated([[0, 0], [1, 1]], [[0, 1], [1, 0]]).alt


def test_masks_fill_what_may_be_read_and_hatch_the_rest():
    figure = FIGURES["masks"]()
    masks = [causal().mask(4), packed()]
    told = re.findall(r"[01]+(?: / [01]+)+", figure.alt)
    for mask, rows in zip(masks, told, strict=True):
        assert rows.split(" / ") == ["".join("01"[int(x)] for x in row) for row in mask]
    assert figure.svg.count("fill: url(#masks-") == sum((~mask).sum() for mask in masks)
    assert len(re.findall(r"fill: " + COLOURS["alpha"][0], figure.svg)) == sum(mask.sum() for mask in masks)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: matrices.four_steps(Q, K[:2], V), r"must be \(L, D\).*\(2, 4\)"),
        (lambda: matrices.four_steps(Q[0], K, V), r"must be \(L, D\)"),
        (lambda: matrices.concatenated([[0, 0, 0]], np.eye(2)), r"values and weights must be \(2, 2\)"),
        (lambda: matrices.concatenated([[0, 0], [1, 1]], [[1, 0], [0.5, 0.5]]), r"corner.*\[0, 0.5\]"),
        (lambda: matrices.masks({"odd": (causal().mask(3), "ab")}), r"'odd'.*\(3, 3\), 2"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
