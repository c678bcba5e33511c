"""The registry of the API reference, and the changelog, agree with the package."""

import re
import tomllib
from importlib import import_module

import pytest
from helpers.project import ROOT

import companion

DERIVED = tomllib.loads((ROOT / "book/api.toml").read_text())["derived"]
CONCEPTS = {c["id"] for c in tomllib.loads((ROOT / "book/concepts.toml").read_text())["concept"]}
ROOMS = ["reference", "layout", "patterns", "indices", "merge", "attention", "cache", "cost", "clinic"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_derived_somewhere(room):
    names = {f"{room}.{name}" for name in import_module(f"companion.{room}").__all__}
    assert names - set(DERIVED) == set()


@pytest.mark.parametrize("name", DERIVED)
def test_an_entry_is_a_public_name_and_a_concept(name):
    room, _, own = name.rpartition(".")
    assert own in import_module(f"companion.{room}").__all__
    assert DERIVED[name] in CONCEPTS


def test_the_changelog_begins_with_this_version():
    versions = re.findall(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert versions[0] == companion.__version__
