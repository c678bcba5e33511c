"""The figures of chapter 9: paths through layers, layers needed, mass by distance, and recall."""

import numpy as np

from companion.figures.base import INK, Figure, canvas
from companion.figures.dense import marks

__all__ = ["cone", "hops", "mass", "recall"]

SIZES = (0.98, 0.66, 0.4, 0.2)  # of the square of a pair that needs 1, 2, 3, 4 layers


def cone(masks, query, path) -> Figure:
    """Tokens as dots, one row a layer, and the edges by which one position is reached; one path in bold.

    ``masks``: ``(layers, L, L)``, boolean, layer 0 first; ``query``: the position at the top; ``path``: the
    positions that one path takes, from the input up to the query, one more than there are layers.
    """
    masks = np.asarray(masks, bool)
    layers, L = masks.shape[:2]
    steps = list(zip(path[1:], path[:-1], strict=True))
    if len(steps) != layers or path[-1] != query:
        raise ValueError(f"path must have {layers + 1} positions and end at {query}, got {list(path)}")
    for n, (i, j) in enumerate(steps):
        if not masks[n, i, j] and i != j:
            raise ValueError(f"path must follow the masks: layer {n} does not let {i} read {j}")
    live = [{query}]
    with canvas(6.9, 0.85 * layers + 0.9) as drawing:
        axes = drawing.add_subplot()
        for n in reversed(range(layers)):
            reads = masks[n] | np.eye(L, dtype=bool)
            edges = [(i, j) for i in sorted(live[-1]) for j in np.flatnonzero(reads[i])]
            lines = np.array([[(j, n), (i, n + 1)] for i, j in edges], float)
            axes.plot(*lines.transpose(2, 1, 0), color=INK["edge"], linewidth=0.8)
            live.append({int(j) for _, j in edges})
        axes.plot(path, range(layers + 1), color=INK["alpha"], linewidth=2.6)
        for n, reached in enumerate(reversed(live)):
            out = [j for j in range(L) if j not in reached]
            style = {"linestyle": "none", "marker": "o", "markersize": 7}
            axes.plot(out, [n] * len(out), **style, markerfacecolor="none", markeredgecolor=INK["edge"])
            on = sorted(reached)
            shape = {**style, "marker": "s"} if n == 0 else style
            axes.plot(on, [n] * len(on), **shape, color=INK["k"] if n == 0 else INK["q"])
        names = ["input", *(f"after layer {n}" for n in range(layers))]
        axes.set_yticks(range(layers + 1), names)
        axes.set_xticks(range(L))
        axes.set(xlim=(-0.5, L - 0.5), ylim=(-0.35, layers + 0.35), xlabel="position")
        axes.tick_params(length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
    counts = ", ".join(f"{len(reached)} {name}" for reached, name in zip(live, names[::-1], strict=True))
    alt = (
        f"A row of {L} dots for the input and one for each of {layers} layers. From position {query} at the"
        f" top lines fan out downwards; filled dots in each row: {counts}. The lowest row is filled from"
        f" {min(live[-1])} to {max(live[-1])}. One path, from below: {', '.join(map(str, path))}."
    )
    return Figure("cone", alt, drawing)


def hops(needed) -> Figure:
    """For each pattern a square of pairs: the fewer layers a pair needs, the larger its mark.

    ``needed``: name to ``(L, L)`` whole numbers, the layers that key j needs to reach query i, 0 for never.
    """
    needed = {name: np.asarray(count) for name, count in needed.items()}
    most = max(int(count.max()) for count in needed.values())
    if most > len(SIZES):
        raise ValueError(f"needed must be at most {len(SIZES)} layers, got {most}")
    told = []
    with canvas(6.9, 6.9 / len(needed) + 0.75) as drawing:
        panels = drawing.subplots(1, len(needed), squeeze=False)[0]
        for axes, (name, count) in zip(panels, needed.items(), strict=True):
            L = len(count)
            for n in range(1, most + 1):
                at = np.argwhere(count == n)[:, ::-1]
                half = SIZES[n - 1] / 2
                square = half * np.array([(-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)])
                if len(at):
                    axes.add_patch(marks(at.astype(float), square, facecolor=INK["k"]))
            axes.plot([-0.5, L - 0.5], [-0.5, L - 0.5], color=INK["edge"], linewidth=0.8)
            axes.set(xlim=(-0.5, L - 0.5), ylim=(L - 0.5, -0.5), aspect="equal")
            axes.set_title(name, pad=5)
            axes.set_xticks([0, L - 1])
            axes.set_yticks([0, L - 1])
            axes.tick_params(length=0)
            far = [np.count_nonzero(count == n) for n in range(1, most + 1)]
            never = L * (L + 1) // 2 - sum(far)
            told.append(f"{name}: {', '.join(map(str, far))} pairs with 1 to {most} layers, {never} never")
        panels[0].set_ylabel("query $i$", labelpad=0)
        for axes in panels:
            axes.set_xlabel("key $j$", labelpad=0)
    alt = (
        f"{len(needed)} squares of marks below a diagonal, queries from top to bottom, keys from left to"
        " right; a large mark is a pair that one layer joins, smaller marks need more layers."
        f" {'; '.join(told)}."
    )
    return Figure("hops", alt, drawing)


def mass(curves, reach, lines) -> Figure:
    """How much of a query's mass comes from which distance.

    ``curves``: name to ``(n,)``, mass by distance from 0; ``reach``: the largest distance on the axis;
    ``lines``: name to a distance that is marked by a line.
    """
    with canvas(6.9, 2.9) as drawing:
        axes = drawing.add_subplot()
        top = max(float(np.max(curve)) for curve in curves.values())
        for (name, curve), dashes in zip(curves.items(), ("-", (0, (5, 2))), strict=False):
            curve = np.asarray(curve, float)
            at = np.unique(np.linspace(0, len(curve) - 1, 400).astype(int))
            axes.plot(at, curve[at], color=INK["alpha"], linewidth=1.8, linestyle=dashes)
            peak = int(curve.argmax())
            axes.annotate(name, (peak, curve[peak]), (0, 4), textcoords="offset points", ha="center",
                          va="bottom", color=INK["alpha"])  # fmt: skip
        for name, at in lines.items():
            axes.axvline(at, color=INK["edge"], linewidth=1, linestyle=(0, (2, 2)))
            left = at > 0.75 * reach
            axes.annotate(name, (at, 0.55 * top), (-5 if left else 5, 0), textcoords="offset points",
                          ha="right" if left else "left", va="center", color=INK["muted"])  # fmt: skip
        axes.set(xlim=(0, 1.02 * reach), ylim=(0, 1.15 * top), yticks=[], xlabel="distance $i - j$")
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.spines["left"].set_visible(False)
        axes.set_ylabel("mass", rotation=0, ha="right", va="center")
    told = "; ".join(f"{name}: highest at {int(np.argmax(curve)):,}" for name, curve in curves.items())
    marked = "; ".join(f"{name} at {at:,}" for name, at in lines.items())
    alt = f"Mass against distance from 0 to {reach:,}, bell-shaped curves. {told}. Dashed lines: {marked}."
    return Figure("mass", alt, drawing)


def recall(found, predicted, chance, columns=2) -> Figure:
    """Accuracy by distance in small panels: the median over runs, the band from the least to the largest.

    ``found``: name to ``(runs, n)``, accuracy at distances 0 to n - 1, NaN where nothing was asked;
    ``predicted``: name to ``(n,)``, what was predicted, drawn as steps; ``chance``: accuracy by guessing.
    """
    if set(found) != set(predicted):
        names = f"{list(found)}, {list(predicted)}"
        raise ValueError(f"found and predicted must have the same names, got {names}")
    rows = -(-len(found) // columns)
    told = []
    with canvas(6.9, 1.35 * rows + 0.5) as drawing:
        panels = drawing.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes in panels.ravel()[len(found) :]:
            axes.remove()
        for place, (name, runs) in enumerate(found.items()):
            axes = panels.ravel()[place]
            runs = np.asarray(runs, float)
            at = np.flatnonzero(~np.isnan(runs).any(axis=0))
            low, middle, high = np.quantile(runs[:, at], (0, 0.5, 1), axis=0)
            axes.plot(at, np.asarray(predicted[name], float)[at], drawstyle="steps-mid", color=INK["edge"],
                      linewidth=1.2, linestyle=(0, (4, 2)))  # fmt: skip
            axes.fill_between(at, low, high, color=INK["v"], alpha=0.25, linewidth=0)
            axes.plot(at, middle, color=INK["v"], linewidth=1.6)
            axes.axhline(chance, color=INK["edge"], linewidth=0.8, linestyle=(0, (1, 2)))
            axes.set_title(name, fontsize=10, pad=3)
            axes.set(ylim=(0, 1.06), yticks=[0, 1], xlim=(0, at[-1] + 0.5))
            chosen = [d for d in (1, 15, 16, 28, 32, 40) if d in at]
            medians = ", ".join(f"{middle[list(at).index(d)]:.2f} at {d}" for d in chosen)
            told.append(f"{name}: {medians}")
        for axes in panels[-1]:
            axes.set_xlabel("distance")
        for axes in panels[:, 0]:
            axes.set_ylabel("right")
    alt = (
        f"{len(found)} panels of accuracy against distance with a band over the runs; dashed steps are the"
        f" prediction, the dotted line is chance, {chance:.3f}. Medians: {'; '.join(told)}."
    )
    return Figure("recall", alt, drawing)
