"""Explain: free text, then a rubric that readers score themselves against a model answer."""

from dataclasses import dataclass

from companion.exercises.spec import Exercise, Probe

__all__ = ["Explain"]


@dataclass(frozen=True, kw_only=True)
class Explain(Exercise):
    """solution: the model answer. rubric: the points that an answer should make, as statements."""

    kind = "explain"
    why: str = "Every point is there."
    rubric: tuple[str, ...]

    def key(self, names):
        with self.blaming("rubric"):
            if isinstance(self.rubric, str) or not self.rubric:
                raise ValueError(f"a tuple of at least one text expected, {self.rubric!r} came")
        return {
            "rubric": [self.inline("rubric", point, names) for point in self.rubric],
            "why": self.inline("why", self.why, names),
        }

    def entries(self):
        everything = list(range(len(self.rubric)))
        yield Probe("empty", "empty", {"text": "", "marks": None}, None)
        yield Probe("all points", "right", {"text": "Because.", "marks": everything}, self.cards[0]["why"])
        yield Probe("a point missing", "wrong", {"text": "Because.", "marks": everything[1:]}, None)
