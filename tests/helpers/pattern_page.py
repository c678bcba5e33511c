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
        if sides != [str(size)] * 3 or int(i) % size or int(j) % size:
            raise ValueError(f"a block of {sides} at ({i}, {j}), where blocks have {size}")
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


def differences(seen, a, b, schedule, size, row):
    """The parts of what the explorer shows that differ from what companion computes for pattern ``a``."""
    (mask, pairs, share), blocks = facts(a), a.layout(TOKENS, block_size=size)
    states, keys = blocks.states()[0], a.indices(row, TOKENS)
    solid = (states == 2).repeat(size, 0).repeat(size, 1)
    lit = np.zeros_like(mask)
    lit[row, keys] = True
    items, told = re.fullmatch(r"(.*)\}, (.*)", seen["set"]).groups()
    read = cache_bytes(len(keys), DIM, itemsize=ITEMSIZE)

    bound, in_use = blocks.pairs_bound, int(mask.any(axis=0).sum())
    dense, own, computed, density, of_causal, kinds, wasted, operations, by_blocks, traffic = seen["facts"]
    counts = DENSE, pairs, bound, flops(pairs, DIM), flops(bound, DIM)
    moved = bytes_moved(TOKENS, in_use, DIM, itemsize=ITEMSIZE)

    layers = [{"A": a, "B": b}[letter] for letter in schedule]
    after = reach([facts(layer)[0] for layer in layers], row)
    before = [np.zeros(TOKENS, bool), *after[:-1]]
    strips = [(now & then, now & ~then) for now, then in zip(after, before, strict=True)]
    drawn = zip(seen["row"][1::2], seen["row"][2::2], strict=True)
    total = sum(facts(layer)[1] for layer in layers)
    right = {
        "full blocks": (corners(seen["paths"]["full"], size) == (states == 2)).all(),
        "partial blocks": (corners(seen["paths"]["partial"], size) == (states == 1)).all(),
        "live pairs": (cells(seen["paths"]["live"]) == (mask & ~solid)).all(),
        "the row's pairs": (cells(seen["lit"]) == lit).all() and (marks(seen["row"][0]) == lit[row]).all(),
        "the row's set": items.startswith(f"G{row} = {{") and positions(items.split("{")[1]) == keys.tolist(),
        "the row's bytes": told == f"|G{row}| = {len(keys)}. Decoding row {row} reads {read:,} bytes.",
        "counts": [dense, own, computed, operations, by_blocks] == [f"{count:,}" for count in counts],
        "traffic": traffic == f"{moved:,}",
        "kinds of blocks": kinds == f"{len(blocks.full_blocks)}, {len(blocks.partial_blocks)}",
        "density": abs(float(density) - share) < 0.00501,
        "share of the causal pairs": abs(float(of_causal) - pairs / DENSE) < 0.00501,
        "waste": abs(int(wasted.removesuffix(" %")) - (bound and 100 * (1 - pairs / bound))) < 0.501,
        "reach, counted": seen["counts"] == [int(reached.sum()) for reached in after],
        "reach, drawn": np.array_equal([[marks(path) for path in pair] for pair in drawn], strips),
        "depth": seen["depth"]
        == f"Pairs in all layers: {total:,}. Positions that can reach row {row}: {after[-1].sum()}.",
        "code": seen["code"] == repr(a),
    }
    return [part for part, agrees in right.items() if not agrees]
