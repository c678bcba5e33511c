"""A Python that has what the checks need: this one, or one made of it and of the carried wheels.

Standard library only: it runs on a machine that has PyTorch, Triton and NumPy, and no network.
"""

import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Lacking", "make", "python"]

_THERE = ("torch", "triton", "numpy")  # what a wheel may not bring
_CARRIED = ("anywidget", "ipykernel", "latex2mathml", "matplotlib", "nbval", "pytest", "xdist")


class Lacking(RuntimeError):
    """Something is not there and cannot be had; the message says what."""


def python(folder: Path, wheels: Path) -> Path:
    """The interpreter to run everything with; made in ``folder`` from ``wheels`` if this one lacks something.

    Raises `Lacking`.
    """
    if lost := [name for name in _THERE if find_spec(name) is None]:
        raise Lacking(f"{sys.executable} has no {' and no '.join(lost)}; name another with PYTHON=...")
    if all(find_spec(name) for name in _CARRIED):
        return Path(sys.executable)
    found = sorted(wheels.glob("*.whl"))
    if not found:
        raise Lacking(f"no wheels in {wheels}: run make gpu-wheels where there is a network, and bring them")
    return make(folder, found)


def make(folder: Path, wheels: list[Path]) -> Path:
    """A virtual environment in ``folder`` of ``wheels`` and, behind them, whatever this interpreter has.

    Not by ``--system-site-packages``: where this interpreter is a virtual environment's, that would be the
    packages of the one below. Raises `Lacking` when a wheel does not fit.
    """
    venv.create(folder, clear=True, symlinks=True)
    made = folder / "bin" / "python"
    place = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    behind = dict.fromkeys(str(Path(find_spec(name).origin).parents[1]) for name in _THERE)
    (place / "machine.pth").write_text("\n".join(behind) + "\n")
    command = [sys.executable, "-m", "pip", "--python", str(made), "install", "--quiet", "--no-index"]
    command += ["--no-deps", "--no-compile", "--disable-pip-version-check", "--ignore-installed"]
    if subprocess.run([*command, *map(str, wheels)], check=False).returncode:
        version = ".".join(map(str, sys.version_info[:2]))
        raise Lacking(f"the wheels could not be installed; they must be those for Python {version}")
    return made
