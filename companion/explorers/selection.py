"""The explorer of chapter 10: several selectors on one query, mass and error against the keys read."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import weighted_sum

__all__ = ["Selection", "selection"]


class Selection(Mount):
    """One query, several ways to choose what it reads: the same number of keys for each."""

    kind = "explorer-selection"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        k, row = self.spec["start"], self.spec["rows"][0]
        told = "; ".join(
            f"{name}: mass {table['mass'][k - 1]:.2f}, error {table['error'][k - 1]:.2f}"
            for name, table in zip(self.spec["selectors"], row["tables"], strict=True)
        )
        return (
            f"Explorer of selectors. One query over {len(self.spec['text'])} positions, {row['name']},"
            f" and {len(self.spec['selectors'])} ways to choose {k} of them. Mass kept, and error of the"
            f" output as a share of its length: {told}."
        )

    def fallback(self):
        return f"<p>{escape(self.alt())} Where scripts run, head, selector and budget can be chosen.</p>"


def selection(
    rows: Mapping[str, tuple[ArrayLike, ArrayLike, Mapping[str, ArrayLike]]],
    text: Sequence[str],
    start: int = 16,
) -> Selection:
    """The explorer of mass and error of what several selectors keep, for budgets from 1 to n keys.

    ``rows``: name to (weights ``(n,)`` that add up to 1, values ``(n, D)``, orders), where orders give for
    each selector, the same ones in each row, all n positions in the order in which it takes them. ``text``: n
    characters or words; ``start``: the budget that it starts with. Shapes that do not fit, rows that are no
    weights, orders that are no permutations, an output of length 0 and a start outside 1 to n are a
    ValueError.
    """
    selectors = [list(orders) for _, _, orders in rows.values()]
    if not selectors or any(names != selectors[0] for names in selectors):
        raise ValueError(f"rows must hold the same selectors; got {selectors}")
    n = len(text)
    if not 1 <= start <= n:
        raise ValueError(f"start must be a budget from 1 to {n}, got {start}")
    tables = []
    for name, (alpha, values, orders) in rows.items():
        alpha, values = np.asarray(alpha, float), np.asarray(values, float)
        if alpha.shape != (n,) or values.ndim != 2 or len(values) != n:
            raise ValueError(
                f"rows must hold weights ({n},) and values ({n}, D); got {alpha.shape} and {values.shape}"
            )
        if not (alpha >= 0).all() or not np.allclose(alpha.sum(), 1, rtol=0, atol=1e-9):
            raise ValueError(f"rows must hold weights from 0 up that add up to 1; those of {name!r} do not")
        tables.append({"name": name, "tables": [table(alpha, values, order) for order in orders.values()]})
    spec = {"text": list(text), "selectors": selectors[0], "rows": tables, "start": int(start)}
    return Selection(spec=spec)


def table(alpha, values, order):
    """Mass and error, to 3 digits, of the first k positions of ``order``, for k from 1 to n."""
    order = np.asarray(order)
    if sorted(order.tolist()) != list(range(len(alpha))):
        raise ValueError(f"orders must hold each of 0 to {len(alpha) - 1} once; got {order.tolist()}")
    output = weighted_sum(alpha, values)
    length = np.linalg.norm(output)
    if length == 0:
        raise ValueError("values must give an output whose length is not 0: the error is a share of it")
    mass = alpha[order].cumsum()
    kept = (alpha[order, None] * values[order]).cumsum(axis=0) / np.where(mass == 0, 1, mass)[:, None]
    error = np.linalg.norm(kept - output, axis=1) / length
    return {
        "order": order.tolist(),
        "mass": mass.round(3).tolist(),
        "error": (error.round(3) + 0.0).tolist(),
    }
