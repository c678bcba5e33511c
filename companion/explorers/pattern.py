"""The explorer of chapter 8: patterns combined and scheduled over layers, with blocks, cost and reach."""

from html import escape

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.patterns import (
    Pattern,
    causal,
    chunks,
    dilated,
    documents,
    global_tokens,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)
from companion.patterns.algebra import Both, Either
from companion.patterns.numbers import whole

__all__ = ["PatternExplorer", "pattern"]

TOKENS = 64
DIM = 64
ITEMSIZE = 2
BLOCK_SIZES = (8, 16, 32)
PARTS = 3
LAYERS = 4
ABSENT = "–"
HINT = (
    "Point at a row, or press the arrow keys on the picture. The dashed edge of a window can be dragged."
    f" Costs are those of one head with D = {DIM} and {ITEMSIZE} bytes a number."
)


def field(name, low, high, start):
    return {"name": name, "low": low, "high": high, "start": start}


def listing(name, expected, start):
    return {"name": name, "expected": expected, "start": start}


IDS = f"whole numbers from 0 to {TOKENS - 1}, in ascending order"
LENGTHS = f"whole numbers from 1 that add up to {TOKENS}"

# kind: its rule beside j <= i, where [0] is its first parameter, and what the controls let these be. A list
# holds positions, or lengths that add up to all tokens.
KINDS = {
    "causal": ("j ≤ i", ()),
    "sliding_window": ("i − [0] < j", (field("w", 1, TOKENS, 8),)),
    "dilated": ("i − j = [1] m for a whole m < [0]", (field("w", 1, 16, 8), field("step", 1, 16, 4))),
    "strided": ("(i − j) mod [0] = 0", (field("step", 1, TOKENS, 8),)),
    "sinks": ("j < [0]", (field("n", 1, TOKENS, 2),)),
    "global_tokens": ("(j ∈ {[0]} or i ∈ {[0]})", (listing("ids", IDS, [0, 32]),)),
    "chunks": ("⌊j / [0]⌋ = ⌊i / [0]⌋", (field("size", 1, TOKENS, 16),)),
    "random_blocks": (
        "⌊j / [0]⌋ is a block drawn for ⌊i / [0]⌋",
        (field("size", 1, 16, 8), field("count", 1, 4, 2), field("seed", 0, 4, 0)),
    ),
    "documents": ("i and j lie in one document", (listing("lengths", LENGTHS, [20, 12, 32]),)),
}

# Name, pattern A, schedule, block size, row, and what to see; pattern B is causal.
EXAMPLES = (
    (
        "Window and sinks", sliding_window(8) | sinks(2), "AA", 8, 40,
        "Row 40 reads its last 8 keys and the first 2. A second layer reaches 7 positions further back; the"
        " sinks saw nothing but themselves and pass on no more.",
    ),
    (
        "Like Longformer", sliding_window(8) | global_tokens([0, 32]), "AA", 8, 63,
        "Every row from 32 on reads 32, which reads all before it. So two layers bring 0 to 32 to row 63, but"
        " nothing from 33 to 48: a causal hub carries only what came before it.",
    ),
    (
        "Like BigBird", sliding_window(8) | global_tokens([0]) | random_blocks(8, 1, 2), "AA", 8, 63,
        "Each block of 8 queries reads one block drawn at random. Two layers bring 39 positions to row 63;"
        " window and position 0 alone would bring 16.",
    ),
    (
        "Dilated", dilated(8, 4), "AAA", 8, 63,
        "8 keys over a span of 29. Three layers reach all 16 positions whose distance is a multiple of 4, and"
        " no depth reaches another.",
    ),
    (
        "Window and stride", sliding_window(8) | strided(8), "AA", 8, 40,
        "Row 40 reads 13 keys, and two layers reach all 41 positions up to it. A third of the causal pairs,"
        " yet every causal block is visited.",
    ),
    (
        "Chunks", chunks(16), "AAAA", 16, 40,
        "No layer leaves the chunk: depth adds nothing. Blocks of 16 fit the chunks, and only 4 are visited.",
    ),
    (
        "Documents", documents([20, 12, 32]) & sliding_window(8), "AA", 8, 34,
        "Both rules must hold: a window that stops where a document begins. Row 34 keeps 3 of its 8 keys.",
    ),
    (
        "Window, then full", sliding_window(8), "AB", 8, 40,
        "One layer with a window, one with all keys: the row is reached by all 41 positions up to it, at 62 %"
        " of the pairs of two full layers.",
    ),
)  # fmt: skip


