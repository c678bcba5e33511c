"""The explorer of chapter 4: how much mass a budget of positions keeps, and what that does to the output."""

from html import escape

import numpy as np
from numpy.typing import ArrayLike

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import weighted_sum

__all__ = ["Budget", "budget"]


class Budget(Mount):
    """One query, several heads: keep the positions of largest weight, and see mass and error apart."""

    kind = "explorer-budget"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        k, heads = self.spec["start"], self.spec["heads"]
        told = "; ".join(
            f"{head['name']}: mass {head['mass'][k - 1]:.2f}, error {head['error'][k - 1]:.2f}"
            for head in heads
        )
        union = len({j for head in heads for j in head["order"][:k]})
        return (
            f"Explorer of a budget. One query over {len(self.spec['text'])} positions, {len(heads)} heads."
            f" Each keeps its {k} largest weights. Mass kept, and error of the output as a share of its"
            f" length: {told}. Together the heads read {union} positions."
        )

    def fallback(self):
        return f"<p>{escape(self.alt())} Where scripts run, head and budget can be chosen.</p>"


def budget(alpha: ArrayLike, values: ArrayLike, text, names, start: int = 4) -> Budget:
    """The explorer of ``|o_G - o| / |o|`` against the mass of G, the positions of largest weight.

    ``alpha``: ``(heads, n)``, the weights of one query in each head, rows from 0 up that add up to 1;
    ``values``: ``(heads, n, D)``; ``text``: n characters or words; ``names``: one a head; ``start``: the
    budget that it starts with. Other shapes, rows that are no weights, an output of length 0 and a start
    outside 1 to n are a ValueError. Where weights tie, the smaller position is kept first.
    """
    alpha, values = np.asarray(alpha, float), np.asarray(values, float)
    if alpha.ndim != 2 or values.ndim != 3 or values.shape[:2] != alpha.shape:
        raise ValueError(
            f"alpha and values must be (heads, n) and (heads, n, D); got {alpha.shape} and {values.shape}"
        )
    heads, n = alpha.shape
    if len(text) != n or len(names) != heads:
        raise ValueError(f"text and names must hold {n} and {heads}; got {len(text)} and {len(names)}")
    if not (alpha >= 0).all() or not np.allclose(alpha.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ValueError("alpha must hold rows from 0 up that add up to 1")
    if not 1 <= start <= n:
        raise ValueError(f"start must be a budget from 1 to {n}, got {start}")
    tables = [{"name": str(name), **table(*head)} for name, *head in zip(names, alpha, values, strict=True)]
    return Budget(spec={"text": [str(piece) for piece in text], "heads": tables, "start": int(start)})


def table(alpha, values):
    """The order in which positions are kept and, for each budget from 1 to n, mass and error to 4 digits."""
    output = weighted_sum(alpha, values)
    length = np.linalg.norm(output)
    if length == 0:
        raise ValueError("values must give an output whose length is not 0: the error is a share of it")
    # Weights that differ in their last bits only count as equal, so that the order is one everywhere.
    order = np.argsort(-alpha.round(12), kind="stable")
    mass = alpha[order].cumsum()
    kept = (alpha[order, None] * values[order]).cumsum(axis=0) / np.where(mass == 0, 1, mass)[:, None]
    error = np.linalg.norm(kept - output, axis=1) / length
    return {
        "order": order.tolist(),
        "mass": mass.round(4).tolist(),
        "error": (error.round(4) + 0.0).tolist(),
    }
