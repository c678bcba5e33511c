"""Every result of the book stands where the registry says, and what tests it is there."""

import ast
import json
import re
import tomllib

import pytest
from helpers.project import ROOT

RESULTS = tomllib.loads((ROOT / "book/results.toml").read_text())["result"]
PAGES = sorted(f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb"))
IDS = [f"{row['page'][10:12]}-{row.get('equation', row.get('section'))}" for row in RESULTS]


def cells(page, kind):
    found = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def headings(page):
    return re.findall(r"^#{2,3} (.+)$", "\n".join(cells(page, "markdown")), re.M)


def headings_with_code(page):
    """Every heading of two or three # with a code cell under it, or under a heading below it."""
    found, open_headings = set(), {}
    for cell in json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            found |= set(open_headings.values())
        for level, text in re.findall(r"^(#{2,3}) (.+)$", "".join(cell["source"]), re.M):
            open_headings = {at: name for at, name in open_headings.items() if at < len(level)}
            open_headings[len(level)] = text
    return found


def functions(path):
    module = ast.parse((ROOT / path).read_text())
    return {node.name for node in module.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES)
def test_every_chapter_has_results(page):
    assert len([row for row in RESULTS if row["page"] == page]) >= 2


@pytest.mark.parametrize("row", RESULTS, ids=IDS)
def test_a_result_stands_in_its_chapter(row):
    assert ("equation" in row) != ("section" in row), "one of equation and section expected"
    if "equation" in row:
        assert f"\\tag{{{row['equation']}}}" in "\n".join(cells(row["page"], "markdown"))
    else:
        assert row["section"] in headings(row["page"])


@pytest.mark.parametrize("row", RESULTS, ids=IDS)
def test_a_result_is_one_sentence(row):
    assert re.fullmatch(r"[^.?!]*(?:[.]\d[^.?!]*)*\.", row["result"])


@pytest.mark.parametrize("row", RESULTS, ids=IDS)
def test_what_tests_a_result_is_there(row):
    assert row["tests"]
    for test in row["tests"]:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists(), path
        notebook = path.endswith(".ipynb")
        known = headings_with_code(path.removesuffix(".ipynb")) if notebook else functions(path)
        assert name in known, test


def test_results_follow_the_book():
    pages = [row["page"] for row in RESULTS]
    assert list(dict.fromkeys(pages)) == sorted(set(pages), key=lambda page: page[10:].partition("_")[0])
    assert len({(row["page"], row["result"]) for row in RESULTS}) == len(RESULTS)
