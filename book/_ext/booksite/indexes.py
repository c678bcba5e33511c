"""Pages made from what the book holds: its figures, its exercises, its results and where each is tested."""

import importlib
import inspect
import re
from typing import get_type_hints

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from companion.exercises.bank import find

from . import chapters
from .registry import Registry, section
from .solved import marked

__all__ = ["setup"]

KINDS = {
    "choice": "one choice",
    "choices": "several choices",
    "number": "a number",
    "vector": "a vector",
    "tokens": "pick tokens",
    "terms": "pick terms",
    "order": "put in order",
    "explain": "explain",
    "code": "code, in a notebook",
}


class Index(Directive):
    """A directive that makes a section for each chapter that has something to list."""

    def run(self):
        found = [(chapter, self.parts(chapter)) for chapter in self.chapters()]
        return [
            section(f"chapter-{chapter.page.rpartition('/')[2]}", chapter.title, *parts)
            for chapter, parts in found
            if parts
        ]

    def chapters(self):
        return chapters.read(self.state.document.settings.env)

    def parts(self, chapter):
        raise NotImplementedError

    def prose(self, text):
        """The inline nodes of a text as the chapters write it, maths and code included."""
        holder = nodes.paragraph()
        self.state.nested_parse(StringList([text], source="index"), 0, holder)
        return holder[0].children


class Figures(Index):
    """The number of each figure and explorer, and what it is."""

    def parts(self, chapter):
        items = [
            nodes.list_item(
                "",
                nodes.paragraph(
                    "",
                    "",
                    place(chapter, chapters.anchor(caption.label), caption.label),
                    nodes.Text(". "),
                    *self.prose(first_sentence(explorer(caption) or caption.text)),
                ),
            )
            for caption in chapter.captions
        ]
        return [nodes.bullet_list("", *items)] if items else []


class Exercises(Index):
    """The exercises of each chapter, the easiest first."""

    HEAD = ("exercise", "kind", "difficulty", "minutes", "solved")

    def parts(self, chapter):
        specs = sorted(map(find, chapter.all_exercises), key=lambda spec: spec.difficulty)
        return [table(self.HEAD, [self.row(chapter, spec) for spec in specs])] if specs else []

    def row(self, chapter, spec):
        mark = f'<span class="att-solved"{marked([spec.id])}></span>'
        return (
            [place(chapter, spec.id, spec.title)],
            [nodes.Text(KINDS[spec.kind])],
            [nodes.Text(str(spec.difficulty))],
            [nodes.Text(f"{spec.minutes:g}")],
            [nodes.raw("", mark, format="html")],
        )


class Results(Registry, Index):
    """What each chapter shows, where it stands, and the tests that hold it."""

    name_of_file = "results.toml"

    def parts(self, chapter):
        rows = [row for row in self.read()["result"] if row["page"] == chapter.page]
        items = [nodes.list_item("", *self.entry(chapter, row)) for row in rows]
        return [nodes.bullet_list("", *items)] if items else []

    def entry(self, chapter, row):
        if "equation" in row:
            where = place(chapter, f"equation-{row['equation']}", f"({row['equation']})")
        else:
            where = place(chapter, nodes.make_id(row["section"]), row["section"])
        told = nodes.paragraph("", "", *self.prose(row["result"]), nodes.Text(" "), where)
        tests = nodes.paragraph("", "Tested by ", classes=["att-tests"])
        for test in row["tests"]:
            tests += [nodes.literal("", test), nodes.Text(" ")]
        return [told, tests]


def place(chapter, anchor, words):
    address = f"../{chapter.page}.html#{anchor}"
    return nodes.reference("", words, internal=True, refuri=address)


def explorer(caption):
    """What an explorer is, in the words of its class; None for a figure. Its caption says what to try."""
    if caption.explorer is None:
        return None
    name = caption.explorer.removeprefix("explorer-").replace("-", "_")
    make = getattr(importlib.import_module(f"companion.explorers.{name}"), name)
    return inspect.getdoc(get_type_hints(make)["return"])


def first_sentence(text):
    """Up to the first full stop or question mark that ends a sentence."""
    return re.match(r".*?[.?](?=\s|$)", text)[0]


def table(head, rows):
    """A table whose cells are lists of inline nodes."""

    def line(cells):
        return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))

    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", line([[nodes.Text(name)] for name in head]))
    group += nodes.tbody("", *map(line, rows))
    return nodes.table("", group)


def setup(app):
    app.add_directive("figure-index", Figures)
    app.add_directive("exercise-index", Exercises)
    app.add_directive("result-index", Results)
