"""The figures of chapter 4: how weights are spread, in made rows and in the heads of a trained model."""

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from companion.figures.base import INK, Figure, canvas

__all__ = ["effective", "heads_of_one_query", "mass_and_error", "top_mass"]


def effective(rows, numbers) -> Figure:
    """Rows of weights as bars, each with its two effective numbers.

    ``rows``: name to weights ``(n,)``; ``numbers``: name to (exp of the entropy, 1 / sum of squares).
    """
    if set(rows) != set(numbers):
        raise ValueError(f"rows and numbers must have the same names, got {list(rows)} and {list(numbers)}")
    told = []
    with canvas(6.8, 0.95 * len(rows) + 0.2) as drawing:
        panels = drawing.subplots(len(rows), 1, squeeze=False)[:, 0]
        for axes, (name, alpha) in zip(panels, rows.items(), strict=True):
            alpha = np.asarray(alpha, float)
            bars(axes, alpha)
            axes.set_ylabel(name, rotation=0, ha="right", va="center")
            first, second = numbers[name]
            text = f"$e^H = {first:.2f}$\n$1/\\sum\\alpha^2 = {second:.2f}$"
            axes.text(1.02, 0.5, text, transform=axes.transAxes, va="center", linespacing=1.5)
            largest = f"largest of {len(alpha)} weights {alpha.max():.2f}"
            told.append(f"{name}: {largest}, {first:.2f}, {second:.2f}")
    alt = (
        "Rows of weights as bars, each with e to the entropy and with 1 over the sum of squares."
        f" {'; '.join(told)}."
    )
    return Figure("effective", alt, drawing)


def heads_of_one_query(alpha, names, text) -> Figure:
    """The weights of one query in several heads, one strip each, over the text that it reads.

    ``alpha``: ``(heads, n)``; ``names``: one a head; ``text``: the n characters. The last one asks.
    """
    alpha = np.asarray(alpha, float)
    if alpha.shape != (len(names), len(text)):
        raise ValueError(f"alpha must be {len(names), len(text)}, heads and positions; got {alpha.shape}")
    n = len(text)
    told = []
    with canvas(6.9, 0.52 * len(names) + 0.45) as drawing:
        panels = drawing.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for axes, name, row in zip(panels, names, alpha, strict=True):
            bars(axes, row)
            axes.set_ylabel(name, rotation=0, ha="right", va="center")
            largest = int(row.argmax())
            style = {"transform": axes.transAxes, "va": "center", "color": INK["muted"]}
            axes.text(1.01, 0.5, f"{row.max():.2f}", **style)
            told.append(f"{name} {row.max():.2f} at {largest}")
        panels[-1].set_xticks([*range(0, n - 12, 25), n - 1])
        panels[-1].set_xlabel("position $j$")
    alt = (
        f"One strip of bars for each of {len(names)} heads: the weights that the query at position {n - 1}"
        f" gives to positions 0 to {n - 1}, each strip to its own scale. Largest weight and its place:"
        f" {'; '.join(told)}."
    )
    return Figure("heads", alt, drawing)


def top_mass(curves, names, groups, marks=(4, 16)) -> Figure:
    """Mass of the k largest weights against k, a curve for each head, and that of equal weights.

    ``curves``: ``(heads, n)``, for k from 1 to n; ``names``: one a head; ``groups``: names of the
    first half of the heads, drawn solid, and of the second, dashed; ``marks``: the k in the alternative text.
    """
    curves = np.asarray(curves, float)
    if curves.ndim != 2 or len(curves) != len(names):
        raise ValueError(f"curves must be ({len(names)}, n), a row for each name; got {curves.shape}")
    n = curves.shape[1]
    k = np.arange(1, n + 1)
    with canvas(6.6, 3.5) as drawing:
        axes = drawing.add_subplot()
        axes.plot(k, k / n, color=INK["edge"], linewidth=1.2, linestyle=(0, (1, 2)))
        axes.annotate("equal weights", (n / 2, 0.5), (-4, -2), textcoords="offset points", ha="right",
                      va="bottom", color=INK["muted"])  # fmt: skip
        for place, curve in enumerate(curves):
            late = place >= len(curves) / 2
            axes.plot(k, curve, color=INK["alpha"], linewidth=1.5, linestyle=(0, (5, 2)) if late else "-")
        for group, x, pick, way in zip(groups, (3, 8), (np.max, np.min), (1, -1), strict=True):
            place = "bottom" if way > 0 else "top"
            axes.annotate(group, (x, pick(curves[:, x - 1])), (-7 * way, 5 * way),
                          textcoords="offset points", ha="right" if way > 0 else "left", va=place,
                          color=INK["alpha"])  # fmt: skip
        axes.set_xscale("log")
        ticks = [tick for tick in (1, 2, 4, 8, 16, 32, 64, 128, 256) if tick <= n]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set(ylim=(0, 1.02), xlim=(1, n), yticks=[0, 0.5, 1], xlabel="positions kept, $k$")
        axes.set_ylabel("mass of\nthe top $k$", rotation=0, ha="right", va="center")
    told = "; ".join(
        f"{name} {', '.join(f'{curve[mark - 1]:.2f}' for mark in marks)}"
        for name, curve in zip(names, curves, strict=True)
    )
    alt = (
        f"Curves of the mass of the k largest of {n} weights, rising from left to right, one for each of"
        f" {len(names)} heads, all above the curve of equal weights. Mass at k ="
        f" {', '.join(map(str, marks))}: {told}."
    )
    return Figure("top-mass", alt, drawing)


