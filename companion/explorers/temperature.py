"""The explorer of chapter 2: how D, the divisor and the temperature sharpen or flatten the weights."""

import numpy as np

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import softmax

__all__ = ["Temperature", "temperature"]

DRAWS, KEYS = 4, 6


class Temperature(Mount):
    """Six keys under one query: change D, what the products are divided by, and the temperature."""

    kind = "explorer-temperature"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        D, z = self.spec["D"], np.array(self.spec["draws"][0])
        raw, scaled = softmax(D**0.5 * z), softmax(z)
        return (
            f"Explorer of the softmax: {len(z)} keys with their dot products, scores, weights and slopes."
            f" For D = {D} the largest weight is {raw.max():.2f} without division and {scaled.max():.2f}"
            " after division by the root of D."
        )

    def fallback(self):
        moved = "Where scripts run, D, the divisor and the temperature can be moved."
        return f"<p>{self.alt()} {moved}</p>"


def temperature(D: int = 64, seed: int = 5) -> Temperature:
    """The explorer of ``alpha = softmax(q . k_j / divisor / temperature)``.

    ``D``: where it starts, a power of two from 1 to 1024 (ValueError otherwise); ``seed``: of the draws,
    each of six standard normal numbers. A dot product is the root of D times one of them: it has the variance
    D, like that of two vectors with D independent entries of variance 1.
    """
    if isinstance(D, bool) or not isinstance(D, int):
        raise TypeError(f"D must be an integer, got {D!r}")
    if D not in [2**power for power in range(11)]:
        raise ValueError(f"D must be a power of two from 1 to 1024, got {D}")
    draws = np.random.default_rng(seed).standard_normal((DRAWS, KEYS)).round(2)
    return Temperature(spec={"D": D, "draws": draws.tolist()})
