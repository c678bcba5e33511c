"""The explorer of chapter 5: one number on its way from tokens to heads and back."""

from companion.explorers import frontend
from companion.frontend.mount import Mount, style
from companion.patterns.numbers import whole

__all__ = ["Reshape", "reshape"]

SIZES = {"tokens": (2, 3, 4), "heads": (1, 2, 4), "dim": (1, 2)}


class Reshape(Mount):
    """Pick one number of the input and see where each way of cutting it into heads puts it."""

    kind = "explorer-reshape"
    _esm = frontend.source(kind)
    _css = style(*frontend.stylesheets())

    def alt(self):
        tokens, heads, dim, token, column = (
            self.spec[name] for name in ("tokens", "heads", "dim", "token", "column")
        )
        place = token * heads * dim + column
        return (
            f"Explorer of the cut into heads: {tokens} tokens, {heads} heads of {dim} numbers. It starts with"
            f" number {place}, token {token}, column {column}. View and transpose put it into head"
            f" {column // dim}, row {token}; view alone into head {place // (tokens * dim)}, row"
            f" {place // dim % tokens}."
        )

    def fallback(self):
        return f"<p>{self.alt()} Where scripts run, every number can be followed, in other shapes too.</p>"


def reshape(tokens=3, heads=2, dim=2, token=1, column=2) -> Reshape:
    """The explorer of ``(B, L, H * D)`` to ``(B, H, L, D)`` and back.

    ``tokens`` is 2, 3 or 4, ``heads`` 1, 2 or 4, ``dim`` 1 or 2: the shape it starts with; ``token`` and
    ``column``: the number that is followed first. Other numbers are a ValueError, what is no int a TypeError.
    """
    shape = {"tokens": tokens, "heads": heads, "dim": dim}
    for name, value in shape.items():
        if whole(name, value, 1) not in SIZES[name]:
            raise ValueError(f"{name} must be one of {SIZES[name]}, got {value}")
    for name, value, count in (("token", token, tokens), ("column", column, heads * dim)):
        if whole(name, value, 0) >= count:
            raise ValueError(f"{name} must be below {count}, got {value}")
    sizes = {name: list(allowed) for name, allowed in SIZES.items()}
    return Reshape(spec={**shape, "token": token, "column": column, "sizes": sizes})
