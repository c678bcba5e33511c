"""The explorer of chapter 3: poke a key or a value, and see whose outputs move."""

import numpy as np

from companion.explorers import frontend
from companion.frontend.mount import Mount, style

__all__ = ["Leak", "leak"]

WORDS = ("the", "river", "bank", "flooded")
# Score i, j is the logarithm of entry i, j: row 2 gives its own past the weights 0.1, 0.6, 0.3.
POWERS = ((1, 2, 1, 4), (3, 7, 5, 5), (1, 6, 3, 10), (1, 9, 6, 4))
VALUES = ((1, 2), (3, 0), (4, 5), (0, 1))


class Leak(Mount):
    """A few tokens, the mask in four places: poke a key or a value, and the rows that move are shown."""

    kind = "explorer-leak"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        words = self.spec["tokens"]
        last = len(words) - 1
        return (
            f'Explorer of leaks. {len(words)} tokens, "{" ".join(words)}", with keys k_0 to k_{last} and'
            f" values v_0 to v_{last}. One of them is poked, and the table of weights and outputs says which"
            " rows move and which of those lie before the poked position: those leak. The mask stands before"
            " the softmax, after it, after it with rows divided by their sums, or nowhere."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, the mask and the poke can be chosen.</p>"


def leak(query=None, key=None, value=VALUES, tokens=WORDS) -> Leak:
    """The explorer of causality.

    ``query``, ``key``: ``(n, D)``, by default those whose scores are the logarithms of the chapter's whole
    numbers; ``value``: ``(n, 2)``; ``tokens``: n words, 2 to 6 of them. Other shapes, and numbers that are
    not finite, are a ValueError.
    """
    words = [str(word) for word in tokens]
    n = len(words)
    if not 2 <= n <= 6:
        raise ValueError(f"tokens must hold 2 to 6 words, got {n}")
    query = 2 * np.log(POWERS) if query is None else np.asarray(query, float)
    key = np.eye(4) if key is None else np.asarray(key, float)
    value = np.asarray(value, float)
    if query.ndim != 2 or len(query) != n or query.shape[1] == 0:
        raise ValueError(f"query must be ({n}, D), a row for each token, got shape {query.shape}")
    if key.shape != query.shape:
        raise ValueError(f"key must have the shape of query, {query.shape}, got {key.shape}")
    if value.shape != (n, 2):
        raise ValueError(f"value must be ({n}, 2), got shape {value.shape}")
    for name, array in (("query", query), ("key", key), ("value", value)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite, got {array.tolist()}")
    return Leak(spec={"tokens": words, "query": query.tolist(), "key": key.tolist(), "value": value.tolist()})
