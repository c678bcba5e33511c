"""Who may attend to whom: patterns that compose with ``&`` and ``|``.

Position i is the query's, j the key's, both absolute and counted from 0. Only `full` looks ahead; every other
pattern allows j <= i at most, and so does whatever is built from it.

A pattern is also a ``mask_mod`` of PyTorch's FlexAttention as it stands: ``pattern(batch, head, q_idx,
kv_idx)`` answers with a bool for ints, with an array for arrays, and with a tensor on the same device for
tensors.
"""

from companion.patterns.algebra import per_head
from companion.patterns.base import Pattern
from companion.patterns.drawn import random_blocks
from companion.patterns.places import chunks, documents, full, global_tokens, sinks
from companion.patterns.steps import causal, dilated, sliding_window, strided
from companion.patterns.truth import ALL, NONE, SOME

__all__ = [
    "ALL",
    "NONE",
    "SOME",
    "Pattern",
    "causal",
    "chunks",
    "dilated",
    "documents",
    "full",
    "global_tokens",
    "per_head",
    "random_blocks",
    "sinks",
    "sliding_window",
    "strided",
]
