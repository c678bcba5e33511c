"""The figures of chapter 11: a roofline with two ways, a softmax that grows, a matrix cut into tiles."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from companion.cost import bound_seconds
from companion.figures.base import INK, Figure, canvas
from companion.figures.matrices import bare, cell
from companion.patterns import causal

__all__ = ["roofline", "states", "tiling"]


def roofline(
    whole: dict[int, float], tiled: dict[int, float], *, peak_flops: float, bandwidth: float
) -> Figure:
    """Two ways of computing the same attention under the roof of one device.

    ``whole`` and ``tiled``: number of tokens -> operations per byte, when the scores are stored and when they
    are not. ``peak_flops`` and ``bandwidth``: operations and bytes a second, both above 0 (ValueError).
    Source: Williams, Waterman and Patterson 2009.
    """
    for name, value in (("peak_flops", peak_flops), ("bandwidth", bandwidth)):
        if not value > 0:
            raise ValueError(f"{name} must be positive, not {value}")
    ridge = peak_flops / bandwidth
    low = min(1.0, ridge / 12, *whole.values()) / 1.5
    high = max(ridge * 4, *tiled.values()) * 1.5

    def roof(intensity):
        # One operation, and the bytes that it needs: what a second has room for.
        return 1 / bound_seconds(1, 1 / intensity, peak_flops=peak_flops, bandwidth=bandwidth)

    with canvas(6.6, 3.6) as drawing:
        axes = drawing.add_subplot()
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        corners = [low, ridge, high]
        axes.plot(corners, [roof(x) for x in corners], color=INK["ink"])
        floor = roof(low) / 3
        axes.plot([ridge] * 2, [floor, peak_flops], color=INK["edge"], linestyle=(0, (4, 3)))
        beside = {"color": INK["muted"], "fontsize": 9, "va": "bottom", "textcoords": "offset points"}
        axes.annotate("bound by bytes", (ridge, floor), (-6, 3), ha="right", **beside)
        axes.annotate("bound by operations", (ridge, floor), (6, 3), ha="left", **beside)
        ways = {"scores stored": (whole, INK["paper"], -1), "tiles": (tiled, INK["q"], 1)}
        for name, (points, fill, side) in ways.items():
            x = np.array(list(points.values()))
            y = [roof(intensity) for intensity in x]
            axes.plot(x, y, "o", color=INK["q"], markerfacecolor=fill, markersize=7, linestyle="none")
            lengths = f"{name}, {min(points):,} to {max(points):,} tokens"
            at = (x.max(), max(y))
            away = {"ha": "right", "va": "bottom"} if side > 0 else {"ha": "left", "va": "top"}
            axes.annotate(lengths, at, (0, 8) if side > 0 else (8, -6), textcoords="offset points", **away)
        axes.minorticks_off()
        ticks, heights = fours(low, high), fours(floor / 1e9, 2 * peak_flops / 1e9)
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_yticks(1e9 * heights, [f"{height:g}" for height in heights])
        axes.set(xlim=(low, high), ylim=(floor, 2.5 * peak_flops))
        axes.set(xlabel="operations per byte", ylabel="Gop/s at most")
    told = "; ".join(
        f"{name}, {', '.join(f'{length} tokens {x:.3g}' for length, x in points.items())}"
        for name, (points, _, _) in ways.items()
    )
    alt = (
        "Operations a second at most against operations per byte, both axes logarithmic: a line that rises"
        f" and turns level at {ridge:.3g} operations per byte. Operations per byte of two ways: {told}."
    )
    return Figure("roofline-tiles", alt, drawing)


def fours(low, high):
    """The powers of four from ``low`` up to below ``high``."""
    return 4.0 ** np.arange(np.ceil(np.log(low) / np.log(4)), np.log(high) / np.log(4))


def states(scores: ArrayLike, size: int, tokens: Sequence[str]) -> Figure:
    """The terms ``e^(s - m)`` of a row after each tile of ``size`` keys, a panel for each tile.

    ``scores``: ``(n,)``, finite; ``tokens``: n words. ValueError for other shapes and for a size below 1.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 1 or len(tokens) != len(scores) or not np.isfinite(scores).all():
        raise ValueError(f"scores must be (n,), finite, and tokens n words; got {scores} and {list(tokens)}")
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    n, told = len(scores), []
    ends = [min(start + size, n) for start in range(0, n, size)]
    with canvas(6.9, 2.7) as drawing:
        panels = drawing.subplots(1, len(ends), squeeze=False, sharey=True)[0]
        for axes, end in zip(panels, ends, strict=True):
            m = scores[:end].max()
            terms = np.exp(scores[:end] - m)
            for j in range(n):
                if j >= end:
                    style = {"facecolor": "none", "edgecolor": INK["masked"], "hatch": "///", "lw": 0}
                    axes.add_patch(Rectangle((j - 0.35, 0), 0.7, 0.08, **style))
                    continue
                fresh = j >= end - (end - 1) % size - 1
                style = {"facecolor": INK["alpha"] if fresh else "none", "edgecolor": INK["alpha"], "lw": 1.2}
                axes.add_patch(Rectangle((j - 0.35, 0), 0.7, terms[j], **style))
                label = {"ha": "center", "fontsize": 9, "color": INK["alpha"]}
                axes.text(j, terms[j] + 0.03, f"{terms[j]:.2f}", **label)
            axes.set(xlim=(-0.6, n - 0.4), ylim=(0, 1.2), yticks=[])
            axes.set_xticks(range(n), tokens, rotation=45, ha="right", rotation_mode="anchor", fontsize=9)
            axes.tick_params(length=0)
            axes.spines["left"].set_visible(False)
            axes.set_title(f"$e^m$ = {np.exp(m):.3g},  $l$ = {terms.sum():.2f}", fontsize=10)
            told.append(
                f"after {end} keys the terms are {', '.join(f'{term:.2f}' for term in terms)}"
                f" and add up to {terms.sum():.2f}"
            )
    alt = (
        f"{len(ends)} panels of bars, the exponentials relative to the largest score so far:"
        f" {'; '.join(told)}. Solid bars are the tile that was just read, outlined bars the tiles before it,"
        " hatched stubs what is still unread."
    )
    return Figure("states", alt, drawing)


