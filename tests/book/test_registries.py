"""Concept graph, glossary, bibliography and notation agree with the chapters."""

import json
import re
import tomllib
from graphlib import TopologicalSorter

import pytest
from helpers.project import ROOT

from companion.exercises import exercise

CONCEPTS = tomllib.loads((ROOT / "book/concepts.toml").read_text())["concept"]
TERMS = tomllib.loads((ROOT / "book/glossary.toml").read_text())["terms"]
BY_ID = {concept["id"]: concept for concept in CONCEPTS}
# In the order of the book: a file's number is its place.
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"), key=lambda path: path.stem.partition("_")[0])
ORDER = [f"notebooks/{path.stem}" for path in NOTEBOOKS]


def markdown(page):
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def code_cells(page):
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def line(page, label):
    return next(text for text in markdown(page).splitlines() if text.startswith(f"*{label}*"))


def linked_chapters(text):
    return {f"notebooks/{name}" for name in re.findall(r"\]\((\w+)\.ipynb[^)]*\)", text)}


def test_ids_are_unique_and_every_link_is_a_concept():
    assert len(BY_ID) == len(CONCEPTS)
    for concept in CONCEPTS:
        for other in concept["learn_before"] + concept["related"]:
            assert other in BY_ID and other != concept["id"], f"{concept['id']} names {other}"


def test_learn_before_has_no_circle_and_never_points_ahead():
    graph = {concept["id"]: concept["learn_before"] for concept in CONCEPTS}
    tuple(TopologicalSorter(graph).static_order())
    for concept in CONCEPTS:
        for other in concept["learn_before"]:
            assert ORDER.index(BY_ID[other]["page"]) <= ORDER.index(concept["page"]), (concept["id"], other)


@pytest.mark.parametrize("page", ORDER)
def test_every_chapter_has_concepts_under_headings_that_it_has(page):
    headings = re.findall(r"^#{2,3} (.+)$", markdown(page), re.M)
    sections = [concept["section"] for concept in CONCEPTS if concept["page"] == page]
    assert sections, f"{page} has no concept"
    assert set(sections) <= set(headings), set(sections) - set(headings)


@pytest.mark.parametrize("page", ORDER)
def test_what_a_chapter_says_to_learn_before_is_what_its_concepts_need(page):
    needed = {BY_ID[other]["page"] for c in CONCEPTS if c["page"] == page for other in c["learn_before"]}
    assert linked_chapters(line(page, "Learn before")) == needed - {page}


@pytest.mark.parametrize("page", ORDER)
def test_a_chapter_ends_with_related_pages(page):
    assert linked_chapters(line(page, "Related")) - {page}


@pytest.mark.parametrize("term", TERMS)
def test_a_term_stands_in_bold_on_its_page(term):
    page, meaning = TERMS[term]
    bold = re.findall(r"\*\*([^*]+)\*\*", markdown(page).lower())
    assert any(term.lower() in words for words in bold)
    assert meaning.endswith(".")


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("notebooks/01_the_weighted_sum", "Interpreting Causal Attention Output"),
        ("notebooks/03_the_left_context", "Debugging a Causal Attention Calculation"),
        ("notebooks/07_the_index_set", "Analysis of Sparse Attention Formula Components"),
        ("notebooks/07_the_index_set", "Analyzing the Impact of the Sparse Index Set"),
    ],
)
def test_a_question_of_the_source_stands_under_its_title(page, title):
    calls = {name for cell in code_cells(page) for name in re.findall(r'exercise\("([\w-]+)"\)', cell)}
    assert title in {exercise(name).spec["title"] for name in calls}


def test_every_work_that_a_chapter_cites_is_in_the_bibliography():
    listed = set(re.findall(r"\]\((https?://[^)]+)\)", (ROOT / "book/bibliography.md").read_text()))
    cited = set()
    for page in ORDER:
        reading = markdown(page).partition("## What to read")[2]
        cited |= set(re.findall(r"\]\((https?://[^)]+)\)", reading))
    assert cited == listed


def test_bibliography_is_in_order():
    entries = re.findall(r"^- (.+?)[.(]", (ROOT / "book/bibliography.md").read_text(), re.M)
    surnames = [entry.split(",")[0].split(" and ")[0].split()[-1].casefold() for entry in entries]
    assert surnames == sorted(surnames)


def symbols():
    for text in (ROOT / "book/notation.md").read_text().splitlines():
        if text.startswith("| $"):
            yield from re.findall(r"\$([^$]+)\$", text.split("|")[1])


@pytest.mark.parametrize("symbol", sorted(set(symbols())))
def test_a_symbol_of_the_notation_page_is_used_in_a_chapter(symbol):
    written = re.sub(r"\s", "", "".join(markdown(page) for page in ORDER))
    core = re.sub(r"\s|\\dots|\\\{|\\\}", "", symbol)
    assert core in written, symbol


def code_names():
    text = (ROOT / "book/notation.md").read_text().partition("## Names in code")[2].partition("## ")[0]
    return sorted(set(re.findall(r"`([\w.]+)`", "\n".join(row.split("|")[1] for row in text.splitlines() if "|" in row))))


@pytest.mark.parametrize("name", code_names())
def test_a_name_of_the_notation_page_is_used_in_code(name):
    source = "\n".join(cell for page in ORDER for cell in code_cells(page))
    source += "\n".join(path.read_text() for path in (ROOT / "companion").rglob("*.py"))
    assert re.search(rf"\b{re.escape(name)}\b", source)
