"""Explicit index sets: for every query, the positions that it attends, one by one.

Works on NumPy arrays and on PyTorch tensors, and answers in kind.
"""

from dataclasses import dataclass

import numpy as np

from companion.patterns import Pattern, causal
from companion.patterns.numbers import whole

__all__ = ["IndexSet", "topk"]


@dataclass(frozen=True, eq=False)
class IndexSet:
    """The set G of every query, as an integer array ``(..., L, k)``.

    A row holds distinct positions in any order, and -1 wherever it has fewer than k. Kept as an
    int64 copy.

    Raises TypeError if the array does not hold integers; ValueError, naming row and value, if a row repeats
    a position or holds a negative other than -1. Whether positions exist, and are not in the future, is for
    those to say who know the number of tokens: `to_mask` and attention.

    >>> IndexSet([[0, -1], [0, 1], [2, 0]]).to_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 0, 1]])
    """

    array: np.ndarray

    def __post_init__(self):
        try:
            array = _array(self.array)
        except ValueError:
            raise ValueError("array must have rows of one length; pad the shorter ones with -1") from None
        if not _dtype(array).startswith(("int", "uint")):
            raise TypeError(f"array must hold integers, not {_dtype(array)}")
        if array.ndim < 2:
            raise ValueError(f"array must have shape (..., L, k); got {tuple(array.shape)}")
        array = array.astype(np.int64) if isinstance(array, np.ndarray) else array.clone().long()
        _refuse(array, array < -1, "holds {}: only -1, which pads, may be negative")
        ordered = np.sort(array) if isinstance(array, np.ndarray) else array.sort().values
        again, value = ordered[..., 1:] == ordered[..., :-1], ordered[..., 1:]
        _refuse(value, again & (value >= 0), "holds position {} more than once")
        object.__setattr__(self, "array", array)

    @classmethod
    def from_mask(cls, mask) -> "IndexSet":
        """The positions where ``mask``, boolean ``(..., L, S)``, is True: ascending, padded to the longest
        row."""
        mask = _array(mask)
        if _dtype(mask) != "bool":
            raise TypeError(f"mask must be boolean, True where the query may attend; got {_dtype(mask)}")
        if mask.ndim < 2:
            raise ValueError(f"mask must have shape (..., L, S); got {tuple(mask.shape)}")
        counts = mask.sum(-1)
        longest = int(counts.max()) if len(counts.reshape(-1)) else 0
        order = _order(1 * ~mask)[..., :longest]
        allowed = _take(mask, order)
        return cls(order * allowed - 1 * ~allowed)

    def to_mask(self, S: int):
        """The mask, boolean ``(..., L, S)``, True where a row holds the position.

        Raises ValueError, naming row and value, if a position is S or more.
        """
        S = whole("S", S, 0)
        _refuse(self.array, self.array >= S, f"holds position {{}}; expected 0 to {S - 1}, or -1")
        shape = (*self.array.shape[:-1], S + 1)
        column = self.array % (S + 1)
        if isinstance(column, np.ndarray):
            mask = np.zeros(shape, bool)
            np.put_along_axis(mask, column, True, axis=-1)
        else:
            mask = column.new_zeros(shape).bool().scatter(-1, column, True)
        return mask[..., :S]


def topk(scores, k: int, pattern: Pattern = causal(), *, query_offset: int | None = None) -> IndexSet:
    """The k largest allowed scores of every row, largest first; of equal ones the smaller index wins.

    ``scores`` is ``(..., L, S)``, or ``(..., heads, L, S)`` if the pattern tells heads apart. A row with
    fewer than k allowed positions is padded with -1: a forbidden position is never taken to fill up.

    Raises ValueError, naming the row, if an allowed score is NaN, which has no place in the order; what
    forbidden positions hold is not looked at. Errors of size and ``query_offset`` are those of
    `Pattern.mask`.

    >>> topk([[5, 9, 9], [7, 2, 9], [3, 8, 8]], k=2).array
    array([[ 0, -1],
           [ 0,  1],
           [ 1,  2]])
    """
    scores, k = _array(scores), whole("k", k, 1)
    if not isinstance(pattern, Pattern):
        raise TypeError(f"pattern must be a Pattern, not {pattern!r}")
    if not _dtype(scores).startswith(("float", "bfloat", "int", "uint")):
        raise TypeError(f"scores must hold real numbers, not {_dtype(scores)}")
    heads = () if pattern.heads is None else (pattern.heads,)
    if scores.ndim < 2 + len(heads) or tuple(scores.shape[-2 - len(heads) : -2]) != heads:
        expected = ", ".join(map(str, ("...", *heads, "L", "S")))
        raise ValueError(f"scores must have shape ({expected}); got {tuple(scores.shape)}")
    scores = scores.astype(np.float64) if isinstance(scores, np.ndarray) else scores.detach().double()
    *lead, L, S = scores.shape
    mask = pattern.mask(L, S, query_offset=query_offset)
    allowed = _like(scores, np.broadcast_to(mask, (*lead, L, S)).copy())
    _refuse(scores, allowed & (scores != scores), "holds the score {} at an allowed position")

    # Two stable sorts: by falling score, then the allowed before the forbidden.
    order = _order(-scores)
    order = _take(order, _order(1 * ~_take(allowed, order)))[..., :k]
    taken = _take(allowed, order)
    chosen = _like(scores, np.full((*lead, L, k), -1))
    chosen[..., :S] = order * taken - 1 * ~taken
    return IndexSet(chosen)


def _array(x):
    return x if hasattr(x, "detach") else np.asarray(x)


def _dtype(x):
    return str(x.dtype).removeprefix("torch.")


def _like(x, array):
    """``array``, a NumPy array, in the kind of ``x`` and on its device."""
    if isinstance(x, np.ndarray):
        return array
    import torch

    return torch.as_tensor(array, device=x.device)


def _order(x):
    """The stable order of every row, smallest first."""
    if isinstance(x, np.ndarray):
        return np.argsort(x, axis=-1, kind="stable")
    return x.argsort(dim=-1, stable=True)


def _take(x, order):
    return np.take_along_axis(x, order, axis=-1) if isinstance(x, np.ndarray) else x.gather(-1, order)


def _refuse(array, bad, complaint):
    """Raises ValueError for the first bad entry, if there is one."""
    if bad.any():
        bad = bad if isinstance(bad, np.ndarray) else bad.cpu().numpy()
        *row, column = map(int, np.argwhere(bad)[0])
        value = array[(*row, column)].item()
        raise ValueError(f"row {row[0] if len(row) == 1 else tuple(row)} {complaint.format(value)}")