def mass_and_error(lost, error, marked=0.1) -> Figure:
    """The error of the output against the mass that was left out, a diamond for each row of weights.

    ``lost`` and ``error``: ``(rows,)``, the error as a share of the length of the output. Rows whose lost
    mass is within a fifth of ``marked`` are counted in the alternative text.
    """
    lost, error = np.asarray(lost, float), np.asarray(error, float)
    if lost.ndim != 1 or lost.shape != error.shape:
        raise ValueError(f"lost and error must be (rows,) both; got {lost.shape} and {error.shape}")
    with canvas(6.2, 3.7) as drawing:
        axes = drawing.add_subplot()
        axes.plot([0, 1], [0, 1], color=INK["edge"], linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate("error = lost mass", (0.76, 0.76), (6, -8), textcoords="offset points", va="top",
                      color=INK["muted"])  # fmt: skip
        high = max(1.0, 1.05 * error.max())
        diamond = np.array([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 1)]) * (0.007, 0.012 * high)
        style = {"facecolor": "none", "edgecolor": INK["v"], "linewidth": 0.9}
        axes.add_patch(marks(np.stack([lost, error], axis=-1), diamond, **style))
        axes.set(xlim=(0, 1), ylim=(0, high), xlabel="mass left out, $1 - Z_G$")
        axes.set_ylabel("error,\nshare of\n$|o|$", rotation=0, ha="right", va="center")
    near = error[np.abs(lost - marked) < marked / 5]
    alt = (
        f"A cloud of {len(lost)} diamonds, mass left out against error of the output."
        f" {np.mean(error > lost):.0%} lie above the line on which the two are equal."
    )
    if near.size:
        alt += (
            f" Where about {marked:g} of the mass is left out, {near.size} diamonds, the error goes from"
            f" {near.min():.2f} to {near.max():.2f}."
        )
    return Figure("mass-and-error", alt, drawing)


def bars(axes, alpha):
    """Weights as bars on a common ground, one path for all, and no axes beside them."""
    n = len(alpha)
    half = 0.4 if n < 60 else 0.5
    corners = np.array([(-half, 0), (-half, 1), (half, 1), (half, 0), (-half, 0)])
    places = np.stack([np.arange(n), np.zeros(n)], axis=-1)
    axes.add_patch(marks(places, corners, alpha, facecolor=INK["alpha"]))
    axes.set(xlim=(-0.5 - n / 200, n - 0.5 + n / 200), ylim=(0, 1.05 * alpha.max()), yticks=[], xticks=[])
    axes.spines["left"].set_visible(False)


def marks(places, corners, heights=1, **style):
    """One path with a mark of four corners at each place, as high as told: single marks make a heavy page.

    ``places``: ``(n, 2)``; ``corners``: ``(5, 2)``, the first again at the end; ``heights``: ``(n,)``.
    """
    sizes = np.stack([np.ones(len(places)), np.broadcast_to(heights, len(places))], axis=-1)
    points = places[:, None] + corners * sizes[:, None]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return PathPatch(Path(points.reshape(-1, 2), codes * len(places)), **{"linewidth": 0, **style})
