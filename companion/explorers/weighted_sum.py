"""The explorer of chapter 1: values, weights, and the output that they make."""

import numpy as np
from numpy.typing import ArrayLike

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import weighted_sum as combine

__all__ = ["WeightedSum", "weighted_sum"]


class WeightedSum(Mount):
    """The weighted sum in the plane: drag a value, a weight or the output, and see the rest follow."""

    kind = "explorer-weighted-sum"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        values, alpha = self.spec["values"], self.spec["alpha"]
        terms = " + ".join(f"{weight:.2f} v_{j}" for j, weight in enumerate(alpha))
        points = ", ".join(f"v_{j} = {written(value)}" for j, value in enumerate(values))
        return (
            f"Explorer of the weighted sum. It starts with o = {terms} = {written(combine(alpha, values))}, "
            f"for {points}: the values and their convex hull in the plane, and the output inside it."
        )

    def fallback(self):
        alive = "Where scripts run (in a notebook: once its cell has run) every part of it can be moved."
        return f"<p>{self.alt()} {alive}</p>"


def weighted_sum(
    values: ArrayLike = ((1, 2), (3, 0), (4, 5)),
    alpha: ArrayLike = (0.1, 0.6, 0.3),
    extra: ArrayLike = (2.5, 3.5),
) -> WeightedSum:
    """The explorer of ``o = sum_j alpha_j v_j``.

    ``values``: three or more points of the plane, ``(n, 2)``; ``alpha``: their weights, ``(n,)``, from 0
    up and adding up to 1; ``extra``: the point ``(2,)`` that a button adds, after which an output has a range
    of weights. Other shapes, weights that are no weights and numbers that are not finite are a ValueError.
    """
    points, weights = np.asarray(values, float), np.asarray(alpha, float)
    added = np.asarray(extra, float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ValueError(f"values must be (n, 2) with n at least 3, got shape {points.shape}")
    if added.shape != (2,):
        raise ValueError(f"extra must be a point (2,), got shape {added.shape}")
    if weights.shape != points.shape[:1]:
        raise ValueError(f"alpha must be ({len(points)},), one weight a value, got shape {weights.shape}")
    if not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"alpha must be weights from 0 up that add up to 1, got {weights.tolist()}")
    shown = np.vstack([points, added, np.zeros(2)])
    if not np.isfinite(shown).all():
        raise ValueError(f"values and extra must be finite, got {points.tolist()} and {added.tolist()}")
    low = np.floor(shown.min(0)) - 1
    spec = {
        "values": points.tolist(),
        "alpha": weights.tolist(),
        "extra": added.tolist(),
        "low": low.tolist(),
        "side": float((np.ceil(shown.max(0)) + 1 - low).max()),
    }
    return WeightedSum(spec=spec)


def written(point):
    return "[" + ", ".join(f"{x:.2f}" for x in point) + "]"
