"""The interactive figures: one function a figure, in the page and in a notebook alike."""
