"""Figures inlined, so that they follow the page's theme.

A stored SVG names itself for screen readers and holds the palette's light colours. On the
page each colour becomes its CSS variable.
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from companion.look import COLOURS

from .chapters import anchor

__all__ = ["setup"]

# "focus" repeats the query's colour: the first name for a colour wins.
NAMES = {}
for _name, (_light, _) in COLOURS.items():
    NAMES.setdefault(_light, _name)
CAPTION = re.compile(r"(?:Figure|Explorer) (?:\d+\.)?\d+")


def themed(svg):
    return re.sub("|".join(NAMES), lambda hit: f"var(--att-{NAMES[hit[0]]}, {hit[0]})", svg)


class InlineFigures(SphinxPostTransform):
    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        for node in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir) / node["uri"].lstrip("/")
            if path.suffix != ".svg" or "jupyter_execute" not in path.parts:
                continue
            svg = themed(path.read_text())
            node.replace_self(nodes.raw("", f'<div class="att-plate">{svg}</div>', format="html"))


class Captions(SphinxPostTransform):
    """A paragraph that starts in emphasis with "Figure" or "Explorer" and a number is a caption.

    It has an anchor.
    """

    default_priority = 400

    def run(self, **kwargs):
        for node in self.document.findall(nodes.paragraph):
            first = node.children[0] if node.children else None
            found = isinstance(first, nodes.emphasis) and CAPTION.match(first.astext())
            if found:
                node["classes"].append("att-caption")
                node["ids"].append(anchor(found[0]))


def setup(app):
    app.add_post_transform(InlineFigures)
    app.add_post_transform(Captions)
