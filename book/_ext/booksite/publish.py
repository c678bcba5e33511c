"""What a published site needs beyond its pages: descriptions, a preview card, a map, a page for lost readers.

Canonical links, the preview's picture, the map and robots.txt name full addresses, so they are
made only where the site's own address is known: from BOOK_SITE_URL, else from a repository on GitHub.
"""

import os
import re
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes

from .launch import address

__all__ = ["setup"]

CARD = "social-card.png"
LONGEST = 200


def site_address(srcdir):
    """The site's https address with a slash at its end, or None where it is not known."""
    url = os.environ.get("BOOK_SITE_URL")
    if url is None:
        found = re.fullmatch(r"https://github\.com/([\w.-]+)/([\w.-]+)", address(srcdir) or "")
        if not found:
            return None
        host, name = f"{found[1].lower()}.github.io", found[2]
        url = f"https://{host}" if name.lower() == host else f"https://{host}/{name}"
    elif not re.fullmatch(r"https?://[\w.:-]+(/[\w./~-]*)?", url):
        raise ValueError(f"BOOK_SITE_URL: an address such as https://example.org/book expected, {url!r} came")
    return url.rstrip("/") + "/"


def configure(app, config):
    config.html_baseurl = site_address(app.srcdir) or ""


def description(doctree):
    """The first paragraph of prose that reads without maths, cut at a word; None where there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        plain = isinstance(paragraph.parent, nodes.section) and not list(paragraph.findall(nodes.math))
        text = " ".join(paragraph.astext().split())
        # A chapter's first lines are labels and a lead-in to a list.
        if (
            plain
            and text.endswith((".", "?", "!"))
            and len(text) > 60
            and not text.startswith(("Learn before", "Time"))
        ):
            return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return None


def describe(app, pagename, templatename, context, doctree):
    if doctree is None:
        # Search, index and 404 are no page that one would link to.
        context["pageurl"] = None
        return
    title = re.sub(r"<[^>]+>", "", context.get("title") or app.config.project)
    said = {"og:type": "website" if pagename == app.config.root_doc else "article", "og:title": title}
    said |= {"og:site_name": app.config.project, "twitter:card": "summary"}
    text = description(doctree)
    if text:
        said["description"] = said["og:description"] = text
    if app.config.html_baseurl:
        said["og:url"] = f"{app.config.html_baseurl}{app.builder.get_target_uri(pagename)}"
        said["og:image"] = f"{app.config.html_baseurl}_static/{CARD}"
        said["og:image:alt"] = "The book's title beside a mask: rows are queries, columns are keys."
        said["twitter:card"] = "summary_large_image"
    context["metatags"] = context.get("metatags", "") + "\n".join(meta(*pair) for pair in said.items())


def meta(name, text):
    kind = "property" if name.startswith("og:") else "name"
    return f'<meta {kind}="{name}" content="{escape(text)}">'


def missing(app):
    """404.html, which a server shows at any address: its own addresses start at the site's root."""
    yield "404", {"title": "Not found", "base": urlsplit(app.config.html_baseurl).path or "/"}, "404.html"


def write_map(app, error):
    base = app.config.html_baseurl
    if error or app.builder.format != "html" or not base:
        return
    pages = sorted(base + app.builder.get_target_uri(name) for name in app.env.found_docs)
    entries = "\n".join(f"<url><loc>{escape(page)}</loc></url>" for page in pages)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    out = Path(app.outdir)
    (out / "sitemap.xml").write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{entries}\n</urlset>\n'
    )
    (out / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}sitemap.xml\n")


def setup(app):
    app.connect("config-inited", configure)
    app.connect("html-page-context", describe)
    app.connect("html-collect-pages", missing)
    app.connect("build-finished", write_map)
