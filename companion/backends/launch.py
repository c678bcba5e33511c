"""The backend "triton": what the kernels of `companion.backends.triton` can do, and how they are launched."""

import math
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import pad
from torch.torch_version import TorchVersion

from companion.backends.lists import block_size, lists
from companion.patterns import Pattern

__all__ = ["TELLS", "forward", "reason"]

TELLS = True  # `attend` adds 0 x score to the sum of a row, and 0 x NaN is NaN

_NO_INTERPRETER = "on a CPU Triton needs TRITON_INTERPRET=1, set before triton is imported"
_NUMPY = "Triton {}'s interpreter cannot work with NumPy {}: it needs NumPy below 2.4, or Triton 3.7 or later"
_LARGEST = 256  # head dimension
_MOST_ALIKE = 64  # query heads that fit a block
_DEEPEST = 164 * 1024  # bytes of shared memory that tiles of 5 stages take
_WIDEST = 132 * 1024  # and those of the largest head dimension, with 3
_SHARE = 4  # blocks that a split of a row's list holds at least
_ATTEND, _QUERIES, _KEYS = range(3)  # places in the tables of tiles
_BITS = {16: torch.int16, 32: torch.int32, 64: torch.int64}  # by the step: a row's mask as one number


class _Tile(NamedTuple):
    """The shape of a kernel's work: ``rows`` of a program, met by ``step`` columns at a time."""

    rows: int
    step: int
    num_warps: int
    num_stages: int


# By the head dimension, up to: the tiles of `attend`, `pull_queries` and `pull_keys`, to fit the registers
# and the shared memory of a Hopper GPU. Only the half precisions go to its matrix units.
# A step's copies wait for the number of its block, and each takes half of the stages: with 5, the copies of
# two steps are under way while one is computed, with 3 those of one.
_HALF = {
    64: (_Tile(128, 64, 4, 5), _Tile(128, 64, 8, 5), _Tile(128, 64, 8, 5)),
    128: (_Tile(128, 64, 8, 5), _Tile(128, 64, 8, 5), _Tile(128, 64, 8, 5)),
    256: (_Tile(128, 32, 8, 5), _Tile(64, 32, 8, 5), _Tile(64, 32, 8, 2)),
}
# Where there are no 128 rows. The units give a warp 16 rows: with 8 warps, all scores of 64 come twice.
# Two programs then share a processor; where 5 stages leave no room for the second, there are 3.
_HALF_LOW = {
    64: (_Tile(64, 64, 4, 5), _Tile(64, 64, 4, 5), _Tile(64, 64, 4, 5)),
    128: (_Tile(64, 64, 4, 3), _Tile(64, 64, 4, 3), _Tile(64, 32, 4, 5)),
    256: (_Tile(64, 32, 4, 3), _Tile(64, 32, 8, 5), _Tile(64, 32, 8, 2)),  # going back, 4 lack registers
}
_FLOAT = {
    64: (_Tile(32, 32, 4, 3), _Tile(32, 32, 4, 2), _Tile(32, 32, 4, 2)),
    128: (_Tile(32, 32, 4, 3), _Tile(32, 16, 4, 3), _Tile(32, 16, 4, 3)),
    256: (_Tile(16, 16, 4, 2), _Tile(16, 16, 4, 2), _Tile(16, 16, 4, 2)),
}


def reason(query, key, value, pattern, *, return_lse):
    """Why the kernels cannot do the call, or None."""
    if not isinstance(pattern, Pattern):
        return "the Triton kernels take patterns only, and this is an index set"
    if query.dtype == torch.float64:
        return "the Triton kernels have no float64"
    if max(query.shape[-1], value.shape[-1]) > _LARGEST:
        return f"the Triton kernels take head dimensions up to {_LARGEST}"
    if find_spec("triton") is None:
        return "there is no Triton"
    if query.device.type not in ("cpu", "cuda"):
        return f"the Triton kernels run on CUDA devices, and this is {query.device}"
    import triton

    from companion.backends import triton as kernels

    # Triton decides when it is imported, and again for each kernel.
    compiled = [isinstance(x, triton.JITFunction) for x in (triton.language.sum, kernels.attend)]
    if any(compiled) != all(compiled):
        return "TRITON_INTERPRET changed after triton was imported"
    if query.device.type == "cpu":
        if all(compiled):
            return _NO_INTERPRETER
        old = TorchVersion(triton.__version__) < "3.7" and TorchVersion(np.__version__) >= "2.4"
        return _NUMPY.format(triton.__version__, np.__version__) if old else None
    if not all(compiled):
        return "TRITON_INTERPRET=1 has Triton compute on the CPU"
    capability = torch.cuda.get_device_capability(query.device)
    if capability < (8, 0):
        return "the Triton kernels need compute capability 8.0; this device has {}.{}".format(*capability)
    return None


def forward(query, key, value, pattern, *, query_offset, scale):
    """See `companion.backends`. It cannot be differentiated twice."""
    dtype, L, heads_kv = query.dtype, query.shape[2], key.shape[1]
    group = query.shape[1] // heads_kv
    if dtype == torch.bfloat16 and query.device.type == "cpu":
        query, key, value = (x.float() for x in (query, key, value))  # the interpreter has no bfloat16
    alike = L == 1 and group <= _MOST_ALIKE and pattern.heads is None
    if alike:  # the query heads of a key head become rows of one tile, and read its keys once
        query = query.reshape(-1, heads_kv, group, query.shape[-1])
    if scale <= 0:  # the kernels take the largest score before they scale it
        query, scale = query * math.copysign(bool(scale), scale), -scale or 1.0
    given = (_prepared(x) for x in (query, key, value))
    out, lse = _Attention.apply(*given, pattern, query_offset, scale, alike)
    if alike:
        out, lse = out.flatten(1, 2)[:, :, None], lse.flatten(1, 2)[..., None]
    return out[..., : value.shape[-1]].to(dtype), lse


