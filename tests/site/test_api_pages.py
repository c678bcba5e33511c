"""The API reference on the built site: every public name once, linked to its chapters, found by search."""

import json
import re
import tomllib
from importlib import import_module
from inspect import getdoc, isclass, ismodule, isroutine, signature

import pytest
from helpers.pages import SITE, heading_at, words
from helpers.project import ROOT

from companion.frontend.mount import Mount

HTML = {path.name: path.read_text() for path in sorted(SITE.glob("book/api_*.html"))}
HTML_OF_OVERVIEW = (SITE / "book/api.html").read_text()
ROOMS = ["reference", "layout", "patterns", "indices", "merge", "attention", "cache", "cost", "device",
         "clinic", "exercises"]  # fmt: skip
DERIVED = tomllib.loads((ROOT / "book/api.toml").read_text())["derived"]
CONCEPTS = {c["id"]: c for c in tomllib.loads((ROOT / "book/concepts.toml").read_text())["concept"]}
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


def test_a_type_that_stands_for_many_is_called_by_its_name():
    found = {name for name, html in HTML.items() if ">ArrayLike<" in html}
    assert found == {"api_drawing.html"}
    assert not any("_SupportsArray" in html or "_NestedSequence" in html for html in HTML.values())


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


def parameters(what):
    if isclass(what) and issubclass(what, Mount):
        return ["spec"]  # a widget is made by the function of its name
    return [] if isclass(what) and issubclass(what, Exception) else list(signature(what).parameters)


@pytest.mark.parametrize("name", public())
def test_an_entry_has_its_parameters_and_its_docstring(name):
    module, _, own = name.rpartition(".")
    what = getattr(import_module(f"companion.{module}"), own)
    if not (isclass(what) or isroutine(what)):
        return
    head, _, body = entry(name).partition("</dt>")
    shown = re.findall(r'<em class="sig-param">.*?<span class="n"><span class="pre">(\w+)</span>', head)
    assert shown == parameters(what)
    assert words(body).startswith(re.match(r"[^`*$\n:]*", getdoc(what))[0].strip())


@pytest.mark.parametrize("name", DERIVED)
def test_a_name_leads_to_the_section_that_derives_it(name):
    concept = CONCEPTS[DERIVED[name]]
    derived = re.search(r'Derived in .*?, <a class="[\w ]+" href="\.\./([^#]+)#([^"]+)">', entry(name))
    assert derived[1] == f"{concept['page']}.html"
    assert heading_at(*derived.groups()) == words(concept["section"])


def test_the_overview_leads_to_every_name():
    links = set(re.findall(r'href="(?:api_\w+\.html)#companion\.([\w.]+)"', HTML_OF_OVERVIEW))
    assert set(public()) - links == set()


@pytest.mark.parametrize("name", ["sliding_window", "attention_weights", "WindowCache"])
def test_search_finds_a_name(visit, http, name):
    with visit(f"{http}/search.html?q={name}") as v:
        v.page.wait_for_selector("#search-results li a")
        v.page.wait_for_timeout(500)
        found = v.page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
        assert any("book/api_" in address and address.endswith(f".{name}") for address in found), found
