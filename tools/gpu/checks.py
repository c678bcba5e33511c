"""The Triton kernels at real sizes, against float64: at most twice as far off as PyTorch's own attention.

    python -m tools.gpu.checks [--device cuda] [--seconds 100] [--workers 6]

A process compiles its kernels one after the other, so several have a share of the checks each.
Small sizes, with every corner, are the business of tests/backends/test_triton.py.
"""

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import torch
from torch.nn.functional import scaled_dot_product_attention

from companion.attention import attention
from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    global_tokens,
    per_head,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

__all__ = ["REAL", "SMALL", "Sizes", "Wrong", "checks", "main"]

_BY_CHANCE = 16  # roundings of float32 by which PyTorch may be nearer by chance; and half a last rounding
_DTYPES = torch.bfloat16, torch.float16, torch.float32


class Wrong(AssertionError):
    """A check that failed."""


@dataclass(frozen=True)
class Sizes:
    tokens: int  # no multiple of any block
    cache: int  # keys, in decoding
    long: int
    sampled: int  # rows of a long sequence that are compared
    window: int
    dim: int
    dims: tuple[int, ...]
    heads: tuple[int, int]  # of queries and keys, where they differ
    dtypes: tuple[torch.dtype, ...] = _DTYPES


REAL = Sizes(8229, 65_536, 131_072, 32, 1024, 128, (16, 32, 64, 80, 128, 256), (32, 8))
SMALL = Sizes(70, 150, 300, 4, 20, 16, (16,), (4, 2), (torch.float32,))


