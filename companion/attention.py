"""The front door: attention under a pattern or explicit indices, by the backend that suits the call."""

import math
from numbers import Real
from typing import NamedTuple

from companion.extras import extra

with extra("torch"):
    import torch

from companion.backends import blocks, dense, flex, launch
from companion.backends.guard import guarded
from companion.indices import IndexSet
from companion.patterns import Pattern, causal
from companion.patterns.numbers import whole

__all__ = ["Choice", "attention", "choose"]

_BACKENDS = {"dense": dense, "blocks": blocks, "flex": flex, "triton": launch}
_DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_SMALL = 2**14  # pairs of query and key, up to which the plain formula is as fast as anything


class Choice(NamedTuple):
    """A backend's name, and why it."""

    name: str
    why: str


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    pattern: Pattern | IndexSet = causal(),
    *,
    query_offset: int | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    backend: str = "auto",
    return_lse: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Softmax attention in which each query attends only the keys that ``pattern`` allows it.

    Row i of the output is the sum of softmax(scale q_i K_G^T) V_G over the set G that the pattern gives i
    (Vaswani et al. 2017, section 3.2.1; Child et al. 2019, section 4.2).

    Parameters
    ----------
    query : (B, Hq, L, D)
    key, value : (B, Hkv, S, D) and (B, Hkv, S, Dv)
        float16, bfloat16, float32 or float64, all the same; any strides. Never written to.
    pattern : Pattern or IndexSet
        Who may attend to whom. The array of an IndexSet is (L, k), (Hq, L, k) or (B, Hq, L, k).
    query_offset : int, optional
        The position of query 0. It is 0 if L = S; otherwise it must be given, except for ``full()``.
    scale : float, optional
        Multiplies the dot products; D ** -0.5 unless given.
    enable_gqa : bool
        Allows Hq to be a multiple of Hkv: key head h serves the query heads h Hq / Hkv and on.
    backend : "auto", "dense", "blocks", "flex" or "triton"
        "auto" takes what `choose` names. Any other does the call or raises ValueError, saying why it cannot.
    return_lse : bool
        Also return the log-sum-exp of every row's scores.

    Returns
    -------
    out : (B, Hq, L, Dv), in the dtype given, accumulated in float32 or better.
    lse : (B, Hq, L), float32 or better, natural logarithm; only if asked for.
        A row without keys has output 0, lse -inf and gradients 0. A row that attends NaN or infinity, or
        whose query holds one, has output and lse NaN and sends no gradient. Nothing outside G is felt,
        whatever it holds.

    Raises
    ------
    TypeError, ValueError
        An argument is of the wrong kind, or does not fit the others: a boolean or float mask instead of a
        pattern, an index in the future or out of range, head counts that do not divide, lengths that leave
        the offset open.

    Examples
    --------
    >>> from companion.patterns import sinks, sliding_window
    >>> query = key = torch.zeros(1, 1, 4, 8)
    >>> value = torch.tensor([8.0, 2.0, 4.0, 6.0]).reshape(1, 1, 4, 1)
    >>> attention(query, key, value, sliding_window(2)).flatten().tolist()
    [8.0, 5.0, 3.0, 5.0]
    >>> attention(query, key, value, sliding_window(2) | sinks(1)).flatten().tolist()[-1]
    6.0
    """
    pattern, query_offset, scale = _checked(query, key, value, pattern, query_offset, scale, enable_gqa)
    if query.device.type == "meta":
        raise ValueError("query must hold numbers, which are looked at; got a tensor on device 'meta'")
    if backend == "auto":
        backend = _choose(query, key, value, pattern, return_lse).name
    if not isinstance(backend, str) or backend not in _BACKENDS:
        raise ValueError(f"backend must be one of {['auto', *_BACKENDS]}; got {backend!r}")
    module = _BACKENDS[backend]
    reason = module.reason(query, key, value, pattern, return_lse=return_lse)
    if reason is not None:
        raise ValueError(f"backend {backend!r} cannot do this call: {reason}")
    out, lse = guarded(
        module.forward, query, key, value, pattern, query_offset=query_offset, scale=scale, tells=module.TELLS
    )
    return (out, lse) if return_lse else out


def choose(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    pattern: Pattern | IndexSet = causal(),
    *,
    query_offset: int | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
) -> Choice:
    """The backend that ``attention(..., backend="auto")`` takes for these arguments, and why.

    Errors are those of `attention`.

    >>> x = torch.zeros(1, 1, 16, 8)
    >>> choose(x, x, x).name, choose(x, x, x).why
    ('dense', '16 x 16 pairs are few: the plain formula is as fast as anything')
    """
    pattern, _, _ = _checked(query, key, value, pattern, query_offset, scale, enable_gqa)
    return _choose(query, key, value, pattern, return_lse)


def _choose(query, key, value, pattern, return_lse):
    L, S = query.shape[2], key.shape[2]
    if L * S <= _SMALL:
        return Choice("dense", f"{L} x {S} pairs are few: the plain formula is as fast as anything")
    if query.device.type == "cpu":
        why = "on a CPU it is as fast as compiled FlexAttention, without compiling, and has gradients"
        return Choice("blocks", why)
    reason = flex.reason(query, key, value, pattern, return_lse=return_lse)
    if reason is not None:
        return Choice("blocks", f"it visits only what the pattern touches, and {reason}")
    return Choice("flex", "compiled FlexAttention visits only what the pattern touches, in one kernel")


def _checked(query, key, value, pattern, query_offset, scale, enable_gqa):
    """Every argument against every other. Returns pattern or int64 indices (4 axes), offset, scale."""
    given = {"query": query, "key": key, "value": value}
    for name, x in given.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a torch tensor; got {type(x).__name__}")
        if x.dtype not in _DTYPES:
            raise TypeError(f"{name} must be float16, bfloat16, float32 or float64; got {x.dtype}")
        if x.dtype != query.dtype or x.device != query.device:
            raise TypeError(
                f"{name} must be {query.dtype} on {query.device}, as query is; got {x.dtype} on {x.device}"
            )
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, tokens, dim); got shape {tuple(x.shape)}")
    B, heads, L, D = query.shape
    _, heads_kv, S, _ = key.shape
    if (key.shape[0], key.shape[3]) != (B, D):
        raise ValueError(f"key must be ({B}, heads, tokens, {D}) to match query; got {tuple(key.shape)}")
    if value.shape[:3] != key.shape[:3]:
        raise ValueError(f"value must be ({B}, {heads_kv}, {S}, dim) to match key; got {tuple(value.shape)}")
    if D == 0:
        raise ValueError("query must have a head dimension of at least 1; got 0")
    if heads == 0 or heads_kv == 0:
        raise ValueError(f"query and key must have at least one head; got {heads} and {heads_kv}")
    if heads != heads_kv and not enable_gqa:
        raise ValueError(
            f"query has {heads} heads and key has {heads_kv}: unequal counts need enable_gqa=True"
        )
    if heads % heads_kv:
        raise ValueError(f"query heads must be a multiple of key heads; got {heads} and {heads_kv}")
    if scale is None:
        scale = D**-0.5
    if isinstance(scale, bool) or not isinstance(scale, Real):
        raise TypeError(f"scale must be a real number; got {scale!r}")
    if not math.isfinite(scale):
        raise ValueError(f"scale must be finite; got {scale!r}")
    if not isinstance(pattern, Pattern | IndexSet):
        raise TypeError(
            f"pattern must be a Pattern or an IndexSet; got {type(pattern).__name__}. "
            "IndexSet.from_mask makes an index set of a boolean mask, True = may attend"
        )
    everywhere = isinstance(pattern, Pattern) and pattern.everywhere
    if query_offset is not None:
        query_offset = whole("query_offset", query_offset, 0)
    elif L == S or everywhere:
        query_offset = 0
    else:
        raise ValueError(
            f"query_offset must be given when query has {L} tokens and key has {S}: it is the position of "
            f"the first query, S - L = {S - L} if the queries are the last tokens"
        )
    if isinstance(pattern, IndexSet):
        return _indices(pattern, query, S, query_offset), query_offset, float(scale)
    pattern.check(query_offset + L, S)
    if pattern.heads not in (None, heads):
        raise ValueError(f"pattern tells {pattern.heads} heads apart, but query has {heads}")
    return pattern, query_offset, float(scale)


def _indices(index_set, query, S, query_offset):
    indices = torch.as_tensor(index_set.array, device=query.device)
    B, heads, L, _ = query.shape
    shape = (1,) * (4 - indices.ndim) + tuple(indices.shape)
    if len(shape) > 4 or shape[0] not in (1, B) or shape[1] not in (1, heads) or shape[2] != L:
        raise ValueError(
            f"pattern must hold indices ({L}, k), ({heads}, {L}, k) or ({B}, {heads}, {L}, k) to match "
            f"query; got {tuple(indices.shape)}"
        )
    indices = indices.reshape(shape)
    position = query_offset + torch.arange(L, device=query.device)[:, None]
    for wrong, what in (
        (indices >= S, f"out of range for {S} keys"),
        (indices > position, "in the future of position {}"),
    ):
        if wrong.any():
            *_, row, _ = where = tuple(wrong.nonzero()[0].tolist())
            value = indices[where].item()
            raise ValueError(f"pattern: row {row} holds index {value}, {what.format(query_offset + row)}")
    return indices
