"""Patterns one pair at a time: definitions, conventions, algebra, refusals, and what they print."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import patterns as room
from companion.patterns import (
    Pattern,
    causal,
    chunks,
    dilated,
    documents,
    full,
    global_tokens,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)
from helpers.pattern_cases import RULES, TOKENS, allowed, patterns, singles

CODES = ["full()", *RULES]


def read(code):
    return eval(code, vars(room))


@pytest.mark.parametrize("code", CODES)
def test_each_pattern_is_its_definition(code):
    pattern = read(code)
    expected = np.array([[allowed(code, i, j) for j in range(TOKENS)] for i in range(TOKENS)])
    np.testing.assert_array_equal(pattern.mask(TOKENS), expected)
    for i in range(TOKENS):
        assert pattern.indices(i, TOKENS).tolist() == np.flatnonzero(expected[i]).tolist()
        for j in range(TOKENS):
            assert pattern(0, 0, i, j) is bool(expected[i, j])
    assert pattern.pairs(TOKENS) == expected.sum()
    assert pattern.density(TOKENS) == expected.mean()


@settings(deadline=None, max_examples=40)
@given(patterns, st.integers(0, TOKENS), st.data())
def test_rows_of_a_shorter_query_are_rows_of_the_square(pattern, L, data):
    """Decoding and chunked prefill: query row r is row query_offset + r of the whole mask."""
    offset = data.draw(st.integers(0, TOKENS - L))
    whole = pattern.mask(TOKENS)
    np.testing.assert_array_equal(
        pattern.mask(L, TOKENS, query_offset=offset), whole[offset : offset + L], strict=True
    )
    assert pattern.pairs(L, TOKENS, query_offset=offset) == whole[offset : offset + L].sum()


@settings(deadline=None, max_examples=40)
@given(patterns)
def test_everything_but_full_is_causal(pattern):
    if not pattern.everywhere:
        assert not np.triu(pattern.mask(TOKENS), k=1).any()
    else:
        assert pattern.mask(TOKENS).all()


@settings(deadline=None, max_examples=40)
@given(patterns)
def test_indices_without_S_reach_up_to_the_query(pattern):
    if pattern.everywhere:
        with pytest.raises(ValueError, match="S must be given"):
            pattern.indices(3)
    else:
        for i in (0, 7, TOKENS - 1):
            assert pattern.indices(i).tolist() == np.flatnonzero(pattern.mask(TOKENS)[i]).tolist()


def test_queries_past_the_keys_see_the_keys_that_there_are():
    mask = sliding_window(4).mask(2, 5, query_offset=6)
    assert mask.tolist() == [[False] * 3 + [True] * 2, [False] * 4 + [True]]
    assert causal().mask(1, 3, query_offset=9).all()
    assert sliding_window(4).pairs(3, 5, query_offset=6) == 3


@pytest.mark.parametrize("window", [1, 4, 9])
def test_a_window_holds_exactly_w_keys(window):
    assert sliding_window(window).mask(9).sum(axis=1).tolist() == [min(i + 1, window) for i in range(9)]


def test_dilated_spans_what_it_says():
    G = dilated(4, 3).indices(20)
    assert G.tolist() == [11, 14, 17, 20] and G[-1] - G[0] + 1 == (4 - 1) * 3 + 1


def test_alignment_needs_an_offset():
    """pytorch/pytorch#108108: top-left alignment is wrong when there are more keys than queries."""
    with pytest.raises(ValueError, match=r"query_offset must be given .* S - L = 3"):
        causal().mask(2, 5)
    np.testing.assert_array_equal(causal().mask(2, 5, query_offset=3), causal().mask(5)[3:])
    assert full().mask(2, 5).all() and per_head([full(), full()]).mask(2, 5).all()
    with pytest.raises(ValueError, match="query_offset"):
        per_head([full(), causal()]).layout(2, 5)


@settings(deadline=None, max_examples=60)
@given(patterns, patterns, patterns)
def test_and_and_or_are_boolean(a, b, c):
    def mask(pattern):
        return pattern.mask(TOKENS)

    np.testing.assert_array_equal(mask(a & b), mask(a) & mask(b))
    np.testing.assert_array_equal(mask(a | b), mask(a) | mask(b))
    np.testing.assert_array_equal(mask(a & (b | c)), mask((a & b) | (a & c)))
    np.testing.assert_array_equal(mask(a | (a & b)), mask(a))


