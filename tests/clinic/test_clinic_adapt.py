"""How a function is called: styles, layouts, kinds, guessed and named; and what is said when it cannot be."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from companion.clinic import examine
from companion.patterns import causal, chunks, documents, per_head, sliding_window


def attend(q, k, v, allowed=None):
    """(..., L, D) NumPy attention, causal unless told whom to attend."""
    L, S = q.shape[-2], k.shape[-2]
    if allowed is None:
        allowed = np.arange(S) <= np.arange(S - L, S)[:, None]
    scores = np.where(allowed, q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def tokens_first(q, k, v):
    return attend(*(x.swapaxes(1, 2) for x in (q, k, v))).swapaxes(1, 2)


def one_head(q, k, v):
    assert q.ndim == 2
    return attend(q, k, v)


def one_head_loop(q, k, v):
    return np.stack(
        [
            attend(q[i : i + 1], k[: len(k) - len(q) + i + 1], v[: len(k) - len(q) + i + 1])[0]
            for i in range(len(q))
        ]
    )


def batched(q, k, v):
    assert q.ndim == 3
    return attend(q, k, v)


def by_name(q, k, v, *, attn_mask):
    return attend(q, k, v, attn_mask)


def optional_mask(q, k, v, mask=None):
    return attend(q, k, v, mask)


def by_position(query, key, value, keep, /):
    return attend(query, key, value, keep)


def by_index(q, k, v, indices):
    allowed = np.zeros((len(indices), k.shape[-2]), bool)
    for row, G in zip(allowed, indices, strict=True):
        row[G[G >= 0]] = True
    return attend(q, k, v, allowed)


def with_weights(q, k, v):
    return attend(q, k, v), "weights"


def in_torch(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=q.shape[-2] == k.shape[-2])


class Module(torch.nn.Module):
    def forward(self, q, k, v, mask):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)


@pytest.mark.parametrize(
    "fn, called",
    [
        (attend, "attend(query, key, value, mask), numpy, layout (B, H, L, D)"),
        (tokens_first, "tokens_first(query, key, value), numpy, layout (B, L, H, D)"),
        (one_head, "one_head(query, key, value), numpy, layout (L, D)"),
        (one_head_loop, "one_head_loop(query, key, value), numpy, layout (L, D)"),
        (batched, "batched(query, key, value), numpy, layout (B, L, D)"),
        (by_name, "by_name(query, key, value, mask), numpy, layout (B, H, L, D)"),
        (optional_mask, "optional_mask(query, key, value, mask), numpy, layout (B, H, L, D)"),
        (by_position, "by_position(query, key, value, mask), numpy, layout (B, H, L, D)"),
        (by_index, "by_index(query, key, value, indices), numpy, layout (B, H, L, D)"),
        (with_weights, "with_weights(query, key, value), numpy, layout (B, H, L, D)"),
        (Module(), "Module(query, key, value, mask), torch, layout (B, H, L, D)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_way_of_calling_is_found(fn, called):
    report = examine(fn)
    assert (report.function, report.names) == (called, ())


def test_what_is_named_is_not_guessed():
    report = examine(in_torch, style="qkv", layout="BLD", kind="torch", skip=["decoding"])
    assert (report.function, report.names) == ("in_torch(query, key, value), torch, layout (B, L, D)", ())


def test_a_wrong_layout_is_a_wrong_output():
    assert not examine(tokens_first, layout="BHLD").healthy


@pytest.mark.parametrize(
    "pattern", [per_head([causal(), sliding_window(2)]), chunks(4), documents([7, 3])], ids=repr
)
def test_patterns_of_all_kinds(pattern):
    def masked(q, k, v, mask):
        return attend(q, k, v, mask)

    def own(q, k, v):
        return attend(q, k, v, pattern.mask(q.shape[-2], k.shape[-2], query_offset=k.shape[-2] - q.shape[-2]))

    assert examine(masked, pattern).names == ()
    assert examine(own, pattern).names == ()


def test_a_scale_of_ones_own():
    assert examine(lambda q, k, v: attend(q * q.shape[-1] ** 0.5, k, v), scale=1.0).names == ()
    assert examine(attend, scale=1.0).names != ()


@pytest.mark.parametrize(
    "fn, words",
    [
        (lambda q, k: q, "TypeError: "),
        (lambda q, k, v: None, "returned NoneType"),
        (lambda q, k, v: v.tolist(), "returned list"),
        (lambda q, k, v: attend(q, k, v).sum(-1), "returned shape (2, 3, 5), expected (2, 3, 5, 4)"),
        (lambda q, k, v: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_called_says_how_it_was_called_and_what_came_back(fn, words):
    report = examine(fn)
    assert (report.names, report.called) == (("cannot be called",), False)
    note = report.findings[0].evidence.note
    assert words in note
    assert "query (2, 3, 5, 4), key (2, 3, 5, 4), value (2, 3, 5, 4)), float32, numpy" in note


def test_a_complaint_that_all_calls_share_is_told_once():
    report = examine(lambda query: query)
    assert report.findings[0].evidence.note.count("takes 1 positional argument but 3 were given") == 1


def test_numpy_functions_need_no_torch():
    code = """
import sys
sys.modules["torch"] = None
import numpy as np
from companion.clinic import examine

def attend(q, k, v):
    L, S = q.shape[-2], k.shape[-2]
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    scores = np.where(np.arange(S) <= np.arange(S - L, S)[:, None], scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v

print(examine(attend).healthy)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True"


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ({"fn": 3}, TypeError, "fn must be a function"),
        ({"pattern": np.ones((2, 2))}, TypeError, "pattern must be a Pattern"),
        ({"style": "kv"}, ValueError, "style must be one of"),
        ({"layout": "HLD"}, ValueError, "layout must be one of"),
        ({"kind": "jax"}, ValueError, "kind must be 'numpy' or 'torch'"),
        ({"skip": "decoding"}, ValueError, "skip must name parts"),
        ({"skip": ["sleep"]}, ValueError, "sleep"),
        ({"seconds": 0}, ValueError, "seconds must be more than 0"),
        ({"gradient": 1}, TypeError, "gradient must be a function"),
        ({"lengths": ()}, ValueError, "lengths must hold one"),
        ({"pattern": documents([3, 4]), "lengths": (5,)}, ValueError, "lengths must hold one"),
    ],
)
def test_arguments_that_make_no_sense(arguments, error, words):
    with pytest.raises(error, match=words):
        examine(**{"fn": attend, **arguments})
