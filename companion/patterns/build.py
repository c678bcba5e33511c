"""From a pattern's truth over blocks to its layout and its number of pairs."""

import numpy as np

from companion.layout import BlockLayout
from companion.patterns.numbers import ragged
from companion.patterns.truth import ALL, SOME

__all__ = ["count", "layout"]

_PAIRS_AT_A_TIME = 2**20


def layout(pattern, L: int, S: int, block_size: int, offset: int) -> BlockLayout:
    """The layout of ``pattern`` for L queries from position ``offset`` over S keys."""
    heads = pattern.heads or 1
    query_blocks = -(-L // block_size)
    lists = [[], []]
    for head in range(heads):
        row, block, truth = _listed(pattern.for_head(head), L, S, block_size, offset)
        for pairs, kind in zip(lists, (SOME, ALL), strict=True):
            pairs.append((head * query_blocks + row[truth == kind], block[truth == kind]))
    partial, full = (tuple(np.concatenate(part) for part in zip(*pairs, strict=True)) for pairs in lists)
    return BlockLayout.from_pairs(L, S, block_size, offset, heads, partial, full)


def count(pattern, L: int, S: int, offset: int) -> int:
    """The allowed pairs of a pattern that holds for any head: full blocks by area, partial ones by asking."""
    blocks = layout(pattern, L, S, 64, offset)
    row, block = blocks.partial_pairs()
    size = blocks.block_size
    area = blocks.pairs_bound
    step = max(_PAIRS_AT_A_TIME // size**2, 1)
    for start in range(0, len(row), step):
        part = slice(start, start + step)
        i = row[part, None, None] * size + np.arange(size)[:, None]
        j = block[part, None, None] * size + np.arange(size)
        forbidden = ~np.broadcast_to(pattern(0, 0, offset + i, j), np.broadcast_shapes(i.shape, j.shape))
        area -= np.count_nonzero(forbidden & (i < L) & (j < S))
    return int(area)


def _listed(pattern, L, S, size, offset):
    """Blocks that are not empty, as ``(row, key_block, truth)`` in order of row, then block."""
    first = np.arange(0, L, size)
    i0, i1 = offset + first, offset + np.minimum(first + size, L)
    run, start, stop = pattern.spans(i0, i1, S)
    start, stop = np.maximum(start, 0), np.minimum(stop, S)
    live = start < stop
    run, start, stop = run[live], start[live] // size, -(-stop[live] // size)
    span, place = ragged(stop - start)
    key_blocks = max(-(-S // size), 1)
    row, block = np.divmod(np.unique(run[span] * key_blocks + start[span] + place), key_blocks)
    truth = pattern.truth(i0[row], i1[row], block * size, np.minimum(block * size + size, S))
    return row[truth > 0], block[truth > 0], truth[truth > 0]