class _Attention(torch.autograd.Function):
    """Query (B, Hq, L, D), key (B, Hkv, S, D), value (B, Hkv, S, Dv) to out (B, Hq, L, Dv), lse (B, Hq, L).

    ``alike`` says that all rows of ``query`` stand at one position.
    """

    @staticmethod
    def forward(ctx, query, key, value, pattern, query_offset, scale, alike):
        from companion.backends.triton import attend

        (B, heads, L, _), S = query.shape, key.shape[2]
        asked = pattern, 1 if alike else L, S, query_offset
        size = block_size(*asked)
        walk = lists(*asked, size, query.device, by_keys=False, alike=alike)
        tile = _tile(_ATTEND, L, query, value, size)
        programs = B * heads * -(-L // tile.rows)
        splits = max(1, min(_programs(query.device) // max(programs, 1), walk.longest // _SHARE))
        dtype = query.dtype if splits == 1 else torch.float32
        out = query.new_empty(splits, B, heads, L, value.shape[-1], dtype=dtype)
        lse = query.new_empty(splits, B, heads, L, dtype=torch.float32)
        _launch(attend, (programs, splits), tile, size, (query, key, value), (out, lse), walk, scale)
        out, lse = (out[0], lse[0]) if splits == 1 else _joined(out, lse)
        out = out.to(query.dtype)
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.asked = asked, size, scale, alike
        ctx.set_materialize_grads(False)
        return out, lse

    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        if torch.is_grad_enabled():
            raise RuntimeError("backend 'triton' cannot be differentiated twice; 'dense' can")
        from companion.backends.triton import pull_keys, pull_queries

        query, key, value, out, lse = ctx.saved_tensors
        asked, size, scale, alike = ctx.asked
        (B, heads, L, _), (_, heads_kv, S, _) = query.shape, key.shape
        grad_out = torch.zeros_like(out) if grad_out is None else _prepared(grad_out)
        given = query, key, value, grad_out
        grads = grad_query, grad_key, grad_value = [x.new_empty(x.shape) for x in given[:3]]
        delta = torch.zeros_like(lse) if grad_lse is None else -grad_lse.contiguous()

        walk = [lists(*asked, size, query.device, by_keys, alike) for by_keys in (False, True)]
        tile = _tile(_QUERIES, L, query, value, size)
        grid = (B * heads * -(-L // tile.rows),)
        _launch(pull_queries, grid, tile, size, given, (out, lse, delta, grad_query), walk[0], scale)
        tile = _tile(_KEYS, S, query, value, size)
        grid = (B * heads_kv * -(-S // tile.rows),)
        _launch(pull_keys, grid, tile, size, given, (lse, delta, grad_key, grad_value), walk[1], scale)
        return *grads, None, None, None, None


def _launch(kernel, grid, tile, size, given, made, walk, scale):
    """Runs ``kernel`` on the tensors ``given``, of any strides, on ``made``, contiguous, and on ``walk``."""
    query, key, value = given[:3]
    strides = [stride for x in given for stride in x.stride()[:3]]
    counts = query.shape[2], key.shape[2], query.shape[1], query.shape[1] // key.shape[1], walk.heads
    masks = walk.masks.flatten().view(_BITS[tile.step])
    with torch.cuda.device_of(query):
        kernel[grid](
            *given, *made, walk.bounds, walk.blocks, walk.which, masks, *strides, scale, *counts,
            BLOCK=size, ROWS=tile.rows, STEP=tile.step, D=query.shape[-1], DV=value.shape[-1],
            num_warps=tile.num_warps, num_stages=tile.num_stages,
        )  # fmt: skip


def _joined(outs, lses):
    """The merge of all parts ``outs`` (splits, ..., Dv) and ``lses`` (splits, ...) at once."""
    lse = torch.logsumexp(lses, dim=0)
    shares = torch.exp(lses - lse.masked_fill(lse == -torch.inf, 0.0))
    return (shares[..., None] * outs).sum(dim=0), lse


def _programs(device):
    """How many programs keep the device busy. The interpreter runs one after the other."""
    return 1 if device.type == "cpu" else 2 * torch.cuda.get_device_properties(device).multi_processor_count


def _tile(which, tokens, query, value, size):
    """The tile of a program whose rows are ``tokens``: no more than there are, as in decoding."""
    rows = min(size, max(16, 1 << (tokens - 1).bit_length()))
    half = _HALF if rows > 64 else _HALF_LOW
    table = _FLOAT if query.dtype == torch.float32 else half
    dim = max(query.shape[-1], value.shape[-1])
    tile = next(tiles[which] for most, tiles in table.items() if dim <= most)
    room = _room(query.device)
    if room < _DEEPEST:
        tile = tile._replace(num_stages=min(tile.num_stages, 3))
    if dim > 128 and room < _WIDEST:
        tile = tile._replace(step=16)
    return tile._replace(rows=min(tile.rows, rows), step=min(tile.step, size))


def _room(device):
    """Bytes of shared memory that a program may take: on GPUs for desktops 99 KiB, on Hopper 227."""
    if device.type == "cpu":
        return math.inf
    return torch.cuda.get_device_properties(device).shared_memory_per_block_optin


def _prepared(x):
    """x with zeros appended to a width that kernels take: a power of two, at least 16."""
    width = max(16, 1 << (x.shape[-1] - 1).bit_length())
    x = pad(x, (0, width - x.shape[-1])) if x.shape[-1] < width else x
    return x if x.stride(-1) == 1 else x.contiguous()
