"""Download what `make gpu` needs on a machine that has PyTorch, Triton and NumPy, and no network.

    python -m tools.gpu.wheels [--python 3.12] [--has torch triton numpy] [--out _build/gpu_wheels]

The releases are those of requirements.txt, for Linux on x86-64. The package itself is not among
them: there as here, it is the working tree. Above the limit nothing is left, and the exit status is 1.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["DIRECT", "LIMIT_MB", "download", "pins"]

ROOT = Path(__file__).resolve().parents[2]
LIMIT_MB = 40
HAS = ("torch", "triton", "numpy")  # NumPy and matplotlib together are above the limit
DIRECT = ("anywidget", "ipykernel", "latex2mathml", "matplotlib", "nbval", "pytest", "pytest-xdist")
# Required by name, and loaded by nobody here: a debugger, completion, the widgets' browser side.
UNUSED = ("debugpy", "jedi", "parso", "jupyterlab-widgets", "widgetsnbextension")
_PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
_PLATFORMS += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]


def pins(python: str, has: tuple[str, ...] = HAS) -> list[str]:
    """``name==version`` of all that `DIRECT` needs under Python ``python``, without what is there."""
    left_out = [f"--no-emit-package={name}" for name in (*has, *UNUSED)]
    command = [sys.executable, "-m", "uv", "pip", "compile", "--no-config", "--quiet", "--no-header"]
    command += ["--no-annotate", "--constraint", str(ROOT / "requirements.txt"), *left_out, "-"]
    command += ["--python-version", python, "--python-platform", "x86_64-manylinux_2_28"]
    run = subprocess.run(command, input="\n".join(DIRECT), text=True, stdout=subprocess.PIPE, check=True)
    return [line for line in run.stdout.splitlines() if "==" in line]


def download(wanted: list[str], python: str, folder: Path) -> float:
    """Fills ``folder`` with the wheels of ``wanted``, and nothing else; returns their size in MB."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--implementation=cp", "--python-version", python]
    command += [f"--platform={platform}" for platform in _PLATFORMS]
    subprocess.run([*command, "--dest", str(folder), *wanted], check=True)
    return sum(wheel.stat().st_size for wheel in folder.iterdir()) / 1e6


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="3.12", choices=("3.11", "3.12", "3.13"))
    parser.add_argument("--has", nargs="+", default=HAS, metavar="NAME", help="what the machine has")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "gpu_wheels", metavar="FOLDER")
    options = parser.parse_args(arguments)
    size = download(pins(options.python, tuple(options.has)), options.python, options.out)
    count = len(list(options.out.iterdir()))
    print(f"{count} wheels for Python {options.python}, {size:.1f} MB of at most {LIMIT_MB}: {options.out}")
    if size <= LIMIT_MB:
        return 0
    shutil.rmtree(options.out)
    print("Too large, and deleted: name with --has what else the machine has.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
