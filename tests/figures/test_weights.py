"""The figures of chapter 2: what they draw is what the reference computes."""

import re

import numpy as np
import pytest
from helpers.figures import faults

from companion.figures import weights
from companion.look import COLOURS
from companion.reference import softmax, weighted_sum

Q = np.log([2, 2, 3, 3])
K = [[1, -1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]]
V = [[1, 2], [3, 0], [4, 5]]
WORDS = ["the", "river", "bank"]
SCORES = np.log([1, 6, 3])
TAUS = (0.25, 0.5, 1, 3)
FILLED = f'[^"]*"[^>]*style="fill: {COLOURS["alpha"][0]}'
BAR = re.compile(r'<path d="M (\S+) (\S+) L (\S+) \S+ L \S+ (\S+)' + FILLED)
FIGURES = {
    "one_token": lambda: weights.one_token(Q, K, V, WORDS),
    "saturation": lambda: weights.saturation(*drawn(), (4, 16)),
    "two_keys": weights.two_keys,
    "temperature_path": lambda: weights.temperature_path(SCORES, V, TAUS),
}


def drawn():
    rng = np.random.default_rng(0)
    return rng.standard_normal(16), rng.standard_normal((5, 16))


def boxes(figure):
    """Widths and heights of the bars in the colour of a weight."""
    corners = np.array(BAR.findall(figure.svg), float)
    return np.abs(corners[:, 2] - corners[:, 0]), np.abs(corners[:, 3] - corners[:, 1])


@pytest.mark.parametrize("name", FIGURES)
def test_it_can_stand_in_a_page(name):
    assert faults(FIGURES[name]) == []


def test_one_token_tells_every_number_of_the_way():
    figure = FIGURES["one_token"]()
    assert re.findall(r"weight (\S+),", figure.alt) == ["0.10", "0.60", "0.30"]
    assert re.findall(r"dot product (\S+),", figure.alt) == ["0.000", "3.584", "2.197"]
    assert re.findall(r"exponential (\S+),", figure.alt) == ["1.00", "6.00", "3.00"]
    assert figure.alt.endswith("The output is [3.1, 1.7].")
    widths, _ = boxes(figure)
    np.testing.assert_allclose(widths / widths.sum(), [0.1, 0.6, 0.3], atol=0.001)


def test_saturation_draws_the_weights_of_each_divisor():
    q, K = drawn()
    _, heights = boxes(FIGURES["saturation"]())
    panels = heights.reshape(2, 3, 5)
    for row, D in enumerate((4, 16)):
        for column, divisor in enumerate((1, D**0.5, D)):
            alpha = softmax(K[:, :D] @ q[:D] / divisor)
            np.testing.assert_allclose(panels[row, column] / panels[row, column].sum(), alpha, atol=0.002)


def test_two_keys_writes_weight_and_slope():
    alt = weights.two_keys((0, 3)).alt
    at = 1 / (1 + np.exp(-3))
    assert "at 0, weight 0.50 and slope 0.25" in alt
    assert f"at 3, weight {at:.2f} and slope {at * (1 - at):.2f}" in alt


def test_temperature_path_marks_the_outputs():
    alt = FIGURES["temperature_path"]().alt
    for tau in TAUS:
        x, y = np.round(weighted_sum(softmax(SCORES / tau), V), 2)
        assert f"[{x:g}, {y:g}] at {tau:g}" in alt
    assert "from [3, 0]" in alt and "plain mean [2.67, 2.33]" in alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weights.one_token(Q, K, V, WORDS[:2]), "must hold 3 rows"),
        (lambda: weights.saturation(*drawn(), (4, 32)), "dims must be at most 16.*32"),
        (lambda: weights.temperature_path([1, 1, 0], V, TAUS), "one largest entry"),
        (lambda: weights.temperature_path(SCORES, V, (0, 1)), "temperatures must be above 0"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
