"""Search that knows symbols, names in code and both spellings of English.

Sphinx cuts text and query into words, in Python and in JavaScript. Here both cut alike: a Greek letter is
its name, a prime is a word, and American spelling becomes the book's British. The index also holds the parts
of names in code: ``sliding_window`` is found by ``window``. Glossary terms and symbols are listed by name.
"""

import json
import re
import tomllib
import unicodedata
from pathlib import Path

from docutils import nodes
from sphinx.domains import Domain, ObjType
from sphinx.search.en import SearchEnglish

from .anchors import slug

__all__ = ["setup"]

GREEK = {
    chr(code): unicodedata.name(chr(code)).split()[-1].lower().replace("lamda", "lambda")
    for code in range(ord("α"), ord("ω") + 1)
    if chr(code) != "ς"
} | {"ϕ": "phi", "ϵ": "epsilon"}
# Word by word, American to British; "size" and "prize" keep their z.
SPELLING = {
    r"^(\w{3,})iz(e[drs]?|ing|able|ations?)$": r"$1is$2",
    r"^(behavi|col|fav|neighb)or": r"$1our",
    r"^center": "centre",
    r"^label(ed|ing)$": r"labell$1",
}
# One letter, or a Greek letter's name, and a prime: not the apostrophe of a word.
PRIME = rf"(\b[a-z]|[α-ω]|{'|'.join(GREEK.values())})['’′](?![a-z])"

SPLITTER = """
function splitQuery(query) {
  const greek = %s;
  const spelling = %s;
  return query.toLowerCase()
    .replace(/%s/gu, "$1 prime ")
    .replace(/[α-ωϕϵ]/gu, (letter) => ` ${greek[letter] ?? letter} `)
    .split(/[^\\p{Letter}\\p{Number}_]+/u)
    .map((word) => word.replace(/^_+|_+$/g, ""))
    .filter((word) => word)
    .map((word) => spelling.reduce((known, [from, to]) => known.replace(new RegExp(from), to), word));
}
"""


def words(text):
    """The words of a text as the query's splitter would give them; a bold ``q_i`` in TeX is ``q_i``."""
    text = re.sub(r"\\(?:mathbf|mathrm|hat)\{(\w+)\}", r"\1", text.lower())
    text = re.sub(PRIME, r"\1 prime ", text)
    text = re.sub("[α-ωϕϵ]", lambda letter: f" {GREEK.get(letter[0], letter[0])} ", text)
    return [british(word) for word in (word.strip("_") for word in re.findall(r"\w+", text)) if word]


def british(word):
    for american, ours in SPELLING.items():
        word = re.sub(american, re.sub(r"\$(\d)", r"\\\1", ours), word)
    return word


class Language(SearchEnglish):
    js_splitter_code = SPLITTER % (
        json.dumps(GREEK, ensure_ascii=False),
        json.dumps(list(SPELLING.items())),
        PRIME,
    )  # fmt: skip

    def split(self, text):
        found = words(text)
        return found + [part for word in found if "_" in word for part in word.split("_") if part]


class Book(Domain):
    """The glossary's terms and the notation's symbols, as things that search lists by name."""

    name = "book"
    label = "Book"
    object_types = {"term": ObjType("term"), "symbol": ObjType("symbol")}
    initial_data = {"terms": [], "symbols": []}

    def get_type_name(self, type, primary=False):
        return type.lname

    def clear_doc(self, docname):
        for kind, page in PAGES.items():
            if docname == page:
                self.data[kind] = []

    def merge_domaindata(self, docnames, otherdata):
        for kind, page in PAGES.items():
            if page in docnames:
                self.data[kind] = otherdata[kind]

    def get_objects(self):
        for kind, page in PAGES.items():
            for name, anchor in self.data[kind]:
                yield name, name, kind.rstrip("s"), page, anchor, 1


PAGES = {"terms": "book/glossary", "symbols": "book/notation"}


def collect(app, doctree):
    found = app.env.get_domain("book").data
    if app.env.docname == PAGES["terms"]:
        terms = tomllib.loads((Path(app.srcdir) / "book" / "glossary.toml").read_text())["terms"]
        found["terms"] = [(term, f"term-{slug(term)}") for term in sorted(terms)]
    if app.env.docname == PAGES["symbols"]:
        found["symbols"] = list(symbols(doctree))


def symbols(doctree):
    """Each symbol of the notation page's tables, once, its cell made an anchor."""
    seen = set()
    for row in doctree.findall(nodes.row):
        cell = next(row.findall(nodes.entry))
        for node in cell.findall(lambda node: isinstance(node, nodes.math | nodes.literal)):
            name = plain(node.astext())
            if name not in seen:
                anchor = f"symbol-{slug(name)}"
                cell["ids"].append(anchor)
                seen.add(name)
                yield name, anchor


def plain(text):
    """A symbol as one types it, with the names of its Greek letters: ``α'_{i,j} (alpha prime)``."""
    for letter, name in GREEK.items():
        text = re.sub(rf"\\(?:var)?{name}(?![a-zA-Z])", letter, text)
    for name, sign in SIGNS.items():
        text = re.sub(rf"\\{name}(?![a-zA-Z])\s*", sign, text)
    text = re.sub(r"\\(?:mathbf|mathrm)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\{(\w)\}", r"\1", text).replace("\\,", "")
    text = re.sub(r"\\([{}])", r"\1", text).strip()
    spoken = " ".join(word for word in words(text) if word in GREEK.values() or word == "prime")
    return f"{text} ({spoken})" if spoken and not text.isascii() else text


SIGNS = {"le": "≤", "lVert": "‖", "rVert": "‖", "oplus": "⊕", "dots": "…", "hat": ""}


def setup(app):
    app.add_search_language(Language)
    app.add_domain(Book)
    app.connect("doctree-read", collect)
