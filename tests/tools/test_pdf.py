"""A small book as a PDF: outline, contents that name the right pages, solutions at the end, no code cut."""

import re

import pytest
from helpers.pages import SITE
from pypdf import PdfReader

from tools.pdf.assemble import assemble
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


def titles(outline):
    for entry in outline:
        if isinstance(entry, list):
            yield from titles(entry)
        else:
            yield entry.title


def test_the_outline_holds_the_headings(pdf):
    found = list(titles(pdf.outline))
    assert [title for title in ("Contents", "What is ignored", "Solutions") if title in found] == [
        "Contents", "What is ignored", "Solutions"
    ]  # fmt: skip


def test_the_contents_name_the_right_pages(pdf):
    lines = re.findall(r"^(\S.*?)[ .]*(\d+)$", pdf.pages[1].extract_text(), re.M)
    entries = {squeezed(title).strip(): int(page) for title, page in lines if len(title) > 3}
    sheets = [squeezed(page.extract_text()) for page in pdf.pages]
    assert "What is ignored" in entries and "Solutions" in entries
    assert [title for title, page in entries.items() if title not in sheets[page - 1]] == []


def test_solutions_stand_at_the_end_with_number_and_page(pdf, sheets):
    start = destinations(pdf)["solutions"]
    told = re.findall(r"Exercise (7\.\d+) [^,]+?.{0,60}?, page (\d+)", " ".join(sheets[start - 1 :]))
    assert len(told) >= 10
    assert [number for number, page in told if f"Exercise {number}" not in sheets[int(page) - 1]] == []
    assert all(int(page) < start for _, page in told)


def test_every_page_but_the_first_bears_its_number(sheets):
    assert [sheet.split()[0] for sheet in sheets[1:]] == [str(number) for number in range(2, len(sheets) + 1)]


def test_no_line_of_code_leaves_the_paper(pdf):
    ends = []

    def visit(text, cm, tm, font, size):
        if font and "Mono" in str(font.get("/BaseFont")) and text.strip():
            scale = abs(cm[0] * tm[0])
            ends.append(cm[0] * tm[4] + cm[4] + 0.6 * size * scale * max(map(len, text.splitlines())))

    for page in pdf.pages:
        page.extract_text(visitor_text=visit)
    assert ends and max(ends) < A4
