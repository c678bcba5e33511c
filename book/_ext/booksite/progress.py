"""Where progress is shown: the page that a ``progress`` directive makes, and a line at each chapter's head."""

import re

from companion.exercises import frontend
from companion.exercises.bank import chapters, load
from docutils import nodes
from docutils.parsers.rst import Directive

__all__ = ["setup"]


class ProgressPage(nodes.General, nodes.Element):
    """Stands where the page's mount will be, until the addresses of all pages are known."""


class ProgressDirective(Directive):
    def run(self):
        return [ProgressPage()]


def chapter_of(docname):
    """``"ch01"`` for ``notebooks/01_the_weighted_sum``; None for a page without exercises."""
    found = re.fullmatch(r"notebooks/(\d\d)_\w+", docname)
    chapter = f"ch{found[1]}" if found else None
    return chapter if chapter in chapters() else None


def rows(app, page, docname):
    """One row for each exercise of the chapter ``docname``, with addresses as seen from ``page``."""
    address = "" if page == docname else app.builder.get_relative_uri(page, docname)
    title = app.env.titles[docname].astext()
    return [frontend.row(id, href=f"{address}#{id}", chapter=title) for id in load(chapter_of(docname))]


def place(app, doctree, docname):
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(ProgressPage)):
        documents = sorted(filter(chapter_of, app.env.titles))
        html = frontend.progress([row for document in documents for row in rows(app, docname, document)])
        node.replace_self(nodes.raw("", html, format="html"))
    if chapter_of(docname):
        title = next(doctree.findall(nodes.title))
        html = frontend.chapter_progress(rows(app, docname, docname))
        title.parent.insert(title.parent.index(title) + 1, nodes.raw("", html, format="html"))


def setup(app):
    app.add_node(ProgressPage)
    app.add_directive("progress", ProgressDirective)
    app.connect("doctree-resolved", place)