def tiling(tokens: int, rows: int, columns: int) -> Figure:
    """The causal mask over ``tokens``, cut into tiles of ``rows`` queries by ``columns`` keys.

    A full tile is solid, in a partial one the allowed pairs are, and a tile without any is paper.
    """
    if min(tokens, rows, columns) < 1:
        raise ValueError(f"tokens, rows and columns must be at least 1, got {tokens}, {rows}, {columns}")
    mask = causal().mask(tokens)
    counts = {"full": 0, "partial": 0, "skipped": 0}
    with canvas(4.3, 4.1) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for top in range(0, tokens, rows):
            for left in range(0, tokens, columns):
                tile = mask[top : top + rows, left : left + columns]
                kind = "full" if tile.all() else "partial" if tile.any() else "skipped"
                counts[kind] += 1
                if kind != "skipped":
                    for r, j in np.ndindex(tile.shape):
                        allowed = tile[r, j]
                        cell(axes, left + j, top + r, not allowed, INK["alpha"] if allowed else "none")
                height, width = tile.shape
                frame = {"facecolor": "none", "edgecolor": INK["ink"], "lw": 1.6}
                axes.add_patch(Rectangle((left, top), width, height, **frame))
        for middle, name in runs("q", tokens, rows):
            axes.text(-0.2, middle, name, ha="right", va="center", color=INK["q"], fontsize=9)
        for middle, name in runs("k", tokens, columns):
            axes.text(middle, -0.2, name, ha="center", va="bottom", color=INK["k"], fontsize=9)
        bare(axes, (-2.2, tokens + 0.2), (tokens + 0.2, -0.9))
    alt = (
        f"The causal triangle over {tokens} tokens, cut into tiles of {rows} queries by {columns} keys:"
        f" {counts['full']} full tiles, {counts['partial']} partial ones with their future pairs hatched, and"
        f" {counts['skipped']} empty ones above the diagonal that are skipped. The last tiles are smaller."
    )
    return Figure("tiling", alt, drawing)


def runs(letter, tokens, size):
    """Where the middle of each tile lies, and which vectors it holds."""
    for start in range(0, tokens, size):
        stop = min(start + size, tokens)
        name = f"${letter}_{{{start}}}$"
        yield (start + stop) / 2, name if stop == start + 1 else f"{name} to ${letter}_{{{stop - 1}}}$"
