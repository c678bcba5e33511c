"""Plants the faults of mutants.toml in a copy of the package, one at a time: the test of each must then fail.

    python tools/mutants.py [WORD ...]     all of them, or those with one of the words in name or file

A mutant that no test notices, or whose text is no longer in its file, is an exit status of 1.
"""

import multiprocessing
import os
import shutil
import sys
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

__all__ = ["FAILED", "MUTANTS", "PASSED", "Mutant", "copied", "main", "plant", "run"]

ROOT = Path(__file__).resolve().parents[1]
PASSED, FAILED = 0, 1  # pytest's exit statuses; any other is a test that did not run
ELSEWHERE = 70  # ours: another copy of the package was imported
LIMIT = 120  # seconds; a test that takes longer is ended, and does not count as having failed

# Every test process is forked from a server that has imported what is slow to import.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["hypothesis.strategies", "numpy", "pytest", "torch.nn.attention.flex_attention"]
)


class Mutant(NamedTuple):
    """A fault: ``old``, which ``file`` holds once, becomes ``new``. ``test`` is there to fail then."""

    name: str
    file: str
    old: str
    new: str
    test: str


LISTED = tomllib.loads((ROOT / "tools/mutants.toml").read_text())
MUTANTS = [Mutant(name, file, **words) for file, named in LISTED.items() for name, words in named.items()]


@contextmanager
def copied():
    """A folder with a copy of the package and of its tests."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copy(ROOT / "pyproject.toml", folder)
        for room in ("companion", "tests"):
            shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder


@contextmanager
def plant(mutant: Mutant, folder: Path):
    """The copy in ``folder`` holds the fault. ValueError if the text to replace is not there exactly once."""
    path = folder / "companion" / mutant.file
    before = path.read_text()
    if before.count(mutant.old) != 1:
        raise ValueError(f"{mutant.file} holds {mutant.old!r} {before.count(mutant.old)} times, not once")
    path.write_text(before.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        path.write_text(before)


def run(tests: list[str], folder: Path) -> tuple[int, str]:
    """pytest's exit status on tests of the copy in ``folder``, and what it printed."""
    log = folder / "printed.txt"
    process = PROCESSES.Process(target=_pytest, args=(tests, folder, log))
    process.start()
    process.join(LIMIT)
    process.kill()
    process.join()
    return process.exitcode, log.read_text()


def _pytest(tests, folder, log):
    with log.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.chdir(folder)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["TRITON_INTERPRET"] = "1"  # as tests/backends/conftest.py would
    sys.dont_write_bytecode = True  # two mutants of one size within a second would share their bytecode
    sys.path.insert(0, str(folder))
    import companion

    if Path(companion.__file__).parent != folder / "companion":
        sys.exit(ELSEWHERE)
    nodes = [str(folder / "tests" / test) for test in tests]
    sys.exit(int(pytest.main(["-q", "-x", "--noconftest", f"--rootdir={folder}", *nodes])))


def main(words: list[str], mutants: list[Mutant] = MUTANTS) -> int:
    """Plants the mutants with one of the ``words`` in name or file and prints what became of them."""
    chosen = [mutant for mutant in mutants if any(word in mutant.name + mutant.file for word in words)]
    alive = 0
    with copied() as folder:
        status, printed = run(sorted({mutant.test for mutant in chosen}), folder)
        if status != PASSED:
            print(f"{printed}The tests must pass before a fault is planted; exit status {status}")
            return 1
        for mutant in chosen:
            start = time.monotonic()
            try:
                with plant(mutant, folder):
                    status, printed = run([mutant.test], folder)
            except ValueError as error:
                status, printed = None, f"{error}\n"
            verdict = "killed" if status == FAILED else f"SURVIVED, exit status {status}"
            print(f"{verdict}: {mutant.name} ({mutant.file}), {time.monotonic() - start:.1f} s", flush=True)
            print("" if status == FAILED else printed, end="", flush=True)
            alive += status != FAILED
    print(f"{len(chosen) - alive} of {len(chosen)} killed")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [""]))
