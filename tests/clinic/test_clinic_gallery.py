"""The bug gallery: every exhibit runs, and what it shows of the clinic is what the clinic says."""

import pytest

from companion.clinic.catalog import CATALOG
from companion.clinic.faults import FORMS, PLANTED, compiled, healthy_source
from companion.clinic.gallery import exhibits


@pytest.fixture(scope="module")
def shown():
    return exhibits()


def test_the_gallery_shows_every_planted_fault(shown):
    assert [exhibit.name for exhibit in shown] == [fault.name for fault in PLANTED]


def test_an_exhibit_is_complete(shown):
    for exhibit in shown:
        entry = CATALOG[exhibit.name]
        assert (exhibit.symptom, exhibit.cause, exhibit.chapter) == (
            entry.symptom,
            entry.cause,
            entry.chapter,
        )
        owner_and_name, number = exhibit.report.split("#")
        assert exhibit.address == f"https://github.com/{owner_and_name}/issues/{int(number)}"
        for form in FORMS:
            assert exhibit.found[form].names == (exhibit.name,)
            assert callable(compiled(exhibit.source[form])["attention"])


@pytest.mark.parametrize("form", FORMS)
def test_the_fix_turns_the_faulty_source_into_the_healthy_one(shown, form):
    for exhibit, fault in zip(shown, PLANTED, strict=True):
        lines = exhibit.fix[form].splitlines()
        gone = [line[2:].rstrip() for line in lines if line[0] == "-"]
        come = [line[2:].rstrip() for line in lines if line[0] == "+"]
        faulty, healthy = exhibit.source[form].splitlines(), healthy_source(fault.base, form).splitlines()
        assert sorted([*faulty, *come]) == sorted([*healthy, *gone])
        assert gone or come
