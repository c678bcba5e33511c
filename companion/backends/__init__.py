"""Ways to compute attention: one file each, one signature.

Every backend has (that of "triton" is `launch`: its kernels need Triton, its reasons do not)

- ``forward(query, key, value, pattern, *, query_offset, scale) -> (out, lse)``, for arguments that
  ``companion.attention`` has checked: tensors ``(batch, heads, tokens, dim)`` whose entries are finite and
  small enough that no dot product overflows, fewer key heads than query heads where they are grouped, and a
  pattern or an index set. ``lse`` is the natural log-sum-exp ``(batch, heads, L)``, float32 or better;
- ``reason(query, key, value, pattern, *, return_lse) -> str | None``: why it cannot do a call, or None.
- ``TELLS``: whether it takes any entries, and tells by its ``lse``. That is then NaN for at least one row if
  an entry of a block that it visits is NaN or infinite, or too large for a finite result.
"""
