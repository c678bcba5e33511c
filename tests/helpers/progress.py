"""What a reader has solved, put into the browser before a page starts."""

import json

from companion.exercises.bank import find
from companion.exercises.spec import BOOK

__all__ = ["kept"]


def kept(*names):
    """A script that stores these exercises as solved."""
    return "".join(
        f"localStorage.setItem({json.dumps(f'{BOOK}/{name}')}, {json.dumps(json.dumps(record(name)))});"
        for name in names
    )


def record(name):
    return {"version": find(name).payload["version"], "state": "solved", "solved": True, "at": 1}
