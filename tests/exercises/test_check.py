"""check: what it says of a function, and that every code exercise of the book holds what it promises."""

import inspect
import re
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from exercises import demo_bank

import companion.exercises
from companion.exercises import check
from companion.exercises.bank import chapters, find, load
from companion.exercises.checker import build, verdict
from companion.exercises.kinds import Code

SPEC = next(spec for spec in demo_bank.EXERCISES if isinstance(spec, Code))
BOOK = [spec for chapter in chapters() for spec in load(chapter).values() if isinstance(spec, Code)]
ALL = pytest.mark.parametrize("spec", [SPEC, *BOOK], ids=lambda spec: spec.id)


@ALL
def test_the_solution_passes(spec):
    found = verdict(spec, build(spec, spec.code))
    assert found.passed, found


@ALL
def test_the_stub_is_not_attempted(spec):
    found = verdict(spec, build(spec, spec.stub))
    assert found.state == "not attempted" and "not attempted yet" in repr(found)


def test_python_knows_the_source_of_what_is_built():
    """As triton.jit demands of a kernel; two sources of one exercise are not mixed up."""
    solution, stub = build(SPEC, SPEC.code), build(SPEC, SPEC.stub)
    assert inspect.getsource(solution).strip() in SPEC.code
    assert inspect.getsource(stub).strip() in SPEC.stub


@ALL
def test_every_mistake_is_caught_by_its_own_name(spec):
    for mistake in spec.mistakes:
        found = verdict(spec, build(spec, mistake.source))
        assert (found.state, found.mistake, found.message) == ("failed", mistake.name, mistake.message)


def never_ends(alpha, V):
    while True:
        pass


def never_ends_and_holds_on(alpha, V):
    while True:
        try:
            time.sleep(0.01)
        except:  # noqa: E722
            pass


def raises(alpha, V):
    weights = alpha
    return V[99] * weights


def leaves(alpha, V):
    raise SystemExit(1)


def returns_nothing(alpha, V):
    alpha @ V


def returns_a_list(alpha, V):
    return (alpha @ V).tolist()


def returns_text(alpha, V):
    return "[1, 2, 3]"


def wrong_shape(alpha, V):
    return (alpha @ V)[None]


def writes_into_its_input(alpha, V):
    V *= alpha[:, None]
    return V.sum(0)


def float32_inside(alpha, V):
    return (alpha.astype(np.float32) @ V.astype(np.float32)).astype(np.float64)


def float32_out(alpha, V):
    return (alpha @ V).astype(np.float32)


def not_a_number(alpha, V):
    return alpha @ V * np.nan


def off_by_one(alpha, V):
    return alpha @ V + 1


def too_few_parameters(alpha):
    return alpha


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (never_ends, "It was stopped: a case may take 1.5 s"),
        (never_ends_and_holds_on, "It was stopped: a case may take 1.5 s"),
        (raises, "It raised IndexError in its line 3: index 99"),
        (leaves, "It raised SystemExit in its line 2"),
        (returns_nothing, "returned None"),
        (returns_a_list, "It returned a list; an array of shape (3,) was expected."),
        (returns_text, "It returned a str"),
        (wrong_shape, "It returned shape (1, 3); (3,) was expected."),
        (writes_into_its_input, "It writes into its argument V"),
        (float32_inside, "right to about 7 digits only"),
        (float32_out, "It returned float32; float64 was expected"),
        (not_a_number, "NaN"),
        (off_by_one, "The values differ."),
        (too_few_parameters, "It raised TypeError"),
    ],
)
def test_what_is_wrong_is_said(function, said):
    began = time.monotonic()
    found = verdict(SPEC, function)
    assert time.monotonic() - began < 5
    assert found.state == "failed" and found.mistake is None
    assert said in found.message
    assert found.message in repr(found) and "yours" in repr(found)
    assert "yours" in found._repr_html_()


def matrix(transpose):
    return replace(
        SPEC,
        id="demo-matrix",
        stub="def scores(Q, K):\n    raise NotImplementedError\n",
        code="def scores(Q, K):\n    return Q @ K.T\n",
        inputs=lambda rng, size: (rng.normal(size=(size, 2)), rng.normal(size=(size + transpose, 2))),
        mistakes=(),
    )


@pytest.mark.parametrize("transpose", [0, 1])
def test_a_transposed_result_is_said(transpose):
    found = verdict(matrix(transpose), lambda Q, K: (Q @ K.T).T)
    assert "transpose" in found.message


