"""Numbered equations with row breaks.

Sphinx wraps mathematics that has a row break in ``split``, where MathJax refuses ``\\tag``.
A tagged block goes out as it is, in ``equation*``, with an anchor for each number.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["setup"]


class TaggedEquations(SphinxPostTransform):
    default_priority = 400

    def run(self, **kwargs):
        for node in self.document.findall(nodes.math_block):
            source = node.astext()
            if "\\tag" in source and not node.get("nowrap"):
                node["nowrap"] = True
                node["ids"] += [f"equation-{number}" for number in re.findall(r"\\tag\{([\d.]+)\}", source)]
                node.children = [nodes.Text(f"\\begin{{equation*}}\n{source.strip()}\n\\end{{equation*}}")]


def setup(app):
    app.add_post_transform(TaggedEquations)
