"""A progress bar on a text stream."""

from typing import TextIO

__all__ = ["Progress"]

_WIDTH = 24


class Progress:
    """Counts measurements up to ``total``; on a terminal in one line, else one line a measurement."""

    def __init__(self, total: int, stream: TextIO):
        self.total, self.stream = total, stream
        self.done, self.name = 0, ""

    def begin(self, name: str) -> None:
        """A measurement begins."""
        self.name = name
        if self.stream.isatty():
            self._draw(name)
        else:
            print(f"[{self.done + 1}/{self.total}] {name}", file=self.stream, flush=True)

    def tick(self, contestant: str) -> None:
        """A contestant's turn within the measurement."""
        if self.stream.isatty():
            self._draw(f"{self.name}: {contestant}")

    def end(self) -> None:
        """The measurement is done; after the last the line is wiped."""
        self.done += 1
        if self.stream.isatty() and self.done == self.total:
            print("\r\x1b[K", end="", file=self.stream, flush=True)

    def _draw(self, text):
        filled = _WIDTH * self.done // self.total
        bar = "#" * filled + "." * (_WIDTH - filled)
        print(f"\r\x1b[K[{bar}] {self.done}/{self.total} {text[:70]}", end="", file=self.stream, flush=True)
