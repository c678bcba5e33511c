"""Where no listed mistake fits a function, the clinic names its fault; failing that, the checker speaks."""

import pytest

from companion.clinic.catalog import CATALOG
from companion.exercises import check
from companion.exercises.bank import chapters, find, load
from companion.exercises.checker import build
from companion.exercises.kinds import Code

EXAMINED = [
    spec.id
    for chapter in chapters()
    for spec in load(chapter).values()
    if isinstance(spec, Code) and spec.diagnose is not None
]


def edited(id, old, new):
    spec = find(id)
    assert old in spec.code
    return build(spec, spec.code.replace(old, new))


@pytest.mark.parametrize(
    ("id", "old", "new", "named"),
    [
        ("ch02-attend", "@ V", "@ K[:, :1].repeat(V.shape[1], 1)", None),
        ("ch02-attend", "/ np.sqrt", "* np.sqrt", "scale multiplied"),
        ("ch03-causal-attention", "-np.inf", "-5.0", "leaks the future"),
        ("ch05-causal-batch", "-np.inf", "-5.0", "leaks the future"),
        ("ch05-causal-batch", "@ value", "@ key", "keys used as values"),
        ("ch05-causal-batch", ">= np", "> np", "excludes itself"),
    ],
)
def test_the_clinic_names_what_no_mistake_lists(id, old, new, named):
    found = check(id, edited(id, old, new))
    assert found.state == "failed" and found.mistake is None
    if named is None:
        assert found.message == "The values differ."
    else:
        assert found.message == f"The clinic finds: {named}. {CATALOG[named].cause}"


@pytest.mark.parametrize("id", EXAMINED)
def test_the_clinic_finds_nothing_in_the_solution(id):
    spec = find(id)
    assert spec.diagnose(build(spec, spec.code)) is None


def test_what_the_clinic_says_is_text_without_markup():
    for entry in CATALOG.values():
        assert not set("$`") & set(entry.cause) and "**" not in entry.cause
