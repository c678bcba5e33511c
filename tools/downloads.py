"""The front page's links to files that may or may not be there: shown only where the file is.

The page is written before the files are made from it, so the tools that make them show the link.
"""

import re

__all__ = ["PDF", "ZIP", "offer", "offered"]

PDF = "attention-token-by-token.pdf"
ZIP = "attention-token-by-token.zip"
ITEM = re.compile(r'<li data-download="([\w.-]+)"[^>]*><a[^>]*>')


def offered(html, present):
    """The front page ``html`` with a link to each file that is among ``present``, the others hidden."""

    def item(found):
        name = found[1]
        if name in present:
            return f'<li data-download="{name}"><a href="../{name}" download>'
        return f'<li data-download="{name}" hidden><a>'

    return ITEM.sub(item, html)


def offer(site):
    """Bring the front page of a built site up to date with the files beside it."""
    front = site / "book" / "intro.html"
    present = {name for name in (PDF, ZIP) if (site / name).exists()}
    front.write_text(offered(front.read_text(), present))
