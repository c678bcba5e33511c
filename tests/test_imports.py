"""`import companion` is nearly free, and a room imports only rooms below it."""

import ast
import subprocess
import sys

import pytest
from helpers.project import ROOT

PACKAGE = ROOT / "companion"
# From the ground up. A room may import itself and what stands before it.
FLOORS = [
    "extras", "reference", "layout", "patterns", "indices", "merge", "backends", "attention", "cache", "cost",
    "models", "bench", "limits", "clinic", "look", "frontend", "exercises", "explorers", "figures", "device",
]  # fmt: skip
HEAVY = ("torch", "anywidget", "ipywidgets", "latex2mathml", "matplotlib", "triton", "numpy")


def loaded_after(statement):
    code = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_package_alone_loads_nothing_heavy():
    assert loaded_after("import companion").isdisjoint(HEAVY)


@pytest.mark.parametrize("room", ["reference", "layout", "patterns", "indices", "cost", "look"])
def test_the_ground_floor_needs_numpy_alone(room):
    assert loaded_after(f"import companion.{room}").isdisjoint(set(HEAVY) - {"numpy"})


def test_exercises_do_not_load_torch():
    code = "from companion.exercises import exercise, ids; [exercise(name) for name in ids()]"
    assert "torch" not in loaded_after(code)


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path):
    """Rooms named by the imports that run when the module is loaded."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("companion"):
            names = [node.module] if node.module != "companion" else [f"companion.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("companion.")]
        else:
            continue
        yield from (name.split(".")[1] for name in names)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    if path == PACKAGE / "__init__.py":
        return
    here = FLOORS.index(room_of(path))
    for room in imported_rooms(path):
        assert FLOORS.index(room) <= here, f"{path.name} imports {room}, which stands above it"
