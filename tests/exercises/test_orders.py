"""Exercises that put lines of code in order: every order is run, and those that give the result are right."""

from itertools import permutations

import numpy as np
import pytest

from companion.exercises.bank import find
from companion.reference import softmax

RNG = np.random.default_rng(0)
Q, K, V = RNG.normal(size=(3, 4, 4))
W_Q, W_K, W_V = RNG.normal(size=(3, 4, 4))
SEEN = {"m": -9.0, "l": 2.0}  # less than any new score

# What the lines start from, and the names that hold their result.
CASES = {
    "ch05-order": ({"Q": Q, "K": K, "V": V, "D": 4, "mask": np.tri(4, dtype=bool)}, ["outputs"]),
    "ch06-order": ({"x": Q[0], "K": K, "V": V, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}, ["o", "K", "V"]),
    "ch07-join-order": ({**SEEN, "o": V[0], "q": Q[0], "k": K[0], "v": V[1], "D": 4}, ["m", "l", "o"]),
    "ch11-order": ({**SEEN, "u": V[0], "s": Q[0], "v": V}, ["m", "l", "u"]),
}


def run(lines, start, names):
    """What the lines leave in ``names``, joined; None where they do not run."""
    state = {"np": np, "softmax": softmax, "exp": np.exp, **start}
    try:
        for line in lines:
            exec(line, state)
    except (NameError, ValueError):
        return None
    return np.concatenate([np.ravel(state[name]) for name in names])


@pytest.mark.parametrize("name", CASES)
def test_an_order_counts_as_right_exactly_if_it_gives_the_result(name):
    spec, (start, names) = find(name), CASES[name]
    lines = [item.strip("`") for item in spec.items]
    result = run(lines, start, names)
    right = set()
    for order in permutations(range(len(lines))):
        found = run([lines[place] for place in order], start, names)
        if found is not None and np.allclose(found, result, rtol=1e-12, atol=0):
            right.add(order)
    assert right == {tuple(range(len(lines))), *spec.also}
