"""Code: a function that the reader writes in the notebook and ``check`` runs."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.exercises.spec import Exercise

__all__ = ["Code", "CodeMistake", "edited"]


def edited(source: str, *changes: tuple[str, str]) -> str:
    """``source`` with each (old, new) replaced: a mistake made of a solution.

    Raises ValueError where old does not occur.
    """
    for old, new in changes:
        if old not in source:
            raise ValueError(f"{old!r} does not occur in {source!r}")
        source = source.replace(old, new)
    return source


@dataclass(frozen=True)
class CodeMistake:
    """A wrong function that we expect: its source, and what its author is told.

    It is recognised by its results: those of the reader's function, wherever that fails.
    """

    name: str
    source: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Code(Exercise):
    """A function to be written; one source gives task, stub, solution and mistakes.

    stub, code: source of the stub and of the worked solution, each defining the same one function
    (imports above it are welcome). inputs: ``inputs(rng, size)`` returns the arguments of one case.
    reference: computes what is right; the solution does when it is None. sizes: of the cases, smallest first.
    tolerance: relative, over the largest entry of what is right.
    diagnose: ``diagnose(function)`` returns what is wrong in words or None, when no mistake matches.
    """

    kind = "code"
    why: str = "Every case agrees with the reference."
    solution: str = "One way to write it."
    stub: str
    code: str
    inputs: Callable[..., tuple]
    reference: Callable[..., Any] | None = None
    mistakes: tuple[CodeMistake, ...] = ()
    sizes: tuple[int, ...] = (1, 2, 3, 5, 8, 13)
    tolerance: float = 1e-9
    diagnose: Callable[[Callable], str | None] | None = None

    note = "Write the function in the cell below in a notebook, then run the cell with check."

    @property
    def function(self):
        """The name of the function to be written."""
        names = {self._name(field, getattr(self, field)) for field in ("stub", "code")}
        names |= {self._name("mistakes", mistake.source) for mistake in self.mistakes}
        if len(names) > 1:
            raise ValueError(f"exercise {self.id!r}, field stub: one name expected, {sorted(names)} came")
        return names.pop()

    def _name(self, field, source):
        with self.blaming(field):
            functions = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
            if not functions:
                raise ValueError("it defines no function")
            return functions[-1]

    def public(self, names):
        return {"stub": self.stub.strip(), "function": self.function}

    def key(self, names):
        messages = [self.inline("mistakes", mistake.message, names) for mistake in self.mistakes]
        if len({mistake.name for mistake in self.mistakes}) < len(messages):
            raise ValueError(f"exercise {self.id!r}, field mistakes: two have one name")
        return {"code": self.code.strip()}

    def spoilers(self, names):
        return (self.code.strip(),)
