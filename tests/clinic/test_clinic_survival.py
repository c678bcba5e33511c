"""Functions that hang, raise, print or return nonsense on the way, in the main thread and in another."""

import threading
import time

import numpy as np
import pytest
from clinic.test_clinic_adapt import attend

from companion.clinic import examine
from companion.patterns import sliding_window


def hangs_always(q, k, v):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def hangs_at_13(q, k, v):
    while q.shape[-2] == 13:
        pass
    return attend(q, k, v)


@pytest.mark.parametrize("fn", [hangs_always, hangs_at_13])
def test_a_function_that_hangs_is_stopped(fn):
    start = time.monotonic()
    report = examine(fn, seconds=0.3)
    assert report.names == ("hangs",)
    assert "stopped after 0.3 s" in report.findings[0].evidence.note
    assert report.tried[-1].outcome == "not examined: the function hangs"
    assert time.monotonic() - start < 60


def in_a_thread(fn, **options):
    reports = []
    thread = threading.Thread(target=lambda: reports.append(examine(fn, **options)))
    thread.start()
    thread.join()
    return reports[0]


def test_in_a_thread_a_function_is_examined_and_stopped_too():
    assert in_a_thread(attend).healthy
    report = in_a_thread(hangs_at_13, seconds=0.3)
    assert report.names == ("hangs",)
    assert "stopped after 0.3 s" in report.findings[0].evidence.note


def test_what_cannot_be_stopped_is_said():
    held = threading.Event()

    def held_in_compiled_code(q, k, v):
        if q.shape[-2] == 13:
            held.wait()
        return attend(q, k, v)

    report = in_a_thread(held_in_compiled_code, seconds=0.3)
    held.set()
    assert report.names == ("hangs",)
    assert "could not be stopped and still runs" in report.findings[0].evidence.note


def test_a_gradient_that_hangs_is_stopped():
    def never(grad, *arguments, **named):
        while True:
            pass

    report = examine(attend, gradient=never, seconds=0.3)
    assert report.names == ("hangs",)
    assert report.findings[0].evidence.call == "its gradient"


def test_what_the_function_prints_is_not_shown(capsys):
    def talks(q, k, v):
        print("here I am")
        return attend(q, k, v)

    assert examine(talks).healthy
    assert capsys.readouterr().out == ""


def test_a_function_that_raises_for_one_length():
    def raises(q, k, v):
        if q.shape[-2] == 13:
            raise IndexError("thirteen")
        return attend(q, k, v)

    report = examine(raises)
    assert report.names == ("raises",)
    assert report.findings[0].evidence.note == "IndexError: thirteen"
    assert "L = 13" in report.findings[0].evidence.case


def test_a_function_that_leaves():
    def leaves(q, k, v):
        raise SystemExit("bye")

    assert examine(leaves).names == ("cannot be called",)


def test_a_shape_that_is_wrong_for_one_length():
    def short(q, k, v):
        return attend(q, k, v)[..., : 16 if q.shape[-2] == 17 else None, :]

    report = examine(short)
    assert report.names == ("wrong shape",)
    assert report.findings[0].evidence.note == "returned shape (1, 1, 16, 4), expected (1, 1, 17, 4)"


def test_an_unknown_fault_is_caught_with_its_smallest_case():
    report = examine(lambda q, k, v: attend(q, k, v) * 1.01)
    (finding,) = report.findings
    assert finding.name == "differs from the reference"
    assert "L = 1, D = 2" in finding.evidence.case
    np.testing.assert_allclose(finding.evidence.got, 1.01 * np.array(finding.evidence.expected), rtol=1e-5)


def test_an_unknown_leak_is_a_leak():
    def smoothed(q, k, v):
        return attend(q, (k + np.roll(k, -1, axis=-2)) / 2, v)

    assert examine(smoothed).names == ("leaks the future",)


def test_mixing_the_batch_in_an_unknown_way():
    def averaged(q, k, v):
        return attend(q, k, (v + v.mean(axis=0, keepdims=True)) / 2)

    assert examine(averaged, layout="BHLD").names == ("batch elements mixed",)


def test_an_examination_leaves_the_random_numbers_alone():
    np.random.seed(0)
    examine(attend)
    drawn = np.random.random()
    np.random.seed(0)
    assert drawn == np.random.random()


def test_the_same_seed_gives_the_same_report():
    def wrong(q, k, v):
        return attend(q, k, v) + 1

    first, again, other = (examine(wrong, sliding_window(4), seed=seed).to_dict() for seed in (3, 3, 4))
    assert first == again
    assert first["findings"][0]["evidence"] != other["findings"][0]["evidence"]
