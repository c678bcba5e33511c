"""Relative links between notebooks lead somewhere in JupyterLab: the file is there, and so is the heading."""

import json
import re
from urllib.parse import unquote

import pytest
from helpers.project import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def markdown(path):
    if path.suffix == ".md":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def headings(path):
    """The anchors that JupyterLab gives the headings of a file."""
    return {title.strip().replace(" ", "-") for title in re.findall(r"^#{1,6} (.+)$", markdown(path), re.M)}


def faults(text, folder):
    """The relative links of a text that lead nowhere."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = folder / unquote(file)
        if not target.is_file() or (anchor and unquote(anchor) not in headings(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_relative_links_lead_somewhere(path):
    assert faults(markdown(path), path.parent) == []


@pytest.mark.parametrize("link", ["14_nothing.ipynb", "01_the_weighted_sum.ipynb#Nowhere"])
def test_a_link_that_leads_nowhere_is_found(link):
    assert faults(f"See [this]({link}).", ROOT / "notebooks") == [link]
