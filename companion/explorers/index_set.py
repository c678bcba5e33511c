"""The explorer of chapter 7: which positions a query reads, and what that does to weights and output."""

from html import escape

import numpy as np
from numpy.typing import ArrayLike

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import weighted_sum

__all__ = ["IndexSetExplorer", "index_set"]


class IndexSetExplorer(Mount):
    """Take positions in and out of G: weights, the two averages, the error and its bound follow."""

    kind = "explorer-index-set"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        alpha, values = np.array(self.spec["alpha"]), np.array(self.spec["values"])
        kept = self.spec["start"]
        mass = alpha[kept].sum()
        output = weighted_sum(alpha[kept] / mass, values[kept])
        error = np.linalg.norm(output - weighted_sum(alpha, values))
        words = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(self.spec["tokens"], alpha))
        return (
            f"Explorer of the index set. Dense weights: {words}. It starts with G = {braces(kept)}: mass"
            f" {mass:.2f}, output {written(output)} in place of {written(weighted_sum(alpha, values))},"
            f" error {error:.2f}."
        )

    def fallback(self):
        return f"<p>{escape(self.alt())} Where scripts run, positions can be taken in and out of G.</p>"


def index_set(
    alpha: ArrayLike = (0.04, 0.24, 0.12, 0.4, 0.2),
    values: ArrayLike = ((1, 2), (3, 0), (4, 5), (0, 1), (5, 3)),
    tokens=("the", "river", "bank", "flooded", "again"),
    start=(0, 2, 4),
) -> IndexSetExplorer:
    """The explorer of ``o = Z_G o_G + (1 - Z_G) o_R``.

    ``alpha``: ``(n,)`` weights above 0 that add up to 1; ``values``: points of the plane ``(n, 2)``;
    ``tokens``: n words; ``start``: the positions that it starts with, at least one. Other shapes, weights
    that are no weights, numbers that are not finite and positions that do not exist are a ValueError.
    """
    weights, points = np.asarray(alpha, float), np.asarray(values, float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise ValueError(f"values must be (n, 2) with n at least 2, got shape {points.shape}")
    if weights.shape != points.shape[:1] or len(tokens) != len(points):
        raise ValueError(
            f"alpha and tokens must hold {len(points)}, one a value; got {weights.shape} and {len(tokens)}"
        )
    if not (weights > 0).all() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"alpha must be weights above 0 that add up to 1, got {weights.tolist()}")
    if not np.isfinite(points).all():
        raise ValueError(f"values must be finite, got {points.tolist()}")
    kept = sorted({int(j) for j in start})
    if not kept or not 0 <= kept[0] <= kept[-1] < len(points):
        raise ValueError(f"start must hold positions from 0 to {len(points) - 1}, got {list(start)}")
    spec = {
        "alpha": weights.tolist(),
        "values": points.tolist(),
        "tokens": [str(word) for word in tokens],
        "start": kept,
    }
    return IndexSetExplorer(spec=spec)


def braces(positions):
    return "{" + ", ".join(map(str, positions)) + "}"


def written(point):
    return "[" + ", ".join(f"{x:.2f}" for x in point) + "]"
