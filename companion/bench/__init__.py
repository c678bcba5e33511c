"""The performance table: ``python -m companion.bench``.

What is measured stands in `cases`, on a GPU in `gpu`; against whom in `contestants`, how in `measure` and
`memory`; `report` holds the rows and `table` prints them.
"""

from companion.extras import extra

with extra("torch"):
    import torch  # noqa: F401  every module here needs it
