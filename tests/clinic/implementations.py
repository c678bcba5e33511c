"""Attention functions that nobody here wrote, as a user would hand them to the clinic."""

from dataclasses import dataclass, field
from shutil import which

import torch
import torch.nn.functional as F
from local_attention import LocalAttention
from memory_efficient_attention_pytorch.memory_efficient_attention import (
    attention,
    memory_efficient_attention,
)
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from x_transformers.attend import Attend

from companion.patterns import Pattern, causal, full, sinks, sliding_window

__all__ = [
    "COMPILED",
    "COMPILERS",
    "HEALTHY",
    "Implementation",
    "bucketed",
    "flex",
    "local",
    "multihead",
    "sdpa_causal",
    "x_transformers",
]


@dataclass(frozen=True)
class Implementation:
    """name, what to examine, and the arguments of the examination that belong to it."""

    name: str
    fn: object
    pattern: Pattern = causal()
    options: dict = field(default_factory=dict)


def sdpa_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def sdpa_masked(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)


def multihead(q, k, v, mask):
    """nn.MultiheadAttention with one head and unit weights: nothing is left but the attention."""
    D = q.shape[-1]
    module = nn.MultiheadAttention(D, 1, bias=False, batch_first=True, dtype=q.dtype).eval()
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(D))
    return module(q, k, v, attn_mask=~mask, need_weights=True)[0]


def flex(pattern, compiled=False):
    """FlexAttention; a pattern is a mask_mod as it stands, once it is told where the queries are."""
    run = torch.compile(flex_attention) if compiled else flex_attention
    # Past its limit torch would run the rest uncompiled, without a word.
    many = torch._dynamo.config.patch(recompile_limit=64, fail_on_recompile_limit_hit=True)

    def attend(q, k, v):
        L, S = q.shape[-2], k.shape[-2]
        mask = create_block_mask(
            lambda b, h, i, j: pattern(b, h, i + S - L, j), None, None, L, S, device="cpu"
        )
        with many:
            return run(q, k, v, block_mask=mask, enable_gqa=q.shape[1] != k.shape[1])

    return attend


def local(window, exact):
    module = LocalAttention(
        window, causal=True, exact_windowsize=exact, autopad=True, use_rotary_pos_emb=False
    ).eval()  # fmt: skip
    return lambda q, k, v: module(q, k, v)


def x_transformers(q, k, v):
    return Attend(causal=True).eval()(q, k, v)[0]


def bucketed(q, k, v):
    return memory_efficient_attention(q, k, v, causal=True, q_bucket_size=8, k_bucket_size=4)


def unbucketed(q, k, v):
    return attention(q, k, v, causal=True)


# FlexAttention is traced again for each new shape, which takes its time on a busy machine.
_TRACED = {"lengths": (1, 5, 17, 130), "seconds": 120}

#: What comes out clean. Parts that are no part of a function's contract are skipped by name.
HEALTHY = (
    Implementation("SDPA is_causal", sdpa_causal, options={"skip": ["decoding"]}),
    Implementation("SDPA masked", sdpa_masked),
    Implementation("SDPA masked, window and sinks", sdpa_masked, sliding_window(4) | sinks(2)),
    Implementation("SDPA masked, everything", sdpa_masked, full()),
    Implementation("MultiheadAttention", multihead, options={"skip": ["empty rows"]}),
    Implementation("FlexAttention causal", flex(causal()), options=_TRACED),
    Implementation("FlexAttention window", flex(sliding_window(4)), sliding_window(4), _TRACED),
    Implementation("local-attention, told as 5 keys", local(4, True), sliding_window(5)),
    Implementation("x-transformers", x_transformers, options={"skip": ["grouped heads"]}),
    Implementation("memory-efficient-attention", bucketed, options={"skip": ["decoding"]}),
    Implementation("memory-efficient-attention, one bucket", unbucketed),
)

#: What a compiled FlexAttention needs.
COMPILERS = [name for name in ("g++", "clang++", "c++") if which(name)]

#: The same, compiled: once for every shape and dtype, hence one length.
COMPILED = Implementation(
    "FlexAttention compiled", flex(sliding_window(4), compiled=True), sliding_window(4),
    {"kind": "torch", "layout": "BHLD", "lengths": (64,), "seconds": 170},
)  # fmt: skip
