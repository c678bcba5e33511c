"""Where each room of the package stands in its picture: floors, order on a floor, and ways for the arrows."""

from itertools import pairwise

__all__ = ["Layout"]


class Layout:
    """floors: room to floor, 0 the lowest; a room stands one above the highest that it imports.
    chains: for each arrow the nodes that it passes, a room, then ``(from, to, floor)`` on every floor
    between, then a room. An arrow is left out where a longer way says the same. rows: the nodes of each
    floor in order.
    """

    def __init__(self, package):
        self.below = {name: room.imports | room.later for name, room in package.items()}
        self.floors = {}
        for name in self.below:
            self._stand(name, ())
        self.chains = [
            (name, *((name, other, f) for f in range(self.floors[name] - 1, self.floors[other], -1)), other)
            for name in sorted(self.below)
            for other in sorted(self.below[name])
            if not any(other in self._reached(between) for between in self.below[name])
        ]
        passed = [node for chain in self.chains for node in chain]
        every = dict.fromkeys([*sorted(self.below), *passed])
        self.rows = [[n for n in every if self.floor(n) == f] for f in range(max(self.floors.values()) + 1)]
        self._untangle()

    def floor(self, node):
        return self.floors[node] if isinstance(node, str) else node[2]

    def _stand(self, name, above):
        if name in above:
            raise ValueError(f"rooms import each other in a circle: {' -> '.join((*above, name))}")
        if name not in self.floors:
            lower = [self._stand(other, (*above, name)) for other in sorted(self.below[name])]
            self.floors[name] = max(lower, default=-1) + 1
        return self.floors[name]

    def _reached(self, name):
        """What ``name`` imports, at first or at any remove."""
        return self.below[name].union(*map(self._reached, self.below[name]))

    def _untangle(self, sweeps=12):
        """Orders each floor by where its neighbours stand, up and down in turn."""
        near = {}
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                near.setdefault(upper, []).append(lower)
                near.setdefault(lower, []).append(upper)
        for _ in range(sweeps):
            for row in (*self.rows, *reversed(self.rows)):
                at = {n: (place + 0.5) / len(r) for r in self.rows for place, n in enumerate(r)}
                own = {n: [at[other] for other in near.get(n, [n])] for n in row}
                row.sort(key=lambda n: (sum(own[n]) / len(own[n]), str(n)))
