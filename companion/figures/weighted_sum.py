"""The figures of chapter 1: one token's output as a weighted sum, and what that makes of it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Polygon, Rectangle
from numpy.typing import ArrayLike

from companion.figures.base import INK, Figure, canvas
from companion.figures.plane import (
    arrow,
    corners,
    covers,
    diamond,
    label,
    plane_canvas,
    points_of_the_plane,
    vector,
)
from companion.reference import weighted_sum

__all__ = ["causal_rows", "head_to_tail", "hull", "influence"]


def head_to_tail(alpha: ArrayLike, values: ArrayLike) -> Figure:
    """The terms alpha_j v_j laid head to tail: where the last one ends is the output.

    ``alpha``: ``(n,)`` weights; ``values``: ``(n, 2)``, points of the plane.
    """
    alpha, values = points_of_the_plane(alpha, values)
    output = weighted_sum(alpha, values)
    with plane_canvas(values) as axes:
        tail = np.zeros(2)
        for j, (weight, value) in enumerate(zip(alpha, values, strict=True)):
            arrow(axes, np.zeros(2), value, INK["edge"], width=0.9, linestyle=(0, (4, 3)))
            diamond(axes, value)
            label(axes, value, rf"$v_{j}$", INK["v"], away=output)
            head = tail + weight * value
            arrow(axes, tail, head, INK["v"], width=2.4)
            middle, right = (tail + head) / 2, [head[1] - tail[1], tail[0] - head[0]]
            label(axes, middle, rf"${weight:.2g}\,v_{j}$", INK["v"], away=middle + right)
            tail = head
        axes.plot(*output, "D", color=INK["v"], markersize=9)
        label(axes, output, rf"$o$ = {vector(output)}", INK["ink"], away=output - [1, 0])
    terms = ", then ".join(f"{w:.2g} times {vector(v)}" for w, v in zip(alpha, values, strict=True))
    alt = (
        f"Arrows laid head to tail from the origin: {terms}."
        f" The last one ends at the output, {vector(output)}."
    )
    return Figure("head-to-tail", alt, axes.figure)


def hull(values: ArrayLike, alpha: ArrayLike, outside: ArrayLike | None = None) -> Figure:
    """The values, their convex hull, and the output inside it beside the plain mean.

    ``values``: ``(n, 2)``; ``alpha``: ``(n,)``; ``outside``: a point ``(2,)`` of the span that no weights
    reach, a ValueError if some do.
    """
    alpha, values = points_of_the_plane(alpha, values)
    if outside is not None and covers(values, outside):
        raise ValueError(f"outside must lie outside the hull of values, got {vector(outside)}")
    output, mean = weighted_sum(alpha, values), values.mean(0)
    with plane_canvas(values if outside is None else np.vstack([values, outside])) as axes:
        inwards = [np.sign(output[0] - np.median(values[:, 0])) or 1, 0]
        edge = values[corners(values)]
        axes.add_patch(Polygon(edge, facecolor=(INK["v"], 0.1), edgecolor=INK["v"], linewidth=1.2))
        for j, value in enumerate(values):
            diamond(axes, value)
            label(axes, value, rf"$v_{j}$", INK["v"], away=values.mean(0))
        axes.plot(*mean, "+", color=INK["muted"], markersize=11, markeredgewidth=1.6)
        label(axes, mean, "mean", INK["muted"], away=mean + inwards)
        axes.plot(*output, "D", color=INK["v"], markersize=9)
        label(axes, output, "$o$", INK["v"], away=output + inwards)
        if outside is not None:
            axes.plot(*outside, "x", color=INK["wrong"], markersize=9, markeredgewidth=2)
            label(axes, outside, "in the span,\nout of reach", INK["wrong"], away=np.add(outside, [0, 1]))
    names = ", ".join(f"v_{j} = {vector(v)}" for j, v in enumerate(values))
    alt = (
        f"The values {names} and their convex hull. In it lie the output, {vector(output)},"
        f" and the plain mean, {vector(mean)}."
    )
    if outside is not None:
        alt += f" The point {vector(outside)} lies outside: no weights reach it."
    return Figure("hull", alt, axes.figure)


def causal_rows(weights: ArrayLike, tokens: Sequence[str] | None = None) -> Figure:
    """One row of weights a query: the past and itself as bars, the future hatched, the diagonal drawn.

    ``weights``: ``(n, n)``, each row summing to 1, zero above the diagonal; ``tokens``: n words for the
    labels. Other weights, or another number of words, are a ValueError.
    """
    weights = np.asarray(weights, float)
    n = len(weights)
    if weights.shape != (n, n):
        raise ValueError(f"weights must be (n, n), got shape {weights.shape}")
    if np.triu(weights, 1).any() or not np.allclose(weights.sum(1), 1):
        raise ValueError(f"weights must sum to 1 by row, zero above the diagonal; got {weights.tolist()}")
    words = [""] * n if tokens is None else [f" {word}" for word in tokens]
    if len(words) != n:
        raise ValueError(f"tokens must hold {n} words, got {len(words)}")
    with canvas(6.2, 0.62 * n + 0.9) as drawing:
        axes = drawing.add_subplot()
        for i, j in np.ndindex(n, n):
            if j > i:
                hatched = {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "///", "lw": 0}
                axes.add_patch(Rectangle((j, i), 1, 1, **hatched))
            else:
                bar = (j + 0.06, i + 0.62)
                axes.add_patch(Rectangle(bar, 0.88, 0.2, facecolor=INK["rule"]))
                axes.add_patch(Rectangle(bar, 0.88 * weights[i, j], 0.2, facecolor=INK["alpha"]))
                axes.text(j + 0.06, i + 0.5, f"{weights[i, j]:.2f}", va="baseline")
        steps = np.repeat(np.arange(n + 1), 2)[1:-1]
        axes.plot(steps[1:], steps[:-1], color=INK["ink"], linewidth=1.4)
        axes.set(xlim=(0, n), ylim=(n, 0), xticks=np.arange(n) + 0.5, yticks=np.arange(n) + 0.5)
        axes.set_xticklabels([f"$k_{j}${word}" for j, word in enumerate(words)], color=INK["k"])
        axes.set_yticklabels([f"$q_{i}${word}" for i, word in enumerate(words)], color=INK["q"])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    rows = "; ".join(" ".join(f"{w:.2f}" for w in weights[i, : i + 1]) for i in range(n))
    alt = (
        f"A triangle of weights, one row a query, one column a key: {rows}."
        " The future, above the diagonal, is hatched."
    )
    return Figure("causal-rows", alt, drawing)


def influence(values: ArrayLike, alpha: ArrayLike) -> Figure:
    """Four readings of "most influence", each with its winner marked.

    ``values``: ``(n, D)``; ``alpha``: ``(n,)``, each below 1 (a ValueError otherwise: nothing would be left
    to renormalise).
    """
    values, alpha = np.asarray(values, float), np.asarray(alpha, float)
    if (alpha >= 1).any():
        raise ValueError(f"alpha must be below 1 everywhere, got {alpha.tolist()}")
    away = np.linalg.norm(values - weighted_sum(alpha, values), axis=1)
    readings = {
        "change $v_j$": (r"$\alpha_j$", alpha, "alpha"),
        "delete the term": (r"$\alpha_j \, |v_j|$", alpha * np.linalg.norm(values, axis=1), "v"),
        "change the score $s_j$": (r"$\alpha_j \, |v_j - o|$", alpha * away, "v"),
        "remove, renormalise": (
            r"$\frac{\alpha_j}{1 - \alpha_j} \, |v_j - o|$",
            alpha / (1 - alpha) * away,
            "v",
        ),
    }
    with canvas(6.6, 0.7 * len(values) + 2.2) as drawing:
        panels = drawing.subplots(2, 2, gridspec_kw={"hspace": 0.12}).flat
        for axes, (title, (formula, scores, colour)) in zip(panels, readings.items(), strict=True):
            bars(axes, scores, INK[colour])
            axes.set_title(f"{title}:  {formula}", loc="left")
    told = "; ".join(
        f"{title.replace('$', '')}: {', '.join(f'{x:.3f}' for x in scores)}, largest v_{np.argmax(scores)}"
        for title, (_, scores, _) in readings.items()
    )
    alt = f"Four groups of bars over the values, one for each meaning of influence: {told}."
    return Figure("influence", alt, drawing)


def bars(axes, scores, colour):
    """Horizontal bars, row 0 on top; the largest is solid and named, the others are outlines."""
    winner = int(np.argmax(scores))
    for j, score in enumerate(scores):
        fill = colour if j == winner else "none"
        axes.barh(j, score, height=0.56, facecolor=fill, edgecolor=colour, linewidth=1.2)
        note = f" {score:.3f}" + ("  largest" if j == winner else "")
        axes.text(score, j, note, va="center", weight="bold" if j == winner else "normal")
    axes.set(ylim=(len(scores) - 0.5, -0.5), xlim=(0, 1.5 * scores.max() or 1), xticks=[])
    axes.set_yticks(range(len(scores)), [f"$v_{j}$" for j in range(len(scores))])
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
