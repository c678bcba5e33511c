"""The arithmetic of the weighted-sum explorer, run in a browser against NumPy and companion.reference."""

import numpy as np
import pytest
from helpers.explorers import functions

from companion.reference import weighted_sum

V3 = [[1, 2], [3, 0], [4, 5]]
V4 = [*V3, [2.5, 3.5]]


@pytest.fixture(scope="module")
def js(browser):
    names = "combine, reweigh, solve, ranges, slack, nearest, outline, decimal"
    yield from functions(browser, "explorer-weighted-sum", names)


def states(count, n, seed):
    """``count`` random (alpha, values), the values on a grid of tenths, some weights 0."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        alpha = rng.dirichlet(np.ones(n)) * (rng.random(n) < 0.8)
        values = rng.integers(-10, 61, (n, 2)) / 10
        if alpha.sum() > 0:
            yield alpha / alpha.sum(), values


@pytest.mark.parametrize("n", [3, 4])
def test_combine_is_the_weighted_sum(js, n):
    for alpha, values in states(30, n, seed=n):
        np.testing.assert_allclose(
            js("combine", alpha.tolist(), values.tolist()), weighted_sum(alpha, values), atol=1e-14
        )


@pytest.mark.parametrize("n", [3, 4])
def test_reweighing_keeps_the_sum_and_the_proportions(js, n):
    for alpha, _ in states(30, n, seed=10 + n):
        for weight in (0, 0.37, 1):
            new = np.array(js("reweigh", alpha.tolist(), 1, weight))
            assert new[1] == weight
            assert new.sum() == pytest.approx(1, abs=1e-12)
            rest = np.delete(alpha, 1)
            if rest.sum() > 1e-9:
                np.testing.assert_allclose(
                    np.delete(new, 1), (1 - weight) * rest / rest.sum(), atol=1e-12
                )


def test_reweighing_from_one_corner_shares_equally(js):
    assert js("reweigh", [0, 1, 0], 1, 0.5) == [0.25, 0.5, 0.25]


def test_three_values_have_one_answer(js):
    for alpha, values in states(40, 3, seed=5):
        system = np.vstack([values.T, np.ones(3)])
        if abs(np.linalg.det(system)) < 0.1:
            continue
        point = weighted_sum(alpha, values)
        found = js("solve", values.tolist(), point.tolist(), [1 / 3] * 3)
        np.testing.assert_allclose(found, np.linalg.solve(system, [*point, 1]), atol=1e-8)
        assert js("slack", values.tolist(), found) is None


def null_interval(alpha, values):
    """The null direction of four values in general position, and how far it may be followed both ways."""
    direction = np.linalg.svd(np.vstack([values.T, np.ones(4)]))[2][-1]
    with np.errstate(divide="ignore"):
        steps = -alpha / direction
    return direction, steps[direction > 0].max(initial=-np.inf), steps[direction < 0].min(initial=np.inf)


def general(values):
    return np.linalg.svd(np.vstack([values.T, np.ones(4)]), compute_uv=False)[-1] > 0.1


def test_ranges_and_ends_of_four_values(js):
    for alpha, values in states(60, 4, seed=6):
        if not general(values):
            continue
        direction, low, high = null_interval(alpha, values)
        ends = np.array([alpha + low * direction, alpha + high * direction])
        found = np.array(js("ranges", values.tolist(), alpha.tolist()))
        np.testing.assert_allclose(found.T, [ends.min(0), ends.max(0)], atol=1e-6)
        way = js("slack", values.tolist(), alpha.tolist())
        if np.linalg.norm(ends[1] - ends[0]) > 1e-5:
            np.testing.assert_allclose(sorted(way), sorted(ends.tolist()), atol=1e-6)
            for end in way:
                np.testing.assert_allclose(weighted_sum(end, values), weighted_sum(alpha, values), atol=1e-9)
        else:
            assert way is None


def test_solve_takes_the_weights_nearest_to_the_old_ones(js):
    for (alpha, values), (old, _) in zip(states(60, 4, seed=7), states(60, 4, seed=8), strict=False):
        if not general(values):
            continue
        direction, low, high = null_interval(alpha, values)
        step = np.clip(direction @ (old - alpha), low, high)
        found = js("solve", values.tolist(), weighted_sum(alpha, values).tolist(), old.tolist())
        np.testing.assert_allclose(found, alpha + step * direction, atol=1e-6)


def test_both_ways_to_make_the_fourth_value(js):
    ends = js("slack", V4, [0.25, 0, 0.25, 0.5])
    np.testing.assert_allclose(sorted(ends), [[0, 0, 0, 1], [0.5, 0, 0.5, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("values", "alpha", "ranges"),
    [
        ([[0, 0], [1, 0], [2, 0]], [0, 1, 0], [[0, 0.5], [0, 1], [0, 0.5]]),
        ([[0, 0], [1, 1], [2, 2], [3, 3]], [0.5, 0, 0, 0.5], [[0, 0.5], [0, 0.75], [0, 0.75], [0, 0.5]]),
        ([[1, 1], [1, 1], [1, 1]], [1, 0, 0], [[0, 1], [0, 1], [0, 1]]),
        ([[0, 0], [0, 0], [2, 0]], [0.25, 0.25, 0.5], [[0, 0.5], [0, 0.5], [0.5, 0.5]]),
    ],
)
def test_values_on_a_line_or_a_point_leave_ranges_too(js, values, alpha, ranges):
    np.testing.assert_allclose(js("ranges", values, alpha), ranges, atol=1e-9)
    for end in js("slack", values, alpha):
        assert min(end) >= 0 and sum(end) == pytest.approx(1)
        np.testing.assert_allclose(weighted_sum(end, values), weighted_sum(alpha, values), atol=1e-9)


@pytest.mark.parametrize("n", [3, 4])
def test_nearest_point_of_the_hull(js, n):
    """x is nearest to p iff x is in the hull and no value lies beyond x on the way to p."""
    outside = 0
    rng = np.random.default_rng(9)
    for alpha, values in states(40, n, seed=20 + n):
        point = rng.uniform(-1, 6, 2)
        found = js("nearest", values.tolist(), point.tolist())
        assert js("solve", values.tolist(), found, alpha.tolist()) is not None
        assert ((values - found) @ (point - found)).max() < 1e-6
        outside += bool(np.linalg.norm(point - found) > 1e-6)
    assert outside > 10


def test_unreachable_points_have_no_weights(js):
    assert js("solve", V3, [5, 1], [1 / 3] * 3) is None
    assert js("solve", [[0, 0], [1, 1], [2, 2]], [1, 1.1], [1 / 3] * 3) is None


def test_outline_goes_around_the_corners(js):
    assert js("outline", V4) == [[1, 2], [3, 0], [4, 5]]
    assert js("outline", [[0, 0], [4, 0], [2, 1], [4, 4], [0, 4]]) == [[0, 0], [4, 0], [4, 4], [0, 4]]


def test_numbers_as_the_book_writes_them(js):
    assert [js("decimal", x) for x in (-1.5, -0.001, 0.1, 2)] == ["\u22121.50", "0.00", "0.10", "2.00"]
