"""Patterns other than a window, that the table measures."""

from companion.patterns import (
    Pattern,
    chunks,
    dilated,
    documents,
    global_tokens,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

__all__ = ["zoo"]


def zoo(tokens: int, window: int) -> dict[str, Pattern]:
    """Sparse patterns over ``tokens``, a multiple of 16, by the names that the table gives them.

    Some lie in blocks, some are so scattered that blocks hold many times their pairs.
    """
    part, here = tokens // 16, sliding_window(window)
    return {
        "strided(16)": strided(16),
        f"dilated({window}, 2)": dilated(window, 2),
        f"dilated({window // 2}, 16)": dilated(window // 2, 16),
        f"global tokens, the first {window // 2}": global_tokens(range(window // 2)),
        "global tokens, 16 scattered": global_tokens(range(0, tokens, part)),
        "random_blocks(64, 8, 0)": random_blocks(64, 8, 0),
        f"16 documents of {part}": documents([part] * 16),
        f"chunks({part})": chunks(part),
        f"{here | sinks(4)}": here | sinks(4),
        f"{here | strided(64)}": here | strided(64),
        f"{here} | first {window // 4} global | random_blocks(64, 3, 0)": (
            here | global_tokens(range(window // 4)) | random_blocks(64, 3, 0)
        ),
    }
