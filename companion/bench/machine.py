"""Names the machine that a table was made on."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import torch

__all__ = ["describe"]


def describe(device: str) -> dict:
    """Processor, threads, load, versions and date; the GPU too, if it is ``device``.

    The load tells whether others were computing: on a busy machine threads wait for each other, and whoever
    uses them for many small steps loses most.
    """
    found = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "date": datetime.now(UTC).date().isoformat(),
    }
    if device != "cpu":
        found["gpu"] = torch.cuda.get_device_name(device)
    return found


def _load():
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else "unknown"


def _processor():
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
