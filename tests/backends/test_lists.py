"""The lists that kernels walk over describe the pattern's mask, block by block."""

import numpy as np
import pytest
import torch

from companion.backends import lists
from companion.patterns import causal, full, per_head, sinks, sliding_window, strided
from helpers.attention_oracle import dense_mask

CPU = torch.device("cpu")
PATTERNS = [causal(), sliding_window(20) | sinks(3), full(), per_head([causal(), strided(3)])]


@pytest.mark.parametrize("by_keys", [False, True], ids=["by queries", "by keys"])
@pytest.mark.parametrize(("L", "S", "offset"), [(50, 50, 0), (17, 50, 33), (32, 50, 0)])
@pytest.mark.parametrize("pattern", PATTERNS, ids=repr)
def test_lists_hold_every_allowed_pair_once(pattern, L, S, offset, by_keys, monkeypatch):
    """And a block that goes unmasked lies within the tokens that are walked over."""
    monkeypatch.setattr(lists, "_PAIRS", 3 * 16**2)  # so that the pattern is asked several times
    found = lists.lists.__wrapped__(pattern, L, S, offset, 16, CPU, by_keys, False)
    masks = np.unpackbits(found.masks.numpy(), axis=-1, bitorder="little")
    count = np.zeros((found.heads, 64, 64), int)
    rows = len(found.bounds) // found.heads
    for row, (first, middle, last) in enumerate(found.bounds.tolist()):
        for n in range(first, last):
            head, own, met = row // rows, row % rows, int(found.blocks[n])
            query, key = (met, own) if by_keys else (own, met)
            tile = np.s_[head, query * 16 : query * 16 + 16, key * 16 : key * 16 + 16]
            if n >= middle:
                mask = masks[found.which[n]]
                count[tile] += mask.T if by_keys else mask
            else:
                count[tile] += 1
                assert (met + 1) * 16 <= (L if by_keys else S)
    mask = dense_mask(pattern, L, S, offset).expand(found.heads, L, S).numpy()
    assert np.array_equal(count[:, :L, :S], mask)


def test_the_same_mask_is_kept_once():
    found = lists.lists(sliding_window(40), 200, 200, 0, 16, CPU, False, False)
    assert len(found.which) > 30 and len(found.masks) <= 5


def test_the_block_size_follows_what_is_visited():
    """Large blocks, unless they visit much that small ones leave out."""
    assert lists.block_size(sliding_window(1024), 8192, 8192, 0) == 128
    assert lists.block_size(sliding_window(64), 8192, 8192, 0) == 64
    assert lists.block_size(causal(), 8192, 8192, 0) == 128
    assert lists.block_size(causal(), 1, 8192, 8191) == 64
