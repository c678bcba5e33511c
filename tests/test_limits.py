"""A call ends, whatever the function does; nothing of it stays behind."""

import signal
import sys
import threading
import time
import warnings

import pytest

from companion.limits import call


def loops():
    while True:
        pass


def holds_on():
    while True:
        try:
            time.sleep(0.01)
        except:  # noqa: E722
            pass


def test_a_value_and_what_was_printed():
    def talks(a, b=1):
        print("sum")
        print("of two", file=sys.stderr)
        return a + b

    outcome = call(talks, (2,), 1.0, {"b": 5})
    assert (outcome.state, outcome.value, outcome.printed) == ("value", 7, "sum\nof two\n")


def test_only_the_head_of_what_is_printed_is_kept():
    outcome = call(lambda: print("word " * 100_000), (), 5.0)
    assert outcome.printed == "word " * 80 + " ..."


def test_an_exception_has_its_line():
    def raises(x):
        y = x
        return [][y]

    outcome = call(raises, (3,), 1.0)
    assert outcome.state == "raised" and isinstance(outcome.error, IndexError) and outcome.line == 3
    assert isinstance(call(sys.exit, (1,), 1.0).error, SystemExit)
    assert call(len, (3,), 1.0).line is None


def test_an_interrupt_from_the_keyboard_goes_through():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(interrupted, (), 1.0)


def test_a_warning_is_not_shown_and_the_filters_are_as_before(recwarn):
    before = list(warnings.filters)
    assert call(lambda: warnings.warn("so", stacklevel=1), (), 1.0).state == "value"
    assert not recwarn.list and warnings.filters == before


@pytest.mark.parametrize("function", [loops, holds_on, lambda: time.sleep(60)], ids=["busy", "deaf", "idle"])
def test_it_is_stopped_and_nothing_stays_behind(function):
    handler = signal.getsignal(signal.SIGALRM)
    began = time.monotonic()
    assert call(function, (), 0.2).state == "stopped"
    assert time.monotonic() - began < 5
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert call(time.sleep, (0.2,), 5.0).state == "value"  # no late alarm


def test_a_compiled_function_is_stopped_as_well():
    assert call(time.sleep, (60,), 0.2).state == "stopped"


def test_a_tracer_is_kept_and_its_frames_are_let_alone():
    seen = []

    def tracer(frame, event, arg):
        seen.append(event)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        state = call(loops, (), 0.2).state
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert state == "stopped" and kept is tracer and "line" in seen


def in_a_thread(function, args, seconds):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(call(function, args, seconds)))
    thread.start()
    thread.join()
    return outcomes[0]


@pytest.mark.parametrize("run", [call, in_a_thread], ids=["main", "thread"])
def test_inside_another_call_the_earlier_limit_holds(run):
    def outer_is_earlier():
        return call(loops, (), 60.0).state

    def inner_is_earlier():
        inner = call(loops, (), 0.2).state
        loops()
        return inner

    for function in (outer_is_earlier, inner_is_earlier):
        began = time.monotonic()
        assert run(function, (), 0.6).state == "stopped"
        assert time.monotonic() - began < 10
    assert run(lambda: call(loops, (), 0.2).state, (), 60.0).value == "stopped"


def test_in_a_thread_it_is_stopped_or_said_to_run_on():
    assert in_a_thread(loops, (), 0.2).state == "stopped"
    assert in_a_thread(lambda: 3, (), 5.0).value == 3
    held = threading.Event()
    assert in_a_thread(held.wait, (), 0.2).state == "stuck"
    held.set()


def test_a_foreign_alarm_still_rings():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        assert call(lambda: 3, (), 5.0).value == 3
        assert not rung and 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1.0
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert call(time.sleep, (60,), 5.0).state == "stopped"
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
