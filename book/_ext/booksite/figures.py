"""Figures inlined, so that they follow the page's theme and stay readable on a narrow page.

A stored SVG names itself for screen readers and holds the palette's light colours. On the
page each colour becomes its CSS variable, and the plate around the drawing tells the style
sheet the width below which its text would be too small: there the plate scrolls sideways.
"""

import re
from math import ceil
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
# A line of text is a group that turns its glyphs the right way up; a script shrinks a glyph once more.
SCALE = re.compile(r"\) scale\(([\d.]+)( -[\d.]+)?\)")
EM = 100  # a glyph's outline is drawn on so many units
TEXT, SCRIPT = 11, 7.5  # pixels: what a letter, and one that stands as an index, must measure


def themed(svg):
    return re.sub("|".join(NAMES), lambda hit: f"var(--att-{NAMES[hit[0]]}, {hit[0]})", svg)


def least_width(svg):
    """Pixels: the width at which every letter of ``svg``, as matplotlib writes it, can be read."""
    wide, line, least = float(re.search(r'viewBox="0 0 (\S+)', svg)[1]), None, 0
    for scale, upright in SCALE.findall(svg):
        line = float(scale) * EM if upright else line
        size, wanted = (line, TEXT) if upright else (line * float(scale), SCRIPT)
        least = max(least, wide * wanted / size)
    return ceil(least)


class InlineFigures(SphinxPostTransform):
    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        label = ""  # of the caption, which stands behind its figure
        for node in reversed(list(self.document.findall(is_figure_or_caption))):
            if isinstance(node, nodes.paragraph):
                label = CAPTION.match(node.astext())[0]
                continue
            path = Path(self.env.srcdir) / node["uri"].lstrip("/")
            if path.suffix != ".svg" or "jupyter_execute" not in path.parts:
                continue
            node.replace_self(nodes.raw("", plate(path.read_text(), label), format="html"))


def is_figure_or_caption(node):
    caption = isinstance(node, nodes.paragraph) and "att-caption" in node["classes"]
    return caption or isinstance(node, nodes.image)


def plate(svg, label):
    least = f"--att-least: {least_width(svg)}px"
    return f'<div class="att-plate" role="figure" aria-label="{label}" style="{least}">{themed(svg)}</div>'


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
