"""Asks a pattern, or given indices, which pairs of rows and columns are allowed, in torch."""

import torch

from companion.patterns import Pattern

__all__ = ["allowed"]


def allowed(
    pattern: Pattern | torch.Tensor,
    rows: torch.Tensor,
    columns: torch.Tensor,
    *,
    query_offset: int,
    key_tokens: int,
) -> torch.Tensor:
    """Which of the keys ``columns`` each of the queries ``rows`` may attend.

    Parameters
    ----------
    pattern : Pattern, or int64 tensor (..., L, k)
        A tensor lists the keys of each query row, -1 padded; it must be on the device of ``rows``.
    rows, columns : int64 (n,) and (m,)
        Query rows, counted from 0, and key positions, distinct.
    query_offset : int
        The position of query row 0.
    key_tokens : int
        S, the number of keys.

    Returns
    -------
    bool (..., n, m)
        The leading axes broadcast against (batch, heads).
    """
    if isinstance(pattern, Pattern):
        heads = torch.arange(pattern.heads or 1, device=rows.device)[:, None, None]
        pairs = pattern(0, heads, query_offset + rows[:, None], columns[None, :])
        return pairs.broadcast_to(len(heads), len(rows), len(columns))
    # Column c goes to its place among `columns`; all others, and the padding, to one place too many.
    place = columns.new_full((key_tokens + 1,), len(columns))
    place[columns] = torch.arange(len(columns), device=columns.device)
    chosen = place[pattern[..., rows, :]]
    pairs = chosen.new_zeros(*chosen.shape[:-1], len(columns) + 1, dtype=torch.bool)
    return pairs.scatter_(-1, chosen, True)[..., :-1]
