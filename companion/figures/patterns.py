"""The figures of chapter 8: who reads whom under a pattern, how costs grow, what a rolling cache holds."""

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.dense import marks
from companion.figures.matrices import bare
from companion.patterns import Pattern
from companion.patterns.numbers import whole

__all__ = ["grids", "growth", "ring"]

SQUARE = np.array([(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)])
HATCHED = {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "////", "linewidth": 0}
SIDE = 2.15  # inches: the widest that a grid is drawn


def grids(named, row: int) -> Figure:
    """Masks side by side, rows queries and columns keys, with one row framed and its keys named.

    ``named``: title -> mask, boolean ``(L, L)``, all of one size; ``row``: the query that is framed.
    """
    masks = {str(title): np.asarray(mask, bool) for title, mask in named.items()}
    shapes = [mask.shape for mask in masks.values()]
    if not shapes or any(shape != (shapes[0][0],) * 2 for shape in shapes):
        raise ValueError(f"named must hold masks (L, L) of one size, got shapes {shapes}")
    L = shapes[0][0]
    if not 0 <= row < L:
        raise ValueError(f"row must lie in 0 .. {L - 1}, got {row}")
    gap = 2.6
    across = len(masks) * (L + gap) - gap
    cell = min(SIDE / L, 6.9 / (across + 1.6))
    with canvas(cell * (across + 1.6), cell * (L + 1.4) + 0.35) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for panel, (title, mask) in enumerate(masks.items()):
            start = panel * (L + gap)
            grid(axes, start, mask, row)
            style = {"family": "monospace", "fontsize": 9}
            axes.text(start + L / 2, L + 0.3, title, ha="center", va="top", **style)
        bare(axes, (-1.4, across + 0.2), (L + 0.35 + 0.25 / cell, -1.2))
    told = "; ".join(
        f"{title}, {mask.sum()} pairs, query {row} reads {listed(np.flatnonzero(mask[row]))}"
        for title, mask in masks.items()
    )
    alt = (
        f"Grids of {L} queries, from top to bottom, by {L} keys, from left to right. Filled: may be read."
        f" Hatched: may not. A stair marks the diagonal. {told}."
    )
    return Figure("grids-" + re.sub(r"\W+", "-", next(iter(masks))).strip("-"), alt, drawing)


def growth(patterns: Sequence[Pattern], lengths: Sequence[int]) -> Figure:
    """Keys that a query reads on average against the length of the text, a line for each pattern.

    ``lengths``: ascending numbers of tokens, the last at least twice the first.
    """
    lengths = [whole(f"lengths[{place}]", L, 1) for place, L in enumerate(lengths)]
    if len(lengths) < 2 or lengths != sorted(lengths) or lengths[-1] < 2 * lengths[0]:
        raise ValueError(f"lengths must ascend, the last at least twice the first; got {lengths}")
    read = {repr(pattern): [pattern.pairs(L) / L for L in lengths] for pattern in patterns}
    with canvas(6.8, 3.5) as drawing:
        axes = drawing.add_subplot()
        at = np.log2(lengths)
        for name, means in read.items():
            axes.plot(at, np.log2(means), color=INK["alpha"], linewidth=1.6)
            style = {"va": "center", "family": "monospace", "fontsize": 9}
            axes.text(at[-1] + 0.1, np.log2(means[-1]), name, **style)
        axes.set_xticks(at[::2], [str(L) for L in lengths[::2]])
        heights = range(0, int(np.log2(max(max(means) for means in read.values()))) + 1, 2)
        axes.set_yticks(heights, [str(2**height) for height in heights])
        axes.set(xlim=(at[0], at[-1] + (at[-1] - at[0]) * 0.42), xlabel="tokens, $L$")
        axes.set_ylabel("keys\nper query", rotation=0, ha="right", va="center")
        axes.spines["bottom"].set_bounds(at[0], at[-1])
    told = "; ".join(f"{name} {means[0]:.1f} and {means[-1]:.1f}" for name, means in read.items())
    alt = (
        "Lines on two logarithmic axes, keys that a query reads on average against the length of the text."
        f" At {lengths[0]} and at {lengths[-1]} tokens: {told}."
    )
    return Figure("growth", alt, drawing)


