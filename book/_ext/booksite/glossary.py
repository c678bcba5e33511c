"""The glossary page, and the links to it: in each chapter a term is one where it is used first."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from . import chapters
from .anchors import slug
from .registry import Registry, read

__all__ = ["setup"]

FILE = "glossary.toml"
# Where no link is put: headings, code, maths, outputs, and other links.
CLOSED = (
    nodes.title, nodes.literal, nodes.FixedTextElement, nodes.math, nodes.math_block, nodes.raw,
    nodes.reference, addnodes.pending_xref, nodes.Invisible, nodes.image,
)  # fmt: skip


class Glossary(Registry):
    """Every term with its meaning and a link to the place that introduces it."""

    name_of_file = FILE

    def run(self):
        terms = self.read()["terms"]
        titles = {chapter.page: chapter.title for chapter in chapters.read(self.state.document.settings.env)}
        entries = nodes.definition_list(classes=["att-glossary"])
        for term in sorted(terms, key=str.casefold):
            page, meaning = terms[term]
            anchor = f"term-{slug(term)}"
            place = nodes.reference("", titles[page], internal=True, refuri=f"../{page}.html#{anchor}")
            told = nodes.paragraph("", "", nodes.Text(f"{meaning} Introduced in "), place, nodes.Text("."))
            head, body = nodes.term("", term, ids=[anchor]), nodes.definition("", told)
            entries += nodes.definition_list_item("", head, body)
        return [entries]


class Links(SphinxTransform):
    """Links a chapter's terms to the glossary, and anchors those that it introduces.

    A term counts from the chapter that introduces it. Where a word is also an everyday one, listed as
    ``everyday`` in the registry, it is linked in that chapter only.
    """

    default_priority = 500  # before straight quotes are made typographic

    def apply(self, **kwargs):
        page = self.env.docname
        order = chapters.order(self.env)
        if page not in order:
            return
        registry = read(self.env, FILE)
        known = order[: order.index(page) + 1]
        terms = {
            term: home
            for term, (home, _) in registry["terms"].items()
            if home == page or home in known and term not in registry["everyday"]
        }
        self.anchor([term for term, home in terms.items() if home == page])
        self.link(terms)

    def anchor(self, terms):
        """The first words in bold that hold a term are its definition."""
        bold = list(self.document.findall(nodes.strong))
        for term in terms:
            place = next((node for node in bold if term.lower() in node.astext().lower()), None)
            if place is not None:
                place["ids"].append(f"term-{slug(term)}")

    def link(self, terms):
        left = {plural(term): term for term in terms} | {term.lower(): term for term in terms}
        # A longer term wins over one that it holds.
        spelled = "|".join(re.escape(form) for form in sorted(left, key=len, reverse=True))
        word = re.compile(rf"(?<![\w-])(?:{spelled})(?![\w-])", re.I)
        done = set()
        for text in [node for node in self.document.findall(nodes.Text) if is_open(node)]:
            pieces, end = [], 0
            for hit in word.finditer(text):
                term = left[hit[0].lower()]
                if term not in done:
                    done.add(term)
                    pieces += [nodes.Text(text[end : hit.start()]), link(term, hit[0])]
                    end = hit.end()
            if pieces:
                text.parent.replace(text, [*pieces, nodes.Text(text[end:])])


def plural(term):
    return re.sub(r"([^aeiou])ys$", r"\1ies", f"{term.lower()}s")


def is_open(node):
    while node is not None:
        if isinstance(node, CLOSED) or "cell_output" in getattr(node, "attributes", {}).get("classes", ()):
            return False
        node = node.parent
    return True


def link(term, words):
    address = f"../book/glossary.html#term-{slug(term)}"
    return nodes.reference("", words, internal=True, refuri=address, classes=["att-term-link"])


def setup(app):
    app.add_directive("glossary-terms", Glossary)
    app.add_transform(Links)
