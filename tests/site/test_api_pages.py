"""The API reference on the built site: every public name once, linked to its chapters, found by search."""

import json
import re
from importlib import import_module
from inspect import ismodule

import pytest
from helpers.pages import SITE
from helpers.project import ROOT

HTML = {path.name: path.read_text() for path in sorted(SITE.glob("book/api_*.html"))}
ROOMS = ["reference", "layout", "patterns", "indices", "merge", "attention", "cache", "cost", "device",
         "clinic", "exercises"]  # fmt: skip
FOLDERS = ["models", "explorers", "figures"]
ENTRY = re.compile(r'<dt class="sig sig-object py" id="companion\.([\w.]+)">')


def public():
    """The names of the listed rooms, by the module that one imports them from."""
    paths = [path for room in FOLDERS for path in (ROOT / "companion" / room).glob("[a-z]*.py")]
    files = [f"{path.parent.name}.{path.stem}" for path in paths]
    return [f"{door}.{name}" for door in ROOMS + files for name in import_module(f"companion.{door}").__all__]


def entries():
    return [name for html in HTML.values() for name in ENTRY.findall(html)]


def entry(name):
    """The HTML of one name, up to the next of the same rank."""
    html = next(html for html in HTML.values() if f'id="companion.{name}"' in html)
    start = html.index(f'<dt class="sig sig-object py" id="companion.{name}">')
    later = [found for found in ENTRY.finditer(html, start + 1) if not found[1].startswith(f"{name}.")]
    others = [found.start() for found in later]
    return html[start : min(others, default=len(html))]


def imports():
    """Page and name, for what a chapter imports by name."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            code = "".join(cell["source"]) if cell["cell_type"] == "code" else ""
            for module, names in re.findall(r"^from companion\.([\w.]+) import (.+)$", code, re.M):
                for name in re.findall(r"(\w+)(?: as \w+)?(?:, |\s|$)", names.split("#")[0]):
                    if not ismodule(getattr(import_module(f"companion.{module}"), name)):
                        yield path.stem, module, name


def test_every_public_name_stands_once():
    found = entries()
    assert [name for name in public() if found.count(name) != 1] == []


def test_no_private_name_stands():
    private = [name for name in entries() if re.search(r"\._(?!_(?:call|len)__$)", name)]
    assert private == []


def test_a_name_that_a_chapter_imports_links_to_it():
    known, unlinked = public(), []
    for page, module, name in imports():
        fitting = [k for k in known if k.split(".")[0] == module.split(".")[0] and k.split(".")[-1] == name]
        full = f"{module}.{name}" if f"{module}.{name}" in fitting else next(iter(fitting), None)
        if full and f"notebooks/{page}.html" not in entry(full):
            unlinked.append((page, full))
    assert unlinked == []


@pytest.mark.parametrize("name", ["sliding_window", "attention_weights", "WindowCache"])
def test_search_finds_a_name(visit, http, name):
    with visit(f"{http}/search.html?q={name}") as v:
        v.page.wait_for_selector("#search-results li a")
        v.page.wait_for_timeout(500)
        found = v.page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
        assert any("book/api_" in address and address.endswith(f".{name}") for address in found), found
