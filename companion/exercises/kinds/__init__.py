"""The kinds of exercise, one file a family; the bank imports them from here."""

from companion.exercises.kinds.choice import Choice, Choices, Right, Wrong
from companion.exercises.kinds.code import Code, CodeMistake, edited
from companion.exercises.kinds.explain import Explain
from companion.exercises.kinds.numeric import Number, Vector
from companion.exercises.kinds.order import Order
from companion.exercises.kinds.pick import PickTerms, PickTokens
from companion.exercises.spec import Mistake

__all__ = [
    "Choice",
    "Choices",
    "Code",
    "CodeMistake",
    "Explain",
    "Mistake",
    "Number",
    "Order",
    "PickTerms",
    "PickTokens",
    "Right",
    "Vector",
    "Wrong",
    "edited",
]
