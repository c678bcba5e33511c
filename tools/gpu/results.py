"""book/gpu_results.json: which machine, what was checked, what was measured."""

import json
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import companion
from tools.gpu.parts import Outcome

__all__ = ["NoDevice", "machine", "to_json"]

_TESTED = ("checks", "tests")


class NoDevice(RuntimeError):
    """There is no such device; the message says so."""


def machine(device: str) -> dict:
    """Device, driver, versions and date. Raises `NoDevice`."""
    try:
        import torch
    except ModuleNotFoundError:
        raise NoDevice("there is no PyTorch in this Python; name another with PYTHON=...") from None
    if device == "cuda" and not torch.cuda.is_available():
        raise NoDevice(f"there is no CUDA device that PyTorch {torch.__version__} can use here")
    versions = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": _version("triton"),
        "companion": companion.__version__,
    }
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else f"rehearsal on {platform.machine()}",
        "driver": _driver() if device == "cuda" else "none",
        "versions": versions,
        "date": datetime.now(UTC).date().isoformat(),
    }


def to_json(machine: dict, outcomes: Sequence[Outcome], figures: Path) -> str:
    """The file: ``figures`` is what tools.gpu.benchmark wrote, if it came so far."""
    measured = json.loads(figures.read_text()) if figures.exists() else {"rows": [], "fit": []}
    counts = {
        "checks": _counted(o for o in outcomes if o.name in _TESTED),
        "notebooks": _counted(o for o in outcomes if o.name == "notebooks"),
        "incomplete": [str(o) for o in outcomes if not o.whole],
    }
    return json.dumps(machine | counts | measured, indent=1) + "\n"


def _counted(outcomes):
    outcomes = list(outcomes)
    return {"passed": sum(o.passed for o in outcomes), "failed": sum(o.failed for o in outcomes)}


def _version(name):
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _driver():
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.splitlines()[0].strip()
