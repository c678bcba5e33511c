"""Patterns from text: what spells one gives it, what does not is refused and never run."""

import pytest

from companion.clinic.spell import parse_pattern
from companion.patterns import (
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


@pytest.mark.parametrize(
    "pattern",
    [
        full(),
        causal(),
        dilated(4, 2),
        strided(3),
        chunks(8),
        documents([3, 4]),
        global_tokens([0, 5]),
        random_blocks(4, 2, 7),
        sliding_window(64) | sinks(4),
        (sliding_window(64) | strided(8)) & documents([100, 28]),
        per_head([causal(), sliding_window(3) | sinks(1)]),
    ],
    ids=repr,
)
def test_what_a_pattern_prints_spells_it(pattern):
    assert parse_pattern(repr(pattern)) == pattern


def test_names_spaces_and_tuples():
    assert parse_pattern("  dilated(step=2,w=4)\n") == dilated(4, 2)
    assert parse_pattern("documents((3, 4))") == documents([3, 4])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sliding_window",
        "sliding_window(64",
        "sliding_window(0)",
        "sliding_window(-1)",
        "sliding_window(2.5)",
        "sliding_window(True)",
        "sliding_window('4')",
        "sliding_window(2 ** 3)",
        "sliding_window(*[4])",
        "sliding_window(**{})",
        "sliding_window(4, 5)",
        "causal() + causal()",
        "causal() & 3",
        "Pattern()",
        "causal().mask(4)",
        "__import__('os').getcwd()",
        "(lambda: causal())()",
        "[causal()]",
        "3",
        "causal(); causal()",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError):
        parse_pattern(text)
