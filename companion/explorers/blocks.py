"""The explorer of chapter 12: how many blocks a pattern touches, and what share of their pairs is waste."""

from dataclasses import fields
from html import escape

from companion.explorers import frontend
from companion.explorers.pattern import leaves
from companion.frontend.mount import Mount, style
from companion.patterns import causal, chunks, random_blocks, sinks, sliding_window, strided

__all__ = ["Blocks", "blocks"]

SIZES = (1, 2, 4, 8, 16, 32, 64)
TOKENS = (64, 128)
PATTERNS = (
    sliding_window(16),
    sliding_window(16) | sinks(2),
    strided(16),
    sliding_window(8) | strided(8),
    chunks(16),
    random_blocks(16, 2, 0),
    causal(),
)


class Blocks(Mount):
    """A pattern over 64 to 128 tokens, cut into blocks of a size that can be slid."""

    kind = "explorer-blocks"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        pattern, L = PATTERNS[self.spec["pattern"]], self.spec["tokens"]
        told = []
        for size in SIZES:
            layout = pattern.layout(L, block_size=size)
            listed = len(layout.partial_blocks) + len(layout.full_blocks)
            told.append(f"{size}: {listed} and {1 - pattern.pairs(L) / layout.pairs_bound:.2f}")
        return (
            f"Explorer of block sizes. {pattern} over {L} tokens. For each block size, blocks listed and the"
            f" share of their pairs that is waste: {'; '.join(told)}."
        )

    def fallback(self):
        return f"<p>{escape(self.alt())} Where scripts run, pattern, block size and tokens can be chosen.</p>"


def blocks(size: int = 8, tokens: int = 96) -> Blocks:
    """The explorer of waste against the number of blocks, for seven patterns.

    ``size``: the block size that it starts with, one of `SIZES`; ``tokens``: the length that it starts with,
    from 64 to 128. Others are a ValueError.
    """
    if size not in SIZES:
        raise ValueError(f"size must be one of {', '.join(map(str, SIZES))}, got {size!r}")
    if not TOKENS[0] <= tokens <= TOKENS[1]:
        raise ValueError(f"tokens must be from {TOKENS[0]} to {TOKENS[1]}, got {tokens!r}")
    return Blocks(spec={
        "sizes": list(SIZES),
        "range": list(TOKENS),
        "patterns": [{"name": repr(pattern), "parts": parts(pattern)} for pattern in PATTERNS],
        "pattern": 0,
        "size": SIZES.index(size),
        "tokens": int(tokens),
    })


def parts(pattern):
    """The parts of a pattern, each with what joins it to those before and with its parameters in order."""
    return [
        {"op": op, "kind": type(part).__name__, "args": [getattr(part, field.name) for field in fields(part)]}
        for op, part in leaves(pattern)
    ]
