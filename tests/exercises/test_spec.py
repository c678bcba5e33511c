"""What a spec refuses when it is made, naming exercise and field; and what it computes."""

import base64
import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from exercises import demo_bank, pages

from companion.exercises import exercise, frontend, ids
from companion.exercises.bank import collect
from companion.exercises.kinds import (
    Choice,
    Choices,
    Code,
    Explain,
    Mistake,
    Number,
    Order,
    PickTerms,
    PickTokens,
    Right,
    Vector,
    Wrong,
)

COMMON = dict(title="Title", prompt="Prompt", solution="Solution", why="Why", difficulty=1, minutes=1)
SPECS = {spec.id: spec for spec in demo_bank.EXERCISES}


def make(kind, **more):
    return kind(**{"id": "demo-made", **COMMON, **more})


def two(**more):
    return {"options": (Right("yes"), Wrong("no", "No.")), **more}


REFUSED = {
    "bad id": (Choice, two(id="Demo 1"), "id"),
    "no chapter": (Choice, two(id="output"), "id"),
    "empty prompt": (Choice, two(prompt=" "), "prompt"),
    "other markup": (Choice, two(prompt="**bold**"), "prompt"),
    "maths that cannot be converted": (Choice, two(prompt=r"$\foo$"), "prompt"),
    "a dollar alone": (Choice, two(solution="5 $"), "solution"),
    "unknown data": (Choice, two(prompt="<<v>>"), "prompt"),
    "empty title": (Choice, two(title=""), "title"),
    "empty why": (Choice, two(why=""), "why"),
    "difficulty": (Choice, two(difficulty=4), "difficulty"),
    "minutes": (Choice, two(minutes=0), "minutes"),
    "hints as one text": (Choice, two(hints="hint"), "hints"),
    "hint in other markup": (Choice, two(hints=("# hint",)), "hints"),
    "no right option": (Choice, {"options": (Wrong("a", "m"), Wrong("b", "m"))}, "options"),
    "two right options": (Choice, {"options": (Right("a"), Right("b"))}, "options"),
    "one option": (Choice, {"options": (Right("a"),)}, "options"),
    "the same option twice": (Choice, {"options": (Right("a"), Wrong("a", "m"))}, "options"),
    "an option as text": (Choice, {"options": (Right("a"), "b")}, "options"),
    "an empty message": (Choice, {"options": (Right("a"), Wrong("b", ""))}, "options"),
    "none holds": (Choices, {"options": (Wrong("a", "m"), Wrong("b", "m"))}, "options"),
    "a hint with the option": (
        Choice,
        two(options=(Right("the mean"), Wrong("b", "m")), hints=("It is the mean.",)),
        "hints",
    ),
    "no number": (Number, {"answer": "x"}, "answer"),
    "not finite": (Number, {"answer": np.nan}, "answer"),
    "a vector for a number": (Number, {"answer": [1, 2]}, "answer"),
    "a number for a vector": (Vector, {"answer": 1}, "answer"),
    "an empty vector": (Vector, {"answer": []}, "answer"),
    "an answer that fails": (Number, {"answer": lambda d: d.missing}, "answer"),
    "a tolerance of 0": (Number, {"answer": 1, "tolerance": 0}, "tolerance"),
    "a tolerance that takes 0": (Number, {"answer": 0.004}, "tolerance"),
    "a mistake that is right": (
        Number,
        {"answer": 1, "mistakes": (Mistake("same", 1.001, "m"),)},
        "mistakes",
    ),
    "two mistakes with one value": (
        Number,
        {"answer": 1, "mistakes": (Mistake("a", 2, "m"), Mistake("b", lambda d: 2, "m"))},
        "mistakes",
    ),
    "a mistake that fails": (
        Number,
        {"answer": 1, "mistakes": (Mistake("a", lambda d: 1 / 0, "m"),)},
        "mistakes, 'a'",
    ),
    "a mistake as a tuple": (Number, {"answer": 1, "mistakes": ((2, "m"),)}, "mistakes"),
    "a hint with the number": (Number, {"answer": 3.1, "hints": ("It is 3.1.",)}, "hints"),
    "a hint with the vector": (Vector, {"answer": [3.1, 1.7], "hints": ("$[3.1, 1.7]$",)}, "hints"),
    "derive that fails": (Number, {"answer": 1, "derive": lambda d: d.x}, "derive"),
    "other names when varied": (
        Number,
        {"answer": 1, "data": {"x": 1}, "vary": lambda rng: {"y": 1}},
        "vary",
    ),
    "variants that are all alike": (
        Number,
        {"answer": 1, "data": {"x": 1}, "prompt": "<<x>>", "vary": lambda rng: {"x": 1}},
        "vary",
    ),
    "a token out of range": (PickTokens, {"tokens": 3, "answer": {3}}, "answer"),
    "a row missing": (PickTokens, {"tokens": 3, "rows": 2, "answer": [{0}]}, "answer"),
    "a mistake that picks right": (
        PickTokens,
        {"tokens": 3, "answer": {1}, "mistakes": (Mistake("m", [1], "m"),)},
        "mistakes",
    ),
    "a hint with the set": (PickTokens, {"tokens": 3, "answer": {0, 2}, "hints": ("Pick 0, 2.",)}, "hints"),
    "no term": (PickTerms, {"terms": ("a", "b"), "answer": set()}, "answer"),
    "two items": (Order, {"items": ("a", "b")}, "items"),
    "the same item twice": (Order, {"items": ("a", "b", "a")}, "items"),
    "no permutation": (Order, {"items": ("a", "b", "c"), "also": ((0, 1),)}, "mistakes"),
    "a mistake in the right order": (
        Order,
        {"items": ("a", "b", "c"), "mistakes": (Mistake("m", (0, 1, 2), "m"),)},
        "mistakes",
    ),
    "no rubric": (Explain, {"rubric": ()}, "rubric"),
    "stub without a function": (
        Code,
        {"stub": "x = 1", "code": "def f(): pass", "inputs": lambda rng, size: ()},
        "stub",
    ),
    "stub that does not parse": (
        Code,
        {"stub": "def f(:", "code": "def f(): pass", "inputs": lambda rng, size: ()},
        "stub",
    ),
    "two names": (
        Code,
        {"stub": "def g(): ...", "code": "def f(): pass", "inputs": lambda rng, size: ()},
        "stub",
    ),
}


