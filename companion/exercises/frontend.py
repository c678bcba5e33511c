"""What the site takes from the exercises: their script, their style sheets, three kinds of mount."""

from functools import cache
from html import escape
from pathlib import Path

from companion.exercises import bank
from companion.exercises.spec import BOOK
from companion.frontend.mount import html

__all__ = ["chapter_progress", "mounts", "progress", "row", "source", "stylesheets"]

HERE = Path(__file__).parent
# In this order they make one module: what is lower uses what is above it.
SCRIPTS = (
    "parse.js",
    "grade.js",
    "store.js",
    "dom.js",
    "kinds/choice.js",
    "kinds/typed.js",
    "kinds/pick.js",
    "kinds/order.js",
    "kinds/explain.js",
    "kinds/code.js",
    "card.js",
    "progress.js",
    "main.js",
)
mounts = ("exercise", "progress", "chapter-progress")


@cache
def source():
    """The front end: one ES module without imports, whose only export is the default at its end.

    It serves every kind of mount in ``mounts``.
    """
    return "\n".join((HERE / "js" / name).read_text().strip() + "\n" for name in SCRIPTS)


def stylesheets():
    """The paths of the style sheets, beside those of ``companion.frontend``."""
    return (HERE / "exercise.css",)


def row(id, *, href, chapter):
    """One exercise as the progress mounts list it. href: of the exercise. chapter: its title."""
    spec = bank.find(id)
    payload = spec.payload
    return {
        "id": id,
        "title": payload["title"],
        "version": payload["version"],
        "difficulty": spec.difficulty,
        "minutes": spec.minutes,
        "chapter": chapter,
        "href": href,
    }


def progress(rows):
    """The mount of the progress page. rows: of every exercise, by :func:`row`, in the book's order."""
    links = "".join(f'<li><a href="{escape(row["href"])}">{row["title"]}</a></li>' for row in rows)
    note = "<p>Your progress is kept in this browser; showing it needs JavaScript.</p>"
    return html("progress", {"kind": "progress", "book": BOOK, "rows": rows}, f"{note}<ul>{links}</ul>")


def chapter_progress(rows):
    """The mount of a chapter's "5 of 9". rows: of its exercises."""
    count = f"{len(rows)} exercise{'' if len(rows) == 1 else 's'}"
    return html(
        "chapter-progress", {"kind": "chapter-progress", "book": BOOK, "rows": rows}, f"<p>{count}</p>"
    )
