"""The exercises, one file a chapter: ``chNN.py`` holds a list ``EXERCISES``.

What they compute is in `companion.exercises.answers`. Files load when asked for.
"""

import importlib
import pkgutil
from functools import cache

from companion.exercises.spec import Exercise

__all__ = ["chapters", "collect", "find", "load"]


def chapters():
    """The chapters that have exercises: ``["ch01", ...]``."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


@cache
def load(chapter):
    """The exercises of a chapter by id, in the order of its file."""
    module = importlib.import_module(f"{__name__}.{chapter}")
    return collect(chapter, module.EXERCISES)


def collect(chapter, specs):
    """``specs`` by id. ValueError for an unknown kind, a duplicate id, or an id of another chapter."""
    found = {}
    for spec in specs:
        if not isinstance(spec, Exercise):
            raise ValueError(f"{chapter}: an exercise of a known kind expected, {spec!r} came")
        if spec.chapter != chapter:
            raise ValueError(
                f"exercise {spec.id!r}, field id: it stands in {chapter}, so '{chapter}-...' expected"
            )
        if spec.id in found:
            raise ValueError(f"exercise {spec.id!r}, field id: there are two")
        found[spec.id] = spec
    return found


def find(id):
    """The exercise called ``id``. KeyError, with the nearest names, when there is none."""
    chapter = str(id).partition("-")[0]
    known = load(chapter) if chapter in chapters() else {}
    if id not in known:
        there = f"{chapter} has {', '.join(known)}" if known else f"ids begin with {', '.join(chapters())}"
        raise KeyError(f"no exercise {id!r}; {there}")
    return known[id]
