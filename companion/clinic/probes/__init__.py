"""The parts of an examination that are more than comparing outputs, one file for each kind of evidence.

A probe takes a `companion.clinic.exam.Exam`, adds findings to it, and returns how many cases it tried
and what came of them in words.
"""
