"""The generated inputs of an examination, smallest first."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from companion import reference
from companion.patterns import Pattern
from companion.patterns.numbers import whole

__all__ = ["LENGTHS", "Case", "cases", "square", "typical", "unreached", "usable"]

#: Token counts that are tried: small ones, multiples of usual blocks, and their neighbours.
LENGTHS = (1, 2, 3, 5, 8, 13, 16, 17, 32, 33, 48, 64, 127, 128, 137)

# Plain computations stay under half of epsilon * (1 + largest score) * largest value, over 30 seeds and every
# dtype: four times as much is allowed.
_ROOM = 2
_LONGEST = 2100  # no number of a pattern makes a case longer than this


@dataclass(frozen=True, eq=False)
class Case:
    """One input, in float64, and what is right for it.

    part: of the examination that it belongs to. query: ``(B, H, L, D)``; key: ``(B, Hkv, S, D)``; value:
    ``(B, Hkv, S, Dv)``; kv head h serves a run of H / Hkv query heads. mask: boolean, broadcasts to
    ``(B, H, L, S)``. pattern: what the mask was made from, None if it is a mask of its own. indices:
    ``(L, k)``, padded by -1, for functions that take them. offset: position of query 0. rows: boolean
    ``(B, L)``, which output rows count. optional: whether the function may refuse it. seed: of the numbers.
    """

    part: str
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    mask: np.ndarray
    pattern: Pattern | None = None
    indices: np.ndarray | None = None
    offset: int = 0
    rows: np.ndarray | None = None
    optional: bool = False
    scale: float = 1.0
    seed: int = 0

    @property
    def groups(self) -> int:
        return self.query.shape[1] // self.key.shape[1]

    @cached_property
    def full_mask(self) -> np.ndarray:
        """The mask as ``(B, H, L, S)``."""
        return np.broadcast_to(self.mask, (*self.query.shape[:3], self.key.shape[2]))

    @cached_property
    def expected(self) -> np.ndarray:
        """The right output, by `companion.reference`."""
        key, value = (np.repeat(x, self.groups, axis=1) for x in (self.key, self.value))
        return reference.attention(self.query, key, value, self.full_mask, scale=self.scale)

    @cached_property
    def largest_score(self) -> float:
        """The largest sum of absolute products that a score is made of, scaled."""
        key = np.repeat(np.abs(self.key), self.groups, axis=1)
        return float(np.abs(self.scale) * (np.abs(self.query) @ key.swapaxes(-1, -2)).max())

    @cached_property
    def counted(self) -> np.ndarray:
        """Which output rows count, as ``(B, H, L, 1)``."""
        B, H, L, _ = self.query.shape
        rows = np.ones((B, L), bool) if self.rows is None else self.rows
        return np.broadcast_to(rows[:, None, :, None], (B, H, L, 1))

    def tolerance(self, epsilon: float) -> float:
        """How far an output computed with this precision may lie from the right one.

        A rounding error of the scores, relative to the largest, becomes one of the weights, hence
        ``epsilon * (1 + largest score) * largest value``.
        """
        return _ROOM * epsilon * (1 + self.largest_score) * np.abs(self.value).max()

    def __str__(self):
        B, H, L, D = self.query.shape
        S, Dv = self.value.shape[-2:]
        sizes = f"L = {L}" if L == S else f"L = {L}, S = {S}"
        sizes += f", D = {D}" if D == Dv else f", D = {D}, Dv = {Dv}"
        if B * H > 1:
            sizes = f"B = {B}, H = {H}, " + sizes
        if self.groups > 1:
            sizes += f", {H} query heads over {H // self.groups} kv heads"
        return f"{self.part}: {sizes}, seed {self.seed}"


def square(part, pattern, L, D=4, *, scale=None, seed=0, size=(1, 1), offset=None, style="qkv", **options):
    """A case of ``pattern`` with L query tokens; ``size`` is (batch, heads), options are fields of the case,
    or S, Dv, kv_heads and mask where they differ."""
    S, Dv = options.pop("S", L), options.pop("Dv", D)
    B, H = size
    Hkv = options.pop("kv_heads", H)
    rng = np.random.default_rng([seed, L, S, D, Dv, B, H, Hkv])
    query, key, value = (
        rng.normal(size=shape).round(2) for shape in ((B, H, L, D), (B, Hkv, S, D), (B, Hkv, S, Dv))
    )
    mask = options.pop("mask", None)
    if mask is None:
        mask = pattern.mask(L, S, query_offset=S - L if offset is None else offset)
    else:
        pattern = None
    if style == "indices" and options.get("indices") is None:
        options["indices"] = _indices(mask, rng)
    scale = D**-0.5 if scale is None else scale
    return Case(
        part, query, key, value, mask, pattern, offset=S - L if offset is None else offset, scale=scale,
        seed=seed, **options,
    )  # fmt: skip


def cases(pattern, style, layout, *, lengths=None, scale=None, seed=0):
    """The cases whose outputs are compared with the reference, smallest first, as a list.

    style: ``"qkv"``, ``"mask"`` or ``"indices"``; layout: a `companion.clinic.adapt` layout, which says
    whether there are heads and a batch.
    """
    options = {"scale": scale, "seed": seed, "style": style}
    heads = pattern.heads or 3
    one = (1, pattern.heads or 1)
    able = usable(pattern, lengths)
    small = typical(able)
    made = [square("outputs", pattern, L, 2 if L < 3 else 4, size=one, **options) for L in able]
    made.append(square("value width", pattern, small, Dv=3, size=one, optional=True, **options))
    made += [square("head width", pattern, small, D, size=one, optional=True, **options) for D in (3, 16)]
    if "B" in layout:
        batch = (2, heads if "H" in layout else 1)
        larger = next((L for L in able if L > 16), small)
        made += [square("batch and heads", pattern, L, size=batch, **options) for L in {small, larger}]
    if "H" in layout and pattern.heads is None:
        grouped = {"size": (2, 4), "kv_heads": 2, "optional": True}
        made.append(square("grouped heads", pattern, small, **grouped, **options))
    for L, S in ((1, small), (max(small - 2, 1), small)):
        made.append(square("decoding", pattern, L, S=S, size=one, optional=True, **options))
    if style != "qkv":
        made += _with_masks(pattern, style, layout, small, one, options)
    return sorted(made, key=lambda case: case.query.size + case.key.size)


def usable(pattern, lengths=None) -> list[int]:
    """The token counts to try, ascending: those given, or `LENGTHS` and those at which the pattern's own
    numbers show; less what the pattern cannot describe.

    Raises ValueError if one is below 1 or none is left, TypeError if one is not an integer.
    """
    given = {*LENGTHS, *_critical(pattern)} if lengths is None else lengths
    wanted = sorted(whole("lengths", L, 1) for L in given)
    able = [L for L in wanted if _describes(pattern, L)]
    if not able:
        raise ValueError(f"lengths must hold one that {pattern!r} can describe; got {wanted}")
    return able


def typical(able) -> int:
    """A small token count at which most faults show."""
    return next((L for L in able if L >= 5), able[-1])


def unreached(pattern, able) -> bool:
    """Whether some window of the pattern is longer than the longest case, so that its end does not show."""
    return any(getattr(part, "w", 0) * getattr(part, "step", 1) > able[-1] for part in _parts(pattern))


def _with_masks(pattern, style, layout, L, one, options):
    """Cases that only a function told whom to attend can be given."""
    mask = pattern.mask(L)
    emptied = mask.copy()
    emptied[..., [0, L - 2], :] = False
    yield square("empty rows", pattern, L, mask=emptied, size=one, **options)
    if style == "mask" and "B" in layout and pattern.heads is None:
        left = np.arange(L) >= np.array([0, 2, 1])[:, None]
        padded = mask & left[:, None, None, :]
        size = (3, 2 if "H" in layout else 1)
        rows = padded.any(axis=(1, 3))
        yield square("padding", pattern, L, mask=padded, rows=rows, optional=True, size=size, **options)
    if style == "indices":
        indices = np.full((L, 3), -1)
        indices[:, 0] = np.maximum(np.arange(L) - 1, 0)
        indices[:, 1] = indices[:, 2] = np.arange(L)
        twice = (np.arange(L) == indices[:, [0]]) | np.eye(L, dtype=bool)
        given = {"mask": twice, "indices": indices, "size": one, "optional": True}
        yield square("duplicates", pattern, L, **given, **options)


def _indices(mask, rng):
    """The True positions of a mask ``(L, S)`` and -1 for what a row has fewer, each row shuffled."""
    if mask.ndim > 2:
        raise ValueError("indices are one set for all heads; this pattern has one a head")
    indices = np.full((len(mask), max(mask.sum(axis=1).max(initial=0), 1)), -1)
    for row, allowed in zip(indices, mask, strict=True):
        keys = rng.permutation(np.flatnonzero(allowed))
        row[: len(keys)] = keys
        row[:] = rng.permutation(row)
    return indices


def _describes(pattern, L):
    try:
        pattern.mask(L)
    except ValueError:
        return False
    return True


def _critical(pattern):
    """Lengths at which the pattern's own numbers show: a window of w needs more than w tokens."""
    for part in _parts(pattern):
        for value in vars(part).values():
            numbers = [n for n in _each(value) if isinstance(n, int)]
            wanted = [n + 2 for n in numbers] + [sum(numbers)]
            yield from (n for n in wanted if 0 < n <= _LONGEST)


def _parts(pattern):
    """The pattern and all patterns that it is made of."""
    yield pattern
    for value in vars(pattern).values():
        for child in _each(value):
            if isinstance(child, Pattern):
                yield from _parts(child)


def _each(value):
    return value if isinstance(value, tuple) else (value,)
