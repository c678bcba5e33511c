"""The widget: an exercise's payload in the two homes of :class:`companion.frontend.mount.Mount`."""

from companion.exercises import frontend
from companion.frontend.mount import Mount, style

__all__ = ["ExerciseWidget"]


class ExerciseWidget(Mount):
    """One exercise. ``card`` is its :class:`companion.exercises.spec.Exercise`."""

    kind = "exercise"
    _esm = frontend.source()
    _css = style(*frontend.stylesheets())

    def __init__(self, card):
        self.card = card
        super().__init__(spec=card.payload)

    def fallback(self):
        return self.card.fallback()

    def alt(self):
        return self.card.alt()
