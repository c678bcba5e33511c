"""Batches of tiles as windows on whole tensors: how they are read, and how results are put back."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch

from companion.backends.plan import Part

__all__ = ["Batch", "batches"]

# Query rows of a batch. On a CPU few rows stay in its cache; on a GPU many keep it busy.
_ROWS = {"cpu": 1024, "cuda": 8192}


class Batch(NamedTuple):
    """Tiles ``start`` to ``start + count - 1`` of a part, of some batch elements and of some key heads.

    The ``group`` query heads of a key head are laid end to end, so that a tile is (group x height, dim) by
    (width, dim).
    """

    part: Part
    elements: slice
    heads: slice
    heads_kv: slice
    group: int
    start: int
    count: int
    mask: torch.Tensor | None  # bool (group x height, width)

    def queries(self, x: torch.Tensor) -> torch.Tensor:
        """The tiles' rows of ``x`` (B, Hq, L, d), as (tiles, Hkv, group x height, d)."""
        return self._rows(x).flatten(0, 1).flatten(2, 3)

    def put_queries(self, x: torch.Tensor, tiles: torch.Tensor) -> None:
        """Writes ``tiles``, shaped as `queries` gives them, over those rows of ``x``."""
        rows = self._rows(x)
        rows.copy_(tiles.unflatten(2, rows.shape[3:5]).unflatten(0, rows.shape[:2]))

    def keys(self, x: torch.Tensor) -> torch.Tensor:
        """The tiles' keys of ``x`` (B, Hkv, S, d), as (tiles, Hkv, width, d); a view if each are one run."""
        x = x[self.elements, self.heads_kv]
        if self.part.keys is None:
            first = self.part.first_key + self.start * self.part.key_step
            return _windows(x, first, self.part.key_step, self.count, self.part.width).flatten(0, 1)
        tiles = x.index_select(2, self._listed(x)).unflatten(2, (self.count, self.part.width))
        return tiles.transpose(1, 2).flatten(0, 1)

    def add_keys(self, x: torch.Tensor, tiles: torch.Tensor) -> None:
        """Adds ``tiles``, shaped as `keys` gives them, to those keys of ``x``; shared keys add up."""
        x = x[self.elements, self.heads_kv]
        tiles = tiles.unflatten(0, (x.shape[0], self.count))
        if self.part.keys is not None:
            x.index_add_(2, self._listed(x), tiles.transpose(1, 2).flatten(2, 3))
            return
        for nth in range(self.count):
            first = self.part.first_key + (self.start + nth) * self.part.key_step
            x[:, :, first : first + self.part.width] += tiles[:, nth]

    def _rows(self, x):
        x = x[self.elements, self.heads].unflatten(1, (-1, self.group))
        first = self.part.first_query + self.start * self.part.query_step
        return _windows(x, first, self.part.query_step, self.count, self.part.height)

    def _listed(self, x):
        return self.part.keys[self.start : self.start + self.count].flatten().to(x.device)


def batches(parts: Iterable[Part], query: torch.Tensor, key: torch.Tensor) -> Iterator[Batch]:
    """Attention of ``query`` (B, Hq, L, D) over ``key`` (B, Hkv, S, D), in batches of bounded size."""
    elements = query.shape[0]
    for part in parts:
        group = query.shape[1] // key.shape[1]
        heads = heads_kv = slice(None)
        if part.head is not None:
            heads, heads_kv = _only(part.head), _only(part.head // group)
            group = 1
        mask = part.mask()
        if mask is not None:
            mask = mask.to(query.device).repeat(group, 1)
        if part.batch is not None:
            chosen = [_only(part.batch)]
        elif part.tiles == 1:
            chosen = [slice(None)]
        else:  # tiles and elements have no common step in memory
            chosen = [_only(element) for element in range(elements)]
        count = max(1, _ROWS[query.device.type] // (group * part.height))
        for element in chosen:
            for start in range(0, part.tiles, count):
                yield Batch(
                    part, element, heads, heads_kv, group, start, min(count, part.tiles - start), mask
                )


def _only(n):
    return slice(n, n + 1)


def _windows(x, first, step, count, size):
    """Windows of ``size`` tokens, ``step`` apart: a view (b, count, ..., size, d) of (b, ..., tokens, d)."""
    b, *heads, token, d = x.stride()
    return x.as_strided(
        (len(x), count, *x.shape[1:-2], size, x.shape[-1]),
        (b, step * token, *heads, token, d),
        x.storage_offset() + first * token,
    )
