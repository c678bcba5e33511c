"""The bug gallery: a page that the ``bug-gallery`` directive makes from the clinic's own planted faults."""

import re

from companion.clinic.gallery import exhibits
from companion.clinic.matrix import grid
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes

from .anchors import slug

__all__ = ["setup"]


class BugGallery(Directive):
    def run(self):
        env = self.state.document.settings.env
        shown = exhibits()
        return [*(bug(exhibit, env) for exhibit in shown), matrix(shown)]


def bug(exhibit, env):
    """One bug as a section: what is seen, the function, what the clinic says, the fix, where it was met."""
    pattern = labelled("Held to", nodes.literal(exhibit.pattern, exhibit.pattern))
    evidence = str(exhibit.found["numpy"].findings[0].evidence)
    return section(
        exhibit.name if exhibit.name.startswith("kv") else exhibit.name[0].upper() + exhibit.name[1:],
        labelled("Symptom", nodes.Text(exhibit.symptom)),
        pattern,
        code(exhibit.source["numpy"], "python"),
        labelled("Finding", nodes.Text(exhibit.name)),
        code(evidence, "text"),
        labelled("Cause", nodes.Text(exhibit.cause)),
        labelled("Fix", nodes.Text("lines with a minus go, lines with a plus come.")),
        code(exhibit.fix["numpy"], "diff"),
        labelled("In PyTorch", nodes.Text("the same fault, and its fix.")),
        code(exhibit.source["torch"], "python"),
        code(exhibit.fix["torch"], "diff"),
        labelled("Known from", nodes.reference("", exhibit.report, refuri=exhibit.address)),
        labelled("Chapter", chapter(exhibit.chapter, env)),
    )


def matrix(shown):
    """Each bug against each finding, NumPy and PyTorch forms."""
    forms = []
    for form, title in (("numpy", "NumPy"), ("torch", "PyTorch")):
        found = {exhibit.name: exhibit.found[form].names for exhibit in shown}
        forms += [
            labelled(title, nodes.Text("1 is the first finding, + a further one.")),
            code(grid(found), "text"),
        ]
    return section("Detection matrix", *forms)


def section(title, *parts):
    return nodes.section("", nodes.title(title, title), *parts, ids=[slug(title)], names=[title])


def labelled(label, *parts):
    return nodes.paragraph("", "", nodes.strong(label, label), nodes.Text(": "), *parts)


def code(text, language):
    return nodes.literal_block(text, text, language=language)


def chapter(name, env):
    """The chapter's name, a link where the book has the chapter."""
    number = int(name.split()[0])
    found = [doc for doc in env.found_docs if re.match(rf"notebooks/{number:02}_", doc)]
    if not found:
        return nodes.Text(name)
    return addnodes.pending_xref(
        "", nodes.inline(name, name), refdomain="std", reftype="doc", reftarget=f"/{found[0]}",
        refexplicit=True, refwarn=True, refdoc=env.docname,
    )  # fmt: skip


def setup(app):
    app.add_directive("bug-gallery", BugGallery)
