"""The API reference: rooms of the package, written from their docstrings.

``api`` documents the rooms that it names, through Sphinx's autodoc, and links each name to the section that
derives it and to the chapters that use it. ``api-rooms`` lists all of them on one page.
"""

import inspect
import re
from functools import cache
from importlib import import_module

from docutils import nodes
from docutils.statemachine import StringList
from numpy.typing import ArrayLike
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import stringify_annotation

from companion.frontend.mount import Mount

from .package import code_marked, rooms
from .registry import read, section
from .uses import uses

__all__ = ["setup"]

MARKED = re.compile(r"(?<![`:\w])`([^`\n]+)`(?!`)")
SPECIAL = ("__call__", "__len__")


@cache
def written():
    """The names that the reference documents, in full: ``companion.patterns.sinks``."""
    return [f"{door.name}.{name}" for room in rooms().values() for door in room.doors for name in door.public]


def known(name, names):
    """``name`` as the reference has it, or None: what a room's door passes on is written under the door."""
    room, own = name.split(".")[:2], name.rpartition(".")[2]
    fitting = [other for other in names if other.split(".")[:2] == room and other.rpartition(".")[2] == own]
    return name if name in names else fitting[0] if len(fitting) == 1 else None


class Reference(SphinxDirective):
    """``.. api:: reference layout``: one section for each room."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        every = written()
        self.used = {}
        for name, pages in uses(self.env).items():
            for page in pages if known(name, every) else ():
                self.used.setdefault(known(name, every), []).append(page)
        self.concepts = {concept["id"]: concept for concept in read(self.env, "concepts.toml")["concept"]}
        self.derived = read(self.env, "api.toml")["derived"]
        package = rooms()
        return [self.room(package[name]) for name in self.arguments[0].split()]

    def room(self, room):
        for file in room.files:
            self.env.note_dependency(str(file))
        title = f"companion.{room.name}"
        found = section(f"api-{room.name}", title, *self.parsed([f".. automodule:: {title}"]))
        for door in room.doors if room.name != "backends" else ():
            entries = [entry for name in door.public for entry in self.entry(door.name, name)]
            if door.name == title:
                found += entries
            else:
                head = self.parsed([f".. automodule:: {door.name}"])
                found += section(f"api-{door.name.removeprefix('companion.')}", door.name, *head, *entries)
        return found

    def entry(self, module, name):
        """One public name: signature, docstring, the chapters that it belongs to."""
        what = getattr(import_module(module), name)
        full = f"{module}.{name}"
        if inspect.isclass(what):
            # What a widget takes is the business of the function that makes it.
            signature = "(spec)" if issubclass(what, Mount) else ""
            options = (f"   :{option}: {value}" for option, value in members(what).items())
            lines = [f".. autoclass:: {full}{signature}", *options]
        else:
            lines = [f".. {'autofunction' if inspect.isroutine(what) else 'autodata'}:: {full}"]
        parts = self.parsed(lines)
        description = next(node for part in parts for node in part.findall(addnodes.desc))
        description[-1] += self.chapters(full)
        return parts

    def chapters(self, full):
        line = nodes.paragraph(classes=["att-api-chapters"])
        concept = self.derived.get(full.removeprefix("companion."))
        pages = self.used.get(full, [])
        if concept:
            concept = self.concepts[concept]
            address = f"../{concept['page']}.html#{nodes.make_id(concept['section'])}"
            line += [nodes.Text("Derived in "), page_link(concept["page"]), nodes.Text(", ")]
            line += [nodes.reference("", concept["section"], internal=True, refuri=address), nodes.Text(". ")]
            pages = [page for page in pages if page != concept["page"]]
        if pages:
            line += nodes.Text("Used in ")
            for place, page in enumerate(pages):
                line += [nodes.Text("; " if place else ""), page_link(page)]
            line += nodes.Text(".")
        return [line] if line.children else []

    def parsed(self, lines):
        place = nodes.Element()
        self.state.nested_parse(StringList(lines, source=self.env.doc2path(self.env.docname)), 0, place)
        return place.children


def members(what):
    """autodoc's options for a class: what it defines itself and documents."""
    kinds = (property, classmethod, staticmethod)
    own = {n: v for n, v in vars(what).items() if inspect.isfunction(v) or isinstance(v, kinds)}
    told = [n for n, v in own.items() if inspect.getdoc(v) and (n[0] != "_" or n in SPECIAL)]
    special = [name for name in told if name in SPECIAL]
    options = {"members": ", ".join(told), "special-members": ", ".join(special), "member-order": "bysource"}
    return {option: value for option, value in options.items() if value}


