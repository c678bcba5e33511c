"""The figures of chapter 12: blocks of pairs and what lives in them, their waste, and time against length."""

from collections.abc import Mapping

import numpy as np
from matplotlib.patches import Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.dense import marks
from companion.figures.matrices import bare
from companion.patterns import Pattern

__all__ = ["grids", "scaling", "waste"]

SIDE = 3.1  # inches: the widest that a grid is drawn
GAP = 0.09  # of the axes: the least between two names at the right


def grids(named: Mapping[str, tuple[Pattern, int, int]]) -> Figure:
    """Masks cut into blocks: full ones solid, partial ones hatched around their live pairs, empty ones blank.

    ``named``: title -> (pattern, number of tokens L, block size); the pattern holds for any head. Rows are
    queries. ValueError if there is none.
    """
    if not named:
        raise ValueError("named must hold at least one pattern")
    sizes = [L for _, L, _ in named.values()]
    gap = max(sizes) / 6
    across = sum(sizes) + gap * (len(named) - 1)
    unit = min(SIDE / max(sizes), 6.7 / (across + 1))
    start, told = 0.0, []
    with canvas(unit * (across + 1), unit * (max(sizes) + 1) + 0.35) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for title, (pattern, L, size) in named.items():
            layout = pattern.layout(L, block_size=size)
            one(axes, start, pattern.mask(L), layout, unit)
            axes.text(start + L / 2, L + 0.1 / unit, title, ha="center", va="top")
            told.append(
                f"{title}: {pattern} over {L} tokens, {layout.query_blocks} by {layout.key_blocks} blocks of"
                f" {size}, of which {len(layout.full_blocks)} full and {len(layout.partial_blocks)} partial"
            )
            start += L + gap
        bare(axes, (-0.5, across + 0.5), (max(sizes) + 0.35 / unit, -0.5))
    alt = (
        "Grids of queries, from top to bottom, by keys, from left to right, cut into square blocks. Full"
        " blocks are solid, partial blocks are hatched and show their allowed pairs, empty blocks are blank."
        f" A stair marks the diagonal. {'; '.join(told)}."
    )
    return Figure(f"blocks-{'-'.join(str(size) for _, _, size in named.values())}", alt, drawing)


def one(axes, start, mask, layout, unit):
    """One mask from column ``start`` on."""
    size, L = layout.block_size, len(mask)
    for rows, hatched in ((layout.partial_pairs(), True), (layout.full_pairs(), False)):
        for row, column in zip(*rows, strict=True):
            corner = start + column * size, row * size
            sides = min(size, L - column * size), min(size, L - row * size)
            if hatched:
                style = {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "////"}
            else:
                style = {"facecolor": INK["alpha"]}
            axes.add_patch(Rectangle(corner, *sides, linewidth=0, **style))
    in_full = (layout.states()[0] == 2).repeat(size, axis=0).repeat(size, axis=1)[:L, :L]
    i, j = np.nonzero(mask & ~in_full)
    square = np.array([(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)])
    fine = 0.7 if unit > 0.12 else 0
    style = {"facecolor": INK["alpha"], "edgecolor": INK["paper"], "linewidth": fine}
    axes.add_patch(marks(np.stack([start + j, i], axis=-1), square, **style))
    lines = {"color": INK["edge"], "linewidth": 0.8}
    for cut in [*range(0, L, size), L]:
        axes.plot([start, start + L], [cut, cut], **lines)
        axes.plot([start + cut, start + cut], [0, L], **lines)
    steps = np.repeat(np.arange(L + 1), 2)[1:-1]
    axes.plot(start + steps[1:], steps[:-1], color=INK["ink"], linewidth=1.2)


def waste(ratios: Mapping[str, Mapping[int, float]]) -> Figure:
    """Pairs that are computed for each pair that is allowed, against the size of the blocks.

    ``ratios``: name -> {block size: ratio, at least 1}, the same sizes for each name.
    """
    figure = curves(ratios, "block size $B$", "computed\nper\nallowed\npair", every=1, base=2)
    told = "; ".join(f"{name} {told_of(ratio, '.2f')}" for name, ratio in ratios.items())
    alt = (
        "Lines that rise with the size of the blocks: pairs computed for each pair allowed, both axes"
        f" logarithmic. {told}."
    )
    return Figure("waste", alt, figure)


def scaling(times: Mapping[str, Mapping[int, float]], what: str) -> Figure:
    """Times against the length of the text, both axes logarithmic, a line for each name.

    ``times``: name -> {number of tokens: seconds}; ``what``: what kind of time it is, for the alternative
    text.
    """
    milliseconds = {name: {L: 1e3 * t for L, t in row.items()} for name, row in times.items()}
    figure = curves(milliseconds, "tokens, $L$", "milli-\nseconds", every=2, base=10)
    told = "; ".join(f"{name} {told_of(row, '.3g')}" for name, row in milliseconds.items())
    alt = f"Lines on two logarithmic axes, {what} in milliseconds against the length of the text. {told}."
    return Figure("scaling-" + what.split()[0], alt, figure)


def told_of(row, digits):
    (first, low), (last, high) = list(row.items())[0], list(row.items())[-1]
    return f"from {low:{digits}} at {first} to {high:{digits}} at {last}"


def curves(named, xlabel, ylabel, every, base):
    """A line for each name over a logarithmic plane, its name at the right; ticks at powers of ``base``."""
    xs = sorted({x for row in named.values() for x in row})
    if len(xs) < 2 or any(not y > 0 for row in named.values() for y in row.values()):
        raise ValueError(f"each line needs two points or more, with heights above 0; got {dict(named)}")
    ends = {name: np.log2(list(row.values())[-1]) for name, row in named.items()}
    heights = np.log2([y for row in named.values() for y in row.values()])
    low, high = heights.min(), heights.max()
    with canvas(6.8, 3.6) as drawing:
        axes = drawing.add_subplot()
        for place, row in enumerate(named.values()):
            dashes = "-" if place % 2 == 0 else (0, (5, 2))
            axes.plot(np.log2(list(row)), np.log2(list(row.values())), color=INK["alpha"], linestyle=dashes)
        left, right = np.log2(xs[0]), np.log2(xs[-1])
        for (name, end), at in zip(ends.items(), apart(list(ends.values()), GAP * (high - low)), strict=True):
            last = np.log2(max(named[name]))
            axes.annotate(name, (last, end), (right + 0.04 * (right - left), at), textcoords="data",
                          va="center", fontsize=9,
                          arrowprops={"arrowstyle": "-", "color": INK["edge"], "lw": 0.6})  # fmt: skip
        axes.set_xticks(np.log2(xs[::every]), [str(x) for x in xs[::every]])
        unit = np.log2(base)
        ticks = np.arange(np.ceil(low / unit), high / unit + 0.01)
        axes.set_yticks(ticks * unit, [f"{base**tick:g}" for tick in ticks])
        axes.set(xlim=(left, right + 0.55 * (right - left)), xlabel=xlabel)
        axes.set_ylabel(ylabel, rotation=0, ha="right", va="center")
        axes.spines["bottom"].set_bounds(left, right)
    return drawing


def apart(heights, gap):
    """The heights, moved up where needed so that any two differ by ``gap`` or more."""
    moved = np.array(heights, float)
    order = np.argsort(moved, kind="stable")
    for lower, upper in zip(order, order[1:], strict=False):
        moved[upper] = max(moved[upper], moved[lower] + gap)
    return moved.tolist()
