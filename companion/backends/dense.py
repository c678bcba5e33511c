"""Attention by its formula: every score, a mask, a softmax. Takes memory for all L x S pairs."""

import torch

from companion.backends.pairs import allowed

__all__ = ["TELLS", "attend", "forward", "reason"]

TELLS = False


def reason(query, key, value, pattern, *, return_lse):
    """Always None: this backend can do every call."""
    return None


def forward(query, key, value, pattern, *, query_offset, scale):
    """See `companion.backends`."""
    rows = torch.arange(query.shape[2], device=query.device)
    columns = torch.arange(key.shape[2], device=query.device)
    mask = allowed(pattern, rows, columns, query_offset=query_offset, key_tokens=len(columns))
    return attend(query, key, value, mask, scale=scale)


def attend(query, key, value, mask, *, scale):
    """Masked attention: ``query`` (B, Hq, L, D), ``key`` (B, Hkv, S, D), ``value`` (B, Hkv, S, Dv).

    ``mask`` is boolean, True = may attend, and broadcasts to (B, Hq, L, S). Returns out (B, Hq, L, Dv) in the
    dtype of ``query`` and lse (B, Hq, L). Nothing that the mask forbids can be felt, by overflow or by
    gradient.
    """
    dtype = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (x.to(dtype) for x in (query, key, value))

    # Query head h uses key head h // group: give each key head its run of query heads.
    heads_kv, group = k.shape[1], q.shape[1] // k.shape[1]
    q = q.unflatten(1, (heads_kv, group))                                  # (B, Hkv, group, L, D)
    mask = mask.expand(*query.shape[:2], *mask.shape[-2:]).unflatten(1, (heads_kv, group))

    scores = scale * (q @ k[:, :, None].mT)                                # (B, Hkv, group, L, S)
    scores = scores.masked_fill(~mask, -torch.inf)
    lse = torch.logsumexp(scores, dim=-1)                                  # (B, Hkv, group, L)

    # The softmax of a row without keys is NaN; with 0 for its scores it is anything, and masked again.
    scores = scores.masked_fill((lse == -torch.inf)[..., None], 0.0)
    # Masking again also stops gradients that come back through masked values.
    weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
    out = weights @ v[:, :, None]                                          # (B, Hkv, group, L, Dv)
    return out.flatten(1, 2).to(query.dtype), lse.flatten(1, 2)
