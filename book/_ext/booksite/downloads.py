"""The ``downloads`` directive: the book as one PDF, and as a zip, each shown only where the file is.

``make pdf`` and ``make offline`` make the files from the built site, and show the link on the page
that stands already.
"""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

__all__ = ["setup"]

FILES = {
    "attention-token-by-token.pdf": "the whole book as one PDF, with room to write and the solutions at the end",
    "attention-token-by-token.zip": "this site in a folder: open <code>index.html</code>, no network needed",
}


class DownloadsList(nodes.General, nodes.Element):
    """Stands where the list will be: which files there are is asked when the page is written."""


class Downloads(Directive):
    def run(self):
        return [DownloadsList()]


def place(app, doctree, docname):
    for node in list(doctree.findall(DownloadsList)):
        items = "".join(item(app, docname, name) for name in FILES)
        node.replace_self(nodes.raw("", f'<ul class="att-downloads">{items}</ul>', format="html"))


def item(app, docname, name):
    """A link that leads somewhere, or a hidden line without one."""
    root = "../" * docname.count("/")
    there = (Path(app.outdir) / name).exists()
    hidden, link = ("", f' href="{root}{name}" download') if there else (" hidden", "")
    return f'<li data-download="{name}"{hidden}><a{link}>{name}</a>: {FILES[name]}.</li>'


def setup(app):
    app.add_node(DownloadsList)
    app.add_directive("downloads", Downloads)
    app.connect("doctree-resolved", place)
