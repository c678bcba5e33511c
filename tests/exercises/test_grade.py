"""The grading function, fuzzed through a browser: hypothesis makes the answers, the page grades them."""

import math

import pytest
from exercises import demo_bank, pages
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.exercises.kinds import Mistake, Number, Vector

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
SPECS = {spec.id: spec for spec in demo_bank.EXERCISES}
STATES = {"right", "wrong", "empty", "unreadable", "open"}


def number(answer, **more):
    texts = dict(title="t", prompt="p", solution="s", why="w", difficulty=1, minutes=1)
    kind = Vector if isinstance(answer, list) else Number
    return kind(id="demo-made", answer=answer, **texts, **more)


@pytest.fixture(scope="module")
def grade(browser, tmp_path_factory):
    """``grade(kind, key, answers)``: the results of all answers, in one call of the page."""
    page = browser.new_page()
    page.goto(pages.write(tmp_path_factory.mktemp("grade") / "grade.html", pages.page()))
    yield lambda kind, key, answers: page.evaluate(
        "([kind, key, answers]) => answers.map(answer => Att.grade(kind, key, answer))", [kind, key, answers]
    )
    page.close()


def say(grade, spec, *answers):
    return [result["state"] for result in grade(spec.kind, spec.cards[0], list(answers))]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["text", "marks", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
typed = st.text("0123456789.,;:/+-−eE[]() \t\n'½٣", max_size=24)


@pytest.mark.parametrize("id", SPECS)
@FUZZ
@given(data=st.data())
def test_no_answer_throws_and_each_has_one_verdict(grade, id, data):
    answers = data.draw(st.lists(json_values | typed, min_size=1, max_size=20))
    for result in grade(SPECS[id].kind, SPECS[id].cards[0], answers):
        assert result["state"] in STATES
        assert isinstance(result["message"], str) and result["message"]


def decimals(value):
    """Texts of ``value``, which is a multiple of 1/64, in the ways that the book accepts."""
    plain = f"{value:.6f}"
    short = plain.rstrip("0").rstrip(".")
    sixty_fourths = f"{round(value * 64)}/64"
    return st.sampled_from(
        [plain, short, f"{value:.9e}", repr(value), sixty_fourths, short.replace("0.", ".", 1)]
    ).flatmap(lambda text: st.tuples(st.just(text), *[st.booleans()] * 3).map(lambda one: _dressed(*one)))


def _dressed(text, plus, typographic, padded):
    if plus and not text.startswith("-"):
        text = f"+{text}"
    if typographic:
        text = text.replace("-", "−")
    return f"  {text}\u00a0" if padded else text


values = st.integers(-640, 640).map(lambda n: n / 64)


@FUZZ
@given(value=values, data=st.data())
def test_a_right_number_stays_right_in_every_accepted_form(grade, value, data):
    text = data.draw(decimals(value))
    comma = text.replace(".", ",") if data.draw(st.booleans()) else text
    assert say(grade, number(value), text, comma) == ["right", "right"]


@FUZZ
@given(row=st.lists(values, min_size=2, max_size=4), data=st.data())
def test_a_right_vector_stays_right_in_every_accepted_form(grade, row, data):
    parts = [data.draw(decimals(value)).strip().strip("\u00a0") for value in row]
    separator = data.draw(st.sampled_from([", ", " ", "; ", ";", "\n", "  ", ","]))
    opening, closing = data.draw(
        st.sampled_from(["", "[]", "()", "{}"]).map(lambda pair: (pair[:1], pair[1:]))
    )
    texts = [f"{opening}{separator.join(parts)}{closing}"]
    texts.append("[" + ", ".join(f"[{part}]" for part in parts) + "]")
    if separator != ",":
        texts.append(separator.join(part.replace(".", ",") for part in parts))
    assert set(say(grade, number(row), *texts)) == {"right"}


@FUZZ
@given(value=values, off=st.floats(0.0051, 50), sign=st.sampled_from([-1, 1]))
def test_beyond_the_tolerance_is_wrong(grade, value, off, sign):
    assert say(grade, number(value), repr(value + sign * off)) == ["wrong"]


@pytest.mark.parametrize("value", [1 / 3, 2 / 3, 0.125, 2.005, 0.015, -1.115, 1e6 + 1 / 3])
def test_two_decimals_are_enough(grade, value):
    near = [f"{math.floor(value * 100) / 100:.2f}", f"{math.ceil(value * 100) / 100:.2f}"]
    assert "right" in say(grade, number(value), *near)
    assert say(grade, number(value), f"{value:.2f}") == ["right"]


@pytest.mark.parametrize(
    "text",
    ["1/0", "1/2/3", "--1", "1..2", "e5", "1e999", "0x10", "½", "NaN", "Infinity", "1 2", "1,2,3", "="],
)
def test_what_is_no_number_is_unreadable(grade, text):
    assert say(grade, number(0.5), text) == ["unreadable"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("3,1,1,7", "right"),
        ("3,1 1,7", "right"),
        ("3.1,1.7", "right"),
        ("[3.1 1.7]", "right"),
        ("3.1\n1.7", "right"),
        ("31/10, 17/10", "right"),
        ("3.1, 1.7,", "right"),
        ("[3,1; 1,7]", "right"),
        ("3,1, 1,7", "right"),
        ("3.1", "unreadable"),
        ("3.1 1.7 0", "unreadable"),
        ("3,1,1", "unreadable"),
        ("3.1 and 1.7", "unreadable"),
        ("", "empty"),
        ("1.7 3.1", "wrong"),
    ],
)
def test_rows_of_numbers(grade, text, state):
    assert say(grade, number([3.1, 1.7]), text) == [state]


def test_a_decimal_comma_may_come_first(grade):
    assert say(grade, number([0.25, 0.5]), ",25; ,5", ",25 ,5", "[,25, ,5]") == ["right"] * 3


def test_thousands_may_be_grouped_where_that_is_right(grade):
    assert say(grade, number(131040.0), "131,040", "131040", "131.04") == ["right", "right", "wrong"]
    assert say(grade, number(1.024, tolerance=0.0005), "1,024") == ["right"]


def test_the_first_match_wins_and_a_wrong_length_can_be_a_mistake(grade):
    spec = number([3.1, 1.7], mistakes=(Mistake("sum", [4.8], "You added the coordinates."),))
    (result,) = grade("vector", spec.cards[0], ["4.8"])
    assert (result["state"], result["message"]) == ("wrong", "You added the coordinates.")


def test_every_variant_grades_its_own_answers(grade):
    for card in SPECS["demo-vector"].cards:
        for rule in card["rules"]:
            (result,) = grade("vector", card, [str(rule["value"])])
            assert result["state"] == ("right" if rule["right"] else "wrong")
            assert result["message"] == rule["message"]
