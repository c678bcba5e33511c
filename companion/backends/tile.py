"""Attention of a batch of tiles, each some queries against some keys, with the gradients by hand."""

import torch

__all__ = ["backward", "forward"]

_fused_forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
_fused_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward


def forward(query, key, value, mask, scale):
    """Attention inside each tile.

    ``query`` (n, H, t, D), ``key`` and ``value`` (n, H, m, D), float32 or float64; ``mask`` boolean (t, m),
    or None if all pairs are allowed. Returns out (n, H, t, D) and lse (n, H, t): 0 and -inf for a row without
    keys. On a CPU this is one call of the fused kernel behind
    `torch.nn.functional.scaled_dot_product_attention`.
    """
    if _is_fused(query):
        out, lse = _fused_forward(query, key, value, attn_mask=_additive(mask, query), scale=scale)
        if mask is not None and not mask.any(dim=-1).all():
            lse = lse.masked_fill(~mask.any(dim=-1), -torch.inf)  # where the kernel says 0
        return out, lse
    scores = _scores(query, key, mask, scale)
    peak = _finite(scores.amax(dim=-1, keepdim=True))
    powers = torch.exp(scores - peak)
    total = powers.sum(dim=-1, keepdim=True)
    return powers @ value / total.masked_fill(total == 0, 1.0), (peak + torch.log(total)).squeeze(-1)


def backward(grad_out, grad_lse, query, key, value, out, lse, mask, scale):
    """Gradients of a tile's query, key and value, where its queries may attend more than the tile's keys.

    ``out`` and ``lse`` are of the whole attention, so that the gradients of the tiles add up to its
    gradients. ``grad_lse`` is None if nothing was computed from lse. With P = exp(scores - lse), dP = dO V^T
    and d = rowsum(dO * O), dS = P * (dP - d + dlse), and dV = P^T dO, dQ = scale dS K, dK = scale dS^T Q
    (Dao et al. 2022, arXiv 2205.14135, appendix B.2).
    """
    lse = _finite(lse)
    if _is_fused(query) and grad_lse is None:
        return _fused_backward(
            grad_out, query, key, value, out, lse, 0.0, False, attn_mask=_additive(mask, query), scale=scale
        )
    weights = torch.exp(_scores(query, key, mask, scale) - lse[..., None])
    pull = (grad_out * out).sum(dim=-1)
    if grad_lse is not None:
        pull = pull - grad_lse
    grad_scores = scale * weights * (grad_out @ value.mT - pull[..., None])
    return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad_out


def _is_fused(x):
    return x.device.type == "cpu"


def _scores(query, key, mask, scale):
    scores = scale * (query @ key.mT)
    return scores if mask is None else scores.masked_fill(~mask, -torch.inf)


def _additive(mask, like):
    if mask is None:
        return None
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(~mask, -torch.inf)[None, None]


def _finite(x):
    """x with 0 for the -inf of a row without keys: its weights exp(-inf - 0) are then 0, not NaN."""
    return x.masked_fill(x == -torch.inf, 0.0)
