"""What the exercises of chapter 3 draw, compute and ask to be written."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from companion.reference import attention, softmax

CAUSAL_ATTENTION = '''
import numpy as np


def causal_attention(query, key, value):
    """Row i: attention of query i over positions 0 to i."""
    L, D = query.shape
    scores = query @ key.T / np.sqrt(D)
    scores = np.where(np.tril(np.ones((L, L), dtype=bool)), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value
'''
MASKED = "    scores = np.where(np.tril(np.ones((L, L), dtype=bool)), scores, -np.inf)\n"

CAUSALITY_TEST = '''
import numpy as np


def reads_the_future(attention, query, key, value, t):
    """Whether an output before row t moves with keys or values from position t on."""
    other_key, other_value = key.copy(), value.copy()
    other_key[t:] += 1
    other_value[t:] += 1
    before = attention(query, key, value)
    after = attention(query, other_key, other_value)
    return bool(np.abs(after - before)[:t].max() > 1e-9)
'''

SENTENCE = ("the", "river", "bank", "flooded")


def stub_of(source):
    """A function's source up to its docstring, the body left to write."""
    head, docstring, _ = source.split('"""')
    return f'{head}"""{docstring}"""\n    ...\n'


def causal(L):
    return np.tril(np.ones((L, L), dtype=bool))


def scores_of(query, key):
    return query @ key.T / np.sqrt(query.shape[1])


def mask_first(query, key, value):
    return attention(query, key, value, causal(len(query)))


def mask_late(query, key, value):
    return softmax(scores_of(query, key)) * causal(len(query)) @ value


def mask_late_divided(query, key, value):
    weights = softmax(scores_of(query, key)) * causal(len(query))
    return weights / weights.sum(axis=1, keepdims=True) @ value


def no_mask(query, key, value):
    return softmax(scores_of(query, key)) @ value


def without_itself(query, key, value):
    return attention(query, key, value, np.tril(causal(len(query)), k=-1))


def one_too_many(query, key, value):
    return attention(query, key, value, np.tril(np.ones((len(query), len(query)), dtype=bool), k=1))


@dataclass(frozen=True)
class Suspect:
    """An attention function under test, shown by its name."""

    name: str
    call: Callable = field(repr=False)

    def __call__(self, query, key, value):
        return self.call(query, key, value)

    def __repr__(self):
        return f"<attention: {self.name}>"


SUSPECTS = (
    Suspect("masked before the softmax", mask_first),
    Suspect("masked after the softmax", mask_late),
    Suspect("no mask", no_mask),
    Suspect("a token cannot read itself", without_itself),
    Suspect("masked after the softmax, then divided", mask_late_divided),
    Suspect("one position too many", one_too_many),
)


def a_suspect(rng, size):
    query, key, value = rng.normal(size=(3, 6, 4))
    return SUSPECTS[size - 1], query, key, value, int(rng.integers(2, 5))


def any_output_before_moves(attention, query, key, value, t):
    """Whether moving k_t, k_{t + 1}, ... and v_t, v_{t + 1}, ... moves an output before row t."""
    moved = [array + (np.arange(len(array)) >= t)[:, None] for array in (key, value)]
    before, after = attention(query, key, value), attention(query, *moved)
    return bool(np.abs(after - before)[:t].max() > 1e-9)


def qkv(rng, size):
    """Ordinary numbers in the small cases; scores in the hundreds in the largest."""
    query, key, value = rng.normal(size=(3, size, 4))
    return query * (600 if size >= 8 else 1), key, value[:, :3]


def moves_by_key(L):
    """For each row i, the keys whose change can move output i."""
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(3, L, 4))
    before = mask_first(query, key, value)
    found = [set() for _ in range(L)]
    for j in range(L):
        changed = key + (np.arange(L) == j)[:, None]
        for i in np.flatnonzero(np.abs(mask_first(query, changed, value) - before).max(axis=1) > 1e-9):
            found[i].add(j)
    return found


def kept(past, future):
    """The sum of the past weights, masked after a softmax that saw the future."""
    return softmax([*past, future])[:-1].sum()


def other_weights(rng):
    """Four weights in tenths, in some order."""
    return {"alpha": rng.permutation(rng.choice([[1, 2, 3, 4], [1, 1, 3, 5], [2, 2, 1, 5]])) / 10}


def divided(d):
    return d.alpha[:3] / d.alpha[:3].sum()
