"""The performance table: ``python -m companion.bench``.

What is measured stands in `cases`, against whom in `contestants`, how in `measure` and `memory`; `report`
holds the rows and `table` prints them.
"""
