"""Block layouts: which blocks of an attention matrix are empty, partial or full. Knows nothing of patterns.

Queries are cut into runs of ``block_size`` rows and keys into runs of ``block_size`` columns; the last of
each may be shorter. A layout lists, for every run of queries, the key blocks that it must visit, in
compressed-row form, so it takes memory in proportion to the blocks listed and never to queries times keys.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["BlockLayout"]


@dataclass(frozen=True, eq=False)
class BlockLayout:
    """The blocks that attention has to visit.

    Rows are numbered ``head * query_blocks + query_block``. Row r lists its partial key blocks, ascending,
    in ``partial_blocks[partial_starts[r]:partial_starts[r + 1]]`` and its full ones alike. In a *full*
    block every pair within L x S is allowed; in a *partial* one some pair may be, so the pattern must be
    asked there; in a block listed nowhere none is. The four arrays are int64; the starts have length
    ``rows + 1``.

    ``heads`` is 1 where one layout serves all heads. ``query_offset`` is the absolute position of query 0.

    >>> from companion.patterns import sinks, sliding_window
    >>> layout = (sliding_window(5) | sinks(4)).layout(16, block_size=4)
    >>> layout.states()[0]  # 0 empty, 1 partial, 2 full
    array([[1, 0, 0, 0],
           [2, 1, 0, 0],
           [2, 1, 1, 0],
           [2, 0, 1, 1]], dtype=int8)
    >>> layout.partial(3), layout.full(3), layout.density
    (array([2, 3]), array([0]), 0.5625)
    """

    query_tokens: int
    key_tokens: int
    block_size: int
    query_offset: int
    heads: int
    partial_starts: np.ndarray
    partial_blocks: np.ndarray
    full_starts: np.ndarray
    full_blocks: np.ndarray

    def __post_init__(self):
        for kind in ("partial", "full"):
            starts = np.asarray(getattr(self, f"{kind}_starts"), np.int64)
            blocks = np.asarray(getattr(self, f"{kind}_blocks"), np.int64)
            if starts.shape != (self.rows + 1,) or starts[0] != 0 or starts[-1] != len(blocks):
                raise ValueError(
                    f"{kind}_starts must run from 0 to {len(blocks)} in {self.rows + 1} steps; got {starts}"
                )
            if (np.diff(starts) < 0).any():
                raise ValueError(f"{kind}_starts must not descend; got {starts}")
            if blocks.size and not 0 <= blocks.min() <= blocks.max() < self.key_blocks:
                raise ValueError(f"{kind}_blocks must lie in 0 .. {self.key_blocks - 1}; got {blocks}")
            object.__setattr__(self, f"{kind}_starts", starts)
            object.__setattr__(self, f"{kind}_blocks", blocks)

    @classmethod
    def from_pairs(
        cls,
        query_tokens: int,
        key_tokens: int,
        block_size: int,
        query_offset: int,
        heads: int,
        partial: tuple[np.ndarray, np.ndarray],
        full: tuple[np.ndarray, np.ndarray],
    ) -> "BlockLayout":
        """A layout from two lists of blocks, each a pair of arrays ``(row, key_block)`` sorted by row, then
        block."""
        rows = heads * -(-query_tokens // block_size)
        fields = []
        for row, block in (partial, full):
            fields += [np.searchsorted(row, np.arange(rows + 1)), block]
        return cls(query_tokens, key_tokens, block_size, query_offset, heads, *fields)

    @property
    def query_blocks(self) -> int:
        """Runs of queries, the last of which may be shorter."""
        return -(-self.query_tokens // self.block_size)

    @property
    def key_blocks(self) -> int:
        """Runs of keys, the last of which may be shorter."""
        return -(-self.key_tokens // self.block_size)

    @property
    def rows(self) -> int:
        """Runs of queries over all heads."""
        return self.heads * self.query_blocks

    def partial(self, row: int) -> np.ndarray:
        """Key blocks in which ``row`` must ask the pattern, ascending."""
        return self.partial_blocks[self.partial_starts[row] : self.partial_starts[row + 1]]

    def full(self, row: int) -> np.ndarray:
        """Key blocks in which ``row`` attends every key, ascending."""
        return self.full_blocks[self.full_starts[row] : self.full_starts[row + 1]]

    def partial_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """All partial blocks as two arrays ``(row, key_block)``, sorted by row, then block."""
        return np.repeat(np.arange(self.rows), np.diff(self.partial_starts)), self.partial_blocks

    def full_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """All full blocks as two arrays ``(row, key_block)``, sorted by row, then block."""
        return np.repeat(np.arange(self.rows), np.diff(self.full_starts)), self.full_blocks

    def transposed(self) -> "BlockLayout":
        """The same blocks listed by key block, as a backward pass over keys and values needs them.

        Rows are ``head * key_blocks + key_block`` and the listed blocks are query blocks; ``query_tokens``
        and ``key_tokens`` have changed places. ``query_offset`` is still that of the queries.
        """
        turned = []
        for row, key_block in (self.partial_pairs(), self.full_pairs()):
            head, query_block = np.divmod(row, max(self.query_blocks, 1))
            order = np.lexsort((query_block, key_block, head))
            turned.append(((head * self.key_blocks + key_block)[order], query_block[order]))
        return BlockLayout.from_pairs(
            self.key_tokens, self.query_tokens, self.block_size, self.query_offset, self.heads, *turned
        )

    def states(self) -> np.ndarray:
        """Every block's state, int8 ``(heads, query_blocks, key_blocks)``: 0 empty, 1 partial, 2 full."""
        states = np.zeros((self.rows, self.key_blocks), np.int8)
        states[self.partial_pairs()] = 1
        states[self.full_pairs()] = 2
        return states.reshape(self.heads, self.query_blocks, self.key_blocks)

    def expand(self) -> np.ndarray:
        """The pairs in listed blocks, boolean ``(heads, L, S)``: no smaller than the mask. For small
        sizes."""
        listed = (self.states() > 0).repeat(self.block_size, axis=1).repeat(self.block_size, axis=2)
        return listed[:, : self.query_tokens, : self.key_tokens]

    @property
    def pairs_bound(self) -> int:
        """Pairs in listed blocks, over all heads. A kernel computes them all; a pattern may allow fewer."""
        total = 0
        for row, block in (self.partial_pairs(), self.full_pairs()):
            height = np.minimum(
                self.block_size, self.query_tokens - row % max(self.query_blocks, 1) * self.block_size
            )
            width = np.minimum(self.block_size, self.key_tokens - block * self.block_size)
            total += int(height @ width)
        return total

    @property
    def density(self) -> float:
        """``pairs_bound`` over heads x L x S; 0 where there are no pairs at all."""
        return self.pairs_bound / max(self.heads * self.query_tokens * self.key_tokens, 1)

    def to_flex(self, device=None, mask_mod: Callable | None = None):
        """The layout as FlexAttention's ``BlockMask`` on ``device``, for any batch size.

        ``mask_mod`` is asked in partial blocks, with query indices that count from 0: whoever has a
        ``query_offset`` adds it there. It is needed unless every listed block is full. FlexAttention pads
        each row to all key blocks, and its compiled CPU kernel refuses fewer, so this takes memory in
        proportion to query blocks times key blocks.
        """
        if mask_mod is None and len(self.partial_blocks):
            count = len(self.partial_blocks)
            raise ValueError(f"mask_mod must be given: the layout lists {count} partial blocks")
        import torch
        from torch.nn.attention.flex_attention import BlockMask

        fields = []
        for starts, (row, block) in (
            (self.partial_starts, self.partial_pairs()),
            (self.full_starts, self.full_pairs()),
        ):
            padded = np.zeros((self.rows, self.key_blocks), np.int32)
            padded[row, np.arange(len(block)) - starts[row]] = block
            shape = (1, self.heads, self.query_blocks)
            counts = np.diff(starts).astype(np.int32).reshape(shape)
            fields += [torch.tensor(counts), torch.tensor(padded).reshape(*shape, self.key_blocks)]
        if mask_mod is not None:
            # A pattern may move a table to the device when first asked, which no compiled kernel lets it do.
            zero = torch.zeros((), dtype=torch.int64, device=device)
            mask_mod(zero, zero, zero, zero)
        return BlockMask.from_kv_blocks(
            *(field.to(device) for field in fields),
            BLOCK_SIZE=self.block_size,
            mask_mod=mask_mod,
            seq_lengths=(self.query_tokens, self.key_tokens),
        )