@settings(deadline=None)
@given(patterns)
def test_repr_is_code_for_an_equal_pattern(pattern):
    again = read(repr(pattern))
    assert again == pattern and hash(again) == hash(pattern)


@pytest.mark.parametrize(
    "code",
    [
        "sliding_window(256) | sinks(4)",
        "causal() & (sinks(4) | chunks(8)) | full()",
        "causal() & sinks(4) & full()",
        "causal() & (sinks(4) & full())",
        "causal() | (sinks(4) | full())",
        "per_head([sliding_window(2), causal() | sinks(1)]) & documents([3, 4])",
        "random_blocks(64, 3, 0) | global_tokens([0, 5])",
    ],
)
def test_repr_has_parentheses_only_where_they_are_needed(code):
    assert repr(read(code)) == code


@settings(deadline=None)
@given(singles, singles)
def test_equality_goes_by_value(a, b):
    assert (a == b) == (repr(a) == repr(b))
    assert a != object()


def test_patterns_cannot_be_changed_or_taken_for_a_truth():
    with pytest.raises(AttributeError):
        sliding_window(4).w = 5
    with pytest.raises(TypeError, match="combine patterns with & and |"):
        sliding_window(4) and sinks(1)
    with pytest.raises(TypeError):
        sliding_window(4) | np.ones((3, 3), bool)


def test_heads_each_have_their_own():
    pattern = per_head([causal(), sliding_window(2), sinks(1)]) & (sinks(1) | sliding_window(3))
    mask = pattern.mask(6)
    assert mask.shape == (3, 6, 6) and pattern.heads == 3
    for h in range(3):
        np.testing.assert_array_equal(mask[h], pattern.for_head(h).mask(6))
        assert pattern(0, h, 4, 2) is bool(mask[h, 4, 2])
        assert pattern.indices(4)[h].tolist() == np.flatnonzero(mask[h, 4]).tolist()
    assert pattern.pairs(6) == mask.sum() and pattern.density(6) == mask.mean()
    assert per_head([causal()]).mask(4).shape == (1, 4, 4)
    np.testing.assert_array_equal(
        (per_head([causal(), sinks(1)]) | per_head([sinks(1), chunks(2)])).mask(4)[1],
        (sinks(1) | chunks(2)).mask(4),
    )


@pytest.mark.parametrize("size, count", [(1, 1), (1, 3), (4, 2), (3, 5), (8, 40)])
def test_random_blocks_draws_count_distinct_blocks_up_to_its_own(size, count):
    pattern, rows = random_blocks(size, count, 7), 30
    mask = pattern.mask(rows * size)
    blocks = mask.reshape(rows, size, rows, size).any(axis=(1, 3))
    assert blocks.sum(axis=1).tolist() == [min(b + 1, count) for b in range(rows)]
    causal_blocks = np.kron(blocks, np.ones((size, size), bool)) & causal().mask(rows * size)
    np.testing.assert_array_equal(mask, causal_blocks)


def test_random_blocks_is_a_function_of_its_seed_alone():
    a, b = (random_blocks(4, 3, seed).mask(200) for seed in (0, 1))
    np.testing.assert_array_equal(a, random_blocks(4, 3, 0).mask(200))
    np.testing.assert_array_equal(a[:50, :50], random_blocks(4, 3, 0).mask(50))
    assert not np.array_equal(a, b)
    # What a seed stands for must not change from one release to the next.
    drawn = [random_blocks(1, 3, 0).indices(i).tolist() for i in (10, 1000, 10**5)]
    assert drawn == [[3, 7, 9], [267, 566, 844], [12955, 61836, 73006]]