@pytest.mark.parametrize(("kind", "fields", "field"), REFUSED.values(), ids=REFUSED)
def test_a_bad_spec_is_refused_when_it_is_made(kind, fields, field):
    with pytest.raises(ValueError) as error:
        make(kind, **fields)
    assert f"exercise {fields.get('id', 'demo-made')!r}, field {field}:" in str(error.value)


def test_the_same_specs_without_their_fault_are_taken():
    near = "Not 13.1, nor 3.15, nor $v_{3.1}$."
    assert make(Choice, **two()).id == "demo-made"
    assert make(Number, answer=3.1, hints=(near,)).hints == (near,)


@pytest.mark.parametrize("specs", [[SPECS["demo-choice"]] * 2, ["not a spec"], [object()]])
def test_a_bank_refuses_duplicates_and_strangers(specs):
    with pytest.raises(ValueError, match="demo"):
        collect("demo", specs)


def test_a_bank_refuses_an_id_of_another_chapter():
    with pytest.raises(ValueError, match="stands in ch01"):
        collect("ch01", [SPECS["demo-choice"]])


def test_answers_and_mistakes_are_computed():
    rules = SPECS["demo-vector"].cards[0]["rules"]
    assert [rule["value"] for rule in rules] == [[3.1, 1.7], [2.666666667, 2.333333333], [3.0, 0.0]]
    assert "[2.67, 2.33] is the plain mean" in rules[1]["message"]


def test_variants_are_ten_different_and_free_of_collisions():
    cards = SPECS["demo-vector"].cards
    assert len(cards) == 11 and len({card["prompt"] for card in cards}) == 11
    for card in cards:
        values = [np.array(rule["value"]) for rule in card["rules"]]
        for at, one in enumerate(values):
            assert all(np.abs(one - other).max() > 0.01 for other in values[:at])


