"""A small book as a PDF: outline, contents that name the right pages, solutions at the end, no code cut."""

import re
from html import unescape
from unicodedata import normalize
from urllib.parse import unquote

import pytest
import yaml
from helpers.pages import SITE, pages
from helpers.project import ROOT
from pypdf import PdfReader
from pypdf.generic import StreamObject

from companion.exercises.bank import find
from tools.pdf.assemble import assemble, book, parts
from tools.pdf.printer import destinations, printed

CHAPTER = "notebooks/07_the_index_set"
TOC = {"root": "book/intro", "parts": [{"caption": "Part III", "chapters": [{"file": CHAPTER}]}]}
A4 = 595


@pytest.fixture(scope="module")
def pdf(browser, tmp_path_factory):
    """The front page and one chapter, printed beside links to the built site's own files."""
    home = tmp_path_factory.mktemp("small")
    for path in SITE.iterdir():
        if path.is_dir():
            (home / path.name).symlink_to(path)
    whole = home / "whole.html"
    whole.write_text(assemble(SITE, TOC, "A small book", "its authors"))
    (home / "book.pdf").write_bytes(printed(browser, whole.as_uri()))
    return PdfReader(home / "book.pdf")


@pytest.fixture(scope="module")
def sheets(pdf):
    return [squeezed(page.extract_text()) for page in pdf.pages]


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def letters(text):
    """Without spaces and ligatures."""
    return "".join(normalize("NFKC", text).split())


def outline(pdf, entries):
    """Title and page, from 1, of every entry."""
    for entry in entries:
        if isinstance(entry, list):
            yield from outline(pdf, entry)
        else:
            yield squeezed(entry.title), pdf.get_destination_page_number(entry) + 1


def test_the_book_holds_every_page_in_the_order_of_the_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    held = [f"{page}.html" for _, listed in parts(toc) for page in listed]
    assert sorted(held) == sorted(set(pages()) - {"book/progress.html"})
    written = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())
    assert held == [f"{page}.html" for page in written if page != "book/progress"]


def test_every_link_of_the_whole_book_leads_into_it_or_to_the_web():
    html = book(SITE, ROOT)
    here = {unescape(id) for id in re.findall(r'\sid="([^"]+)"', html)}
    here |= set(re.findall(r'"id":"(ch\d\d-[\w-]+)"', html))  # an exercise gets its own from the script
    links = {unescape(link) for link in re.findall(r'<a\b[^>]* href="([^"]+)"', html)}
    lost = [a for a in links if not (a.startswith("https://") or a[0] == "#" and unquote(a[1:]) in here)]
    assert len(links) > 1000 and lost == []


def test_the_outline_and_the_contents_name_the_right_pages(pdf, sheets):
    found = list(outline(pdf, pdf.outline))
    assert {"Contents", "What is ignored", "Solutions"} < {title for title, _ in found}
    assert [title for title, page in found if title[-20:] not in sheets[page - 1]] == []
    lines = re.findall(r"^(\S.*?)[ .]*(\d+)$", pdf.pages[1].extract_text(), re.M)
    told = {squeezed(title).strip(): int(page) for title, page in lines}
    numbers = dict(found)
    assert told["What is ignored"] == numbers["What is ignored"] and told["Solutions"] == numbers["Solutions"]
    # A title with maths is told in other signs.
    assert {title: page for title, page in told.items() if numbers.get(title, page) != page} == {}


def test_exercise_and_solution_name_each_others_page(pdf, sheets):
    start = destinations(pdf)["solutions"] - 1
    chapter, solutions = " ".join(sheets[:start]), " ".join(sheets[start:])
    cards = re.findall(r"Exercise (7\.\d+) (?:(?!Exercise 7).)*? Solution: page (\d+)", chapter)
    solved = re.findall(r"Exercise (7\.\d+) (?:(?!Exercise 7).)*?, page (\d+)", solutions)
    assert [number for number, _ in cards] == [number for number, _ in solved] and len(cards) >= 10
    wrong = [number for number, page in cards + solved if f"Exercise {number}" not in sheets[int(page) - 1]]
    assert wrong == []
    assert all(int(page) > start for _, page in cards) and all(int(page) <= start for _, page in solved)


def test_no_solution_stands_before_the_end(pdf, sheets):
    start = destinations(pdf)["solutions"] - 1
    chapter, solutions = letters(" ".join(sheets[:start])), letters(" ".join(sheets[start:]))
    ids = [name.lstrip("/") for name in pdf.named_destinations if name.lstrip("/").startswith("ch07-")]
    # The longest run of words between maths and code, where there is a long one.
    runs = [max(re.split(r"<[^>]+>", find(id).cards[0]["solution"]), key=len) for id in ids]
    runs = [letters(unescape(run))[:40] for run in runs if len(run) > 40]
    assert len(runs) > 5
    assert [run for run in runs if run not in solutions or run in chapter] == []


def test_every_page_but_the_first_bears_its_number(sheets):
    assert [sheet.split()[0] for sheet in sheets[1:]] == [str(number) for number in range(2, len(sheets) + 1)]


def test_a_picture_is_stored_once(pdf):
    objects = [pdf.get_object(number) for number in range(1, pdf.trailer["/Size"])]
    pictures = [one for one in objects if isinstance(one, StreamObject) and one.get("/Subtype") == "/Image"]
    stored = [(one.get_data(), repr(one.raw_get("/SMask")) if "/SMask" in one else None) for one in pictures]
    assert len(stored) > 1 and len(set(stored)) == len(stored)


def test_no_line_of_code_leaves_the_paper(pdf):
    ends = []

    def visit(text, cm, tm, font, size):
        if font and "Mono" in str(font.get("/BaseFont")) and text.strip():
            scale = abs(cm[0] * tm[0])
            ends.append(cm[0] * tm[4] + cm[4] + 0.6 * size * scale * max(map(len, text.splitlines())))

    for page in pdf.pages:
        page.extract_text(visitor_text=visit)
    assert ends and max(ends) < A4
