"""Heading anchors as JupyterLab makes them: ``By-NumPy``, not ``by-numpy``."""

__all__ = ["slug"]


def slug(title):
    return title.strip().replace(" ", "-")
