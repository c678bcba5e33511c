"""What the backends are compared with, and on what."""

from itertools import combinations

import numpy as np
import torch

from companion import reference
from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    full,
    global_tokens,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

LENGTH = 137
SINGLE = [
    full(),
    causal(),
    sliding_window(20),
    sliding_window(100),
    dilated(5, 7),
    strided(9),
    sinks(3),
    global_tokens([0, 40, 41, 130]),
    chunks(30),
    random_blocks(16, 3, seed=1),
    documents([50, 1, 60, 26]),
    per_head([sliding_window(10), strided(4)]),
]
_BASE = [sliding_window(20), sinks(3), dilated(5, 7), chunks(30), random_blocks(16, 3, seed=1), strided(9)]
COMPOSED = [
    *(p | q for p, q in combinations(_BASE, 2)),
    *(p & q for p, q in combinations(_BASE, 2)),
    (sliding_window(20) | sinks(3)) & documents([70, 67]),
    per_head([sinks(2), causal()]) & strided(2) | sliding_window(5),
    sliding_window(30) & sinks(20),  # most rows are empty
]
# Layouts in memory of a tensor (batch, heads, tokens, dim), none of them contiguous.
STRIDES = {
    "tokens before heads": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
    "dim before tokens": lambda x: x.mT.contiguous().mT,
    "every other token": lambda x: x.repeat_interleave(2, dim=2)[:, :, ::2],
    "every other dim": lambda x: x.repeat_interleave(2, dim=3)[..., ::2],
    "one head, expanded": lambda x: x[:, :1].expand(x.shape),
    "one element, expanded": lambda x: x[:1].expand(x.shape),
    "one token, expanded": lambda x: x[:, :, :1].expand(x.shape),
}


def tensors(L, S=None, *, heads=2, heads_kv=None, batch=1, dim=16, dim_value=None, dtype=torch.float32):
    """Query, key and value drawn from a standard normal."""
    generator = torch.Generator().manual_seed(0)
    S, heads_kv, dim_value = S or L, heads_kv or heads, dim_value or dim
    shapes = (batch, heads, L, dim), (batch, heads_kv, S, dim), (batch, heads_kv, S, dim_value)
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in shapes]


def dense_mask(pattern, L, S=None, query_offset=None):
    return torch.as_tensor(pattern.mask(L, S, query_offset=query_offset))


def expected(query, key, value, mask, scale=None):
    """Output and log-sum-exp by the loops of the reference, in float64."""
    q, k, v = (x.detach().double().numpy() for x in (query, *grouped(query, key, value)))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    mask = np.broadcast_to(mask.numpy(), (*q.shape[:-1], k.shape[-2]))
    lse = reference.logsumexp(np.where(mask, scale * (q @ np.swapaxes(k, -1, -2)), -np.inf))
    return torch.from_numpy(reference.attention(q, k, v, mask, scale=scale)), torch.from_numpy(lse)


def plain(query, key, value, mask, scale=None):
    """The formula in the tensors' own dtype, differentiable; 0 in rows without keys."""
    key, value = grouped(query, key, value)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (scale * query @ key.mT).masked_fill(~mask, -torch.inf)
    some = mask.any(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(~some, 0.0), dim=-1).masked_fill(~some, 0.0) @ value


def grouped(query, key, value):
    group = query.shape[1] // key.shape[1]
    return key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)


def assert_as_exact_as_plain(out, query, key, value, mask, scale=None):
    """Off from the reference by at most twice what the plain formula in that dtype is, and four roundings."""
    assert out.dtype == query.dtype
    right, _ = expected(query, key, value, mask, scale)
    error_of_plain = (plain(query, key, value, mask, scale).double() - right).abs().max()
    roundings = 4 * torch.finfo(out.dtype).eps * right.abs().max()
    error = (out.double() - right).abs().max()
    assert error <= 2 * error_of_plain + roundings, f"{error:.2e}, plain {error_of_plain:.2e}"


def gradients(function, inputs, *, seed=5):
    """Gradients of a random weighted sum of ``function(*inputs)``, a tensor."""
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    out = function(*inputs)
    weights = torch.randn(out.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return torch.autograd.grad(out, inputs, weights.to(out.dtype))
