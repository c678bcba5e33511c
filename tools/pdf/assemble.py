"""All pages of the built site as one: title page, contents, the pages in the book's order, solutions.

The exercises' mounts stay as they are: the site's own script brings them to life, and the print style
sheet leaves room to write. Solutions are unsealed from the mounts and set at the end.
"""

import json
import os
from base64 import b64decode
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup

__all__ = ["assemble", "parts"]

# Pages that say something about the reader, not about attention.
LEFT_OUT = {"book/progress"}
PAPER = Path(__file__).with_name("paper.css").read_text()
SHELL = """<!DOCTYPE html><html lang="en" data-content_root="./" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><title>{title}</title>{head}<style>{paper}</style></head>
<body><main class="bd-main"><div class="bd-content"><div class="bd-article-container">
<article class="bd-article">
<section class="att-title-page"><h1>{title}</h1><p>{author}</p></section>
<nav class="att-contents" aria-label="Contents"><h1>Contents</h1>{contents}</nav>
{pages}
{solutions}
</article></div></div></main></body></html>"""


def parts(toc):
    """``[(caption or None, [page, ...]), ...]`` of a table of contents, without pages that are left out."""
    listed = [(None, [toc["root"]])]
    listed += [(part.get("caption"), list(files(part["chapters"]))) for part in toc["parts"]]
    return [(caption, [page for page in pages if page not in LEFT_OUT]) for caption, pages in listed]


def files(entries):
    """Each entry's page, and those of the sections below it."""
    for entry in entries:
        yield entry["file"]
        yield from files(entry.get("sections", ()))


def assemble(site, toc, title, author):
    """The HTML of the whole book, to be written into ``site``, a built folder, and printed from there."""
    soups = {
        page: BeautifulSoup((site / f"{page}.html").read_text(), "html.parser")
        for _, pages in parts(toc)
        for page in pages
    }
    exercises = [spec for soup in soups.values() for spec in mounted(soup)]
    names = {spec["id"] for spec in exercises}
    head = dict.fromkeys(tag for page, soup in soups.items() for tag in loaded(page, soup))
    chapters = {page: chapter(page, soup, soups, names) for page, soup in soups.items()}
    return SHELL.format(
        title=escape(title),
        author=escape(author),
        head="\n".join(head),
        paper=PAPER,
        contents=contents(parts(toc), chapters),
        pages="\n".join(str(section) for section in chapters.values()),
        solutions=solutions(exercises),
    )


def mounted(soup):
    """The exercises' specs in the order of a page, with ``card``, the sealed part, opened."""
    for script in soup.select('article [data-mount="exercise"] > script'):
        spec = json.loads(script.string)
        card = json.loads(json.loads(b64decode(spec["sealed"]))["card"])
        yield {**spec, "card": card}


def loaded(page, soup):
    """The style sheets and scripts of a page that paper needs, addressed from the site's root."""
    for tag in soup.select('link[rel="stylesheet"], script'):
        address = tag.get("href") or tag.get("src") or ""
        if tag.name == "link" or "attention.js" in address or "explorer-" in address or "mathjax" in address:
            tag["href" if tag.name == "link" else "src"] = from_root(page, address)
            tag.attrs.pop("media", None)
            yield str(tag)
        elif "MathJax" in (tag.string or ""):
            yield str(tag)


def chapter(page, soup, soups, exercises):
    """The article of a page as a section: ids are prefixed by the page, links lead inside the book."""
    section = soup.select_one("article.bd-article").extract()
    for gone in section.select('[data-mount="chapter-progress"], .headerlink, .att-downloads'):
        gone.decompose()
    for element in section.select("[id]"):
        if not element.find_parent("svg"):
            element["id"] = anchor(page, element["id"])
    for link in section.select("a[href]"):
        target = inside(page, link["href"], soups, exercises)
        if target:
            link["href"] = target
        else:
            link.unwrap()
    for picture in section.select("img[src]"):
        picture["src"] = from_root(page, picture["src"])
    section.name = "section"
    section["class"], section["id"] = ["att-page-of-site"], anchor(page)
    return section


def anchor(page, id=""):
    name = page.rpartition("/")[2]
    return f"{name}.{id}" if id else name


def from_root(page, address):
    """An address on ``page``, a name without suffix, as seen from the site's root."""
    if urlsplit(address).scheme or not address:
        return address
    return os.path.normpath(PurePosixPath(page).parent / address)


def inside(page, address, soups, exercises):
    """Where a link of ``page`` leads in the one document; None where its page is left out.

    An address outside the book stays.
    """
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return address
    fragment = unquote(parts.fragment)
    if fragment in exercises:
        return f"#{fragment}"
    target = from_root(page, unquote(parts.path)).removesuffix(".html") if parts.path else page
    return f"#{anchor(target, fragment)}" if target in soups else None


def contents(listed, chapters):
    """Parts, chapters and their sections, each with a place for its page number."""
    lines = []
    for caption, pages in listed:
        if caption:
            lines.append(f'<p class="att-part">{escape(caption)}</p>')
        for page in pages:
            lines.append(entry(1, anchor(page), heading(chapters[page].h1)))
            for title in chapters[page].select("h2"):
                # A section may begin at the foot of a page whose heading went to the next.
                title["id"] = f"{title.find_parent('section')['id']}.title"
                lines.append(entry(2, title["id"], heading(title)))
    lines.append(entry(1, "solutions", "Solutions"))
    return "\n".join(lines)


def entry(level, target, title):
    return f'<a class="att-level-{level}" href="#{escape(target)}"><span>{title}</span>{place(target)}</a>'


def place(target):
    """Where the number of the target's page is written once it is known."""
    return f'<span class="att-number" data-target="{escape(target)}"></span>'


def heading(title):
    """The inner HTML of a heading: maths stays maths."""
    return title.decode_contents().strip()


def solutions(exercises):
    """Each exercise's worked solution under its number, with the page that it stands on."""
    count, lines = {}, []
    for spec in exercises:
        chapter = spec["id"].partition("-")[0]
        count[chapter] = count.get(chapter, 0) + 1
        if count[chapter] == 1:
            lines.append(f"<h2>Chapter {int(chapter[2:])}</h2>")
        number = f"{int(chapter[2:])}.{count[chapter]}"
        code = spec["card"].get("code")
        lines.append(
            f'<div class="att-worked" id="solution-{spec["id"]}" data-number="{number}">'
            f'<p><a href="#{spec["id"]}"><strong>Exercise {number}</strong> {spec["title"]}, '
            f"page {place(spec['id'])}</a></p>{spec['card']['solution']}"
            + (f"<pre><code>{escape(code)}</code></pre>" if code else "")
            + "</div>"
        )
    return f'<section class="att-solutions" id="solutions"><h1>Solutions</h1>{"".join(lines)}</section>'


def book(site, root):
    """`assemble` with the settings of the project at ``root``."""
    settings = yaml.safe_load((root / "_config.yml").read_text())
    toc = yaml.safe_load((root / "_toc.yml").read_text())
    return assemble(site, toc, settings["title"], settings["author"])
