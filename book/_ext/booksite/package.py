"""The package as its files hold it, not imported: rooms, first sentences, public names, imports."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import companion
from docutils import nodes

__all__ = ["Module", "Room", "code_marked", "rooms"]

HOME = Path(companion.__file__).parent


@dataclass(frozen=True)
class Module:
    """name: "companion.patterns.steps". public: its ``__all__``."""

    name: str
    public: tuple[str, ...]


@dataclass(frozen=True)
class Room:
    """A file of the package, or a folder.

    summary: the first sentence of its docstring. doors: the modules that its public names are imported from,
    which is the room itself where it has an ``__all__``. imports: other rooms that must be there for it to be
    loaded; later: those that it imports when it needs them.
    """

    name: str
    files: tuple[Path, ...]
    summary: str
    doors: tuple[Module, ...]
    imports: frozenset[str]
    later: frozenset[str]


@cache
def rooms():
    """Every room by name, in the order of the alphabet."""
    found = sorted(path for path in HOME.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists())
    return {path.stem: room(path) for path in found if path.stem != "__init__"}


def room(path):
    name, folder = path.stem, path.is_dir()
    files = tuple(sorted(path.rglob("*.py"))) if folder else (path,)
    tree = parsed(path / "__init__.py" if folder else path)
    names = public(tree)
    if names or not folder:
        doors = (Module(f"companion.{name}", names),)
    else:
        inside = sorted(file for file in path.glob("*.py") if file.stem[0] != "_")
        doors = tuple(Module(f"companion.{name}.{file.stem}", public(parsed(file))) for file in inside)
    trees = [parsed(file) for file in files]
    imports = {other for tree in trees for node in loaded(tree) for other in targets(node)} - {name}
    anywhere = {other for tree in trees for node in ast.walk(tree) for other in targets(node)} - {name}
    summary = " ".join(ast.get_docstring(tree).split("\n\n")[0].removesuffix("::").split())
    return Room(name, files, summary, doors, frozenset(imports), frozenset(anywhere - imports))


@cache
def parsed(file):
    return ast.parse(file.read_text())


def loaded(node):
    """The nodes that run when a module is loaded: all but the bodies of functions."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield part
            yield from loaded(part)


def public(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__all__":
            return tuple(ast.literal_eval(node.value))
    return ()


def targets(node):
    """Rooms of the package that an import statement names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module == "companion":
        names = [f"companion.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    else:
        names = []
    return {name.split(".")[1] for name in names if name.startswith("companion.")}


def code_marked(text):
    """Plain text as nodes; what stands in double backticks is code."""
    for place, part in enumerate(text.split("``")):
        yield nodes.literal(part, part) if place % 2 else nodes.Text(part)