def ring(window: int, sinks: int, tokens: int) -> Figure:
    """What a rolling cache holds after each token: a row a token, a column a slot.

    Positions below ``sinks`` keep a slot of their own; each later one, j, takes slot (j - sinks) mod window
    of the others.
    """
    window, sinks = whole("window", window, 1), whole("sinks", sinks, 0)
    tokens = whole("tokens", tokens, 1)
    slots, held, told = sinks + window, {}, []
    with canvas(0.42 * (slots + 9.2), 0.3 * (tokens + 1.3)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for t in range(tokens):
            slot = t if t < sinks else sinks + (t - sinks) % window
            lost = held.get(slot)
            held[slot] = t
            if t + 1 < slots:
                axes.add_patch(Rectangle((t + 1, t), slots - t - 1, 1, **HATCHED))
            for place, position in held.items():
                colour = INK["k" if place == slot else "ink"]
                axes.text(place + 0.5, t + 0.5, str(position), ha="center", va="center", color=colour)
            frame = {"edgecolor": INK["k"], "linewidth": 1.8, "facecolor": "none"}
            axes.add_patch(Rectangle((slot + 0.06, t + 0.06), 0.88, 0.88, **frame))
            axes.text(-0.3, t + 0.5, f"token {t}", ha="right", va="center", color=INK["q"])
            if lost is not None:
                axes.text(slots + 0.3, t + 0.5, f"overwrites {lost}", ha="left", va="center")
            told.append(f"token {t}, in slot {slot}, {listed(sorted(held.values()))}")
        cells = np.stack(np.meshgrid(np.arange(slots), np.arange(tokens)), axis=-1).reshape(-1, 2)
        axes.add_patch(marks(cells, SQUARE, facecolor="none", edgecolor=INK["edge"], linewidth=0.8))
        above = {"va": "bottom", "color": INK["muted"], "fontsize": 9}
        for place in range(slots):
            axes.text(place + 0.5, -0.15, str(place), ha="center", **above)
        axes.text(-0.3, -0.15, "slot", ha="right", **above)
        if sinks:
            axes.plot([sinks, sinks], [-0.2, tokens + 0.1], color=INK["ink"], linewidth=2)
        bare(axes, (-3.2, slots + 5.2), (tokens + 0.15, -1.0))
    alt = (
        f"A row a token, a column a slot of the cache, {sinks} for sinks and {window} for the window; the"
        f" newest key is framed. Held after {'; after '.join(told)}."
    )
    return Figure("ring", alt, drawing)


def grid(axes, start, mask, row):
    """One mask from column ``start`` on."""
    L = len(mask)
    axes.add_patch(Rectangle((start, 0), L, L, **HATCHED))
    i, j = np.nonzero(mask)
    if i.size:
        style = {"facecolor": INK["alpha"], "edgecolor": INK["paper"], "linewidth": 1}
        axes.add_patch(marks(np.stack([start + j, i], axis=-1), SQUARE, **style))
    steps = np.repeat(np.arange(L + 1), 2)[1:-1]
    axes.plot(start + steps[1:], steps[:-1], color=INK["ink"], linewidth=1.2)
    axes.add_patch(Rectangle((start, 0), L, L, facecolor="none", edgecolor=INK["edge"], linewidth=0.8))
    axes.add_patch(Rectangle((start, row), L, 1, facecolor="none", edgecolor=INK["q"], linewidth=2))
    axes.text(start - 0.25, row + 0.5, f"$q_{{{row}}}$", ha="right", va="center", color=INK["q"])
    for j in np.flatnonzero(mask[row]):
        axes.text(start + j + 0.5, -0.2, str(j), ha="center", va="bottom", color=INK["k"], fontsize=8)


def listed(numbers):
    return "{" + ", ".join(str(number) for number in numbers) + "}"
