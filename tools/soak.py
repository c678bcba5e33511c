"""The long runs: the clinic over many seeds. ``make soak``, or ``python tools/soak.py --seeds 50``.

Every healthy implementation must come out clean, every planted fault must be found first and alone, and every
pair of planted faults must be named.
"""

import argparse
import sys
import time
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from clinic.implementations import COMPILED, COMPILERS, HEALTHY

from companion.clinic import examine
from companion.clinic.faults import FORMS, PLANTED, pair
from companion.clinic.matrix import detections, misfits


def healthy(seeds):
    """False alarms of each implementation."""
    for implementation in (*HEALTHY, *([COMPILED] if COMPILERS else [])):
        alarms = []
        for seed in range(seeds):
            report = examine(implementation.fn, implementation.pattern, seed=seed, **implementation.options)
            alarms += [f"seed {seed}: {', '.join(report.names)}"] if report.names else []
        yield f"{implementation.name}, {seeds} seeds", alarms


def planted(seeds):
    """What is amiss in the detection matrix."""
    for form in FORMS:
        wrong = [
            f"seed {seed}: {words}" for seed in range(seeds) for words in misfits(detections(form, seed))
        ]
        yield f"{len(PLANTED)} planted faults, {form}, {seeds} seeds", wrong


def pairs():
    """Pairs of faults of which the first examination names neither, or something else."""
    for form in FORMS:
        tried, wrong = 0, []
        for first, second in combinations(PLANTED, 2):
            if source := pair(first, second, form):
                tried += 1
                names = examine(**first.examination(form, source)).names
                if not names or not set(names) <= {first.name, second.name}:
                    wrong.append(f"{first.name} + {second.name}: {', '.join(names) or 'nothing'}")
        yield f"{tried} pairs of faults, {form}", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=50)
    seeds = parser.parse_args().seeds
    failed = 0
    for part in (healthy(seeds), planted(seeds), pairs()):
        start = time.monotonic()
        for name, wrong in part:
            print(f"{name}: {len(wrong)} amiss, {time.monotonic() - start:.0f} s", flush=True)
            print("".join(f"  {words}\n" for words in wrong), end="", flush=True)
            failed += len(wrong)
            start = time.monotonic()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
