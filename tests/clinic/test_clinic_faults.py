"""Planted faults: each found first by its own name, each fix healthy, pairs named one after the other."""

from functools import cache
from itertools import combinations

import pytest

from companion.clinic import examine
from companion.clinic.catalog import CATALOG
from companion.clinic.faults import FORMS, PLANTED, healthy_source, pair
from companion.clinic.matrix import detections, grid, misfits

# What names no fault of the attention itself cannot be planted in a healthy function by an edit.
UNPLANTED = {"differs from the reference", "wrong shape", "raises", "hangs", "cannot be called"}


def test_a_fault_is_planted_for_every_finding():
    assert [fault.name for fault in PLANTED] == [name for name in CATALOG if name not in UNPLANTED]


@cache
def found(fault, form):
    return examine(**fault.examination(form)).names


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_fault_is_found_by_its_name_and_its_fix_is_healthy(fault, form):
    assert found(fault, form) == (fault.name,)
    fixed = examine(**fault.examination(form, healthy_source(fault.base, form)))
    assert fixed.names == ()
    assert fixed.called


def pairs(form):
    for first, second in combinations(PLANTED, 2):
        if source := pair(first, second, form):
            yield pytest.param(first, second, source, id=f"{first.name} + {second.name}")


@pytest.mark.parametrize("first, second, source", pairs("numpy"))
def test_two_faults_are_both_named(first, second, source):
    """The first examination names one or both and nothing else; with that one mended, the other is named."""
    names = examine(**first.examination("numpy", source)).names
    assert names
    assert set(names) <= {first.name, second.name}
    rest = second if names[0] == first.name else first
    assert found(rest, "numpy") == (rest.name,)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_matrix_does_not_hang_on_the_seed(seed):
    assert misfits(detections("numpy", seed)) == []


def test_the_matrix_shows_what_was_found():
    shown = grid({"a": ("a", "b"), "b": ()}).splitlines()
    assert [line.split() for line in shown[1:]] == [["12"], ["1", "a", "1+"], ["2", "b", ".."]]
    assert misfits({"a": ("a", "b"), "b": ()}) == ["a: found a, b", "b: found nothing"]
