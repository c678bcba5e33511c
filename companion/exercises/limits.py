"""Run a reader's function: for so long, with its exceptions caught and what it prints cut short."""

import ctypes
import io
import signal
import sys
import threading
import time
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

__all__ = ["Outcome", "call"]

PRINTED = 400  # characters kept of what a function prints
PULSE = 0.05  # seconds between two attempts to stop a function that catches everything


class _TimeUp(BaseException):
    """Raised inside the function; no ``except Exception`` of its own holds it."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call.

    state: "value", "raised", "stopped" (it took too long) or "stuck" (it did, and could not be stopped).
    line: where it raised, counted from the function's first line.
    """

    state: str
    value: Any = None
    error: BaseException | None = None
    line: int | None = None
    printed: str = ""


def call(function, args, seconds):
    """``function(*args)`` as an :class:`Outcome`, stopped after ``seconds``.

    In the main thread of a system with SIGALRM it is interrupted by a signal, anywhere else
    by an exception sent to a thread; neither stops a call that stays inside compiled code.
    """
    out = _Head()
    with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings():
        # A warning names files and lines of this machine, and its number of times varies.
        warnings.simplefilter("ignore")
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            outcome = _by_signal(function, args, seconds)
        else:
            outcome = _by_thread(function, args, seconds)
    return Outcome(outcome.state, outcome.value, outcome.error, outcome.line, out.text())


class _Head(io.TextIOBase):
    """A text stream that keeps its first characters."""

    def __init__(self):
        self.kept, self.size = "", 0

    def writable(self):
        return True

    def write(self, text):
        self.size += len(text)
        self.kept += text[: PRINTED - len(self.kept)]
        return len(text)

    def text(self):
        return self.kept + (" ..." if self.size > len(self.kept) else "")


def _run(function, args):
    try:
        return Outcome("value", function(*args))
    except _TimeUp:
        return Outcome("stopped")
    except (Exception, SystemExit) as error:
        return Outcome("raised", error=error, line=_line(function, error))


def _line(function, error):
    code = getattr(function, "__code__", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code is code]
    return lines[-1] - code.co_firstlineno + 1 if lines else None


def _by_signal(function, args, seconds):
    try:
        with _alarm(seconds):
            return _run(function, args)
    except _TimeUp:  # it rang between the function's end and the alarm's
        return Outcome("stopped")


@contextmanager
def _alarm(seconds):
    tracer = sys.gettrace()

    def ring(number, frame):
        # A bare except holds what is raised here; the trace raises again on the line after it.
        sys.settrace(again)
        while frame:
            frame.f_trace, frame = again, frame.f_back
        raise _TimeUp

    def again(frame, event, arg):
        if event == "line" and frame.f_code.co_filename != __file__:
            raise _TimeUp
        return again

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, PULSE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.settrace(tracer)


def _by_thread(function, args, seconds):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(_run(function, args)), daemon=True)
    thread.start()
    thread.join(seconds)
    patience = time.monotonic() + 1
    while thread.is_alive() and time.monotonic() < patience:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_TimeUp))
        thread.join(PULSE)
    if thread.is_alive():
        return Outcome("stuck")
    return outcomes[0] if outcomes else Outcome("stopped")
