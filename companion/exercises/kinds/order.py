"""Order: steps to be put in their order."""

import random
from dataclasses import dataclass
from itertools import islice, permutations

from companion.exercises import text
from companion.exercises.spec import Exercise, Mistake, Probe

__all__ = ["Order"]


@dataclass(frozen=True, kw_only=True)
class Order(Exercise):
    """items: in the right order; they are shown in another one.

    also: other orders that are right as well, as permutations of 0 .. n - 1.
    mistakes: Mistake(name, permutation, message).
    """

    kind = "order"
    items: tuple[str, ...]
    also: tuple[tuple[int, ...], ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    def _orders(self):
        """The permutations that have a rule: the right ones first."""
        count = len(self.items)
        with self.blaming("items"):
            if count < 3:
                raise ValueError(f"at least three expected, {count} came")
            if len(set(self.items)) < count:
                raise ValueError("two are the same")
        orders = [tuple(range(count)), *map(tuple, self.also), *(tuple(m.value) for m in self.mistakes)]
        with self.blaming("mistakes"):
            for order in orders:
                if sorted(order) != list(range(count)):
                    raise ValueError(f"a permutation of 0 .. {count - 1} expected, {order} came")
            if len(set(orders)) < len(orders):
                raise ValueError("two orders are the same, or one is right")
        return orders

    def _shown_order(self):
        """Which item stands at each place at first: drawn by the id, and no order that has a rule."""
        orders, rng = set(self._orders()), random.Random(self.id)
        if len(orders) == len(list(islice(permutations(self.items), len(orders) + 1))):
            raise ValueError(f"exercise {self.id!r}, field mistakes: every order has its rule")
        shown = list(range(len(self.items)))
        while tuple(shown) in orders:
            rng.shuffle(shown)
        return shown

    def public(self, names):
        return {"items": [self.inline("items", self.items[index], names) for index in self._shown_order()]}

    def key(self, names):
        orders, place = self._orders(), {item: spot for spot, item in enumerate(self._shown_order())}
        messages = [self.why] * (1 + len(self.also)) + [mistake.message for mistake in self.mistakes]
        rules = [
            self.rule([place[item] for item in order], index <= len(self.also), message, names)
            for index, (order, message) in enumerate(zip(orders, messages))
        ]
        return {"rules": rules}

    def entries(self):
        yield Probe("unmatched", "wrong", list(range(len(self.items))), None)

    def fallback_parts(self):
        shown = (
            text.fallback_line(text.fill(self.items[index], self._shown)) for index in self._shown_order()
        )
        return f"<ul>{''.join(f'<li>{item}</li>' for item in shown)}</ul>"
