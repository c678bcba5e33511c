"""The concept map: a picture whose nodes are links, the same in words, and an anchor at each section."""

from docutils import nodes
from sphinx.transforms import SphinxTransform

from . import chapters
from .concept_picture import picture, strip
from .registry import Registry, read, section

__all__ = ["setup"]

FILE = "concepts.toml"
# Two drawings of one map, of which the page shows the one that fits: columns, and pixels for each.
DRAWINGS = {"wide": (6, 144), "narrow": (3, 120)}


class ConceptMap(Registry):
    """The picture, and each page's concepts in its order: what to learn before, what is related."""

    name_of_file = FILE

    def run(self):
        concepts = self.read()["concept"]
        known = {chapter.page: chapter for chapter in chapters.read(self.state.document.settings.env)}
        titles = {page: chapter.title for page, chapter in known.items()}
        names = {concept["id"]: concept["title"] for concept in concepts}

        def exercises(concept):
            return known[concept["page"]].exercises.get(concept["section"], ())

        html = "".join(
            f'<div class="att-map-{name}">{picture(concepts, *size, titles, address, exercises)}</div>'
            for name, size in DRAWINGS.items()
        )
        in_words = [
            words(page, titles[page], [c for c in concepts if c["page"] == page], names)
            for page in dict.fromkeys(concept["page"] for concept in concepts)
        ]
        return [nodes.raw("", html, format="html"), section("in-words", "The map in words", *in_words)]


class ConceptStrip(Registry):
    """The shape of the map, a link to it."""

    name_of_file = FILE

    def run(self):
        env = self.state.document.settings.env
        titles = {chapter.page: chapter.title for chapter in chapters.read(env)}
        picture_of_all = strip(self.read()["concept"], titles)
        html = f'<a class="att-strip-link" href="concept_map.html">{picture_of_all}</a>'
        return [nodes.raw("", html, format="html")]


class Anchors(SphinxTransform):
    """``#concept-<id>`` at the section that teaches a concept."""

    default_priority = 500  # before straight quotes are made typographic

    def apply(self, **kwargs):
        mine = [c for c in read(self.env, FILE)["concept"] if c["page"] == self.env.docname]
        by_title = {part[0].astext(): part for part in self.document.findall(nodes.section)}
        for concept in mine:
            by_title[concept["section"]]["ids"].append(f"concept-{concept['id']}")


def words(page, title, concepts, names):
    name = page.rpartition("/")[2]
    return section(f"concepts-{name}", title, nodes.bullet_list("", *(item(c, names) for c in concepts)))


def item(concept, names):
    title = nodes.reference("", concept["title"], internal=True, refuri=address(concept))
    parts = [nodes.paragraph("", "", nodes.strong("", "", title))]
    for label, key in (("Learn before", "learn_before"), ("Related", "related")):
        if concept[key]:
            others = nodes.paragraph("", f"{label}: ")
            for place, other in enumerate(concept[key]):
                others += nodes.Text(", " if place else "")
                others += nodes.reference("", names[other], internal=True, refuri=f"#concept-{other}")
            parts.append(others)
    return nodes.list_item("", *parts, ids=[f"concept-{concept['id']}"])


def address(concept):
    """Of the section that teaches a concept, as seen from a page of the same depth."""
    return f"../{concept['page']}.html#concept-{concept['id']}"


def load_files(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    if 'class="att-map"' in body or 'class="att-strip"' in body:
        app.add_css_file("concept_map.css")
    if 'class="att-map"' in body:
        app.add_js_file("concept_map.js", priority=600, defer="defer")


def setup(app):
    app.add_directive("concept-map", ConceptMap)
    app.add_directive("concept-strip", ConceptStrip)
    app.add_transform(Anchors)
    app.connect("html-page-context", load_files)
