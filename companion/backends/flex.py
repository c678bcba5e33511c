"""PyTorch's FlexAttention, compiled, under the layout of a pattern. No dense mask is built on the way."""

import os
import shutil
from functools import lru_cache
from importlib.util import find_spec
from itertools import count
from types import FunctionType

import torch
from torch.nn.attention.flex_attention import AuxRequest, flex_attention

from companion.patterns import Pattern

__all__ = ["TELLS", "forward", "reason"]

TELLS = False

# The fastest measured on a CPU for a window of 256; on a GPU what FlexAttention's kernels are tuned for.
_BLOCK = {"cpu": 64, "cuda": 128}
_numbers = count()


def reason(query, key, value, pattern, *, return_lse):
    """Why FlexAttention cannot do the call, or None."""
    if not isinstance(pattern, Pattern):
        return "FlexAttention takes patterns only, and this is an index set"
    if 0 in query.shape or 0 in key.shape or 0 in value.shape:
        return "FlexAttention takes no empty tensors"
    if query.device.type != "cpu":
        if query.dtype == torch.float64:
            return "FlexAttention has no float64"
        if min(query.shape[-1], value.shape[-1]) < 16:
            return "FlexAttention's GPU kernels need head dimensions of at least 16"
        return None if find_spec("triton") else "compiling FlexAttention needs Triton, and there is none"
    if torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value)):
        return "FlexAttention has no gradients on a CPU"
    if return_lse:
        return "FlexAttention gives no log-sum-exp on a CPU"
    if query.dtype == torch.float64:
        return "FlexAttention has no float64 on a CPU"
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        return f"compiling FlexAttention needs a C++ compiler, and there is no {compiler}"
    return None


def forward(query, key, value, pattern, *, query_offset, scale):
    """See `companion.backends`. On a CPU, lse is None.

    Compiles on the first call for a pattern with given heads and dimensions, and once more when another
    length comes; the third length, and any later one, finds code that holds for all lengths. That takes
    seconds to a minute.
    """
    query, key, value = (x.contiguous() for x in (query, key, value))  # one kind of strides to compile for
    blocks = _block_mask(pattern, query.shape[2], key.shape[2], query_offset, query.device)
    shapes = query.shape[:2], key.shape[1], query.shape[-1], value.shape[-1]
    kind = query.dtype, query.device, scale, shapes
    found = _compiled(pattern, kind)(query, key, value, blocks, scale, query.device.type != "cpu")
    return (found[0], found[1].lse) if isinstance(found, tuple) else (found, None)


@lru_cache(maxsize=8)
def _block_mask(pattern, L, S, query_offset, device):
    # As a tensor the offset may change from call to call; as an int it would be compiled in.
    offset = torch.tensor(query_offset, device=device)

    def mask_mod(batch, head, q_idx, kv_idx):
        return pattern(batch, head, q_idx + offset, kv_idx)

    layout = pattern.layout(L, S, block_size=_BLOCK[device.type], query_offset=query_offset)
    return layout.to_flex(device, mask_mod)


@lru_cache(maxsize=64)
def _compiled(pattern, kind):
    """FlexAttention compiled for one pattern and kind of call: only lengths and the offset may still vary.

    torch.compile keeps its versions with a function's code, and past eight of them it runs uncompiled, ten
    times as slow. So each kind gets a copy of the code, and ``fullgraph`` makes the ninth version an error.
    By the code's name it remembers which numbers have varied: another pattern's window must not be one.
    """
    code = _call.__code__.replace(co_name=f"flex_{next(_numbers)}")
    return torch.compile(FunctionType(code, globals()), fullgraph=True)


def _call(query, key, value, blocks, scale, with_lse):
    return flex_attention(
        query,
        key,
        value,
        block_mask=blocks,
        scale=scale,
        enable_gqa=query.shape[1] != key.shape[1],
        return_aux=AuxRequest(lse=True) if with_lse else None,
    )
