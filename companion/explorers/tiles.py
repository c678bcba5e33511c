"""The explorer of chapter 11: a row read tile by tile, relative to its largest score or a fixed number."""

import numpy as np
from numpy.typing import ArrayLike

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.reference import softmax, weighted_sum

__all__ = ["Tiles", "tiles"]

WORDS = ("the", "river", "bank", "flooded", "again")
VALUES = ((1, 2), (3, 0), (4, 5), (0, 1), (5, 3))
# Rounded, so that the page's text is the same everywhere.
SCORES = tuple(np.log([1, 6, 3, 10, 5]).round(4).tolist())


class Tiles(Mount):
    """The state m, l, u of one row after each tile, in float32."""

    kind = "explorer-tiles"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        pairs = zip(self.spec["words"], self.spec["scores"], strict=True)
        rows = ", ".join(f"{word} {score:.2f}" for word, score in pairs)
        o = weighted_sum(softmax(self.spec["scores"]), np.array(self.spec["values"]))
        return (
            f"Explorer of the online softmax. Scores: {rows}. Read tile by tile, the output is"
            f" [{', '.join(f'{x:.2f}' for x in o)}], whatever the tiles are."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, tiles and reference can be chosen.</p>"


def tiles(words=WORDS, scores: ArrayLike = SCORES, values: ArrayLike = VALUES, size: int = 2) -> Tiles:
    """The explorer of one row: ``scores`` ``(n,)``, finite; ``values`` ``(n, 2)``; ``words``: n.

    ``size``: the keys in a tile that it starts with, 1 to n. Anything else is a ValueError.
    """
    scores, values = np.asarray(scores, float), np.asarray(values, float)
    n = len(words)
    if scores.shape != (n,) or values.shape != (n, 2):
        raise ValueError(
            f"scores and values must be ({n},) and ({n}, 2) for {n} words;"
            f" got {scores.shape} and {values.shape}"
        )
    if not (np.isfinite(scores).all() and np.isfinite(values).all()):
        raise ValueError(f"scores and values must be finite, got {scores.tolist()} and {values.tolist()}")
    if not 1 <= size <= n:
        raise ValueError(f"size must be from 1 to {n}, got {size}")
    row = {"scores": scores.tolist(), "values": values.tolist()}
    return Tiles(spec={"words": [str(word) for word in words], **row, "size": int(size)})
