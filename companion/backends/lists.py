"""A layout as kernels read it: for each block of rows, on the device, the blocks that it meets."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch

from companion.patterns import Pattern

__all__ = ["Lists", "block_size", "lists"]

_BLOCKS = (128, 64)  # block sizes to choose from, in tokens
_WASTE = 1.3  # a coarser block size may visit this many times the pairs of the finest
_PAIRS = 2**22  # pairs that a pattern is asked about at once


class Lists(NamedTuple):
    """The blocks that each row of blocks meets.

    Row r meets ``blocks[bounds[r, 0]:bounds[r, 2]]``: up to ``bounds[r, 1]`` blocks in which every pair is
    allowed, from there on the others, the n-th of ``blocks`` under the mask ``masks[which[n]]``. Rows are
    numbered ``head * blocks of rows + block``, where rows are queries, or keys in lists made ``by_keys``;
    ``heads`` is 1 where one layout serves all heads.
    """

    heads: int
    longest: int  # blocks of the row that meets most
    bounds: torch.Tensor  # int32 (rows, 3)
    blocks: torch.Tensor  # int32 (listed,)
    which: torch.Tensor  # int32 (listed,)
    # uint8 (masks, size, size / 8), rows by what they meet: bit b of byte n is key (query, in lists made
    # by_keys) 8n + b of the block; 1 = may attend, 0 also beyond L x S
    masks: torch.Tensor


@lru_cache(maxsize=64)
def block_size(pattern: Pattern, L: int, S: int, query_offset: int) -> int:
    """The coarsest block size whose layout visits hardly more pairs than the finest's.

    For a single query the finest: the question comes anew with every token, and coarser blocks read no less.
    """
    if L == 1:
        return _BLOCKS[-1]
    layouts = [pattern.layout(L, S, block_size=size, query_offset=query_offset) for size in _BLOCKS]
    few = _WASTE * layouts[-1].pairs_bound
    return next(layout.block_size for layout in layouts if layout.pairs_bound <= few)


@lru_cache(maxsize=32)
def lists(
    pattern: Pattern,
    L: int,
    S: int,
    query_offset: int,
    size: int,
    device: torch.device,
    by_keys: bool,
    alike: bool,
) -> Lists:
    """The lists of ``pattern`` for L queries over S keys in blocks of ``size``, remembered.

    A row's own last block may stick out of L x S unmasked, since a kernel stores nothing there; the blocks
    that it walks over may not. With ``alike``, query 0's mask holds for all rows of its block.
    """
    layout = pattern.layout(L, S, block_size=size, query_offset=query_offset)
    (row, block), (full_row, full_block) = layout.partial_pairs(), layout.full_pairs()
    every = np.arange(len(row) + len(full_row)) >= len(row)
    row, key_block = np.concatenate([row, full_row]), np.concatenate([block, full_block])
    head, query_block = np.divmod(row, max(layout.query_blocks, 1))
    rows, block, tokens = layout.rows, key_block, S
    if by_keys:
        row, block, tokens = head * layout.key_blocks + key_block, query_block, L
        rows = layout.heads * layout.key_blocks

    every &= (block + 1) * size <= tokens
    which = np.zeros(len(row), np.int64)
    asked = head[~every], query_block[~every], key_block[~every]
    masks, which[~every] = _masks(pattern, layout, asked, device, by_keys, alike)

    order = np.lexsort((block, ~every, row))
    starts = np.searchsorted(row[order], np.arange(rows + 1))
    middle = starts[:-1] + np.bincount(row[every], minlength=rows)
    bounds = np.stack([starts[:-1], middle, starts[1:]], axis=1)
    listed = (torch.from_numpy(x.astype(np.int32)).to(device) for x in (bounds, block[order], which[order]))
    return Lists(layout.heads, int(np.diff(starts).max(initial=0)), *listed, masks)


def _masks(pattern, layout, asked, device, by_keys, alike):
    """The distinct masks of the blocks ``asked`` (head, query block, key block), and each one's number."""
    size = layout.block_size
    head, query_block, key_block = (torch.from_numpy(x).to(device)[:, None, None] for x in asked)
    within = torch.arange(size, device=device)
    known, numbers = {}, []
    step = max(1, _PAIRS // size**2)
    for start in range(0, len(head), step):
        part = np.s_[start : start + step]
        queries, keys = query_block[part] * size + within[:, None], key_block[part] * size + within
        pairs = pattern(0, head[part], layout.query_offset + queries, keys)
        pairs = pairs & (queries < layout.query_tokens) & (keys < layout.key_tokens)
        pairs = pairs[:, :1].expand_as(pairs) if alike else pairs
        pairs = pairs.mT if by_keys else pairs
        for mask in np.packbits(pairs.cpu().numpy(), axis=-1, bitorder="little"):
            numbers.append(known.setdefault(mask.tobytes(), len(known)))
    masks = np.frombuffer(b"".join(known), np.uint8).reshape(-1, size, size // 8)
    return torch.from_numpy(masks.copy()).to(device), np.array(numbers, np.int64)
