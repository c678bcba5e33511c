"""Where each concept stands: layers from top to bottom, so that what to learn before stands above."""

from dataclasses import dataclass
from itertools import permutations

__all__ = ["Layer", "layers"]


@dataclass(frozen=True)
class Layer:
    """A row of concepts of one page. slots: each concept's column, from 0."""

    page: str
    slots: dict[str, int]


def layers(concepts, columns):
    """The layers of all pages in the book's order, none with more than ``columns`` concepts."""
    needs = {concept["id"]: concept["learn_before"] for concept in concepts}
    found, slots = [], {}
    for page in dict.fromkeys(concept["page"] for concept in concepts):
        for row in rows([c["id"] for c in concepts if c["page"] == page], needs, columns):
            placed = nearest(row, needs, slots, columns)
            slots |= placed
            found.append(Layer(page, placed))
    return found


def rows(ids, needs, columns):
    """The concepts of one page by how many of its others come before them, cut at ``columns``."""
    depth = {}

    def depth_of(id):
        if id not in depth:
            depth[id] = 1 + max((depth_of(other) for other in needs[id] if other in ids), default=-1)
        return depth[id]

    by_depth = [[id for id in ids if depth_of(id) == level] for level in range(max(map(depth_of, ids)) + 1)]
    return [row[start : start + columns] for row in by_depth for start in range(0, len(row), columns)]


def nearest(row, needs, slots, columns):
    """Columns for a row: as near as can be to those of what each concept needs."""
    middle = (columns - 1) / 2
    wanted = [[slots[other] for other in needs[id] if other in slots] or [middle] for id in row]

    def distance(chosen):
        return sum(abs(slot - sum(near) / len(near)) for slot, near in zip(chosen, wanted, strict=True))

    return dict(zip(row, min(permutations(range(columns), len(row)), key=distance), strict=True))
