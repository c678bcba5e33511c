"""Makes torch's quiet retreats to a slow path an error: their times would pass for the fast path's."""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["SlowPath", "no_slow_path"]

_SLOW = re.compile(r"unfused|recompile_limit|cache_size_limit")


class SlowPath(RuntimeError):
    """torch said that it runs uncompiled or unfused."""


class _Listener(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.heard = []

    def emit(self, record):
        if _SLOW.search(record.getMessage()):
            self.heard.append(record.getMessage())


@contextmanager
def no_slow_path() -> Iterator[None]:
    """Raises `SlowPath` if torch warns, by warning or by log, of an unfused or no longer compiled call."""
    listener = _Listener()
    logger = logging.getLogger("torch._dynamo")
    logger.addHandler(listener)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=f"(?s).*({_SLOW.pattern})")
            yield
    except UserWarning as warning:
        if not _SLOW.search(str(warning)):
            raise
        listener.heard.append(str(warning))
    finally:
        logger.removeHandler(listener)
    if listener.heard:
        raise SlowPath(listener.heard[0])