def checks(sizes: Sizes, device: str) -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Every check by its name: a call that raises `Wrong`, or may return what it found."""
    window = sliding_window(sizes.window) | sinks(4)
    first, *others = sizes.dtypes
    yield from _by_dtype(sizes, device, window, first)
    yield "two runs are bit-identical", partial(_same_twice, sizes, device, window)
    yield "what lies outside G is not felt", partial(_not_felt, sizes, device, window)
    long = f"{sizes.sampled} rows of {sizes.long}, {window}"
    yield long, partial(_rows_of_a_long_one, sizes, device, window)
    for how in _STRIDES:
        yield f"strides: {how}", partial(_same_by_any_strides, sizes, device, window, how)
    for dtype in others:
        yield from _by_dtype(sizes, device, window, dtype)
    for width in sizes.dims:
        shape = (2, 2, sizes.tokens // 4, sizes.tokens // 4)
        yield f"D = {width}, {first}", partial(_compare, device, causal(), shape, width, first)


def _by_dtype(sizes, device, window, dtype):
    compare, (heads, heads_kv) = partial(_compare, device, dim=sizes.dim, dtype=dtype), sizes.heads
    for pattern in _patterns(sizes):
        shape = (pattern.heads or 2, 2, sizes.tokens, sizes.tokens)
        yield f"{_short(pattern)}, {dtype}", partial(compare, pattern, shape)
    grouped = (heads, heads_kv, sizes.tokens // 4, sizes.tokens // 4)
    yield f"{heads} on {heads_kv} heads, {dtype}", partial(compare, window, grouped)
    for L, pattern in product((1, 5), (causal(), window)):
        few = (heads, heads_kv, L, sizes.cache)
        yield f"decoding {L} of {sizes.cache}, {pattern}, {dtype}", partial(compare, pattern, few)


def _patterns(sizes):
    w, L = sizes.window, sizes.tokens
    window = sliding_window(w)
    return [
        causal(),
        window,
        window | sinks(4) | strided(w),
        dilated(w, 3),
        chunks(w),
        documents([L // 3, L // 5, L - L // 3 - L // 5]),
        global_tokens(range(0, L, L // 4)) | sliding_window(w // 4),
        random_blocks(64, 4, 0) | sliding_window(8),
        per_head([window, strided(w // 2)]),
    ]


def _short(pattern):
    text = repr(pattern)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _given(device, heads, heads_kv, L, S, dim, dtype):
    """Query, key, value and what the output is pulled by, the same on every run."""
    generator = torch.Generator(device).manual_seed(0)
    shapes = [(1, heads, L, dim), (1, heads_kv, S, dim), (1, heads_kv, S, dim)]
    shapes += [(1, heads, L, dim)]
    return [torch.randn(shape, generator=generator, device=device).to(dtype) for shape in shapes]


def _ours(pattern, query, key, value, pull):
    """Output, log-sum-exp and the three gradients by the kernels; queries are the last positions."""
    leaves = [x.detach().requires_grad_() for x in (query, key, value)]
    out, lse = attention(
        *leaves, pattern, query_offset=key.shape[2] - query.shape[2], enable_gqa=True, backend="triton",
        return_lse=True,
    )  # fmt: skip
    return [out.detach(), lse, *torch.autograd.grad(out, leaves, pull)]


def _formula(mask, query, key, value, pull, *, fused=False):
    """The same, densely, in the inputs' dtype: by PyTorch's attention, or by the formula itself."""
    leaves = [x.detach().requires_grad_() for x in (query, key, value)]
    q, k, v = leaves
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    precise = torch.promote_types(q.dtype, torch.float32)
    with torch.no_grad():
        scores = (q.to(precise) @ k.to(precise).mT * q.shape[-1] ** -0.5).masked_fill_(~mask, -torch.inf)
        lse = torch.logsumexp(scores, dim=-1)
        del scores
    if fused:
        out = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    else:
        out = torch.softmax((q @ k.mT * q.shape[-1] ** -0.5).masked_fill(~mask, -torch.inf), dim=-1) @ v
    return [out.detach(), lse, *torch.autograd.grad(out, leaves, pull)]


def _compare(device, pattern, shape, dim, dtype):
    heads, heads_kv, L, S = shape
    given = _given(device, heads, heads_kv, L, S, dim, dtype)
    mask = _mask(pattern, heads, L, S, device)
    right = _formula(mask, *(x.double() for x in given))
    return _no_worse(_ours(pattern, *given), _formula(mask, *given, fused=True), right)


def _mask(pattern, heads, L, S, device):
    """``pattern.mask`` for queries at the last positions, made on the device, where it takes no time."""
    head, rows, columns = (torch.arange(n, device=device) for n in (heads, L, S))
    mask = pattern(0, head[:, None, None], S - L + rows[:, None], columns)
    return mask.expand(heads, L, S)


def _no_worse(ours, theirs, right):
    """Raises `Wrong` unless each of ours is at most twice as far off as theirs, at worst and on the whole."""
    most = 0.0
    for name, one, other, exact in zip(("out", "lse", "dq", "dk", "dv"), ours, theirs, right, strict=True):
        for which, size in (("largest", _largest), ("typical", _typical)):
            error, allowed = size(one.double() - exact), size(other.double() - exact)
            slack = size(exact) * (_BY_CHANCE * _eps(torch.float32) + _eps(one.dtype) / 2)
            if not error <= 2 * allowed + slack:
                raise Wrong(f"{which} error of {name}: {error:.2e}, PyTorch's {allowed:.2e}")
            most = max(most, error / (2 * allowed + slack))
    return f"at most {most:.0%} of the error allowed"


def _eps(dtype):
    return torch.finfo(dtype).eps


def _largest(x):
    return x.abs().max().item()


def _typical(x):
    return x.square().mean().sqrt().item()


def _rows_of_a_long_one(sizes, device, pattern):
    """Some rows of a sequence that is too long to be compared whole, and the gradients that they send."""
    L, dtype = sizes.long, sizes.dtypes[0]
    query, key, value, pull = _given(device, 1, 1, L, L, sizes.dim, dtype)
    rows = torch.linspace(0, L - 1, sizes.sampled).long()
    keys = [torch.as_tensor(pattern.indices(int(i), L)).to(device) for i in rows]
    only = torch.zeros_like(pull)
    only[:, :, rows] = pull[:, :, rows]

    def by_rows(query, key, value, pull):
        leaves = [x.detach().requires_grad_() for x in (query, key, value)]
        q, k, v = (x[0, 0] for x in leaves)
        scores = [k[G] @ q[i] * q.shape[-1] ** -0.5 for i, G in zip(rows, keys, strict=True)]
        out = torch.stack([torch.softmax(s, 0) @ v[G] for s, G in zip(scores, keys, strict=True)])
        lse = torch.stack([torch.logsumexp(s.detach(), 0) for s in scores])
        return [out.detach(), lse, *torch.autograd.grad(out, leaves, pull[0, 0, rows])]

    out, lse, *grads = _ours(pattern, query, key, value, only)
    right = by_rows(*(x.double() for x in (query, key, value, pull)))
    theirs = by_rows(query, key, value, pull)
    return _no_worse([out[0, 0, rows], lse[0, 0, rows], *grads], theirs, right)


_STRIDES = {
    "tokens before heads": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
    "dim before tokens": lambda x: x.mT.contiguous().mT,
    "every other token": lambda x: x.repeat_interleave(2, dim=2)[:, :, ::2],
}


def _same_by_any_strides(sizes, device, pattern, how):
    given = _given(device, 2, 2, sizes.tokens, sizes.tokens, sizes.dim, sizes.dtypes[0])
    _equal(_ours(pattern, *map(_STRIDES[how], given)), _ours(pattern, *given))


def _same_twice(sizes, device, pattern):
    given = _given(device, *sizes.heads, sizes.tokens, sizes.tokens, sizes.dim, sizes.dtypes[0])
    _equal(_ours(pattern, *given), _ours(pattern, *given))


def _not_felt(sizes, device, pattern):
    """Rows that do not attend a key and a value which are spoilt keep output, log-sum-exp and query gradient."""
    L, at = sizes.tokens, sizes.tokens // 2
    given = _given(device, 2, 2, L, L, sizes.dim, sizes.dtypes[0])
    outside, before = ~_mask(pattern, 1, L, L, device)[0, :, at], _ours(pattern, *given)
    for poison in (torch.nan, torch.inf, -torch.inf, torch.finfo(sizes.dtypes[0]).max):
        spoilt = [x.clone() for x in given]
        spoilt[1][:, :, at] = spoilt[2][:, :, at] = poison
        after = _ours(pattern, *spoilt)
        _equal([x[:, :, outside] for x in after[:3]], [x[:, :, outside] for x in before[:3]])
        if not math.isfinite(poison) and not after[0][:, :, ~outside].isnan().all():
            raise Wrong(f"a row that attends {poison} is not NaN")


def _equal(found, expected):
    for name, one, other in zip(("out", "lse", "dq", "dk", "dv"), found, expected, strict=False):
        if not torch.equal(one, other):
            raise Wrong(f"{name} differs by {_largest(one.double() - other.double()):.2e}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no check after so many")
    parser.add_argument("--workers", type=int, default=1, help="processes to share the checks among")
    share_of = {"type": int, "nargs": 2, "default": (0, 1), "metavar": ("K", "N")}
    parser.add_argument("--share", **share_of, help="the K-th of N shares, from 0")
    options = parser.parse_args(arguments)
    deadline, failed = time.monotonic() + options.seconds, 0
    if options.workers > 1:
        return _shared(options)
    every = list(checks(REAL if options.device == "cuda" else SMALL, options.device))
    share, shares = options.share
    # Neighbours need the same kernels, so a share is a run of them.
    for name, check in every[share * len(every) // shares : (share + 1) * len(every) // shares]:
        if time.monotonic() > deadline:
            print(f"DROPPED {name}: no time left", flush=True)
            continue
        try:
            print(f"PASSED {name}: {check() or 'equal'}", flush=True)
        except Exception as error:  # whatever a kernel may raise, the other checks still say something
            failed += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
    return failed > 0


def _shared(options):
    own = ["--device", options.device, "--seconds", str(options.seconds)]
    command = [sys.executable, "-m", "tools.gpu.checks", *own, "--share"]
    shares = [subprocess.Popen([*command, str(k), str(options.workers)]) for k in range(options.workers)]
    failed = [share.wait() for share in shares]
    return any(failed)


if __name__ == "__main__":
    sys.exit(main())