class PatternExplorer(Mount):
    """A mask with its blocks, costs and reach through layers, for patterns that the reader puts together."""

    kind = "explorer-pattern"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def __init__(self, pattern: Pattern, spec: dict):
        super().__init__(spec=spec)
        self._pattern = pattern

    def alt(self):
        size, row = self.spec["start"]["size"], self.spec["start"]["row"]
        blocks = self._pattern.layout(TOKENS, block_size=size)
        pairs, dense = self._pattern.pairs(TOKENS), causal().pairs(TOKENS)
        keys = ", ".join(str(j) for j in self._pattern.indices(row, TOKENS)) or "none"
        return (
            f"Explorer of patterns, at {TOKENS} tokens. It starts with {self._pattern!r}: {pairs:,} of the"
            f" {dense:,} causal pairs, density {pairs / TOKENS**2:.2f}; in blocks of {size},"
            f" {len(blocks.full_blocks)} full and {len(blocks.partial_blocks)} partial ones."
            f" Row {row} reads the keys {keys}."
        )

    def fallback(self):
        return (
            f"<p>{escape(self.alt())} Where scripts run, patterns can be combined and scheduled over layers,"
            " and mask, blocks, costs and reach are drawn at once.</p>"
        )


def pattern(
    first: Pattern = sliding_window(8) | sinks(2),
    other: Pattern = causal(),
    layers: str = "AA",
    *,
    row: int = 40,
    block_size: int = 8,
) -> PatternExplorer:
    """The explorer of patterns at 64 tokens: mask, blocks, costs, and reach by layer.

    It starts with ``first`` as pattern A, which is shown, and ``other`` as pattern B; ``layers`` names the
    pattern of one to four layers, the first one first; ``row`` is the query whose keys are lit, 0 to 63;
    ``block_size`` is 8, 16 or 32. A pattern has at most three parts, joined by ``&`` and ``|`` without
    brackets, with parameters that the controls allow; anything else is a ValueError, what is no pattern a
    TypeError.
    """
    if not isinstance(layers, str):
        raise TypeError(f"layers must be a string, not {layers!r}")
    if not 1 <= len(layers) <= LAYERS or set(layers) - set("AB"):
        raise ValueError(f"layers must be 1 to {LAYERS} letters A or B, got {layers!r}")
    if block_size not in BLOCK_SIZES:
        raise ValueError(f"block_size must be one of {', '.join(map(str, BLOCK_SIZES))}, got {block_size!r}")
    row = whole("row", row, 0, TOKENS)
    start = state(slots("first", first), slots("other", other), layers, block_size, row, HINT)
    return PatternExplorer(first, {
        "tokens": TOKENS,
        "dim": DIM,
        "itemsize": ITEMSIZE,
        "sizes": list(BLOCK_SIZES),
        "kinds": {kind: {"rule": rule, "fields": list(fields)} for kind, (rule, fields) in KINDS.items()},
        "hint": HINT,
        "start": start,
        "examples": [
            {"name": name, **state(slots(name, a), slots(name, causal()), layers, size, row, note)}
            for name, a, layers, size, row, note in EXAMPLES
        ],
    })


def state(a, b, layers, size, row, note):
    schedule = list(layers.ljust(LAYERS, ABSENT))
    return {"A": a, "B": b, "shown": "A", "layers": schedule, "size": size, "row": row, "note": note}


def slots(name, pattern):
    """The parts of a pattern, each with what joins it to those before, and absent ones up to three."""
    if not isinstance(pattern, Pattern):
        raise TypeError(f"{name} must be a Pattern, not {pattern!r}")
    parts = leaves(pattern)
    written = "".join(f" {op} {part!r}" for op, part in parts).removeprefix("  ")
    if len(parts) > PARTS or written != repr(pattern):
        raise ValueError(f"{name} must have at most {PARTS} parts and no brackets, got {pattern!r}")
    parts += [(ABSENT, sinks(2))] * (PARTS - len(parts))
    return [{"op": op, "kind": type(part).__name__, "args": arguments(name, part)} for op, part in parts]


def leaves(pattern, op=""):
    if isinstance(pattern, Both | Either):
        return leaves(pattern.left, op) + leaves(pattern.right, "&" if isinstance(pattern, Both) else "|")
    return [(op, pattern)]


def arguments(name, part):
    """The parameters of a part, as the controls hold them."""
    kind = type(part).__name__
    if kind not in KINDS:
        raise ValueError(f"{name} must be made of {', '.join(KINDS)}, got {part!r}")
    part.check(TOKENS, TOKENS)
    values = []
    for limits in KINDS[kind][1]:
        value = getattr(part, limits["name"])
        if "low" in limits and not limits["low"] <= value <= limits["high"]:
            expected = f"from {limits['low']} to {limits['high']}"
            raise ValueError(f"{limits['name']} of {kind} must lie {expected}, got {value}")
        values.append(list(value) if isinstance(value, tuple) else value)
    return values
