"""One part of `make gpu`: a process with a time limit, its output shown and kept, its verdicts counted."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Outcome", "run", "verdicts"]

# What tools.gpu.checks and tools.gpu.benchmark print, and pytest -v with xdist.
_VERDICT = re.compile(r"^(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|ERROR|DROPPED)\b", re.M)
_GRACE = 5  # seconds to end in good order


@dataclass(frozen=True)
class Outcome:
    """What came of a part. ``whole``: it ended by itself, and dropped nothing."""

    name: str
    passed: int
    failed: int
    whole: bool
    status: int | None
    seconds: float

    @property
    def right(self) -> bool:
        """Nothing that ran has failed."""
        return self.failed == 0 and self.status in (0, None)

    def __str__(self):
        told = f"{self.name}: {self.passed} passed, {self.failed} failed, {self.seconds:.0f} s"
        if self.status is None:
            told += "; stopped when its time was over, so the rest of it did not run"
        elif not self.whole:
            told += "; some of it was dropped for lack of time, as said above"
        elif self.status:
            told += f"; exit status {self.status}"
        return told


def verdicts(text: str) -> Counter:
    """How many of each verdict the output of a part holds."""
    return Counter(_VERDICT.findall(text))


def run(name: str, command: list[str], seconds: float, log: Path, env: dict[str, str], root: Path) -> Outcome:
    """Runs ``command`` in ``root`` for at most ``seconds``, its output to the terminal and to ``log``."""
    started = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w+") as output:
        process = subprocess.Popen(
            command, cwd=root, env=os.environ | env, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        status = _ended(process, started + seconds)
        output.seek(0)
        text = output.read()
    sys.stdout.write(text)
    count = verdicts(text)
    failed = count["FAILED"] + count["ERROR"]
    whole = status is not None and not count["DROPPED"]
    return Outcome(name, count["PASSED"], failed, whole, status, time.monotonic() - started)


def _ended(process, deadline):
    """The exit status; None if it had to be stopped, with all that it had started."""
    try:
        return process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # pytest then ends its kernels, which have sessions of their own
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return None
