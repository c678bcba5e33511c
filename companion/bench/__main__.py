"""``python -m companion.bench``: one table on standard output, the same as JSON in a file.

Exit status: 0 the table is whole, whoever won; 1 torch ran something uncompiled or unfused, and there is no
table; 2 something that the table needs is missing, and its rows say so.
"""

import argparse
import os
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import torch

from companion.bench import contestants, gpu, machine
from companion.bench.cases import cases, scaling
from companion.bench.plot import plot
from companion.bench.progress import Progress
from companion.bench.report import Report, Row
from companion.bench.rows import FLEX
from companion.bench.settings import FULL, GPU, GPU_QUICK, QUICK, Settings
from companion.bench.table import table
from companion.bench.watch import SlowPath

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit status."""
    options = _parser().parse_args(arguments)
    full, quick = (FULL, QUICK) if options.device == "cpu" else (GPU, GPU_QUICK)
    settings = quick if options.quick else full
    settings = replace(settings, device=options.device, dtype=options.dtype or settings.dtype)
    try:
        report = run(settings, with_scaling=options.plot is not None)
    except SlowPath as slow:
        print(f"no table: torch says that it took a slow path.\n{slow}", file=sys.stderr)
        return 1
    print(table(report))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(report.to_json())
    if options.plot is not None:
        plot(report.scaling, options.plot)
    return 2 if report.missing else 0


def run(settings: Settings, *, with_scaling: bool = False) -> Report:
    """All cases at these settings, with a progress bar on standard error."""
    todo = cases(settings) if settings.device == "cpu" else gpu.cases(settings)
    progress = Progress(len(todo) + with_scaling, sys.stderr)
    rows, points = [], []
    with _empty_cache():
        for case in todo:
            progress.begin(case.name)
            rows += case.rows(settings, progress.tick)
            progress.end()
        if with_scaling:
            progress.begin("scaling")
            points = scaling(settings, _best_block(rows, settings), progress.tick)
            progress.end()
    described = machine.describe(settings.device)
    return Report(described, asdict(settings), rows, contestants.missing(settings), points)


@contextmanager
def _empty_cache():
    """For torch.compile, so that the compile column tells of compiling and not of reading."""
    name = "TORCHINDUCTOR_CACHE_DIR"
    before = os.environ.get(name)
    with tempfile.TemporaryDirectory() as cache:
        os.environ[name] = cache
        try:
            yield
        finally:
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before


def _best_block(rows: list[Row], settings: Settings) -> int:
    """FlexAttention's best block size in the first row that has one, else the first that is asked for."""
    sizes = [row.contestant.removeprefix(FLEX) for row in rows if row.contestant.startswith(FLEX)]
    return int(next(iter(sizes), settings.flex_blocks[0]))


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m companion.bench", description="The performance table of this machine."
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, no targets: minutes, not a quarter of an hour"
    )
    parser.add_argument("--device", type=_device, default="cpu", help="cpu or cuda")
    parser.add_argument(
        "--dtype", choices=("float16", "bfloat16", "float32"), help="float32 on a CPU, else bfloat16"
    )
    parser.add_argument("--out", type=Path, default=Path("bench.json"), metavar="FILE", help="the JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also measure and draw the scaling plot")
    return parser


def _device(name):
    if name not in ("cpu", "cuda"):
        raise argparse.ArgumentTypeError(f"must be cpu or cuda; got {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError(
            f"there is no CUDA device that PyTorch {torch.__version__} can use here"
        )
    return name


if __name__ == "__main__":
    sys.exit(main())
