"""Calls a function of somebody else's: for so long, its exceptions caught, and what it prints cut short."""

import ctypes
import io
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["Outcome", "call"]

_PRINTED = 400  # characters kept of what a function prints
_PULSE = 0.05  # seconds between two attempts to stop a function that catches everything
_PATIENCE = 1.0  # seconds of such attempts, where the caller need not wait for the function


class _TimeUp(BaseException):
    """Raised inside the function; no ``except Exception`` of its own holds it."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call.

    state: "value", "raised", "stopped" (it took too long) or "stuck" (it did, and still runs).
    line: where it raised, counted from the function's first line. printed: the head of what it printed.
    """

    state: str
    value: Any = None
    error: BaseException | None = None
    line: int | None = None
    printed: str = ""


_STOPPED = Outcome("stopped")  # made beforehand: where it is returned, to make one would be traced and raise


def call(
    function: Callable, args: Sequence, seconds: float, named: Mapping[str, Any] | None = None
) -> Outcome:
    """``function(*args, **named)`` as an Outcome, stopped after ``seconds``; warnings are not shown.

    In the main thread of a system with SIGALRM it is interrupted by a signal; one that stays inside compiled
    code is stopped when it comes back. Anywhere else it runs in a thread of its own, to which an exception is
    sent; one that holds out against that is "stuck". Inside another call the earlier limit holds.

    Raises KeyboardInterrupt and the like, if the function does.
    """
    out = _Head()
    with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings():
        # A warning names files and lines of this machine, and its number of times varies.
        warnings.simplefilter("ignore")
        in_main = threading.current_thread() is threading.main_thread()
        way = _by_signal if in_main and hasattr(signal, "setitimer") else _by_thread
        outcome = way(function, args, named or {}, seconds)
    return replace(outcome, printed=out.text())


class _Head(io.TextIOBase):
    """A text stream that keeps its first characters."""

    def __init__(self):
        self.kept, self.size = "", 0

    def writable(self):
        return True

    def write(self, text):
        self.size += len(text)
        self.kept += text[: _PRINTED - len(self.kept)]
        return len(text)

    def text(self):
        return self.kept + (" ..." if self.size > len(self.kept) else "")


def _run(function, args, named):
    try:
        return Outcome("value", function(*args, **named))
    except _TimeUp:
        return _STOPPED
    except (Exception, SystemExit) as error:
        return Outcome("raised", error=error, line=_line(function, error))


def _line(function, error):
    code = getattr(function, "__code__", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code is code]
    return lines[-1] - code.co_firstlineno + 1 if lines else None


def _by_signal(function, args, named, seconds):
    here = sys._getframe()

    def ring(number, frame):
        if frame is here:  # before the function is called, or after: raised here it would undo nothing
            return
        # A bare except holds what is raised here; the trace raises again on the line after it.
        sys.settrace(again)
        while frame is not here:
            frame.f_trace, frame = again, frame.f_back
        raise _TimeUp

    def again(frame, event, arg):
        if event == "line" and frame.f_code.co_filename != __file__:
            raise _TimeUp
        return again

    tracer, began = sys.gettrace(), time.monotonic()
    outer, interval = signal.getitimer(signal.ITIMER_REAL)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, min(seconds, outer or seconds), _PULSE)
        return _run(function, args, named)
    except _TimeUp:  # it rang while an exception of the function's was looked at
        return _STOPPED
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.settrace(tracer)
        signal.signal(signal.SIGALRM, before)
        left = outer - (time.monotonic() - began)
        if outer and left > 0:
            signal.setitimer(signal.ITIMER_REAL, left, interval)
        elif outer:
            signal.setitimer(signal.ITIMER_REAL, interval, interval)
            signal.raise_signal(signal.SIGALRM)


def _by_thread(function, args, named, seconds):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(_run(function, args, named)), daemon=True)
    thread.start()
    try:
        # In short waits, so that a call around this one can end it.
        for wait in _waits(seconds, thread):
            thread.join(wait)
    finally:
        ident, what = ctypes.c_ulong(thread.ident), ctypes.py_object(_TimeUp)
        for wait in _waits(_PATIENCE, thread):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, what)
            thread.join(wait)
    if thread.is_alive():
        return Outcome("stuck")
    return outcomes[0] if outcomes else _STOPPED


def _waits(seconds, thread):
    """Short waits that add up to ``seconds``, as long as the thread lives."""
    end = time.monotonic() + seconds
    while thread.is_alive() and (left := end - time.monotonic()) > 0:
        yield min(left, _PULSE)
