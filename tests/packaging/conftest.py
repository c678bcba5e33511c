"""The wheel, built once from a copy of the sources, and clean environments that hold it."""

import shutil
import subprocess
import sys

import pytest
from helpers.environments import UV, run
from helpers.project import ROOT

SOURCES = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """A copy, without what was built or compiled beside it before."""
    copy = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "companion", copy / "companion", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture(scope="session")
def wheel(sources, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*build, "--disable-pip-version-check", "--wheel-dir", str(folder), str(sources))
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="session")
def clean(wheel, tmp_path_factory):
    """``clean("3.12")``: the interpreter of an environment with the wheel and what it needs, no more."""
    made = {}

    def environment(version):
        if version not in made:
            folder = tmp_path_factory.mktemp(f"clean{version}")
            found = subprocess.run(
                [*UV, "venv", "--no-python-downloads", "--python", version, str(folder)], check=False,
                capture_output=True,
            )  # fmt: skip
            if found.returncode:
                pytest.skip(f"there is no Python {version} on this machine")
            made[version] = folder / "bin" / "python"
            run(*UV, "pip", "install", "--python", str(made[version]), str(wheel))
        return made[version]

    return environment
