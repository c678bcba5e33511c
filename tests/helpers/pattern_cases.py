"""Patterns to test with, each beside its definition spelled out for one pair."""

from hypothesis import strategies as st

from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    full,
    global_tokens,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

TOKENS = 24


def one_document(lengths, i, j):
    bounds = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    return any(
        start <= min(i, j) and max(i, j) < stop for start, stop in zip(bounds[:-1], bounds[1:], strict=True)
    )


#: Code of a pattern over TOKENS tokens, and whether query i may attend key j, before the causal rule.
RULES = {
    "causal()": lambda i, j: True,
    "sliding_window(1)": lambda i, j: i - 1 < j,
    "sliding_window(5)": lambda i, j: i - 5 < j,
    "sliding_window(99)": lambda i, j: i - 99 < j,
    "dilated(3, 4)": lambda i, j: i - j in (0, 4, 8),
    "dilated(4, 1)": lambda i, j: i - j in (0, 1, 2, 3),
    "dilated(1, 6)": lambda i, j: i == j,
    "dilated(50, 2)": lambda i, j: (i - j) % 2 == 0,
    "strided(1)": lambda i, j: True,
    "strided(7)": lambda i, j: (i - j) % 7 == 0,
    "strided(40)": lambda i, j: i == j,
    "sinks(1)": lambda i, j: j == 0,
    "sinks(6)": lambda i, j: j < 6,
    "sinks(99)": lambda i, j: True,
    "global_tokens([])": lambda i, j: False,
    "global_tokens([0])": lambda i, j: j == 0,
    "global_tokens([3, 4, 5, 11])": lambda i, j: i in (3, 4, 5, 11) or j in (3, 4, 5, 11),
    "chunks(1)": lambda i, j: i == j,
    "chunks(5)": lambda i, j: j // 5 == i // 5,
    "chunks(99)": lambda i, j: True,
    "documents([24])": lambda i, j: True,
    "documents([5, 1, 10, 8])": lambda i, j: one_document([5, 1, 10, 8], i, j),
}


def allowed(code, i, j):
    """What the rule of a single pattern, given by its code, says of one pair."""
    return code == "full()" or (j <= i and RULES[code](i, j))


small = st.integers(1, 9)
windows_and_sinks = st.one_of(st.builds(sliding_window, small), st.builds(sinks, small))
singles = st.one_of(
    st.just(full()),
    st.just(causal()),
    windows_and_sinks,
    st.builds(dilated, small, small),
    st.builds(strided, small),
    st.builds(global_tokens, st.lists(st.integers(0, TOKENS - 1), unique=True, max_size=5).map(sorted)),
    st.builds(chunks, small),
    st.builds(random_blocks, small, st.integers(1, 4), st.integers(0, 2**31 - 1)),
    st.lists(small, min_size=1, max_size=9)
    .filter(lambda lengths: sum(lengths) < TOKENS)
    .map(lambda lengths: documents([*lengths, TOKENS - sum(lengths)])),
)


def compounds(leaves):
    return st.recursive(
        leaves,
        lambda parts: st.builds(lambda a, b, both: a & b if both else a | b, parts, parts, st.booleans()),
        max_leaves=4,
    )


patterns = compounds(singles)
