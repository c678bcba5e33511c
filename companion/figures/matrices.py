"""The figures of chapter 5: attention as matrices, heads, and masks."""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.plane import diamond, label, vector
from companion.patterns import causal
from companion.reference import attention_weights

__all__ = ["concatenated", "cut", "four_steps", "masks"]


def four_steps(query, key, value) -> Figure:
    """Scores, masked scores, weights and outputs of causal attention, with their numbers.

    ``query`` and ``key``: ``(L, D)``; ``value``: ``(L, Dv)``; ValueError for other shapes.
    """
    query, key, value = (np.asarray(x, float) for x in (query, key, value))
    L, width = len(query), value.shape[-1]
    if query.ndim != 2 or key.shape != query.shape or value.shape[:-1] != (L,):
        raise ValueError(
            "query, key and value must be (L, D), (L, D) and (L, Dv), "
            f"got {query.shape}, {key.shape} and {value.shape}"
        )
    mask = causal().mask(L)
    scores = query @ key.T * query.shape[1] ** -0.5
    weights = np.array([attention_weights(query[i], key, range(i + 1)) for i in range(L)])
    outputs = weights @ value
    grids = {
        "scores": (scores, np.ones_like(mask)),
        "masked scores": (scores, mask),
        "weights": (weights, mask),
        "outputs": (outputs, np.ones(outputs.shape, bool)),
    }
    gap = 0.85
    across = 3 * (L + gap) + width
    with canvas(6.9, 6.9 * (L + 1.9) / (across + 0.8)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for step, (title, (numbers, seen)) in enumerate(grids.items()):
            start, columns = step * (L + gap), numbers.shape[1]
            grid(axes, start, numbers, seen, INK["v"] if title == "outputs" else INK["ink"])
            axes.text(start + columns / 2, L + 0.2, title, ha="center", va="top")
            if title == "weights":
                bars(axes, start, numbers, seen)
            if title != "outputs":
                names(axes, start, columns)
                tail = start + columns + 0.14
                pointer = {"arrowstyle": "-|>", "color": INK["edge"], "lw": 1.2}
                axes.annotate("", (tail + gap - 0.28, L / 2), (tail, L / 2), arrowprops=pointer)
        for i in range(L):
            axes.text(-0.15, i + 0.5, f"$q_{i}$", ha="right", va="center", color=INK["q"])
        bare(axes, (-0.7, across + 0.1), (L + 0.9, -0.75))
    alt = (
        f"Four grids with an arrow from each to the next. Scores: {rows(scores)}."
        " The mask hatches every cell above the diagonal."
        f" Weights: {rows(weights)}. Outputs: {rows(outputs)}."
    )
    return Figure("four-steps", alt, drawing)


def cut(tokens: int = 3, heads: int = 2, dim: int = 2) -> Figure:
    """Which numbers in memory become which head, with the transpose and without it.

    The numbers of one sentence are laid out in memory, ``heads * dim`` a token; brackets under them
    show which run of ``dim`` numbers is which row of which head.
    """
    count = tokens * heads * dim
    kinds = {
        "right: view, then transpose": [(run % heads, run // heads) for run in range(tokens * heads)],
        "wrong: view alone": [(run // tokens, run % tokens) for run in range(tokens * heads)],
    }
    tall = 1.55 + 0.8 * heads
    with canvas(6.9, 6.9 * (2 * tall + 0.5) / (count + 2.2)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for panel, (title, runs) in enumerate(kinds.items()):
            top = panel * (tall + 0.5)
            axes.text(0, top + 0.02, title, ha="left", va="bottom")
            for place in range(count):
                cell(axes, place, top + 0.2)
                axes.text(place + 0.5, top + 0.7, str(place), ha="center", va="center")
            for token in range(tokens + 1):
                at = token * heads * dim
                axes.plot([at, at], [top + 0.1, top + 1.3], color=INK["ink"], linewidth=2)
            for head in range(heads):
                lane = top + 1.62 + 0.8 * head
                axes.text(-0.2, lane + 0.12, f"head {head}", ha="right", va="center")
            for run, (head, row) in enumerate(runs):
                left, lane = run * dim, top + 1.45 + 0.8 * head
                bracket = [left + 0.12, left + 0.12, left + dim - 0.12, left + dim - 0.12]
                axes.plot(bracket, [lane, lane + 0.16, lane + 0.16, lane], color=INK["q"], linewidth=1.6)
                axes.text(left + dim / 2, lane + 0.22, f"row {row}", ha="center", va="top", color=INK["q"])
        bare(axes, (-2.1, count + 0.1), (2 * tall + 0.65, -0.6))
    told = "; ".join(
        f"{title}, head 0 takes {', '.join(map(str, taken(runs, 0, dim)))}" for title, runs in kinds.items()
    )
    alt = f"The numbers 0 to {count - 1} of {tokens} tokens in a line, twice, with brackets below: {told}."
    return Figure("cut", alt, drawing)


def taken(runs, head, dim):
    """The places in memory of one head's numbers."""
    return [run * dim + d for run, (owner, _) in enumerate(runs) if owner == head for d in range(dim)]


def concatenated(values, weights) -> Figure:
    """Two heads of one number each: where their outputs, side by side, can lie.

    ``values``: ``(2, 2)``, row j the two heads' values of token j; ``weights``: ``(2, 2)``, row h the weights
    of head h. ValueError for other shapes, and if the output is no corner of what the heads reach.
    """
    values, weights = np.asarray(values, float), np.asarray(weights, float)
    if values.shape != (2, 2) or weights.shape != (2, 2):
        raise ValueError(f"values and weights must be (2, 2), got {values.shape} and {weights.shape}")
    output = np.array([weights[head] @ values[:, head] for head in range(2)])
    low, high = values.min(0), values.max(0)
    square = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    if not (square == output).all(1).any():
        raise ValueError(f"weights must lead to a corner of the square, got the output {vector(output)}")
    with canvas(4.4, 3.4) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        axes.add_patch(
            Polygon(square, facecolor=(INK["v"], 0.1), edgecolor=INK["v"], linewidth=1.2, linestyle="--")
        )
        axes.plot(*values.T, color=INK["v"], linewidth=2.2)
        for j, value in enumerate(values):
            diamond(axes, value)
            label(axes, value, rf"$v_{j}$", INK["v"], away=values[1 - j])
        axes.plot(*output, "D", color=INK["v"], markersize=9)
        label(axes, output, rf"$o$ = {vector(output)}", INK["ink"], away=output - [0, 1])
        axes.set(xlim=(low[0] - 0.5, high[0] + 0.5), ylim=(low[1] - 0.35, high[1] + 0.4))
        axes.set(xticks=[low[0], high[0]], yticks=[low[1], high[1]], xlabel="head 0", ylabel="head 1")
    alt = (
        f"The plane, head 0 across and head 1 up. The values {vector(values[0])} and {vector(values[1])} are"
        " joined by a segment, their convex hull. Two heads reach the whole dashed square around it; the"
        f" output {vector(output)} is a corner of the square, off the segment."
    )
    return Figure("concatenated", alt, drawing)


def masks(named) -> Figure:
    """Masks side by side: what may be read as filled cells, what may not hatched, the diagonal drawn.

    ``named``: title -> ``(mask, labels)``, the mask boolean ``(L, L)`` and one short label a position.
    """
    grids = {title: (np.asarray(mask, bool), list(labels)) for title, (mask, labels) in named.items()}
    for title, (mask, labels) in grids.items():
        if mask.shape != (len(labels),) * 2:
            raise ValueError(
                f"{title!r}: a mask (L, L) with L labels expected, got {mask.shape}, {len(labels)}"
            )
    gap, tallest = 1.6, max(len(labels) for _, labels in grids.values())
    across = sum(len(labels) + gap for _, labels in grids.values()) - gap
    with canvas(6.9, 6.9 * (tallest + 2.4) / (across + 1.3)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        start = 0.0
        for title, (mask, labels) in grids.items():
            L = len(labels)
            for i, j in np.ndindex(L, L):
                cell(
                    axes,
                    start + j,
                    i,
                    hatched=not mask[i, j],
                    fill="none" if not mask[i, j] else INK["alpha"],
                )
            steps = np.repeat(np.arange(L + 1), 2)[1:-1]
            axes.plot(start + steps[1:], steps[:-1], color=INK["ink"], linewidth=1.6)
            for place, text in enumerate(labels):
                axes.text(start + place + 0.5, -0.15, text, ha="center", va="bottom", color=INK["k"], size=9)
                axes.text(start - 0.15, place + 0.5, text, ha="right", va="center", color=INK["q"], size=9)
            axes.text(start + L / 2, L + 0.25, title, ha="center", va="top")
            start += L + gap
        bare(axes, (-1.0, across + 0.2), (tallest + 1.4, -1.0))
    told = "; ".join(
        f"{title}, " + " / ".join(row(mask[i]) for i in range(len(mask)))
        for title, (mask, _) in grids.items()
    )
    return Figure(
        "masks",
        f"Masks with one row a query, 1 where it may read and 0, hatched, where not: {told}.",
        drawing,
    )


def grid(axes, start, numbers, seen, colour):
    """Numbers in cells from column ``start`` on; where ``seen`` is False the cell is hatched."""
    for i, j in np.ndindex(numbers.shape):
        cell(axes, start + j, i, hatched=not seen[i, j])
        if seen[i, j]:
            at = (start + j + 0.5, i + 0.46)
            axes.text(*at, shown(numbers[i, j]), ha="center", va="center", color=colour)


def bars(axes, start, numbers, seen):
    """A bar at the foot of every cell that is seen, as long as its weight."""
    for i, j in zip(*np.nonzero(seen), strict=True):
        foot = (start + j + 0.08, i + 0.76)
        axes.add_patch(Rectangle(foot, 0.84, 0.13, facecolor=INK["rule"]))
        axes.add_patch(Rectangle(foot, 0.84 * numbers[i, j], 0.13, facecolor=INK["alpha"]))


def names(axes, start, columns):
    for j in range(columns):
        axes.text(start + j + 0.5, -0.12, f"$k_{j}$", ha="center", va="bottom", color=INK["k"])


def shown(number):
    return f"{number:.2f}".replace("-", "\u2212")


def row(allowed):
    return "".join("01"[int(x)] for x in allowed)


def rows(numbers):
    return "; ".join(" ".join(f"{x:.2f}" for x in line) for line in numbers)


def cell(axes, x, y, hatched=False, fill="none"):
    """A unit square with its upper left corner at ``(x, y)``."""
    if hatched:
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor="none", edgecolor=INK["masked"], hatch="///", lw=0))
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=fill, edgecolor=INK["edge"], linewidth=0.8))


def bare(axes, xlim, ylim):
    """Limits, and neither spines nor ticks."""
    axes.set(xlim=xlim, ylim=ylim, xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
