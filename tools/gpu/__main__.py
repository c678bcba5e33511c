"""Check, benchmark and run every notebook on a CUDA device, without a network: ``make gpu``.

    python3 -m tools.gpu [--device cuda] [--out book/gpu_results.json]

It needs PyTorch, Triton and NumPy; the rest it takes from the wheels that `make gpu-wheels` downloads. Each
part has a share of eight minutes; what a part leaves, the next ones have. Exit status: 0 all of it ran and
is right; 1 something is wrong, or there is no such device; 2 some of it did not run for lack of time.
``--device cpu`` rehearses it all in Triton's interpreter, at small sizes.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tools.gpu import environment, parts, results

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build" / "gpu"
TOTAL = 480  # seconds
_CLOSING = 5  # a part begins nothing new so long before its time is over


class _Part(NamedTuple):
    name: str
    until: float  # seconds after the start by which it must be over
    command: list[str]  # what follows the interpreter


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="make gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: book/gpu_results.json for cuda")
    options = parser.parse_args(arguments)
    started, cpu = time.monotonic(), options.device == "cpu"
    out = options.out or (BUILD / "rehearsal.json" if cpu else ROOT / "book" / "gpu_results.json")
    try:
        found = results.machine(options.device)
        python = environment.python(BUILD / "venv", ROOT / "_build" / "gpu_wheels")
    except (environment.Lacking, results.NoDevice) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{found['device']}; {python}; ready after {time.monotonic() - started:.0f} s", flush=True)

    figures = BUILD / "figures.json"
    figures.parent.mkdir(parents=True, exist_ok=True)
    figures.unlink(missing_ok=True)
    planned = _parts(options.device, figures)
    outcomes = [parts.Outcome(part.name, 0, 0, False, None, 0.0) for part in planned]
    out.parent.mkdir(parents=True, exist_ok=True)
    for n, part in enumerate(planned):
        left = part.until - (time.monotonic() - started)
        print(f"\n== {part.name}: {left:.0f} s", flush=True)
        outcomes[n] = _run(part, python, left, cpu)
        print(f"== {outcomes[n]}", flush=True)
        out.write_text(results.to_json(found, outcomes, figures))  # whatever becomes of the parts to come
    print(f"\n{out}, after {time.monotonic() - started:.0f} of {TOTAL} s")
    for outcome in outcomes:
        print(outcome)
    return 1 if not all(o.right for o in outcomes) else 2 if not all(o.whole for o in outcomes) else 0


def _parts(device, figures):
    cpu = device == "cpu"
    own = ["--device", device]
    workers = 1 if cpu else max(1, min(8, (os.cpu_count() or 2) // 2))
    pytest = ["-m", "pytest", "-v", "-rN", "--tb=short", "-n", str(workers)]
    # Whatever plugins the machine has for its own pytest stay out of this one.
    pytest += ["-p", "xdist.plugin", "-p", "nbval.plugin"]
    tests = ["--confcutdir=tests/backends", "tests/backends/test_triton.py"]
    chapters = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "notebooks").glob("*.ipynb"))
    nbval = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=120", "--dist=loadscope"]
    return [
        _Part("checks", 150, ["-m", "tools.gpu.checks", *own, "--workers", "2" if cpu else "6"]),
        _Part("benchmark", 290, ["-m", "tools.gpu.benchmark", *own, "--out", str(figures)]),
        _Part("tests", 360, [*pytest, *tests, *(["-k", "test_scale"] if cpu else [])]),
        _Part("notebooks", TOTAL, [*pytest, *nbval, *(chapters[:1] if cpu else chapters)]),
    ]


def _run(part, python, left, cpu):
    env = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONUNBUFFERED": "1"}
    if cpu:
        env |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [str(python), *part.command]
    if "pytest" not in command:
        command += ["--seconds", str(max(0, left - _CLOSING))]
    return parts.run(part.name, command, left, BUILD / f"{part.name}.log", env, ROOT)


if __name__ == "__main__":
    sys.exit(main())
