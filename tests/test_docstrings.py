"""The examples in the docstrings are run, and the main public functions have one."""

import doctest
from importlib import import_module

import pytest
from helpers.project import ROOT

ROOMS = ["reference", "layout", "patterns", "indices", "merge", "attention", "cache", "cost"]
FILES = [path for path in sorted((ROOT / "companion").rglob("*.py")) if ">>> " in path.read_text()]
#: Values and records of these rooms: what makes them has the example.
WITHOUT = {"ALL", "NONE", "SOME", "Choice"}


def module(path):
    return import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))


def run(examples, checks=doctest.NORMALIZE_WHITESPACE):
    """The failures of some examples, as text."""
    failures = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=checks)
    for example in examples:
        runner.run(example, out=failures.append)
    return "".join(failures)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_show_what_is_printed(path):
    examples = [test for test in doctest.DocTestFinder().find(module(path)) if test.examples]
    assert examples
    assert run(examples) == ""


NAMES = [
    (room, name)
    for room in ROOMS
    for name in import_module(f"companion.{room}").__all__
    if name not in WITHOUT
] + [("clinic", "examine")]  # fmt: skip


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_a_public_name_has_an_example(room, name):
    what = getattr(import_module(f"companion.{room}"), name)
    examples = doctest.DocTestFinder(recurse=False).find(what, name)
    assert any(test.examples for test in examples)


def test_a_wrong_example_fails():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert "Expected:\n    3\nGot:\n    2" in run([wrong])
