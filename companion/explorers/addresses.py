"""The explorer of chapter 13: the number of a program, and the addresses of what it reads."""

from companion.explorers import frontend
from companion.frontend.mount import Mount, style

__all__ = ["Addresses", "addresses"]

HEADS, DIM = 4, 4
TOKENS = (3, 16)
ROWS = (2, 4, 8)
KEY_HEADS = (1, 2, 4)
LAYOUTS = ("heads first", "tokens first")


class Addresses(Mount):
    """Query and key memory of one text, with the vectors marked that one program reads."""

    kind = "explorer-addresses"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        start = self.spec["start"]
        tokens, rows = start["tokens"], ROWS[start["rows"]]
        tiles = -(-tokens // rows)
        return (
            f"Explorer of addresses. {HEADS} query heads, {KEY_HEADS[start['keyHeads']]} key heads, {tokens}"
            f" tokens, D = {DIM}, {rows} rows a program: {HEADS * tiles} programs, of which program"
            f" {start['program']} owns tile {tiles - 1 - start['program'] % tiles} of head"
            f" {start['program'] // tiles}."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, program, tokens, rows, heads and order can be chosen.</p>"


def addresses(tokens: int = 10, program: int = 3) -> Addresses:
    """The explorer of programs and addresses, for 4 query heads with D = 4, tiles of 4 rows, heads first.

    ``tokens``: from 3 to 16; ``program``: of those that there are at the beginning. Others are a ValueError.
    """
    if not TOKENS[0] <= tokens <= TOKENS[1]:
        raise ValueError(f"tokens must be from {TOKENS[0]} to {TOKENS[1]}, got {tokens!r}")
    start = {"program": program, "tokens": tokens, "rows": 1, "keyHeads": 1, "layout": 0}
    programs = HEADS * -(-tokens // ROWS[start["rows"]])
    if not 0 <= program < programs:
        raise ValueError(f"program must be from 0 to {programs - 1}, got {program!r}")
    return Addresses(
        spec={
            "heads": HEADS,
            "dim": DIM,
            "range": list(TOKENS),
            "rows": list(ROWS),
            "keyHeads": list(KEY_HEADS),
            "layouts": list(LAYOUTS),
            "start": start,
        }
    )
