"""Pieces of the figures that draw values as points of the plane."""

from contextlib import contextmanager

import numpy as np

from companion.figures.base import INK, canvas

__all__ = ["arrow", "corners", "covers", "diamond", "label", "plane_canvas", "points_of_the_plane", "vector"]


def points_of_the_plane(alpha, values):
    """``alpha`` ``(n,)`` and ``values`` ``(n, 2)`` as arrays; a ValueError for other shapes."""
    alpha, values = np.asarray(alpha, float), np.asarray(values, float)
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError(f"values must be (n, 2), points of the plane, got shape {values.shape}")
    if alpha.shape != values.shape[:1]:
        raise ValueError(f"alpha must be ({len(values)},), one weight a value, got shape {alpha.shape}")
    return alpha, values


@contextmanager
def plane_canvas(points):
    """Axes of equal scale with room for ``points``, the origin and labels; whole numbers for ticks."""
    low = np.minimum(np.floor(points.min(0)), 0) - 0.95
    high = np.maximum(np.ceil(points.max(0)), 0) + 0.8
    unit = min(6.2 / (high - low)[0], 4.6 / (high - low)[1])
    with canvas(*(unit * (high - low))) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        axes.set_xticks(np.arange(np.ceil(low[0]), high[0]))
        axes.set_yticks(np.arange(np.ceil(low[1]), high[1]))
        axes.tick_params(length=3)
        yield axes


def arrow(axes, tail, head, colour, width, linestyle="-"):
    """An arrow from ``tail`` to ``head``, ``width`` points thick."""
    style = {"arrowstyle": "-|>", "color": colour, "lw": width, "ls": linestyle, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", head, tail, arrowprops=style)


def diamond(axes, point):
    """The mark of a value: an open diamond."""
    axes.plot(*point, "D", color=INK["v"], markerfacecolor=INK["paper"], markersize=9, markeredgewidth=1.8)


def label(axes, point, text, colour, away):
    """``text`` beside ``point``, on the side that looks away from ``away``."""
    side = np.subtract(point, away)
    side = side / max(np.linalg.norm(side), 1e-9)
    axes.annotate(
        text,
        point,
        11 * side,
        textcoords="offset points",
        color=colour,
        ha="left" if side[0] > 0.3 else "right" if side[0] < -0.3 else "center",
        va="bottom" if side[1] > 0.3 else "top" if side[1] < -0.3 else "center",
    )


def corners(points):
    """Indices of the corners of the convex hull, in order around it."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def chain(indices):
        kept = []
        for j in indices:
            while len(kept) > 1 and turn(points[kept[-2]], points[kept[-1]], points[j]) <= 0:
                kept.pop()
            kept.append(j)
        return kept[:-1]

    return chain(order) + chain(order[::-1]) or [0]


def covers(values, point):
    """Whether ``point`` lies in the convex hull of ``values``."""
    with_it = np.vstack([values, point])
    return len(values) not in corners(with_it) or bool((values == point).all(1).any())


def turn(a, b, c):
    """Above 0 where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def vector(point):
    """``point`` in brackets, to two decimals at most."""
    return "[" + ", ".join(f"{round(float(x), 2) + 0.0:g}" for x in point) + "]"
