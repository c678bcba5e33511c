"""A formula in a line of text and the punctuation that touches it stay on one line.

A browser may break a line on both sides of a formula, even before a comma.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

__all__ = ["setup"]

OPENING, CLOSING = re.compile(r"[(\[“‘]+$"), re.compile(r"^[.,;:!?)\]’”-]+")


class TiedFormulas(SphinxPostTransform):
    default_priority = 400
    formats = ("html",)

    def run(self, **kwargs):
        for formula in list(self.document.findall(nodes.math)):
            around = formula.parent
            before = cut(around, around.index(formula) - 1, OPENING)
            place = around.index(formula)
            after = cut(around, place + 1, CLOSING)
            if before or after:
                tied = nodes.inline("", "", *before, formula.deepcopy(), *after, classes=["att-tied"])
                around[place - len(before) : place + 1 + len(after)] = [tied]


def cut(around, place, wanted):
    """Make the ``wanted`` punctuation of the text at ``place`` a text of its own; a copy of it, in a list."""
    text = around[place] if 0 <= place < len(around) else None
    found = wanted.search(text) if isinstance(text, nodes.Text) else None
    if not found:
        return []
    parts = text[: found.start()], found[0], text[found.end() :]
    around[place : place + 1] = [nodes.Text(part) for part in parts if part]
    return [nodes.Text(found[0])]


def setup(app):
    app.add_post_transform(TiedFormulas)
