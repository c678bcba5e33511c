"""How time is measured: repetitions of all contestants in turn, so that drift hits all alike, and medians."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import torch

from companion.bench.contestants import Contestant
from companion.bench.watch import no_slow_path

__all__ = ["Timing", "measure"]


@dataclass(frozen=True)
class Timing:
    """Seconds: the median call, what was prepared once, and what the first call took longer for compiling.

    None where there is nothing of the kind; ``note`` says why there is no time at all, or what else to know.
    """

    seconds: float | None = None
    prepare: float | None = None
    compile: float | None = None
    note: str = ""


def measure(
    contestants: Sequence[Contestant],
    repeats: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
    tick: Callable[[str], None] = lambda name: None,
) -> dict[str, Timing]:
    """The `Timing` of each contestant, by name. ``tick`` hears whose turn it is to prepare.

    Raises `companion.bench.watch.SlowPath` if torch says that one runs uncompiled, and RuntimeError if two
    that should compute the same do not.
    """
    present = [one for one in contestants if one.prepare is not None]
    calls, prepare, first = {}, {}, {}
    expected = None
    torch.compiler.reset()  # each measurement starts with none of the eight versions of a function used up
    with no_slow_path():
        for one in present:
            tick(one.name)
            prepare[one.name], calls[one.name] = _timed(one.prepare, clock)
            first[one.name], found = _timed(calls[one.name], clock)
            if one.exact and expected is None:
                expected = one.name, found
            elif one.exact:
                _compare(*expected, one.name, found)
        expected = found = None
        seconds = {name: [] for name in calls}
        for _ in range(repeats):
            for name, call in calls.items():
                seconds[name].append(_timed(call, clock)[0])
    timings = {one.name: Timing(note=one.absent) for one in contestants}
    for one in present:
        typical = median(seconds[one.name])
        timings[one.name] = Timing(
            typical,
            prepare[one.name] if one.prepares else None,
            max(0.0, first[one.name] - typical) if one.compiles else None,
        )
    return timings


def _timed(call, clock):
    _finish()
    start = clock()
    result = call()
    _finish()
    return clock() - start, result


def _finish():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _compare(name, tensors, other_name, others):
    for one, other in zip(tensors, others, strict=True):
        off, size = (one - other).abs().max().item(), other.abs().max().item()
        if not off <= torch.finfo(one.dtype).eps ** 0.5 * (1 + size):
            raise RuntimeError(f"{name} and {other_name} must compute the same; they differ by {off:.2g}")
