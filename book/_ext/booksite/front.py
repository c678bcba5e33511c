"""What the front page is made of: an explorer without a notebook, and the book's plan from its contents."""

import importlib
from pathlib import Path

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive

from companion.frontend.mount import html

from . import chapters

__all__ = ["setup"]


class Explorer(Directive):
    """An explorer as it starts: the HTML that a notebook stores of it."""

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        make = getattr(importlib.import_module(f"companion.explorers.{name}"), name)
        widget = make()
        return [nodes.raw("", html(widget.kind, widget.spec, widget.fallback()), format="html")]


class Plan(Directive):
    """The parts of the book, each chapter a link."""

    def run(self):
        env = self.state.document.settings.env
        contents = Path(env.srcdir) / "_toc.yml"
        env.note_dependency(str(contents))
        titles = {chapter.page: chapter.title for chapter in chapters.read(env)}
        plan = nodes.definition_list(classes=["att-plan"])
        for part in yaml.safe_load(contents.read_text())["parts"]:
            pages = [entry["file"] for entry in part["chapters"] if entry["file"] in titles]
            if pages:
                listed = nodes.paragraph("", "", *join([link(page, titles[page]) for page in pages]))
                term = nodes.term("", part["caption"])
                plan += nodes.definition_list_item("", term, nodes.definition("", listed))
        return [plan]


def join(links):
    """Links with a dot between them."""
    return [node for link in links for node in (nodes.Text(" · "), link)][1:]


def link(page, title):
    return nodes.reference("", title, internal=True, refuri=f"../{page}.html")


def setup(app):
    app.add_directive("explorer", Explorer)
    app.add_directive("plan", Plan)
