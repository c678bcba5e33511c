"""A fault planted in a copy of the package makes the test fail that is there for it."""

import pytest

from tools.mutants import FAILED, MUTANTS, PASSED, Mutant, copied, main, plant, run


@pytest.fixture(scope="module")
def folder():
    with copied() as folder:
        yield folder


def test_without_a_fault_all_the_tests_pass(folder):
    status, printed = run(sorted({mutant.test for mutant in MUTANTS}), folder)
    assert status == PASSED, printed


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}: {mutant.name}")
def test_a_planted_fault_is_noticed(mutant, folder):
    with plant(mutant, folder):
        status, printed = run([mutant.test], folder)
    assert status == FAILED, printed


HARMLESS = Mutant("harmless", "merge.py", "weight_a + weight_b", "weight_b + weight_a", "test_merge.py")
GONE = HARMLESS._replace(name="gone", old="weight_c")
BROKEN = HARMLESS._replace(name="broken", new="weight_a +")


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        (HARMLESS, "SURVIVED, exit status 0"),
        (GONE, "merge.py holds 'weight_c' 0 times, not once"),
        (BROKEN, "SURVIVED, exit status 2"),  # a file that cannot be imported proves nothing
    ],
    ids=lambda value: value.name if isinstance(value, Mutant) else "",
)
def test_what_is_not_noticed_is_told(mutant, said, capsys):
    assert main([""], [mutant]) == 1
    printed = capsys.readouterr().out
    assert said in printed and "0 of 1 killed" in printed
