"""Directives that read a registry of the book."""

import tomllib
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

__all__ = ["Registry", "read", "section"]


class Registry(Directive):
    """A directive that reads ``book/<name>.toml`` and writes the page again when that changes."""

    name_of_file = ""

    def read(self):
        return read(self.state.document.settings.env, self.name_of_file)


def read(env, name):
    """A registry, on whose changes the page that is being read depends."""
    path = Path(env.srcdir) / "book" / name
    env.note_dependency(str(path))
    return tomllib.loads(path.read_text())


def section(id, title, *parts):
    return nodes.section("", nodes.title("", title), *parts, ids=[id], names=[id])
