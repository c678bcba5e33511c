"""The text of the small model, and its letters as numbers.

It is Jane Austen's *Pride and Prejudice* (1813), chapters 1 to 46 of 61, one paragraph a line. The author
died in 1817: the novel is in the public domain. The text was taken from the R package janeaustenr 1.0.0
(Debian: r-cran-janeaustenr); its lines were joined to paragraphs, and nothing else was changed.
"""

from functools import cache
from pathlib import Path

__all__ = ["decode", "encode", "held_out", "novel", "training", "vocabulary"]

FILE = Path(__file__).parent / "pride_and_prejudice.txt"
HELD_OUT = "\nChapter 45\n"  # the last two chapters are never trained on


@cache
def novel() -> str:
    """All of the text, 489,601 characters."""
    return FILE.read_text(encoding="ascii")


def training() -> str:
    """What the model is trained on: chapters 1 to 44."""
    return novel()[: novel().index(HELD_OUT) + 1]


def held_out() -> str:
    """What the model has never seen: chapters 45 and 46."""
    return novel()[novel().index(HELD_OUT) + 1 :]


@cache
def vocabulary() -> str:
    """The 74 characters of the text in the order of their codes; token ``t`` is the character at ``t``."""
    return "".join(sorted(set(novel())))


def encode(text: str) -> list[int]:
    """Characters to tokens. ValueError names a character that the vocabulary lacks."""
    place = {character: token for token, character in enumerate(vocabulary())}
    for character in text:
        if character not in place:
            raise ValueError(f"text holds {character!r}; expected characters of {vocabulary()!r}")
    return [place[character] for character in text]


def decode(tokens) -> str:
    """Tokens to characters: the way back from `encode`."""
    return "".join(vocabulary()[token] for token in tokens)
