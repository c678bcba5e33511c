"""Calls of attention libraries, and what such a call tells about the library's conventions.

Each question has a function that answers in the words of the Rosetta page. One that finds no answer, or two,
raises ValueError.
"""

import math

import numpy as np
import torch
from local_attention import LocalAttention
from torch.nn import MultiheadAttention
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from x_transformers.attend import Attend

from companion import reference
from helpers.attention_oracle import tensors

L, S, D = 2, 5, 4
QUERY, KEY, _ = tensors(L, S, heads=1, dim=D)
EYE = torch.eye(S)[None, None]  # as values: the output is then the weights
SCORES = (QUERY @ KEY.mT / math.sqrt(D))[0, 0]
FIRST = torch.arange(S).expand(L, S) == 0
LAST_EMPTY = torch.arange(L)[:, None].expand(L, S) < L - 1
CORNERS = {"top left": torch.ones(L, S).tril() > 0, "bottom right": torch.ones(L, S).tril(S - L) > 0}
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def flex(query, key, value, allowed=None, **options):
    """FlexAttention, uncompiled, under a mask_mod."""
    shape = query.shape[-2], key.shape[-2]
    blocks = allowed and create_block_mask(allowed, None, None, *shape, device="cpu")
    return flex_attention(query, key, value, block_mask=blocks, **options)


def layer(width, heads, **options):
    """nn.MultiheadAttention whose projections change nothing."""
    module = MultiheadAttention(width, heads, bias=False, **options).requires_grad_(False)
    module.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
    module.out_proj.weight.copy_(torch.eye(width))
    return module


def mha(dtype=torch.float32, **options):
    """Output and weights of the layer with one head for QUERY and KEY; the values are KEY."""
    query, key = QUERY[0].to(dtype), KEY[0].to(dtype)
    return layer(D, 1, batch_first=True).to(dtype)(query, key, key, **options)


def attend(query=QUERY, key=KEY, value=EYE, *, mask=None, **options):
    """x-transformers; a mask is (L, S)."""
    return Attend(**options)(query, key, value, mask=mask if mask is None else mask[None, None])[0]


def local(w, **options):
    """local-attention: how many keys a query reads that has a whole window before it, fewest and most."""
    x = torch.randn(1, 1, 6 * w, 6 * w, generator=torch.Generator().manual_seed(0))
    module = LocalAttention(w, causal=True, use_rotary_pos_emb=False, **options)
    held = (module(x, x, torch.eye(6 * w)[None, None])[0, 0] > 0).sum(-1)[w:]
    return held.min().item(), held.max().item()


def only(answers):
    (answer,) = answers
    return answer


def meaning(weights):
    """What True means, from the weights under a mask that is True at key 0 and nowhere else."""
    read = weights.reshape(L, S) > 0
    meanings = {"may attend": FIRST, "may not attend": ~FIRST}
    return only(name for name, mask in meanings.items() if torch.equal(read, mask))


def corner(weights):
    """Where the causal diagonal lies."""
    read = weights.reshape(L, S) > 0
    return only(name for name, mask in CORNERS.items() if torch.equal(read, mask))


def base(lse):
    """Base and shape of the log-sum-exp over all keys."""
    bases = {"e": SCORES.logsumexp(-1), "2": SCORES.logsumexp(-1) / math.log(2)}
    assert lse.shape == (1, 1, L)
    return only(f"{name}, (B, H, L)" for name, right in bases.items() if torch.allclose(lse[0, 0], right))


def order(function):
    """The order of axes in which the function takes its tensors and answers."""
    inputs, right = _sized()
    orders = {"(B, H, L, D)": (0, 1, 2, 3), "(B, L, H, D)": (0, 2, 1, 3)}
    return _order(function, orders, inputs, right)


def layer_order(**options):
    """The same for nn.MultiheadAttention, whose heads lie side by side."""
    inputs, right = _sized()
    *inputs, right = (x.transpose(1, 2).flatten(2) for x in (*inputs, right))  # (B, L or S, HD)
    module = layer(right.shape[-1], 3, **options)
    orders = {"(B, L, HD)": (0, 1, 2), "(L, B, HD)": (1, 0, 2)}
    return _order(lambda *inputs: module(*inputs)[0], orders, inputs, right)


def _sized():
    """Tensors (B, H, L or S, D) of which all sizes differ, and their attention."""
    inputs = tensors(4, 5, batch=2, heads=3, dim=6)
    right = reference.attention(*(x.double().numpy() for x in inputs), np.ones((4, 5), bool))
    return inputs, torch.from_numpy(right).float()


def _order(function, orders, inputs, right):
    def agrees(axes):
        try:
            out = function(*(x.permute(axes) for x in inputs))
        except (RuntimeError, ValueError, AssertionError):
            return False
        return out.shape == right.permute(axes).shape and torch.allclose(out, right.permute(axes), atol=1e-5)

    return only(name for name, axes in orders.items() if agrees(axes))


def empty(out, lse=None):
    """What the last row holds, which has no keys."""
    row = out.reshape(L, -1)[-1]
    word = only(name for name, holds in {"0": row == 0, "NaN": row.isnan()}.items() if holds.all())
    return word if lse is None else f"{word}, {lse.flatten()[-1].item()}"


def scale(function, argument=None, heads=1):
    """The default scale, and that the argument, if there is one, is heeded."""

    def measured(dim, **options):
        query, key = torch.zeros(1, heads, 1, dim), torch.zeros(1, heads, 2, dim)
        query[..., 0] = key[..., 0, 0] = 1.0  # the scores are the scale, and 0
        weights = function(query, key, torch.eye(2, dim).expand(1, heads, 2, dim), **options)[0, 0, 0]
        return (weights[0] / weights[1]).log().item()

    default = only({round(math.log(measured(dim), dim), 4) for dim in (2, 9, 16)})
    if argument is None:
        return f"`D ** {default}`, fixed"
    assert math.isclose(measured(9, **{argument: 0.7}), 0.7, rel_tol=1e-5)
    return f"`D ** {default}`, `{argument}`"


def taken(function):
    """Which dtypes of a float mask ``function(query's dtype, mask)`` takes, over all dtypes of the query."""

    def takes(own, dtype):
        try:
            function(own, torch.zeros(L, S, dtype=dtype))
        except RuntimeError as error:
            assert "dtype" in str(error)
            return False
        return True

    found = {(own, dtype) for own in DTYPES for dtype in DTYPES if takes(own, dtype)}
    same = {(dtype, dtype) for dtype in DTYPES}
    or_float32 = same | {(dtype, torch.float32) for dtype in DTYPES}
    words = {"the query's": same, "the query's, or float32": or_float32}
    return only(name for name, pairs in words.items() if pairs == found)
