"""The figures of chapter 7: weights over a set of positions, two outputs mixed, mass against error."""

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from companion.figures.base import INK, Figure, canvas
from companion.figures.plane import corners, label, plane_canvas, points_of_the_plane, vector
from companion.reference import weighted_sum

__all__ = ["mixing", "sparse_weights", "subsets"]


def sparse_weights(alpha: ArrayLike, G: Collection[int], tokens: Sequence[str]) -> Figure:
    """Dense weights as outlines and the weights renormalised over ``G`` as solid bars.

    ``alpha``: ``(n,)`` weights that add up to 1; ``G``: positions of 0 .. n - 1, not all of weight 0;
    ``tokens``: n words for the labels.
    """
    alpha, kept, rest = split(alpha, G)
    if len(tokens) != len(alpha):
        raise ValueError(f"tokens must hold {len(alpha)} words, got {len(tokens)}")
    sparse = np.zeros(len(alpha))
    sparse[kept] = alpha[kept] / alpha[kept].sum()
    top = max(alpha.max(), sparse.max())
    with canvas(6.4, 2.6) as drawing:
        axes = drawing.add_subplot()
        for j, (before, after) in enumerate(zip(alpha, sparse, strict=True)):
            inside = j in kept
            axes.add_patch(Rectangle((j - 0.34, 0), 0.3, before, **bar_style(inside)))
            axes.text(j - 0.19, before + top / 40, f"{before:.2f}", ha="center", color=INK["muted"])
            if inside:
                axes.add_patch(Rectangle((j + 0.04, 0), 0.3, after, facecolor=INK["alpha"]))
                axes.text(j + 0.19, after + top / 40, f"{after:.2f}", ha="center", color=INK["alpha"])
            else:
                axes.text(j + 0.19, top / 40, "0", ha="center", color=INK["muted"])
        axes.set(xlim=(-0.5, len(alpha) - 0.5), ylim=(0, 1.12 * top), yticks=[])
        axes.set_xticks(range(len(alpha)), [f"{j}  {word}" for j, word in enumerate(tokens)])
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
    told = "; ".join(
        f"{word} {alpha[j]:.2f} to {sparse[j]:.2f}" if j in kept else f"{word} {alpha[j]:.2f} to 0, left out"
        for j, word in enumerate(tokens)
    )
    alt = f"Two bars for each position, the dense weight and the weight over G = {braces(kept)}: {told}."
    return Figure("sparse-weights", alt, drawing)


def mixing(values: ArrayLike, alpha: ArrayLike, G: Collection[int]) -> Figure:
    """The outputs over ``G`` and over the rest, and the dense output on the segment between them.

    ``values``: ``(n, 2)``; ``alpha``: ``(n,)``; ``G``: positions, of which some are left out.
    """
    alpha, values = points_of_the_plane(alpha, values)
    alpha, kept, rest = split(alpha, G)
    if not rest:
        raise ValueError(f"G must leave a position out, got all {len(alpha)}")
    mass = alpha[kept].sum()
    parts = [weighted_sum(alpha[part] / alpha[part].sum(), values[part]) for part in (kept, rest)]
    output, middle = weighted_sum(alpha, values), values.mean(axis=0)
    with plane_canvas(values) as axes:
        for part, colour, ground in ((kept, "v", "v"), (rest, "masked", "paper")):
            edge = values[part][corners(values[part])]
            axes.fill(*edge.T, facecolor=(INK[ground], 0.1), edgecolor=INK[colour], linewidth=1.2,
                      linestyle="-" if part is kept else (0, (4, 3)))  # fmt: skip
            for j in part:
                style = {"color": INK[colour], "markeredgewidth": 1.8, "markerfacecolor": INK["paper"]}
                axes.plot(*values[j], "D", markersize=9, **style)
                label(axes, values[j], rf"$v_{j}$", INK[colour], away=middle)
        axes.plot(*np.transpose(parts), color=INK["ink"], linewidth=1.6)
        for name, point, colour in (("G", parts[0], "v"), ("R", parts[1], "masked")):
            axes.plot(*point, "D", color=INK[colour], markersize=7)
            label(axes, point, f"$o_{name}$", INK[colour], away=output)
        axes.plot(*output, "D", color=INK["v"], markersize=10)
        along = np.subtract(*parts)
        label(axes, output, "$o$", INK["ink"], away=output + [along[1], -along[0]])
        for name, end in ((f"{1 - mass:.2g}", parts[0]), (f"{mass:.2g}", parts[1])):
            half = (output + end) / 2
            label(axes, half, name, INK["alpha"], away=half + [-along[1], along[0]])
    alt = (
        f"The values in the plane. Over G = {braces(kept)} the output is {vector(parts[0])}, over the rest"
        f" {braces(rest)} it is {vector(parts[1])}. The dense output {vector(output)} lies on the segment"
        f" between them and divides it: {1 - mass:.2g} of it on the side of G, {mass:.2g} on the other."
    )
    return Figure("mixing", alt, axes.figure)


