"""The figures of book/gpu_results.json: rows and fits, written after each measurement.

python -m tools.gpu.benchmark --out FILE [--device cuda] [--seconds 100]
"""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from companion.bench.gpu import Measurement, fit, measurements, points
from companion.bench.measure import Timing
from companion.bench.settings import GPU, Settings

__all__ = ["SMALL", "Figures", "main"]

# A rehearsal in Triton's interpreter.
SMALL = replace(
    GPU, tokens=192, long_tokens=256, window=32, batch=1, heads=1, dim=16, repeats=1, flex_blocks=(128,),
    fit_windows=(64,), device="cpu", dtype="float32",
)  # fmt: skip


class Figures:
    """What was measured at ``settings``, in the form of the file."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.found: list[tuple[Measurement, dict[str, Timing]]] = []

    def add(self, measurement: Measurement, times: dict[str, Timing]) -> None:
        self.found.append((measurement, times))

    def json(self) -> str:
        rows = [self._row(m, times) for m, times in self.found if m.peers]
        return json.dumps({"rows": rows, "fit": list(self._fits())}, indent=1)

    def _row(self, measurement, times):
        return {
            "case": repr(measurement.pattern),
            "what": measurement.what,
            "tokens": measurement.tokens,
            "dtype": self.settings.dtype,
            "heads": self.settings.heads,
            "batch": measurement.batch,
            "dim": self.settings.dim,
            "density": measurement.pattern.density(measurement.tokens),
            "visited": measurement.visited,
            "seconds": {name: timing.seconds for name, timing in times.items()},
            "compile_seconds": {
                name: timing.compile for name, timing in times.items() if timing.compile is not None
            },
            "notes": {name: timing.note for name, timing in times.items() if timing.note},
        }

    def _fits(self):
        own = [(m, times["companion"].seconds) for m, times in self.found]
        for backward in (False, True):
            through = points(own, self.settings.tokens, backward)
            if len({visited for visited, _ in through}) < 2:
                continue
            t0, t_dense = fit(through)
            yield {
                "what": "forward + backward" if backward else "forward",
                "tokens": self.settings.tokens,
                "t0": t0,
                "t_dense": t_dense,
                "points": through,
            }


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing after so many")
    options = parser.parse_args(arguments)
    settings = GPU if options.device == "cuda" else SMALL
    deadline, figures, failed = time.monotonic() + options.seconds, Figures(settings), 0
    for measurement in measurements(settings):
        if time.monotonic() > deadline:
            print(f"DROPPED {measurement}: no time left", flush=True)
            continue
        try:
            times = measurement.times(settings)
        except Exception as error:  # an uncompiled peer, or two that disagree: the others still count
            failed += 1
            print(f"FAILED {measurement}: {type(error).__name__}: {error}", flush=True)
            continue
        figures.add(measurement, times)
        options.out.write_text(figures.json())
        told = ", ".join(f"{name} {_milliseconds(timing)}" for name, timing in times.items())
        print(f"PASSED {measurement}: {told}", flush=True)
    return failed > 0


def _milliseconds(timing):
    return f"none ({timing.note})" if timing.seconds is None else f"{1e3 * timing.seconds:.3f} ms"


if __name__ == "__main__":
    sys.exit(main())