def test_the_payload_gives_back_every_card():
    for spec in demo_bank.EXERCISES:
        sealed = json.loads(base64.b64decode(spec.payload["sealed"]))
        cards = [sealed["card"]]
        for delta in sealed["variants"]:
            cards.append(_patched(sealed["card"], delta))
        assert [json.loads(card) for card in cards] == json.loads(json.dumps(spec.cards))


def _patched(base, delta):
    pieces = re.split("([<>])", base)
    for at in range(len(delta) - 3, -1, -3):
        start, end, text = delta[at : at + 3]
        pieces[start:end] = [text]
    return "".join(pieces)


def test_the_version_follows_what_is_graded_and_not_the_wording():
    spec = SPECS["demo-vector"]
    version = spec.payload["version"]
    assert replace(spec, prompt="Other words: <<V>>", hints=(), title="T").payload["version"] == version
    assert replace(spec, tolerance=0.004, answer=lambda d: d.alpha @ d.V + 1).payload["version"] != version
    assert replace(spec, version=7).payload["version"] == 7


def test_payloads_are_the_same_in_another_process():
    code = (
        "import sys; sys.path.insert(0, 'tests')\nfrom exercises import demo_bank\nimport json\n"
        "print(json.dumps([spec.payload for spec in demo_bank.EXERCISES]))"
    )
    other = json.loads(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )
    assert other == json.loads(json.dumps([spec.payload for spec in demo_bank.EXERCISES]))


def test_importing_the_exercises_is_light():
    code = (
        "import sys, companion.exercises as e; e.ids()\n"
        "print([m for m in ('torch', 'anywidget', 'matplotlib') if m in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_an_unknown_exercise_names_those_there_are():
    with pytest.raises(KeyError, match="no exercise 'ch01-nowhere'; ch01 has ch01-output"):
        exercise("ch01-nowhere")
    with pytest.raises(KeyError, match="no exercise 'nonsense'; ids begin with ch01, ch02"):
        exercise("nonsense")


def test_the_widget_carries_alt_text_and_the_mount():
    bundle, _ = exercise("ch01-output")._repr_mimebundle_()
    assert bundle["text/plain"] == "Exercise ch01-output: The output, by hand"
    assert (
        'data-mount="exercise"' in bundle["text/html"] and r"$\mathbf{v}_0 = [1, 2]$" in bundle["text/html"]
    )
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize("spec", demo_bank.EXERCISES, ids=lambda spec: spec.id)
def test_the_fallback_has_no_controls(spec):
    fallback = spec.fallback()
    for tag in ("<input", "<button", "<script", "data-", "<math"):
        assert tag not in fallback


def test_no_text_ends_the_mounts_script():
    mount = pages.mount(SPECS["demo-hostile"])
    assert mount.count("</script>") == 1


def test_every_id_of_the_book_is_found():
    assert len(ids()) == len(set(ids())) > 0
    for id in ids():
        assert exercise(id).spec["id"] == id


def test_the_front_end_is_one_module_with_one_export():
    source = frontend.source()
    lines = [line for line in source.splitlines() if line.startswith(("import", "export"))]
    assert lines == ["export default {"]
    for outside in ("fetch(", "http:", "https:", "await import"):
        assert outside not in source


def test_every_script_is_part_of_the_module():
    folder = frontend.HERE / "js"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.js")} == set(frontend.SCRIPTS)


def test_the_weight_of_the_front_end():
    sheets = b"".join(path.read_bytes() for path in frontend.stylesheets())
    assert len(gzip.compress(frontend.source().encode())) + len(gzip.compress(sheets)) < 30_000


def test_progress_mounts_list_every_exercise():
    rows = [frontend.row(id, href=f"a.html#{id}", chapter="One") for id in ids()[:3]]
    for mount in (frontend.progress(rows), frontend.chapter_progress(rows)):
        assert all(row["version"] in mount for row in rows)
    assert frontend.progress(rows).count("<li>") == 3
