"""The pages of the built site, by name."""

import json
import re
from html import unescape

from helpers.project import ROOT

SITE = ROOT / "_build" / "html"


def pages():
    """Every page of the site that has content of its own."""
    listed = sorted(SITE.glob("book/*.html")) + sorted(SITE.glob("notebooks/*.html"))
    return [path.relative_to(SITE).as_posix() for path in listed]


def chapters():
    return [page for page in pages() if page.startswith("notebooks/")]


def notebook_cells(page):
    """The cells of the notebook behind a chapter's page."""
    return json.loads((ROOT / page.replace(".html", ".ipynb")).read_text())["cells"]


def words(html):
    """The text of some HTML, with straight quotes and one space between words."""
    text = unescape(re.sub(r"<[^>]+>", "", html)).translate(str.maketrans("‘’“”", "''\"\""))
    return " ".join(text.split())


def heading_at(page, anchor):
    """The heading of the section that bears ``anchor`` on a page; None where there is no such anchor."""
    html = (SITE / page).read_text()
    found = re.search(rf'id="{re.escape(anchor)}".*?<h\d>(.*?)<a class="headerlink"', html, re.S)
    return found and words(found[1])
