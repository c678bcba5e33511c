"""The local Sphinx extension: what this book needs and Jupyter Book does not do.

One module a task; each has a ``setup(app)``.
"""

from . import accessible, api, architecture, concept_map, downloads, equations, figures, front, frontend
from . import gallery, glossary, indexes, launch, mathjax, offline, printing, progress, publish, search
from . import solved, tied

__all__ = ["setup"]


def setup(app):
    for part in (mathjax, frontend, figures, equations, launch, accessible, progress, api, architecture,
                 concept_map, glossary, front, indexes, solved, gallery, publish, search, printing, offline,
                 downloads, tied):
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
