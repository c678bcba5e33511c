"""What no masked position may do: be felt. One guard for all backends.

Kernels multiply by a weight of 0 what they mean to leave out, and 0 times NaN is NaN. So positions that hold
NaN, infinity, or numbers so large that a dot product may overflow are hidden from the kernel, and the rows
that do attend them are written afterwards.
"""

import torch

from companion.backends import dense
from companion.backends.pairs import allowed

__all__ = ["guarded"]

_PAIRS = 2**22  # pairs of a pattern held at once


def guarded(forward, query, key, value, pattern, *, query_offset, scale, tells):
    """``forward`` of a backend, made safe: see the signature in `companion.backends`.

    A row that attends NaN or infinity, or whose own query holds one, gets NaN for output and log-sum-exp and
    sends no gradient; an empty row stays 0 and -inf. All other rows get, bit for bit, what they would get if
    those positions held anything else. Rows that meet finite numbers too large for the kernel are computed by
    the plain formula.

    Where there is nothing to do, it costs one look for the extremes of ``query``, ``key`` and ``value``. A
    backend that ``tells`` is looked at afterwards instead: its log-sum-exp is NaN if there is anything to do.
    """
    given = query, key, value
    asked = {"query_offset": query_offset, "scale": scale}
    # Below this, no dot product of two rows overflows in the dtype of accumulation, partial sums included.
    largest = torch.finfo(torch.promote_types(query.dtype, torch.float32)).max
    limit = (largest / (4 * query.shape[-1] * max(1.0, abs(scale)))) ** 0.5
    if tells or _within(given, limit):
        out, lse = forward(*given, pattern, **asked)
        if not tells or not lse.detach().isnan().any():
            return out, lse

    out, lse = forward(*(x.where(x.abs() <= limit, 0) for x in given), pattern, **asked)

    finite = [x.isfinite() for x in given]
    bad_query, bad_key, bad_value = (~x.all(dim=-1) for x in finite)
    big_query, big_key, big_value = ((x.abs() > limit).any(dim=-1) for x in given)
    big = big_query | _attends(pattern, big_key | big_value, query, query_offset)
    if big.any():
        rows = big.any(dim=(0, 1)).nonzero().squeeze(-1)
        columns = torch.arange(key.shape[2], device=key.device)
        mask = allowed(pattern, rows, columns, query_offset=query_offset, key_tokens=len(columns))
        q, k, v = (x.where(is_finite, 0) for x, is_finite in zip(given, finite))
        found = dense.attend(q[:, :, rows], k, v, mask, scale=scale)
        chosen = big[:, :, rows]
        out = out.index_copy(2, rows, found[0].where(chosen[..., None], out[:, :, rows]))
        if lse is not None:
            lse = lse.index_copy(2, rows, found[1].where(chosen, lse[:, :, rows]))

    bad = _nonempty(pattern, bad_query, key, query_offset)
    bad = bad | _attends(pattern, bad_key | bad_value, query, query_offset)
    out = out.masked_fill(bad[..., None], torch.nan)
    return out, None if lse is None else lse.masked_fill(bad, torch.nan)


def _within(given, limit):
    """Whether no entry of any tensor is NaN or beyond ``limit`` in size: a GPU is waited for once."""
    ends = []
    for x in given:
        x = x if x.is_contiguous() else x.transpose(1, 2)  # as models lay it out, and several times faster
        ends += x.detach().aminmax() if x.numel() else ()
    return not ends or bool((torch.stack(ends).abs() <= limit).all())


def _attends(pattern, keys, query, query_offset):
    """Which rows (B, Hq, L) may attend one of the flagged ``keys`` (B, Hkv, S)."""
    B, heads, L, _ = query.shape
    rows = torch.arange(L, device=keys.device)
    flagged = keys.any(dim=(0, 1)).nonzero().squeeze(-1)
    keys = keys.repeat_interleave(heads // keys.shape[1], dim=1)
    found = keys.new_zeros(B, heads, L)
    for columns in flagged.split(max(1, _PAIRS // max(L, 1))):
        mask = allowed(pattern, rows, columns, query_offset=query_offset, key_tokens=keys.shape[2])
        found |= (mask.float() @ keys[:, :, columns, None].float() > 0).squeeze(-1)
    return found


def _nonempty(pattern, queries, key, query_offset):
    """Those of the flagged ``queries`` (B, Hq, L) that may attend anything at all."""
    S = key.shape[2]
    columns = torch.arange(S, device=queries.device)
    queries = queries.clone()
    for rows in queries.any(dim=(0, 1)).nonzero().squeeze(-1).split(max(1, _PAIRS // max(S, 1))):
        mask = allowed(pattern, rows, columns, query_offset=query_offset, key_tokens=S)
        queries[:, :, rows] &= mask.any(dim=-1)
    return queries
