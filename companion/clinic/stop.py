"""A time limit for a call that may never return."""

import signal
import threading
from contextlib import contextmanager

__all__ = ["TimeUp", "can_stop", "time_limit"]

_AGAIN = 0.1  # seconds between two alarms, for a function that catches the first


class TimeUp(BaseException):
    """Raised inside the call; no ``except Exception`` of the function's own holds it."""


def can_stop() -> bool:
    """Whether a call can be stopped: only in the main thread, where the system has SIGALRM."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def time_limit(seconds: float):
    """Raises TimeUp when the body has run for ``seconds``; does nothing where `can_stop` is false.

    A call that stays inside compiled code is stopped when it comes back.
    """
    if not can_stop():
        yield
        return

    def ring(number, frame):
        raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