def test_random_blocks_favours_no_block():
    """Over many seeds each of 21 blocks is drawn by block 20 about equally often, and so is each pair."""
    seeds, count, n = 4000, 3, 21
    drawn = [random_blocks(1, count, seed).mask(1, n, query_offset=n - 1)[0] for seed in range(seeds)]
    drawn = np.array(drawn)
    together = drawn.T.astype(int) @ drawn
    once, twice = np.diag(together), together[np.triu_indices(n, 1)]
    # Five standard deviations of a binomial count.
    for seen, p in ((once, count / n), (twice, count * (count - 1) / (n * (n - 1)))):
        assert np.abs(seen - seeds * p).max() < 5 * np.sqrt(seeds * p * (1 - p))


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda: sliding_window(0), ValueError, "w must be at least 1, not 0"),
        (lambda: sliding_window(2.0), TypeError, "w must be an integer, not 2.0"),
        (lambda: sliding_window(True), TypeError, "w must be an integer, not True"),
        (lambda: sliding_window("4"), TypeError, "w must be an integer"),
        (lambda: sliding_window(np.ones(2)), TypeError, "w must be an integer"),
        (lambda: sliding_window(2**31), ValueError, "w must be less than 2147483648"),
        (lambda: chunks(2**40), ValueError, "size must be less than"),
        (lambda: dilated(0, 2), ValueError, "w must be at least 1"),
        (lambda: dilated(2, -1), ValueError, "step must be at least 1, not -1"),
        (lambda: strided(-3), ValueError, "step must be at least 1, not -3"),
        (lambda: sinks(0), ValueError, "n must be at least 1"),
        (lambda: chunks(0), ValueError, "size must be at least 1"),
        (lambda: random_blocks(0, 1, 0), ValueError, "size must be at least 1"),
        (lambda: random_blocks(4, 0, 0), ValueError, "count must be at least 1"),
        (lambda: random_blocks(4, 1, -1), ValueError, "seed must be at least 0"),
        (lambda: random_blocks(4, 1, 2**31), ValueError, "seed must be less than 2147483648"),
        (lambda: global_tokens([3, 1]), ValueError, "ids must ascend; got 3 before 1"),
        (lambda: global_tokens([1, 1]), ValueError, "ids must ascend; got 1 before 1"),
        (lambda: global_tokens([-1]), ValueError, r"ids\[0\] must be at least 0"),
        (lambda: global_tokens([0, 1.5]), TypeError, r"ids\[1\] must be an integer"),
        (lambda: documents([3, 0]), ValueError, r"lengths\[1\] must be at least 1"),
        (lambda: per_head([]), ValueError, "at least one pattern"),
        (lambda: per_head([causal(), 3]), TypeError, r"patterns\[1\] must be a Pattern, not 3"),
        (lambda: per_head([per_head([causal()])]), ValueError, "must hold for any head"),
        (lambda: per_head([causal()]) & per_head([causal()] * 2), ValueError, r"heads apart; got \[1, 2\]"),
        (lambda: per_head([causal()])(0, 1, 0, 0), ValueError, r"head must lie in 0 .. 0, not 1"),
    ],
)
def test_bad_arguments_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


@pytest.mark.parametrize("ask", [Pattern.mask, Pattern.pairs, Pattern.density, Pattern.layout])
def test_bad_sizes_are_refused(ask):
    for pattern, arguments, says in [
        (documents([3, 4]), (8,), "lengths must add up to S = 8 tokens; they add up to 7"),
        (sinks(1) | documents([3, 4]), (6,), "lengths must add up to S = 6"),
        (per_head([causal(), documents([3, 4])]), (6,), "lengths must add up to S = 6"),
        (global_tokens([0, 8]), (8,), "ids must lie below S = 8; got 8"),
        (causal(), (-1,), "L must be at least 0"),
        (causal(), (2, -1), "S must be at least 0"),
    ]:
        with pytest.raises(ValueError, match=says):
            ask(pattern, *arguments)
    with pytest.raises(ValueError, match="lengths must reach query position 7; they add up to 7"):
        ask(documents([3, 4]), 2, 7, query_offset=6)
    with pytest.raises(ValueError, match="query_offset must be at least 0"):
        ask(causal(), 2, 4, query_offset=-2)
    with pytest.raises(TypeError, match="query_offset must be an integer"):
        ask(causal(), 2, 4, query_offset=2.0)


def test_indices_refuse_what_does_not_exist():
    for pattern, arguments, says in [
        (documents([3, 4]), (7,), "lengths must reach query position 7"),
        (documents([3, 4]), (2, 3), "lengths must add up to S = 3"),
        (global_tokens([9]), (2, 3), "ids must lie below S = 3"),
        (causal(), (-1,), "i must be at least 0"),
    ]:
        with pytest.raises(ValueError, match=says):
            pattern.indices(*arguments)
    assert global_tokens([9]).indices(2).tolist() == []
