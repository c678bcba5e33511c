"""The pages of the built site, by name."""

import json

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
