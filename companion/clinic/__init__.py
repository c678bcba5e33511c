"""The clinic: names the bug in an attention function, from outside. ::

    from companion.clinic import examine
    print(examine(my_attention))                    # a function (query, key, value), NumPy or PyTorch
    examine(my_attention, sliding_window(64)).raise_for_findings()      # in a test suite

From the shell: ``python -m companion.clinic module:function --pattern "sliding_window(64)"``.
"""

from companion.clinic.examination import examine
from companion.clinic.report import Finding, Report, Unhealthy

__all__ = ["Finding", "Report", "Unhealthy", "examine"]
