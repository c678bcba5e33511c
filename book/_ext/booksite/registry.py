"""Two pages made from registries: the concept map in text form, and the glossary."""

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
        titles = {concept["id"]: concept["title"] for concept in concepts}
        pages = dict.fromkeys(concept["page"] for concept in concepts)
        return [page_section(page, [c for c in concepts if c["page"] == page], titles) for page in pages]


def page_section(page, concepts, titles):
    name = page.rpartition("/")[2]
    section = nodes.section("", ids=[f"concepts-{slug(name)}"], names=[f"concepts-{name}"])
    section += nodes.title("", "", link(page, None))
    section += nodes.bullet_list("", *(item(concept, titles) for concept in concepts))
    return section


def item(concept, titles):
    line = nodes.paragraph("", "", nodes.strong("", "", link(concept["page"], concept["title"], concept["section"])))
    parts = [line]
    for label, key in (("Learn before", "learn_before"), ("Related", "related")):
        if concept[key]:
            others = nodes.paragraph("", f"{label}: ")
            for place, other in enumerate(concept[key]):
                others += nodes.Text(", " if place else "")
                others += nodes.reference("", titles[other], internal=True, refuri=f"#concept-{other}")
            parts.append(others)
    return nodes.list_item("", *parts, ids=[f"concept-{concept['id']}"])


class Glossary(Registry):
    name_of_file = "glossary.toml"

    def run(self):
        terms = self.read()["terms"]
        entries = nodes.definition_list(classes=["att-glossary"])
        for term in sorted(terms, key=str.casefold):
            page, meaning = terms[term]
            told = nodes.paragraph("", f"{meaning} ", nodes.Text("("), link(page, None), nodes.Text(")"))
            entries += nodes.definition_list_item(
                "", nodes.term("", term, ids=[f"term-{slug(term)}"]), nodes.definition("", told)
            )
        return [entries]


def link(page, text, section=None):
    """A link to a page by its title, or to a section of it."""
    target = f"/{page}"
    if section:
        return nodes.reference("", text, internal=True, refuri=f"../{page}.html#{anchor(section)}")
    return addnodes.pending_xref(
        "", nodes.inline("", text or ""), refdomain="std", reftype="doc", refexplicit=bool(text), reftarget=target
    )


def anchor(section):
    """The id that docutils gives a heading."""
    return nodes.make_id(section)


def setup(app):
    app.add_directive("concept-map", ConceptMap)
    app.add_directive("glossary-terms", Glossary)
