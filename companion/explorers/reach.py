"""The explorer of chapter 9: layers with a pattern each, the positions that reach a query, and one path."""

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.patterns import (
    Pattern,
    causal,
    chunks,
    global_tokens,
    sinks,
    sliding_window,
    strided,
)

__all__ = ["PATTERNS", "Reach", "reach"]

TOKENS = 24
#: The patterns that a layer can have, by name.
PATTERNS = {
    "window 4": sliding_window(4),
    "window 8": sliding_window(8),
    "chunks 6": chunks(6),
    "strided 4": strided(4),
    "window 4 or strided 4": sliding_window(4) | strided(4),
    "window 4 or sinks 2": sliding_window(4) | sinks(2),
    "window 4 or global 12": sliding_window(4) | global_tokens([12]),
    "global 0 and 12": global_tokens([0, 12]),
    "full": causal(),
    "itself only": sliding_window(1),
}


class Reach(Mount):
    """Three layers: choose their patterns, a query and a key, and see whether and how the key gets there."""

    kind = "explorer-reach"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        spec = self.spec
        names = [spec["patterns"][n]["name"] for n in spec["schedule"]]
        told = ", ".join(f"layer {n} {name}" for n, name in enumerate(names))
        return (
            f"Explorer of reach. {len(spec['patterns'][0]['keys'])} positions, {len(names)} layers: {told}."
            f" Lines lead from query {spec['query']} at the top down to the positions that can reach it; one"
            f" path to key {spec['key']} is drawn bold, and bars show how much mass each key has if all weights"
            " of a row are equal."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, patterns, query and key can be chosen.</p>"


def reach(patterns: dict[str, Pattern] = PATTERNS, schedule=None, query: int = 20, key: int = 11) -> Reach:
    """The explorer of the product of the layers' masks.

    ``patterns``: name to pattern; ``schedule``: the names that 1 to 4 layers start with, layer 0 first, by
    default the first name three times; ``query`` and ``key``: positions from 0 to 23. A schedule of anything
    else, and a position outside, is a ValueError.
    """
    names = list(patterns)
    schedule = [names[0]] * 3 if schedule is None else list(schedule)
    if not 1 <= len(schedule) <= 4 or not set(schedule) <= set(names):
        raise ValueError(f"schedule must hold 1 to 4 of the names {names}, got {schedule}")
    for name, position in (("query", query), ("key", key)):
        if not 0 <= position < TOKENS:
            raise ValueError(f"{name} must be a position from 0 to {TOKENS - 1}, got {position}")
    tables = [
        {"name": name, "keys": [pattern.indices(i, TOKENS).tolist() for i in range(TOKENS)]}
        for name, pattern in patterns.items()
    ]
    places = [names.index(name) for name in schedule]
    return Reach(spec={"patterns": tables, "schedule": places, "query": int(query), "key": int(key)})
