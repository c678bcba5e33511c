"""What the exercises draw and compute and ask to be written: ``chNN.py`` serves the bank of that chapter."""
