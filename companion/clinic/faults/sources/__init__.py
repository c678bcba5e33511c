"""Healthy attention functions as short source files, one for each way of writing it, NumPy and PyTorch.

They are read as text: the planted faults are edits of them.
"""
