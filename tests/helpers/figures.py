"""What every static figure must be to stand in a page."""

import re
from xml.etree import ElementTree

from companion.look import COLOURS

__all__ = ["faults"]

COLUMN = 672  # pixels: the width of the page's text
BYTES = 60_000
FOREIGN = ("<!", "<?", "<style", "<metadata", "rdf", "black", "white", "rgb(")


def faults(make):
    """What keeps the figure that ``make`` draws from standing in a page, in words."""
    figure, again = make(), make()
    root, ids = ElementTree.fromstring(figure.svg), re.findall(r' id="([^"]+)"', figure.svg)
    used = set(re.findall(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b", figure.svg))
    wanted = set(re.findall(r'(?:href="#|url\(#)([^")]+)', figure.svg))
    right = {
        "drawn twice, it differs": figure.svg == again.svg,
        "its label is not its alternative text": root.get("aria-label") == figure.alt,
        "its alternative text is not a sentence": figure.alt.endswith(".") and len(figure.alt) > 60,
        "its output is not drawing and text": figure._repr_mimebundle_()
        == {"image/svg+xml": figure.svg, "text/plain": figure.alt},
        "it does not fit the column": 300 < int(root.get("width")) <= COLUMN,
        "it is too large a file": len(figure.svg) < BYTES,
        "a colour has no dark partner": used <= {light for light, _ in COLOURS.values()},
        "it carries more than the drawing": not any(part in figure.svg for part in FOREIGN),
        "an id is there twice": len(ids) == len(set(ids)),
        "a reference leads nowhere": wanted <= set(ids),
        "an id could be another figure's": all(name.startswith(figure.name) for name in wanted),
    }
    return [fault for fault, fine in right.items() if not fine]
