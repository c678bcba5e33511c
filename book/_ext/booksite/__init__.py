"""The local Sphinx extension: what this book needs and Jupyter Book does not do.

One module a task; each has a ``setup(app)``.
"""

from . import accessible, equations, figures, frontend, gallery, launch, mathjax, progress, registry

__all__ = ["setup"]


def setup(app):
    for part in (mathjax, frontend, figures, equations, launch, accessible, progress, registry, gallery):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
