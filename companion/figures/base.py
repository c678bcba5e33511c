"""What every static figure shares: the house style, and SVG that can stand inside a page.

The bytes are the same on every run, so that a notebook's stored outputs can be compared.
"""

import io
import re
from contextlib import contextmanager
from html import escape
from pathlib import Path

import matplotlib.style
from matplotlib.figure import Figure as Canvas

from companion.look import COLOURS

__all__ = ["INK", "Figure", "canvas"]

#: The palette, light side only: the site swaps each of these for its CSS variable.
INK = {name: light for name, (light, _) in COLOURS.items()}
# The serif of the same family has the text's height; Computer Modern looks a size smaller beside it.
STYLE = [Path(__file__).parent.parent / "book.mplstyle", {"mathtext.fontset": "dejavuserif"}]
PIXELS_PER_POINT = 96 / 72
WIDEST = 7.0  # inches: 42 rem, the width of the page's column


class Figure:
    """A drawing and the sentence that says what it shows.

    ``name`` prefixes every id of the SVG, so that several figures can share a page;
    ``alt`` is the alternative text; ``svg`` the finished drawing.
    """

    def __init__(self, name: str, alt: str, drawing: Canvas):
        self.name = name
        self.alt = alt
        self.svg = inline_svg(drawing, name, alt)

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg, "text/plain": self.alt}


@contextmanager
def canvas(width: float, height: float):
    """A matplotlib figure of ``width`` by ``height`` inches, in the house style."""
    if not 0 < width <= WIDEST:
        raise ValueError(f"width must be above 0 and at most {WIDEST} inches, got {width}")
    with matplotlib.style.context(STYLE):
        yield Canvas(figsize=(width, height))


def inline_svg(drawing, name, alt):
    """The SVG of ``drawing``: no prolog, no style element, own ids, short numbers, palette colours."""
    buffer = io.StringIO()
    with matplotlib.style.context(STYLE):
        drawing.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*</defs>", "", text)
    text = own_ids(text, name)
    text = short(text)
    check_colours(text)
    opening, body = text.split(">", 1)
    width, height = re.search(r'viewBox="0 0 (\S+) (\S+)"', opening).groups()
    return f"{svg_opening(float(width), float(height), alt)}{body}"


def svg_opening(width, height, alt):
    # JupyterLab shows an SVG as an image, which cannot see the theme: the ground keeps it readable
    # there on dark. A page that swaps the colours can hide .att-ground.
    size = f'width="{width * PIXELS_PER_POINT:.0f}" height="{height * PIXELS_PER_POINT:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'class="att-figure" viewBox="0 0 {width:g} {height:g}" {size} role="img" aria-label="{escape(alt)}" '
        f'style="max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt">'
        f'<rect class="att-ground" width="100%" height="100%" fill="{INK["paper"]}"/>'
    )


def own_ids(text, name):
    """Drop the ids that nothing refers to and prefix the others."""
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", text)
    return re.sub(r'(href="#|url\(#)([^")]+)', rf"\g<1>{name}-\g<2>", text)


def short(text):
    """Coordinates to two decimals (a glyph's scale needs more), no space that says nothing."""
    text = re.sub(r"scale\([^)]*\)|-?\d+\.\d{3,}", rounded, text)
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r"> <", "><", text)
    return re.sub(r'[; ]+"', '"', text)


def rounded(match):
    if match[0].startswith("scale"):
        return match[0]
    return f"{round(float(match[0]), 2) + 0.0:g}"


def check_colours(text):
    colours = {c.lower() for c in re.findall(r"(?:fill|stroke)(?::\s*|=\")(#?\w+)", text)}
    strange = sorted(colours - set(INK.values()) - {"none", "url"})
    if strange:
        raise ValueError(f"colours must come from companion.look.COLOURS, got {', '.join(strange)}")
