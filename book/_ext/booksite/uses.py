"""Which chapters import which public names of the package."""

import ast
import json
from collections import defaultdict
from functools import cache
from pathlib import Path

__all__ = ["uses"]


def uses(env):
    """Full name, as imported, to the chapters that import it, in the book's order.

    A name reached through its module (``recall.train``) counts. The page that asks is written again when a
    chapter changes.
    """
    found = defaultdict(list)
    paths = (Path(env.srcdir) / "notebooks").glob("*.ipynb")
    for path in sorted(paths, key=lambda path: path.stem.partition("_")[0]):
        env.note_dependency(str(path))
        for name in imported(path, path.stat().st_mtime_ns):
            found[name].append(f"notebooks/{path.stem}")
    return dict(found)


@cache
def imported(path, changed):
    """The names of one notebook; ``changed``, the time of its last change, has a new text read anew."""
    cells = json.loads(path.read_text())["cells"]
    trees = [ast.parse(source(cell)) for cell in cells if cell["cell_type"] == "code"]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    ours = [node for node in froms if (node.module or "").startswith("companion")]
    given = [(node.module, alias) for node in ours for alias in node.names]
    names = {alias.asname or alias.name: f"{module}.{alias.name}" for module, alias in given}
    full = set(names.values())
    reached = {
        f"{names[node.value.id]}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    }
    return full | reached


def source(cell):
    """A cell's Python, without the lines that only IPython reads."""
    return "".join(line for line in cell["source"] if not line.lstrip().startswith(("%", "!")))
