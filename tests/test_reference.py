"""The oracle itself: known answers, an independent spelling of the formula, and every refusal."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from companion.reference import (
    attend,
    attention,
    attention_weights,
    logsumexp,
    softmax,
    weighted_sum,
)

V = np.array([[1.0, 2.0], [3.0, 0.0], [4.0, 5.0]])
BAD = [np.nan, np.inf, -np.inf]
reals = st.floats(-50, 50)


def by_hand(q, K, values, G, scale):
    """The output in Python floats, with no maximum taken off and nothing shared with the package."""
    powers = {j: math.exp(scale * math.fsum(a * b for a, b in zip(q, K[j], strict=True))) for j in G}
    total = math.fsum(powers.values())
    return [math.fsum(powers[j] * values[j][c] for j in G) / total for c in range(len(values[0]))]


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_the_running_example():
    assert weighted_sum([0.1, 0.6, 0.3], V) == pytest.approx([3.1, 1.7], abs=1e-15)
    assert weighted_sum([1 / 7, 6 / 7, 0], V) == pytest.approx([19 / 7, 2 / 7], abs=1e-15)


@pytest.mark.parametrize("G", [[0], [2, 0], [4, 1, 3], range(5), {1, 3}, np.array([3], np.uint8)])
@pytest.mark.parametrize("scale", [None, 0.3, -1])
def test_attend_is_the_formula(G, scale):
    q, K, values = random(3), random(5, 3, seed=1), random(5, 2, seed=2)
    expected = by_hand(q, K, values, sorted(G), 3**-0.5 if scale is None else scale)
    # Both round once an operation: some tens of units in the last place.
    np.testing.assert_allclose(attend(q, K, values, G, scale=scale), expected, rtol=1e-14)


def test_without_G_every_position_takes_part():
    q, K = random(4), random(6, 4, seed=1)
    np.testing.assert_array_equal(attention_weights(q, K), attention_weights(q, K, range(6)))
    assert attention_weights(q, K).sum() == pytest.approx(1, abs=1e-15)


def test_weights_are_zero_outside_G_and_kept_in_proportion_inside():
    q, K = random(4), random(6, 4, seed=1)
    dense, sparse = attention_weights(q, K), attention_weights(q, K, [1, 4])
    assert list(np.flatnonzero(sparse)) == [1, 4]
    np.testing.assert_allclose(sparse[[1, 4]], dense[[1, 4]] / dense[[1, 4]].sum(), rtol=1e-14)


def test_the_order_of_G_does_not_matter_to_the_bit():
    q, K, values = random(4), random(6, 4, seed=1), random(6, 3, seed=2)
    np.testing.assert_array_equal(attend(q, K, values, [5, 0, 3]), attend(q, K, values, [0, 3, 5]))


@pytest.mark.parametrize("empty", [[], (), set(), np.array([], np.int64)])
def test_an_empty_G_weighs_nothing(empty):
    assert not attention_weights(random(4), random(6, 4), empty).any()
    assert not attend(random(4), random(6, 4), random(6, 3), empty).any()
    assert not attend([np.nan], [[1.0]], [[1.0, 2.0]], empty).any()
    assert attend([1.0], np.zeros((0, 1)), np.zeros((0, 2))).tolist() == [0, 0]


@pytest.mark.parametrize("bad", BAD)
def test_what_stands_outside_G_cannot_reach_the_result(bad):
    q, K, values = random(4), random(6, 4, seed=1), random(6, 3, seed=2)
    before = attend(q, K, values, [0, 2])
    K[3], values[3], K[5, 0], values[5, 0] = bad, bad, 7.0, -7.0
    np.testing.assert_array_equal(attend(q, K, values, [0, 2]), before)
    assert not np.array_equal(attend(q, K, values, [0, 2, 5]), before)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("where", ["query", "key", "value"])
def test_a_NaN_or_infinity_inside_makes_the_whole_output_NaN(bad, where):
    q, K, values = random(4), random(6, 4, seed=1), random(6, 3, seed=2)
    if where == "query":
        q[1] = bad
    elif where == "key":
        K[2, 1] = bad
    else:
        values[2, 1] = bad
    assert np.isnan(attend(q, K, values, [0, 2])).all()
    if where != "value":
        weights = attention_weights(q, K, [0, 2])
        assert np.isnan(weights[[0, 2]]).all() and not weights[[1, 3, 4, 5]].any()


def test_a_bad_value_counts_even_where_its_weight_underflows():
    assert attention_weights([1.0], [[0.0], [-2000.0]])[1] == 0
    assert np.isnan(attend([1.0], [[0.0], [-2000.0]], [[1.0], [np.nan]])).all()


def test_a_zero_weight_leaves_its_value_unread():
    assert weighted_sum([1.0, 0.0], [[2.0], [np.nan]]).tolist() == [2.0]
    assert np.isnan(weighted_sum([1.0, 1.0], [[2.0], [np.nan]])).all()
    assert np.isnan(weighted_sum([np.nan, 0.0], [[2.0], [3.0]])).all()


def test_weighted_sum_takes_many_rows_and_unnormalised_weights():
    alpha = random(2, 3, 5)
    np.testing.assert_allclose(weighted_sum(alpha, random(5, 4, seed=1)), alpha @ random(5, 4, seed=1))


@settings(deadline=None)
@given(arrays.arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=reals))
def test_softmax_rows_are_shares_and_do_not_feel_a_shift(x):
    shares = softmax(x)
    np.testing.assert_allclose(shares.sum(axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(shares, np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(softmax(x + 7), shares, rtol=1e-12)
    np.testing.assert_allclose(logsumexp(x), np.log(np.exp(x).sum(axis=-1)), rtol=1e-12, atol=1e-12)


def test_softmax_at_the_edges():
    inf = np.inf
    assert softmax([[-inf, 0], [-inf, -inf]]).tolist() == [[0, 1], [0, 0]]
    assert np.isnan(softmax([inf, 1])).all() and np.isnan(softmax([np.nan, 1])).all()
    assert softmax([1000, 1000]).tolist() == [0.5, 0.5]
    assert softmax(np.zeros((3, 0))).shape == (3, 0)
    assert logsumexp([[-inf, -inf], [0, -inf], [1000, -inf]]).tolist() == [-inf, 0, 1000]
    assert logsumexp(np.zeros((2, 0))).tolist() == [-inf, -inf]
    assert np.isnan(logsumexp([inf, 1])) and np.isnan(logsumexp([np.nan, 1]))


def test_no_case_warns(recwarn):
    for x in ([np.inf, 1], [np.nan, 1], [-np.inf, -np.inf], [1e300, -1e300]):
        softmax(x), logsumexp(x)
    attend([np.inf], [[1.0]], [[1.0]])
    assert [str(warning.message) for warning in recwarn] == []


def test_large_scores_do_not_overflow():
    q = np.full(64, 300.0)
    assert attend(q, [q, q], [[1.0], [3.0]]).tolist() == [2.0]


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
@pytest.mark.parametrize("L, S", [(4, 4), (2, 5)])
def test_attention_is_attend_row_by_row(lead, L, S):
    query, key, value = random(*lead, L, 3), random(*lead, S, 3, seed=1), random(*lead, S, 2, seed=2)
    mask = np.tri(L, S, S - L, dtype=bool)
    output = attention(query, key, value, mask)
    assert output.shape == (*lead, L, 2)
    for row in np.ndindex(*lead, L):
        h, i = row[:-1], row[-1]
        G = range(S - L + i + 1)
        np.testing.assert_array_equal(output[row], attend(query[row], key[h], value[h], G))


def test_attention_masks_may_differ_by_head_and_leave_rows_empty():
    x = random(2, 2, 4, 3)
    mask = np.stack([np.tri(4), np.tri(4) - np.tri(4, k=-2)]).astype(bool)
    mask[0, 2] = False
    output = attention(x, x, x, mask)
    np.testing.assert_array_equal(output[:, 1], attention(x[:, 1], x[:, 1], x[:, 1], mask[1]))
    assert not output[:, 0, 2].any() and output[:, 0, 3].all()
    one_batch = attention(x, x, x, mask[None])
    np.testing.assert_array_equal(one_batch, output)


@pytest.mark.parametrize("lead, L, S", [((0, 2), 3, 3), ((2,), 0, 3), ((2,), 3, 0)])
def test_attention_of_nothing(lead, L, S):
    query, key, value = np.ones((*lead, L, 4)), np.ones((*lead, S, 4)), np.ones((*lead, S, 2))
    output = attention(query, key, value, np.ones((L, S), bool))
    assert output.shape == (*lead, L, 2) and not output.any()


def test_inputs_are_read_only():
    q, K, values, mask = random(2, 3), random(2, 3, seed=1), random(2, 2, seed=2), np.ones((2, 2), bool)
    given = q, K, values, mask
    before = [array.copy() for array in given]
    for array in given:
        array.setflags(write=False)
    attention(q, K, values, mask)
    softmax(q), logsumexp(q), attend(q[0], K, values, [1]), weighted_sum(q[:, :2], values)
    assert all(map(np.array_equal, given, before))


GOOD = {"q": [1.0, 2.0], "K": [[1.0, 2.0]] * 3, "V": [[1.0]] * 3}


@pytest.mark.parametrize(
    "change, error, says",
    [
        ({"G": [0.0, 1.0]}, TypeError, "G must hold integer positions, not float64"),
        ({"G": [True, False, True]}, TypeError, "G must hold integer positions, not bool"),
        ({"G": ["0"]}, TypeError, "G must hold integer"),
        ({"G": [0, 1, 1]}, ValueError, "position 1 more than once"),
        ({"G": [0, 3]}, ValueError, "position 3; expected 0 to 2"),
        ({"G": [0, -1]}, ValueError, "position -1; expected 0 to 2"),
        ({"G": 1}, ValueError, r"sequence of positions; got shape \(\)"),
        ({"q": [[1.0, 2.0]]}, ValueError, r"q must have shape \(D,\); got \(1, 2\)"),
        ({"q": [1.0]}, ValueError, "agree in D"),
        ({"q": [], "K": np.ones((3, 0))}, ValueError, "at least 1"),
        ({"q": [1j, 2.0]}, TypeError, "q must hold real numbers, not complex128"),
        ({"q": [True, False]}, TypeError, "q must hold real numbers, not bool"),
        ({"K": [1.0, 2.0]}, ValueError, r"K must have shape \(n, D\)"),
        ({"K": [[1.0, 2.0], [1.0]]}, ValueError, "K must be an array"),
        ({"K": [["a", "b"]]}, TypeError, "K must hold real numbers"),
        ({"V": [[1.0]] * 2}, ValueError, "as many rows; got 3 and 2"),
        ({"V": [1.0] * 3}, ValueError, r"V must have shape \(n, Dv\)"),
        ({"V": np.array([[None]] * 3)}, TypeError, "V must hold real numbers, not object"),
        ({"scale": "1"}, TypeError, "scale must be a number"),
        ({"scale": True}, TypeError, "scale must be a number"),
        ({"scale": np.nan}, ValueError, "scale must be finite"),
    ],
)
def test_attend_refuses(change, error, says):
    attend(**GOOD)
    with pytest.raises(error, match=says):
        attend(**{**GOOD, **change})


def test_weighted_sum_and_softmax_refuse():
    with pytest.raises(ValueError, match="one weight a row of V"):
        weighted_sum([1.0, 2.0], V)
    for function in (softmax, logsumexp):
        with pytest.raises(ValueError, match="x must have shape"):
            function(1.0)


@pytest.mark.parametrize(
    "change, error, says",
    [
        ({"mask": np.ones((4, 4))}, TypeError, "mask must be boolean.*float64"),
        ({"mask": np.ones((4, 4), int)}, TypeError, "mask must be boolean.*int64"),
        ({"mask": np.ones((4, 1), bool)}, ValueError, r"must end in \(L, S\) = \(4, 4\); got shape \(4, 1\)"),
        ({"mask": np.ones((3, 4, 4), bool)}, ValueError, "does not broadcast"),
        ({"mask": np.ones((1, 2, 4, 4), bool)}, ValueError, "does not broadcast"),
        ({"key": np.ones((1, 4, 3))}, ValueError, "query, key and value must be"),
        ({"key": np.ones((2, 4, 2))}, ValueError, "query, key and value must be"),
        ({"value": np.ones((2, 3, 3))}, ValueError, "query, key and value must be"),
        ({"query": np.ones(3)}, ValueError, "query must have shape"),
        ({"query": np.ones((2, 4, 3), bool)}, TypeError, "query must hold real numbers"),
    ],
)
def test_attention_refuses(change, error, says):
    good = {name: np.ones((2, 4, 3)) for name in ("query", "key", "value")} | {"mask": np.ones((4, 4), bool)}
    attention(**good)
    with pytest.raises(error, match=says):
        attention(**{**good, **change})
