"""Two pages made from registries: the concept map in text form, and the glossary."""

import json
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes

from .anchors import slug

__all__ = ["setup"]


class Registry(Directive):
    """A directive that reads ``book/<name>.toml`` and writes the page again when that changes."""

    name_of_file = ""

    def read(self):
        env = self.state.document.settings.env
        path = Path(env.srcdir) / "book" / self.name_of_file
        env.note_dependency(str(path))
        return tomllib.loads(path.read_text())


class ConceptMap(Registry):
    """Each page's concepts in its order: what to learn before, what is related."""

    name_of_file = "concepts.toml"

    def run(self):
        concepts = self.read()["concept"]
        names = {concept["id"]: concept["title"] for concept in concepts}
        source = Path(self.state.document.settings.env.srcdir)
        pages = dict.fromkeys(concept["page"] for concept in concepts)
        return [
            page_section(page, heading(source / f"{page}.ipynb"), [c for c in concepts if c["page"] == page], names)
            for page in pages
        ]


def heading(notebook):
    """The title of a chapter: the first line of its first cell."""
    first = json.loads(notebook.read_text())["cells"][0]["source"]
    return "".join(first).splitlines()[0].removeprefix("# ")


def page_section(page, title, concepts, names):
    name = page.rpartition("/")[2]
    section = nodes.section("", ids=[f"concepts-{slug(name)}"], names=[f"concepts-{name}"])
    section += nodes.title("", title)
    section += nodes.bullet_list("", *(item(concept, names) for concept in concepts))
    return section


def item(concept, names):
    line = nodes.paragraph("", "", nodes.strong("", "", section_link(concept)))
    parts = [line]
    for label, key in (("Learn before", "learn_before"), ("Related", "related")):
        if concept[key]:
            others = nodes.paragraph("", f"{label}: ")
            for place, other in enumerate(concept[key]):
                others += nodes.Text(", " if place else "")
                others += nodes.reference("", names[other], internal=True, refuri=f"#concept-{other}")
            parts.append(others)
    return nodes.list_item("", *parts, ids=[f"concept-{concept['id']}"])


class Glossary(Registry):
    name_of_file = "glossary.toml"

    def run(self):
        terms = self.read()["terms"]
        entries = nodes.definition_list(classes=["att-glossary"])
        for term in sorted(terms, key=str.casefold):
            page, meaning = terms[term]
            told = nodes.paragraph("", f"{meaning} ", nodes.Text("("), page_link(page), nodes.Text(")"))
            entries += nodes.definition_list_item(
                "", nodes.term("", term, ids=[f"term-{slug(term)}"]), nodes.definition("", told)
            )
        return [entries]


def section_link(concept):
    """A link to the section that teaches a concept, by the id that docutils gives its heading."""
    address = f"../{concept['page']}.html#{nodes.make_id(concept['section'])}"
    return nodes.reference("", concept["title"], internal=True, refuri=address)


def page_link(page):
    """A link to a page by its title."""
    return addnodes.pending_xref(
        "", nodes.inline("", ""), refdomain="std", reftype="doc", refexplicit=False, reftarget=f"/{page}"
    )


def setup(app):
    app.add_directive("concept-map", ConceptMap)
    app.add_directive("glossary-terms", Glossary)