class Overview(SphinxDirective):
    """Each room with its first sentence and its public names, for the rooms that it names."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        package = rooms()
        return [nodes.definition_list("", *(item(package[name]) for name in self.arguments[0].split()))]


def item(room):
    """One room as an entry of the overview."""
    names = nodes.paragraph()
    for door in room.doors if room.name != "backends" else ():
        for name in door.public:
            names += nodes.Text(" · " if names.children else "")
            names += object_link("obj", f"{door.name}.{name}", name)
    term = nodes.term("", "", object_link("mod", f"companion.{room.name}", f"companion.{room.name}"))
    summary = nodes.paragraph("", "", *code_marked(room.summary))
    return nodes.definition_list_item("", term, nodes.definition("", summary, names))


def object_link(kind, target, text):
    return addnodes.pending_xref(
        "", nodes.literal(text, text), refdomain="py", reftype=kind, reftarget=target, refexplicit=True,
        refwarn=True,
    )  # fmt: skip


def page_link(page):
    """A link to a page by its title."""
    return addnodes.pending_xref(
        "", nodes.inline("", ""), refdomain="std", reftype="doc", refexplicit=False, reftarget=f"/{page}"
    )


def link_names(app, what, name, obj, options, lines):
    """In docstrings a name in single backticks is a link where the reference has it, and code everywhere."""
    every = written()
    if what == "data" and lines[:1] == (inspect.getdoc(type(obj)) or "").splitlines()[:1]:
        lines.clear()  # the docstring of its type says nothing of a constant

    def role(found):
        text = found[1].removesuffix("()")
        scopes = [name, name.rpartition(".")[0], ".".join(name.split(".")[:2])]
        for target in (*(f"{scope}.{text}" for scope in scopes), text):
            if target in every or (target.rpartition(".")[0] in every and is_member(target)):
                return f":py:obj:`{found[1]} <{target}>`"
        last = [other for other in every if other.endswith(f".{text}")]
        return f":py:obj:`{found[1]} <{last[0]}>`" if len(last) == 1 else f"``{found[1]}``"

    lines[:] = [MARKED.sub(role, line) for line in lines]


def is_member(target):
    """Whether the class of ``target`` documents it."""
    owner, own = target.rsplit(".", 1)
    module, of = owner.rsplit(".", 1)
    what = getattr(import_module(module), of)
    return inspect.isclass(what) and own in members(what).get("members", "").split(", ")


def name_types(app, what, name, obj, options, signature, returned):
    """A type that is a name for many is called by its name."""
    spelled = stringify_annotation(ArrayLike, "smart")
    return signature and signature.replace(spelled, "~numpy.typing.ArrayLike"), returned


def missing(app, env, node, contnode):
    """A type in a signature: linked where the reference has it, under its room's door; else as it stands."""
    if node["refdomain"] != "py":
        return None
    target = node["reftarget"]
    full = known(target, written()) if target.startswith("companion.") else None
    objects = env.get_domain("py").objects
    if full not in objects:
        return contnode
    place = objects[full]
    return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, contnode, full)


def setup(app):
    for extension in ("sphinx.ext.autodoc", "sphinx.ext.napoleon"):
        app.setup_extension(extension)
    app.add_directive("api", Reference)
    app.add_directive("api-rooms", Overview)
    app.connect("autodoc-process-docstring", link_names)
    app.connect("autodoc-process-signature", name_types)
    app.connect("missing-reference", missing)