def test_the_smallest_failing_case_is_shown_side_by_side():
    found = verdict(SPEC, build(SPEC, SPEC.mistakes[0].source))
    assert found.failure.arguments[0] == ("alpha", "[0.3725 0.6275]")
    assert (
        "expected" in repr(found)
        and found.failure.expected in repr(found)
        and found.failure.actual in repr(found)
    )


def test_what_it_prints_is_kept_out_of_the_notebook_and_cut(capsys):
    def talks(alpha, V):
        print("word " * 100_000)
        return alpha @ V

    found = verdict(SPEC, talks)
    assert found.passed and capsys.readouterr().out == ""
    assert (
        len(found.printed) < 500 and found.printed.startswith("word word") and found.printed.endswith("...")
    )


def test_a_thread_is_stopped_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(verdict(SPEC, never_ends)))
    thread.start()
    thread.join(5)
    assert "stopped" in found[0].message


def test_what_cannot_be_stopped_is_said():
    # Held inside compiled code, where no exception arrives.
    held = threading.Event()
    found = []
    thread = threading.Thread(target=lambda: found.append(verdict(SPEC, lambda alpha, V: held.wait())))
    thread.start()
    thread.join(5)
    held.set()
    assert "cannot be stopped from here" in found[0].message


def test_the_inputs_of_the_next_case_are_fresh():
    seen = []

    def remembers(alpha, V):
        seen.append(V.copy())
        V[:] = 0
        return alpha @ V

    verdict(SPEC, remembers)
    assert all(np.abs(V).max() > 0 for V in seen)


def test_the_words_are_the_same_every_time():
    one, two = (verdict(SPEC, off_by_one) for _ in range(2))
    assert repr(one) == repr(two) and one._repr_html_() == two._repr_html_()


def test_a_diagnosis_is_used_where_no_mistake_matches():
    spec = replace(SPEC, diagnose=lambda function: f"{function.__name__} adds one.")
    assert verdict(spec, off_by_one).message == "off_by_one adds one."
    assert verdict(spec, build(spec, spec.mistakes[0].source)).mistake == "plain mean"


def test_what_a_function_says_of_itself_is_text():
    def hostile(alpha, V):
        raise ValueError("<b>$x$ `y` **z**")

    shown = verdict(SPEC, hostile)._repr_html_()
    assert "<b>" not in shown


def test_results_in_several_parts():
    spec = replace(
        SPEC,
        id="demo-parts",
        stub="def parts(x):\n    raise NotImplementedError\n",
        code="def parts(x):\n    return x.sum(), x * 2\n",
        inputs=lambda rng, size: (rng.normal(size=size),),
        mistakes=(),
    )
    assert verdict(spec, lambda x: (x.sum(), x + x)).passed
    assert "2 results were expected" in verdict(spec, lambda x: x.sum()).message
    assert verdict(spec, lambda x: (x.sum(), x)).message == "The values differ."


def test_tensors_are_compared_as_tensors():
    torch = pytest.importorskip("torch")
    spec = replace(
        SPEC,
        id="demo-tensor",
        code="def weighted_sum(alpha, V):\n    return alpha @ V\n",
        inputs=lambda rng, size: (
            torch.tensor(rng.dirichlet(np.ones(size))),
            torch.tensor(rng.normal(size=(size, 3))),
        ),
    )
    assert verdict(spec, lambda alpha, V: alpha @ V).passed
    assert (
        "a tensor of shape (3,) was expected" in verdict(spec, lambda alpha, V: (alpha @ V).numpy()).message
    )
    assert "torch.float32" in verdict(spec, lambda alpha, V: (alpha @ V).float()).message
    assert verdict(spec, lambda alpha, V: V.mean(0)).mistake == "plain mean"


def test_the_code_exercise_that_the_docstring_checks_exists():
    named = re.findall(r'check\("(.+?)"', companion.exercises.__doc__)
    assert named and set(named) <= {spec.id for spec in BOOK}


def test_the_front_door():
    spec = BOOK[0]
    assert check(spec.id, build(find(spec.id), spec.code)).passed
    with pytest.raises(TypeError, match="code exercise"):
        check("ch01-output", print)
    with pytest.raises(TypeError, match="function itself"):
        check(spec.id, 3)
    with pytest.raises(KeyError, match="no exercise 'ch01-nowhere'"):
        check("ch01-nowhere", print)
