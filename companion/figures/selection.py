"""The figures of chapter 10: what a selector takes, what that costs, and why it learns nothing from it."""

import numpy as np
from matplotlib.patches import Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.dense import marks
from companion.reference import softmax

__all__ = ["budget_curves", "choices", "hidden_peak", "staircase"]

SOLID, DASHED, DOTTED, MIXED = "-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5))
SQUARE = np.array([(-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1)])
BAR = np.array([(-0.5, 0), (-0.5, 1), (0.5, 1), (0.5, 0), (-0.5, 0)])
MINUS = "\N{MINUS SIGN}"
GAP = 1.7  # keys' widths between two blocks: the name of the mean stands there


def hidden_peak(scores, size) -> Figure:
    """Scores in blocks of ``size``, each with its mean and its mass; the block of largest mean is read.

    ``scores``: ``(n,)``, n a multiple of ``size``, for one query.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 1 or scores.size == 0 or scores.size % size:
        raise ValueError(f"scores must be (n,), n a multiple of {size}; got shape {scores.shape}")
    blocks = scores.reshape(-1, size)
    means, mass = blocks.mean(axis=1), softmax(scores).reshape(-1, size).sum(axis=1)
    read = int(means.argmax())
    low, high = min(scores.min(), 0), max(scores.max(), 0)
    span = high - low
    told = []
    with canvas(6.2, 3.0) as drawing:
        axes = drawing.add_subplot()
        for n, block in enumerate(blocks):
            left = n * (size + GAP)
            style = {"facecolor": INK["k"], "edgecolor": INK["k"]} if n == read else {
                "facecolor": "none", "edgecolor": INK["masked"], "hatch": "///"}  # fmt: skip
            for j, score in enumerate(block):
                axes.add_patch(Rectangle((left + j + 0.14, 0), 0.72, score, lw=1, **style))
            axes.plot([left, left + size], [means[n]] * 2, color=INK["ink"], lw=1.4, ls=DASHED)
            axes.text(left + size + 0.06, means[n], f" mean {means[n]:g}".replace("-", MINUS),
                      va="bottom" if means[n] > 0 else "center")  # fmt: skip
            word = "read" if n == read else "not read"
            axes.text(left + size / 2, high + 0.2 * span, f"block {n}: {word}", ha="center")
            axes.text(left + size / 2, high + 0.08 * span, f"mass {mass[n]:.3f}", ha="center",
                      color=INK["alpha"])  # fmt: skip
            told.append(f"block {n}, scores {listed(block)}, mean {means[n]:g}, mass {mass[n]:.3f}, {word}")
        width = len(blocks) * (size + GAP)
        axes.plot([0, width], [0, 0], color=INK["edge"], lw=1)
        axes.set(xlim=(-0.1, width + 0.1), ylim=(low - 0.04 * span, high + 0.3 * span), xticks=[])
        axes.set_yticks(sorted({low, 0.0, high}))
        axes.set_ylabel("score", rotation=0, ha="right", va="center")
        axes.spines["bottom"].set_visible(False)
    return Figure("hidden-peak", f"Scores as bars, in blocks of {size}: {'; '.join(told)}.", drawing)


def choices(alpha, sets) -> Figure:
    """The weights of one query, a strip for each selector; what it takes is filled, the rest is hatched.

    ``alpha``: ``(n,)``; ``sets``: name to positions from 0 to n - 1, a ValueError otherwise.
    """
    alpha = np.asarray(alpha, float)
    n = len(alpha)
    for name, G in sets.items():
        if not set(np.asarray(G).tolist()) <= set(range(n)):
            raise ValueError(f"sets must hold positions from 0 to {n - 1}; {name!r} holds {list(G)}")
    told = []
    with canvas(6.9, 0.8 * len(sets) + 0.45) as drawing:
        panels = drawing.subplots(len(sets), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (name, G) in zip(panels, sets.items(), strict=True):
            kept = np.zeros(n, bool)
            kept[np.asarray(G, int)] = True
            high = 1.05 * alpha.max()
            axes.add_patch(marks(on(kept, 0), BAR, alpha[kept], facecolor=INK["alpha"]))
            seen = ~kept & (alpha > high / 100)  # what is too low to be seen is not drawn
            style = {"facecolor": INK["rule"], "edgecolor": INK["masked"], "linewidth": 0.4}
            axes.add_patch(marks(on(seen, 0), BAR, alpha[seen], **style))
            # A square, the mark of a key, below each position that is taken.
            axes.add_patch(marks(on(kept, -0.12 * high), SQUARE * (0.42, 0.07 * high), facecolor=INK["k"]))
            axes.plot([-0.5, n - 0.5], [0, 0], color=INK["edge"], lw=0.8)
            axes.set(ylim=(-0.22 * high, high), xlim=(-1.3, n + 0.3), yticks=[], xticks=[])
            axes.spines["left"].set_visible(False)
            axes.set_ylabel(name, rotation=0, ha="right", va="center")
            axes.tick_params(bottom=axes is panels[-1])
            axes.spines["bottom"].set_visible(axes is panels[-1])
            mass = alpha[kept].sum()
            axes.text(1.01, 0.5, f"{mass:.2f}", transform=axes.transAxes, va="center", color=INK["alpha"])
            told.append(f"{name} {mass:.2f}")
        panels[-1].set_xticks([*range(0, n - 12, 50), n - 1])
        panels[-1].set_xlabel("position $j$")
    alt = (
        f"One strip for each of {len(sets)} ways to choose, over the same weights of the query at position"
        f" {n - 1}: bars of the positions that are taken are filled and marked by a square, the others are"
        f" grey. Mass of what is taken: {'; '.join(told)}."
    )
    return Figure("choices", alt, drawing)


def budget_curves(panels, chosen, marked=16, most=64) -> Figure:
    """Error of the output against the number of keys read: a panel for each head, a curve for each selector.

    ``panels``: title to {selector: errors ``(n,)``, for budgets from 1 to n}, the same selectors in each;
    ``chosen``: names of the selectors that look at the content, drawn in the colour of weights;
    ``marked``: the budget of the alternative text; ``most``: where the axis ends.
    """
    names = list(next(iter(panels.values())))
    if any(list(curves) != names for curves in panels.values()):
        raise ValueError(f"panels must have the same selectors; got {[list(c) for c in panels.values()]}")
    if not set(chosen) <= set(names):
        raise ValueError(f"chosen must name selectors among {names}; got {list(chosen)}")
    dashes = {}
    for group in ([n for n in names if n in chosen], [n for n in names if n not in chosen]):
        dashes |= dict(zip(group, (SOLID, DASHED, DOTTED, MIXED), strict=False))
    colour = {name: INK["alpha" if name in chosen else "muted"] for name in names}
    top = 1.05 * max(np.max(curve) for curves in panels.values() for curve in curves.values())
    told = []
    with canvas(6.9, 3.3) as drawing:
        row = drawing.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (title, curves) in zip(row, panels.items(), strict=True):
            k = np.arange(1, most + 1)
            for name, curve in curves.items():
                axes.plot(k, np.asarray(curve)[:most], color=colour[name], lw=1.5, ls=dashes[name])
            axes.set_xscale("log")
            ticks = [tick for tick in (1, 2, 4, 8, 16, 32, 64, 128, 256) if tick <= most]
            axes.set_xticks(ticks, [str(tick) for tick in ticks])
            axes.minorticks_off()
            axes.set(xlim=(1, most), ylim=(0, top), yticks=[0, 0.5, 1], xlabel="keys read")
            axes.set_title(title, loc="left")
            numbers = ", ".join(f"{name} {curve[marked - 1]:.2f}" for name, curve in curves.items())
            told.append(f"{title}: {numbers}")
        row[0].set_ylabel("error,\nshare of\n$|o|$", rotation=0, ha="right", va="center")
        ends = sorted(names, key=lambda name: curves[name][most - 1])
        for place, name in enumerate(ends):
            y = (0.06 + 0.13 * place) * top
            line = {"arrowstyle": "-", "color": colour[name], "lw": 0.8, "ls": dashes[name]}
            line |= {"relpos": (0, 0.5), "shrinkA": 2, "shrinkB": 0}
            row[-1].annotate(name, (most, curves[name][most - 1]), (1.6 * most, y), va="center",
                             color=colour[name], annotation_clip=False, arrowprops=line)  # fmt: skip
    alt = (
        f"Curves of the error of the output against the number of keys read, from 1 to {most}, in"
        f" {len(panels)} panels, falling from left to right. Error at {marked} keys: {'; '.join(told)}."
    )
    return Figure("budget-curves", alt, drawing)


def staircase(t, error, loss, at) -> Figure:
    """Two functions of one parameter of a selector: the error of the output, and a loss of its own.

    ``t``, ``error``, ``loss``: ``(n,)``; ``at``: the index, from 1 to n - 2, where the slopes are drawn.
    """
    t, error, loss = (np.asarray(x, float) for x in (t, error, loss))
    if t.ndim != 1 or not t.shape == error.shape == loss.shape:
        raise ValueError(f"t, error and loss must be (n,); got {t.shape}, {error.shape} and {loss.shape}")
    if not 0 < at < len(t) - 1:
        raise ValueError(f"at must be an index from 1 to {len(t) - 2}, got {at}")
    jumps = np.flatnonzero(~np.isclose(error[1:], error[:-1], rtol=1e-9, atol=0))
    slope = (loss[at + 1] - loss[at - 1]) / (t[at + 1] - t[at - 1])
    with canvas(6.6, 3.9) as drawing:
        upper, lower = drawing.subplots(2, 1, sharex=True)
        starts, stops = np.r_[0, jumps + 1], np.r_[jumps + 1, len(t) - 1]
        gaps = np.full(len(starts), np.nan)  # one path with a gap at each jump
        across = np.stack([t[starts], t[stops], gaps], axis=-1).ravel()
        upper.plot(across, np.stack([error[starts]] * 2 + [gaps], axis=-1).ravel(), color=INK["v"], lw=2)
        lower.plot(t, loss, color=INK["alpha"], lw=1.8)
        reach = np.array([-0.12, 0.12]) * (t[-1] - t[0])
        for axes, value, tilt in ((upper, error[at], 0.0), (lower, loss[at], slope)):
            axes.plot(t[at] + reach, value + tilt * reach, color=INK["ink"], lw=1.2, ls=DASHED)
            axes.plot(t[at], value, "o", color=INK["ink"], ms=5)
            note = "slope 0" if tilt == 0 else f"slope {tilt:.2f}".replace("-", MINUS)
            axes.annotate(note, (t[at], value), (6, 9), textcoords="offset points")
        upper.set(ylim=(0, 1.15 * error.max()))
        lower.set(ylim=(0, 1.15 * loss.max()), xlim=(t[0], t[-1]), xlabel="parameter $t$ of the selector")
        upper.set_ylabel("error\nof the\noutput", rotation=0, ha="right", va="center")
        lower.set_ylabel("loss of\nits own", rotation=0, ha="right", va="center")
    alt = (
        f"Above, the error of the output against a parameter t of the selector, from {t[0]:g} to {t[-1]:g}:"
        f" {len(jumps) + 1} flat pieces with jumps between them, slope 0 at t = {t[at]:g}. Below, a loss of"
        f" the selector's own: a smooth curve from {loss[0]:.2f} to {loss[-1]:.2f}, slope {slope:.2f} there."
    )
    return Figure("staircase", alt, drawing)


def on(chosen, y):
    """The places ``(m, 2)`` of the m chosen positions, at one height."""
    return np.stack([np.flatnonzero(chosen), np.full(chosen.sum(), y)], axis=-1)


def listed(numbers):
    return ", ".join(f"{x:g}" for x in numbers)
