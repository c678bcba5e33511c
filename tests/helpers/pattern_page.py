"""What the picture and the numbers of the pattern explorer say."""

import re
from functools import lru_cache

import numpy as np

from companion.cost import bytes_moved, cache_bytes, flops
from companion.explorers.pattern import DIM, ITEMSIZE
from companion.patterns import causal

TOKENS = 64
DENSE = causal().pairs(TOKENS)

# What an explorer shows: the paths of its picture, its text and its table of numbers.
READ = """(root) => ({
  paths: Object.fromEntries(["full", "partial", "live"].map((name) =>
    [name, root.querySelector(".att-" + name).getAttribute("d")])),
  lit: root.querySelector(".att-lit").getAttribute("d"),
  row: [...root.querySelectorAll(".att-row > :is(.att-lit, .att-new)")].map((node) => node.getAttribute("d")),
  counts: [...root.querySelectorAll(".att-row > .att-j")].map((node) => Number(node.textContent)),
  code: root.querySelector(".att-python code").textContent,
  formula: root.querySelector(".att-formula").textContent,
  set: root.querySelector(".att-set").textContent,
  depth: root.querySelector(".att-depth").textContent,
  facts: [...root.querySelectorAll("dd")].map((node) => node.textContent),
})"""


def cells(path):
    """The cells that strips of squares fill, boolean ``(TOKENS, TOKENS)``; a path runs at mid-height."""
    drawn = np.zeros((TOKENS, TOKENS), bool)
    for j, i, length in re.findall(r"M(\d+),(\d+)\.5h(\d+)", path):
        drawn[int(i), int(j) : int(j) + int(length)] = True
    return drawn


def marks(path):
    """The positions that a strip beside the mask marks, boolean ``(TOKENS,)``."""
    drawn = np.zeros(TOKENS, bool)
    for j, length in re.findall(r"M(\d+),[-\d.]+h(\d+)", path):
        drawn[int(j) : int(j) + int(length)] = True
    return drawn


def corners(path, size):
    """The blocks that squares of one size cover, boolean, a row for each block of queries."""
    drawn = np.zeros((TOKENS // size, TOKENS // size), bool)
    for j, i, *sides in re.findall(r"M(\d+),(\d+)h(\d+)v(\d+)h-(\d+)z", path):
        assert sides == [str(size)] * 3 and int(i) % size == int(j) % size == 0
        drawn[int(i) // size, int(j) // size] = True
    return drawn


@lru_cache
def facts(a):
    """Mask, pairs and density; the cases of one pattern follow each other."""
    return a.mask(TOKENS), a.pairs(TOKENS), a.density(TOKENS)


def reach(masks, row):
    """Which positions can influence the row after each layer: Boolean products, residual included."""
    product_, after = np.eye(TOKENS, dtype=bool), []
    for mask in masks:
        product_ = (mask | np.eye(TOKENS, dtype=bool)) @ product_
        after.append(product_[row])
    return after


def positions(listed):
    """{0, 1, 33, …, 40} written out."""
    items, found = [item for item in listed.split(", ") if item], []
    for place, item in enumerate(items):
        found += range(found[-1] + 1, int(items[place + 1])) if item == "…" else [int(item)]
    return found


def agrees(seen, a, b, schedule, size, row):
    """Raises AssertionError unless the explorer shows what companion computes for pattern ``a``."""
    (mask, pairs, share), blocks = facts(a), a.layout(TOKENS, block_size=size)
    states = blocks.states()[0]
    solid = (states == 2).repeat(size, 0).repeat(size, 1)
    assert (corners(seen["paths"]["full"], size) == (states == 2)).all()
    assert (corners(seen["paths"]["partial"], size) == (states == 1)).all()
    assert (cells(seen["paths"]["live"]) == (mask & ~solid)).all()

    keys, lit = a.indices(row, TOKENS), np.zeros_like(mask)
    lit[row, keys] = True
    assert (cells(seen["lit"]) == lit).all()
    assert (marks(seen["row"][0]) == lit[row]).all()
    items, told = re.fullmatch(r"(.*)\}, (.*)", seen["set"]).groups()
    assert items.startswith(f"G{row} = {{") and positions(items.split("{")[1]) == keys.tolist()
    read = cache_bytes(len(keys), DIM, itemsize=ITEMSIZE)
    assert told == f"|G{row}| = {len(keys)}. Decoding row {row} reads {read:,} bytes."

    bound, read = blocks.pairs_bound, int(mask.any(axis=0).sum())
    dense, own, computed, density, of_causal, kinds, wasted, operations, by_blocks, traffic = seen["facts"]
    assert [dense, own, computed, operations, by_blocks, traffic] == [
        f"{count:,}"
        for count in (
            DENSE, pairs, bound, flops(pairs, DIM), flops(bound, DIM),
            bytes_moved(TOKENS, read, DIM, itemsize=ITEMSIZE),
        )
    ]  # fmt: skip
    assert kinds == f"{len(blocks.full_blocks)}, {len(blocks.partial_blocks)}"
    assert abs(float(density) - share) < 0.00501
    assert abs(float(of_causal) - pairs / DENSE) < 0.00501
    assert abs(int(wasted.removesuffix(" %")) - 100 * (1 - pairs / max(bound, 1)) * (bound > 0)) < 0.501

    layers = [{"A": a, "B": b}[letter] for letter in schedule]
    after = reach([facts(layer)[0] for layer in layers], row)
    assert seen["counts"] == [int(reached.sum()) for reached in after]
    before = np.zeros(TOKENS, bool)
    for reached, old, new in zip(after, seen["row"][1::2], seen["row"][2::2], strict=True):
        assert (marks(old) == (reached & before)).all() and (marks(new) == (reached & ~before)).all()
        before = reached
    total = sum(facts(layer)[1] for layer in layers)
    told = f"Pairs in all layers: {total:,}. Positions that can reach row {row}: {before.sum()}."
    assert seen["depth"] == told
    assert seen["code"] == repr(a)
