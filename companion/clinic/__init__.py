"""The clinic: names the bug in an attention function, from outside. ::

    from companion.clinic import examine

    # a function (query, key, value), NumPy or PyTorch
    print(examine(my_attention))
    # in a test suite
    examine(my_attention, sliding_window(64)).raise_for_findings()

From the shell: ``python -m companion.clinic module:function --pattern "sliding_window(64)"``.
"""

from companion.clinic.examination import examine
from companion.clinic.report import Finding, Report, Unhealthy

__all__ = ["Finding", "Report", "Unhealthy", "examine"]
