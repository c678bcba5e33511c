"""Choice and Choices: one option, or all that hold."""

from dataclasses import dataclass

from companion.exercises import text
from companion.exercises.spec import Data, Exercise, Probe

__all__ = ["Choice", "Choices", "Right", "Wrong"]


@dataclass(frozen=True)
class Right:
    """An option that holds."""

    text: str


@dataclass(frozen=True)
class Wrong:
    """An option that does not hold; message: what choosing it overlooks."""

    text: str
    message: str


@dataclass(frozen=True, kw_only=True)
class _Options(Exercise):
    """options: Right(text) and Wrong(text, message), in the order in which they are shown."""

    mistakes_field = "options"
    options: tuple[Right | Wrong, ...]

    def _right(self):
        with self.blaming("options"):
            for option in self.options:
                if not isinstance(option, (Right, Wrong)):
                    raise ValueError(f"a Right or a Wrong expected, {option!r} came")
            if len(self.options) < 2:
                raise ValueError(f"at least two expected, {len(self.options)} came")
            right = [index for index, option in enumerate(self.options) if isinstance(option, Right)]
            if not right:
                raise ValueError("no right answer")
            return right

    def public(self, names):
        options = [self.inline("options", option.text, names) for option in self.options]
        if len(set(options)) < len(options):
            raise ValueError(f"exercise {self.id!r}, field options: two are the same")
        return {"options": options}

    def spoilers(self, names):
        texts = (text.fill(self.options[index].text, names) for index in self._right())
        return tuple(shown for shown in texts if len(shown) > 3)

    def fallback_parts(self):
        options = (text.fallback_line(text.fill(option.text, self._shown)) for option in self.options)
        return f"<ul>{''.join(f'<li>{option}</li>' for option in options)}</ul>"


@dataclass(frozen=True, kw_only=True)
class Choice(_Options):
    """One option is right. Every wrong one has its message."""

    kind = "choice"

    def key(self, names):
        right = self._right()
        with self.blaming("options"):
            if len(right) > 1:
                raise ValueError(f"one right answer expected, {len(right)} came (Choices takes many)")
        rules = [self.rule(right[0], True, self.why, names)]
        for index, option in enumerate(self.options):
            if isinstance(option, Wrong):
                rules.append(self.rule(index, False, option.message, names))
        return {"rules": rules}

    def entries(self):
        yield Probe("empty", "empty", None, None)


@dataclass(frozen=True, kw_only=True)
class Choices(_Options):
    """Every right option is to be ticked and no other.

    The message of the first wrong option that is ticked comes first; then how many are missing.
    """

    kind = "choices"

    def key(self, names):
        right = self._right()
        rules = [self.rule(right, True, self.why, names)]
        wrong = [
            {"option": index, "message": self.inline("options", option.message, Data(names))}
            for index, option in enumerate(self.options)
            if isinstance(option, Wrong)
        ]
        return {"rules": rules, "wrong": wrong}

    def entries(self):
        right = self._right()
        for wrong in self.cards[0]["wrong"]:
            yield Probe("wrong option", "wrong", sorted([*right, wrong["option"]]), wrong["message"])
        yield Probe("empty", "empty", [], None)
        if len(right) > 1:
            yield Probe("one missing", "wrong", right[1:], None)