def subsets(alpha: ArrayLike, values: ArrayLike, path: Sequence[Collection[int]]) -> Figure:
    """Error of the output against the mass kept, for every non-empty set of positions, with its bound.

    ``alpha``: ``(n,)``, all above 0; ``values``: ``(n,)``, plain numbers; ``path``: sets to be joined by
    arrows, in this order.
    """
    alpha, values = np.asarray(alpha, float), np.asarray(values, float)
    if alpha.shape != values.shape or alpha.ndim != 1:
        raise ValueError(f"alpha and values must be (n,) both, got {alpha.shape} and {values.shape}")
    n = len(alpha)
    found = {
        frozenset(G): measured(alpha, values, list(G))
        for size in range(1, n + 1)
        for G in combinations(range(n), size)
    }
    way = [found[frozenset(G)][:2] for G in path]
    high = max(bound for *_, bound in found.values())
    with canvas(6.4, 3.7) as drawing:
        axes = drawing.add_subplot()
        for G, (mass, error, bound) in found.items():
            axes.plot([mass, mass], [error, bound], color=INK["rule"], linewidth=1.2, zorder=1)
            axes.plot([mass - 0.02, mass + 0.02], [bound, bound], color=INK["alpha"], linewidth=2.2)
            axes.plot(mass, error, "D", color=INK["v"], markersize=7)
            crowded = any(0 < m - mass < 0.1 and abs(e - error) < high / 8 for m, e, _ in found.values())
            falls = any(tail == (mass, error) and head[1] < error for tail, head in zip(way, way[1:]))
            place = {"ha": "right" if crowded else "left", "va": "bottom" if crowded or falls else "top"}
            offset = (-8 if crowded else 8, 1 if crowded or falls else -3)
            axes.annotate(braces(G), (mass, error), offset, textcoords="offset points", **place)
        mass, _, bound = found[frozenset(path[0])]
        axes.annotate("bound", (mass - 0.03, bound), color=INK["alpha"], ha="right", va="center")
        for tail, head in zip(way, way[1:]):
            style = {"arrowstyle": "-|>", "color": INK["ink"], "lw": 1.2, "shrinkA": 6, "shrinkB": 6}
            axes.annotate("", head, tail, arrowprops=style)
        axes.set(xlim=(0, 1.1), ylim=(-0.08 * high, 1.06 * high), xlabel="mass kept, $Z_G$")
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_ylabel("error", rotation=0, ha="right", va="center")
    told = "; ".join(
        f"{braces(G)} mass {mass:.2f}, error {error:.2f}, bound {bound:.2f}"
        for G, (mass, error, bound) in sorted(found.items(), key=lambda item: item[1][0])
    )
    way = ", ".join(braces(G) for G in path)
    alt = f"Error of the output against the mass kept. {told}. Arrows lead along {way}."
    return Figure("subsets", alt, drawing)


def split(alpha, G):
    """The weights as an array, the positions in G and those outside, ascending; a ValueError for others."""
    alpha, kept = np.asarray(alpha, float), sorted(set(G))
    if alpha.ndim != 1 or abs(alpha.sum() - 1) > 1e-9:
        raise ValueError(f"alpha must be (n,) weights that add up to 1, got {alpha.tolist()}")
    if not kept or not 0 <= kept[0] <= kept[-1] < len(alpha) or alpha[kept].sum() == 0:
        raise ValueError(f"G must hold positions 0 to {len(alpha) - 1}, some of weight, got {kept}")
    return alpha, kept, [j for j in range(len(alpha)) if j not in kept]


def measured(alpha, values, G):
    """Mass kept, error of the output, and the bound on it, for values that are numbers."""
    kept = np.isin(np.arange(len(alpha)), G)
    mass = alpha[kept].sum()
    error = abs(alpha[kept] @ values[kept] / mass - alpha @ values)
    spread = np.abs(values[kept, None] - values[~kept]).max(initial=0)
    return mass, error, (1 - mass) * spread


def bar_style(inside):
    """The outline of a dense weight: hatched where its position is left out."""
    if inside:
        return {"facecolor": "none", "edgecolor": INK["alpha"], "linewidth": 1.4}
    return {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "///", "linewidth": 1.2}


def braces(G):
    return "{" + ", ".join(map(str, sorted(G))) + "}"
