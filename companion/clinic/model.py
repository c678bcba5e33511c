"""Attention with switches: what a function with a known fault would return.

The differential diagnosis compares an output with the predictions made here. Everything is float64 NumPy,
in matrices; with no switch set it equals `companion.reference.attention`.
"""

from dataclasses import fields, replace

import numpy as np

from companion.patterns import Pattern, dilated, sliding_window

__all__ = ["RESHAPES", "gradients", "predict"]

#: The two ways of taking axes apart by a reshape where a transpose was due.
RESHAPES = ("from (B, L, H, D)", "from (B, H, L, D)")


def predict(case, *, mask=None, align=None, order=None, numbers=None, axis=None, scale=None, values=None,
            groups=None, slots=None, repeats=None, empty=None, reshape=(None, None), padding=None,
            block=None, batch=None):  # fmt: skip
    """Output of attention with the given faults, ``(B, H, L, Dv)``, and where it is known, ``(B, H, L, 1)``.

    mask: "inverted", "ignored", "shifted", "strict", or the number of keys that windows have more (or, if
    negative, less). align: "top-left". order: "after". numbers: "added" or "multiplied". axis: the softmax's.
    scale: factor on the right scale. values: "keys". groups: "tiled". slots: "last". repeats: "twice".
    empty: "nan" or "mean". reshape: what happens to inputs and to the output, of `RESHAPES`. padding: "first"
    (the first sequence's mask for all), or a block size filled up with zero keys. block: nothing is known of
    other lengths than its multiples. batch: nothing is known of more than one batch element.

    A switch that has no meaning for the case is left out of account.
    """
    counts = _counts(case, mask, align, slots, repeats)
    B, H, L, D = case.query.shape
    query, key, value = (_reshaped(x, reshape[0]) for x in (case.query, case.key, case.value))
    key, value = (_grouped(x, case.groups, groups) for x in (key, value))
    if values == "keys" and key.shape == value.shape:
        value = key
    if padding == "first":
        counts = np.broadcast_to(counts, case.full_mask.shape)[:1]
    elif padding:
        counts, key, value = _filled(counts, key, value, -key.shape[2] % padding)
    factor = {None: 1, "none": D**0.5, "squared": D**-0.5, "multiplied": D}[scale]
    scores = factor * case.scale * query @ key.swapaxes(-1, -2)
    if numbers:
        scores = scores + counts if numbers == "added" else scores * counts
    late = order == "after" or numbers
    weights = _softmax(scores, np.ones_like(counts) if late else counts, axis or -1)
    if order == "after":
        weights = weights * (counts > 0)
    output = _reshaped(weights @ value, reshape[1])
    known = np.ones((B, H, L, 1), bool)
    if not late and axis is None:
        hollow = np.broadcast_to(~(counts > 0).any(axis=-1, keepdims=True), known.shape)
        truly = ~case.full_mask.any(axis=-1, keepdims=True)
        known = known & ~(hollow & ~truly)
        if empty:
            filling = np.nan if empty == "nan" else value.mean(axis=-2, keepdims=True)
            output = np.where(hollow & truly, filling, output)
    if (block and L % block) or (batch and B > 1):
        known = np.zeros_like(known)
    return output, known


def gradients(case, grad):
    """Gradients of ``(output * grad).sum()`` with respect to query, key and value, in their shapes."""
    key, value = (np.repeat(x, case.groups, axis=1) for x in (case.key, case.value))
    weights = _softmax(case.scale * case.query @ key.swapaxes(-1, -2), case.full_mask.astype(int), -1)
    towards = grad @ value.swapaxes(-1, -2)
    scores = weights * (towards - (weights * towards).sum(axis=-1, keepdims=True)) * case.scale
    B, Hkv = case.key.shape[:2]

    def shared(x):
        return x.reshape(B, Hkv, case.groups, *x.shape[2:]).sum(axis=2)

    return scores @ key, shared(scores.swapaxes(-1, -2) @ case.query), shared(weights.swapaxes(-1, -2) @ grad)


def _softmax(scores, counts, axis):
    """Softmax over the scores with a positive count, each taken as often as it counts.

    With nothing to share out it is 0 over the keys, where an empty row is a case of its own, and NaN over
    another axis, as a function comes out that does not guard against it.
    """
    scores = np.where(counts > 0, scores, -np.inf)
    peak = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(peak == -np.inf, 0, peak)) * counts
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1 if axis == -1 else np.nan, total)


def _counts(case, mask, align, slots, repeats):
    """How often each key counts for each query, broadcastable to ``(B, H, L, S)``."""
    L, S = case.query.shape[2], case.key.shape[2]
    counts = case.mask
    if case.indices is not None and (slots or repeats):
        return _by_slot(case, slots, repeats)
    if mask in ("inverted", "ignored"):
        return (~counts if mask == "inverted" else np.ones_like(counts)).astype(int)
    if (mask or align) and case.pattern is not None and case.indices is None:
        pattern = _widened(case.pattern, mask) if isinstance(mask, int) else case.pattern
        if pattern is None:
            return counts.astype(int)
        offset = 0 if align else case.offset
        ahead = np.arange(S) - (offset + np.arange(L)[:, None])
        counts = pattern.mask(L, S, query_offset=offset)
        if mask == "shifted":
            counts = counts | (ahead == 1)
        elif mask == "strict":
            counts = counts & (ahead != 0)
    return counts.astype(int)


def _by_slot(case, slots, repeats):
    """Counts as a function gathers them, one for each slot of the index array."""
    live = case.indices >= 0
    counts = np.zeros(case.mask.shape, int)
    np.add.at(counts, (np.arange(len(live))[:, None], np.maximum(case.indices, 0)), live)
    if not repeats:
        counts = np.minimum(counts, 1)
    if slots:
        counts[:, -1] += (~live).sum(axis=-1)
    return counts


def _widened(pattern, more):
    """The pattern with every window ``more`` keys longer; None if it has none, or if one would vanish."""
    if isinstance(pattern, (sliding_window, dilated)):
        return replace(pattern, w=pattern.w + more) if pattern.w + more > 0 else None
    if not isinstance(pattern, Pattern):
        return None
    changed = {}
    for field in fields(pattern):
        value = getattr(pattern, field.name)
        if isinstance(value, Pattern):
            changed[field.name] = _widened(value, more)
        elif isinstance(value, tuple) and any(isinstance(part, Pattern) for part in value):
            wider = [_widened(part, more) for part in value]
            changed[field.name] = (
                [w or part for w, part in zip(wider, value, strict=True)] if any(wider) else None
            )
    changed = {name: value for name, value in changed.items() if value is not None}
    return replace(pattern, **changed) if changed else None


def _grouped(x, groups, how):
    return np.repeat(x, groups, axis=1) if how is None else np.tile(x, (1, groups, 1, 1))


def _reshaped(x, how):
    """x ``(B, H, L, D)`` after a reshape took the place of a transpose of heads and tokens."""
    if how is None:
        return x
    B, H, L, D = x.shape
    if how == RESHAPES[0]:
        return x.swapaxes(1, 2).reshape(B, H, L, D)
    return x.reshape(B, L, H, D).swapaxes(1, 2)


def _filled(counts, key, value, more):
    """``more`` zero keys at the end, attended by all."""
    wide = [(0, 0)] * (counts.ndim - 1) + [(0, more)]
    tall = [(0, 0), (0, 0), (0, more), (0, 0)]
    return np.pad(counts, wide, constant_values=1), np.pad(key, tall), np.pad(value, tall)
