"""Which tiles of queries meet which keys: a layout, rearranged so that tiles that look alike run together."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from companion.patterns import Pattern

__all__ = ["Part", "plan", "plan_indices"]

_BLOCKS = (256, 128, 64)  # block sizes to choose from, in tokens
_WASTE = 1.15  # a coarser block size may visit this many times the pairs of the finest
_RUN = 4  # so many key blocks in a row are read where they lie; shorter runs are gathered
_KEYS = 2048  # keys of a tile that are attended at once; the rest is merged
_PAIRS = 2**18  # pairs that a pattern is asked about at once
_ROWS = 64  # query rows of a tile of index sets


class Part(NamedTuple):
    """Some tiles of equally many queries, each against equally many keys under the same mask.

    Tile t has query rows ``first_query + t query_step`` and on, ``height`` of them. Its keys lie from
    ``first_key + t key_step`` on, or are row t of ``keys`` (tiles, width). The part holds for one batch
    element and one query head, or, if None, for all. A tile may come in several parts; ``again`` marks all
    but the first.
    """

    batch: int | None
    head: int | None
    again: bool
    tiles: int
    height: int
    width: int
    first_query: int
    query_step: int
    first_key: int
    key_step: int
    keys: torch.Tensor | None
    masks: torch.Tensor | None  # bool (any, rows, columns): blocks of pairs, True = may attend
    which: torch.Tensor  # those blocks that make the tile's mask, side by side

    def mask(self) -> torch.Tensor | None:
        """What each tile may attend, bool (height, width), or None if every pair."""
        if self.masks is None:
            return None
        side_by_side = self.masks[self.which].transpose(0, 1).flatten(1)
        return side_by_side[: self.height, : self.width]


@lru_cache(maxsize=32)
def plan(pattern: Pattern, L: int, S: int, query_offset: int) -> tuple[Part, ...]:
    """The parts of attention under ``pattern``, remembered: a model asks for the same again and again.

    Takes memory in proportion to the blocks that the pattern touches, and to the distinct masks among them.
    """
    layout = _layout(pattern, L, S, query_offset)
    size = layout.block_size
    masks, numbers = _masks(pattern, layout)
    alike = {}
    for row in range(layout.rows):
        head, tile = divmod(row, layout.query_blocks)
        blocks = np.concatenate([layout.full(row), layout.partial(row)])
        which = np.zeros(len(blocks), np.int64)  # mask 0 allows all
        which[len(layout.full(row)) :] = numbers[layout.partial_starts[row] : layout.partial_starts[row + 1]]
        order = np.argsort(blocks)
        blocks, which = blocks[order], which[order]
        for nth, piece in enumerate(_pieces(blocks, _KEYS // size)):
            width = int(np.minimum(S - blocks[piece] * size, size).sum())
            one_run = bool((np.diff(blocks[piece]) == 1).all())
            looks = (head, nth, min(size, L - tile * size), width, one_run, which[piece].tobytes())
            alike.setdefault(looks, []).append((tile, blocks[piece]))
    parts = [
        _part(run, looks, masks, size, S, None if layout.heads == 1 else looks[0])
        for looks, tiles in sorted(alike.items(), key=lambda item: item[0][1])
        for run in _even(tiles, looks[4])
    ]
    return tuple(parts)


def plan_indices(indices: torch.Tensor, S: int) -> Iterator[Part]:
    """The parts of attention over ``indices`` (batch or 1, heads or 1, L, k), -1 padded, one at a time.

    Each tile of queries meets the union of their keys, under a mask.
    """
    for batch, per_head in enumerate(indices):
        for head, rows in enumerate(per_head):
            for start in range(0, len(rows), _ROWS):
                chosen = rows[start : start + _ROWS]
                mask = chosen.new_zeros(len(chosen), S + 1, dtype=torch.bool)
                mask = mask.scatter_(-1, chosen.remainder(S + 1), True)[:, :S]  # -1 is S, one too many
                union = mask.any(dim=0).nonzero().squeeze(-1)
                for first in range(0, len(union), _KEYS):
                    keys = union[first : first + _KEYS]
                    yield Part(
                        batch=None if len(indices) == 1 else batch,
                        head=None if len(per_head) == 1 else head,
                        again=first > 0,
                        tiles=1,
                        height=len(chosen),
                        width=len(keys),
                        first_query=start,
                        query_step=0,
                        first_key=0,
                        key_step=0,
                        keys=keys[None],
                        masks=mask[None, :, keys],
                        which=torch.tensor([0]),
                    )


def _layout(pattern, L, S, query_offset):
    """The coarsest layout that visits hardly more pairs than the finest."""
    layouts = [pattern.layout(L, S, block_size=size, query_offset=query_offset) for size in _BLOCKS]
    return next(layout for layout in layouts if layout.pairs_bound <= _WASTE * layouts[-1].pairs_bound)


def _masks(pattern, layout):
    """The distinct masks of partial blocks, and each such block's number among them.

    Boolean (masks, size, size); number 0 is the mask that allows all, and no partial block's.
    """
    size = layout.block_size
    row, key_block = layout.partial_pairs()
    head, tile = np.divmod(row, layout.query_blocks)
    within = np.arange(size)
    known, numbers = {}, []
    for start in range(0, len(row), step := max(1, _PAIRS // size**2)):
        part = np.s_[start : start + step]
        queries = layout.query_offset + tile[part, None, None] * size + within[:, None]
        keys = key_block[part, None, None] * size + within
        pairs = np.broadcast_to(pattern(0, head[part, None, None], queries, keys), (len(queries), size, size))
        for bits in np.packbits(pairs.reshape(len(pairs), -1), axis=1):
            numbers.append(known.setdefault(bits.tobytes(), len(known) + 1))
    packed = np.frombuffer(b"".join(known), np.uint8)
    masks = np.unpackbits(packed, count=len(known) * size**2).reshape(-1, size, size).astype(bool)
    masks = torch.from_numpy(np.concatenate([np.ones((1, size, size), bool), masks]))
    return masks, np.array(numbers, np.int64)


def _pieces(blocks, most):
    """The places in ``blocks``, in pieces of at most ``most``: long runs of neighbours, then all others."""
    runs = np.split(np.arange(len(blocks)), np.flatnonzero(np.diff(blocks) != 1) + 1)
    pieces = [run for run in runs if len(run) >= _RUN]
    others = [run for run in runs if 0 < len(run) < _RUN]
    if others:
        pieces.append(np.concatenate(others))
    return [piece[start : start + most] for piece in pieces for start in range(0, len(piece), most)]


def _even(tiles, one_run):
    """Cuts a list of (tile, key blocks) into stretches with one step from tile to tile.

    Where each tile's keys are one run, they too must move by one step, and not backwards: memory has no
    negative strides.
    """
    steps = [
        (tile - before, one_run and blocks[0] - blocks_before[0])
        for (before, blocks_before), (tile, blocks) in pairwise(tiles)
    ]
    start = 0
    for end in range(1, len(tiles) + 1):
        if end == len(tiles) or steps[end - 1] != steps[start] or steps[start][1] < 0:
            yield tiles[start:end]
            start = end


def _part(run, looks, masks, size, S, head):
    """The part of tiles that look alike and lie evenly."""
    _, nth, height, width, one_run, which = looks
    (first_tile, first), (next_tile, following) = run[0], run[min(1, len(run) - 1)]
    blocks = np.stack([blocks for _, blocks in run])
    keys = None
    if not one_run:
        keys = (blocks[..., None] * size + np.arange(size)).reshape(len(run), -1)
        keys = torch.from_numpy(keys[:, :width])  # the last block is the one that may be short
    which = torch.from_numpy(np.frombuffer(which, np.int64).copy())
    return Part(
        batch=None,
        head=head,
        again=nth > 0,
        tiles=len(run),
        height=height,
        width=width,
        first_query=first_tile * size,
        query_step=(next_tile - first_tile) * size,
        first_key=int(first[0]) * size,
        key_step=int(following[0] - first[0]) * size,
        keys=keys,
        masks=masks if which.any() else None,
        which=which,
    )
