"""Block-sparse attention in plain torch: visits only the blocks that a pattern touches, and trains.

A plan says which tiles of queries meet which keys. Tiles that look alike run as one batch of windows on the
same tensors, most of them without a copy. The gradients are this file's own: slicing under autograd would
make a full-size array of zeros for every slice.
"""

import torch
from torch.nn.functional import pad

from companion.backends import tile
from companion.backends.plan import plan, plan_indices
from companion.backends.windows import batches
from companion.merge import merge
from companion.patterns import Pattern

__all__ = ["TELLS", "forward", "reason"]

TELLS = False


def reason(query, key, value, pattern, *, return_lse):
    """Always None: this backend can do every call."""
    return None


def forward(query, key, value, pattern, *, query_offset, scale):
    """See `companion.backends`. It cannot be differentiated twice."""
    # A plan is NumPy's work, which torch.compile would trace, and fail.
    run = torch.compiler.disable(_run) if torch.compiler.is_compiling() else _run
    return run(query, key, value, pattern, query_offset, scale)


def _run(query, key, value, pattern, query_offset, scale):
    dtype = torch.promote_types(query.dtype, torch.float32)
    dim = max(query.shape[-1], value.shape[-1])
    q, k, v = (_prepared(x.to(dtype), dim) for x in (query, key, value))
    out, lse = _Blocks.apply(q, k, v, pattern, query_offset, scale)
    return out[..., : value.shape[-1]].to(query.dtype), lse


class _Blocks(torch.autograd.Function):
    """Query (B, Hq, L, D), key and value (B, Hkv, S, D) to out (B, Hq, L, D) and lse (B, Hq, L)."""

    @staticmethod
    def forward(ctx, query, key, value, pattern, query_offset, scale):
        out, lse = _token_major(query), query.new_full((*query.shape[:-1], 1), -torch.inf)
        for batch in _batches(pattern, query_offset, query, key):
            q, k, v = batch.queries(query), batch.keys(key), batch.keys(value)
            tiles, tiles_lse = tile.forward(q, k, v, batch.mask, scale)
            if batch.part.again:
                before = batch.queries(out), batch.queries(lse)[..., 0]
                tiles, tiles_lse = merge(*before, tiles, tiles_lse)
            batch.put_queries(out, tiles)
            batch.put_queries(lse, tiles_lse[..., None])
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.asked = pattern, query_offset, scale
        ctx.set_materialize_grads(False)
        return out, lse[..., 0]

    @staticmethod
    def backward(ctx, grad_out, grad_lse):
        if torch.is_grad_enabled():
            raise RuntimeError("backend 'blocks' cannot be differentiated twice; 'dense' can")
        query, key, value, out, lse = ctx.saved_tensors
        pattern, query_offset, scale = ctx.asked
        grads = grad_query, grad_key, grad_value = [_token_major(x) for x in (query, key, value)]
        grad_out = torch.zeros_like(out) if grad_out is None else _prepared(grad_out, out.shape[-1])
        for batch in _batches(pattern, query_offset, query, key):
            q, k, v = batch.queries(query), batch.keys(key), batch.keys(value)
            grad_q, grad_k, grad_v = tile.backward(
                batch.queries(grad_out),
                None if grad_lse is None else batch.queries(grad_lse[..., None])[..., 0],
                q,
                k,
                v,
                batch.queries(out),
                batch.queries(lse)[..., 0],
                batch.mask,
                scale,
            )
            if batch.part.again:
                grad_q = grad_q + batch.queries(grad_query)
            batch.put_queries(grad_query, grad_q)
            batch.add_keys(grad_key, grad_k)
            batch.add_keys(grad_value, grad_v)
        return *grads, None, None, None


def _batches(pattern, query_offset, query, key):
    L, S = query.shape[2], key.shape[2]
    parts = plan(pattern, L, S, query_offset) if isinstance(pattern, Pattern) else plan_indices(pattern, S)
    return batches(parts, query, key)


def _prepared(x, dim):
    """x with zeros appended up to ``dim``, which tiles need as one width and which no dot product feels."""
    x = pad(x, (0, dim - x.shape[-1])) if x.shape[-1] < dim else x
    return x if x.stride(-1) == 1 else x.contiguous()


def _token_major(like):
    """Zeros in the shape of ``like``, laid out (B, tokens, H, D) as PyTorch's attention on a CPU does."""
    B, H, tokens, D = like.shape
    return like.new_zeros(B, tokens, H, D).transpose(1, 2)
