"""The pattern explorer on a page: its examples, its controls, pointer and keyboard, and what it says."""

import json
import re

import numpy as np
import pytest
from helpers.explorers import announced, keys_heard, obstacles, page_of, watched
from helpers.pattern_page import READ, TOKENS, differences

from companion.explorers.pattern import EXAMPLES, HINT
from companion.explorers.pattern import pattern as explorer
from companion.patterns import (
    causal,
    chunks,
    dilated,
    documents,
    global_tokens,
    random_blocks,
    sinks,
    sliding_window,
    strided,
)

START = sliding_window(8) | sinks(2)


@pytest.fixture
def page(browser, address):
    """Tall enough for the whole picture, with a clipboard."""
    size, clipboard = {"width": 1280, "height": 1200}, ["clipboard-read", "clipboard-write"]
    yield from watched(browser, address, viewport=size, permissions=clipboard)


def shown(page):
    return page.evaluate(f"({READ})(document.querySelector('[data-explorer=pattern]'))")


def row(page):
    return int(page.get_by_role("slider", name="Query row").get_attribute("aria-valuenow"))


def note(page):
    return page.locator(".att-note").inner_text()


def choose(page, label, option):
    page.get_by_role("combobox", name=label, exact=True).select_option(option)


def slide(page, label, value):
    """By the keyboard, from the left end."""
    slider = page.get_by_role("slider", name=label)
    slider.press("Home")
    for _ in range(value - int(slider.get_attribute("min"))):
        slider.press("ArrowRight")


def point(page, i, j):
    """Where on the page the pair (i, j) is drawn."""
    box = page.locator(".att-ground").bounding_box()
    return box["x"] + (j + 0.5) * box["width"] / TOKENS, box["y"] + (i + 0.5) * box["height"] / TOKENS


def test_starts_with_a_window_and_sinks(page):
    assert differences(shown(page), START, causal(), "AA", 8, 40) == []
    assert note(page) == HINT
    assert shown(page)["set"].startswith("G40 = {0, 1, 33, …, 40}, |G40| = 10.")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_an_example_shows_what_it_names(page, example):
    name, a, schedule, size, lit, text = example
    page.get_by_role("button", name=name, exact=True).press("Enter")
    assert differences(shown(page), a, causal(), schedule, size, lit) == []
    assert note(page) == text
    page.get_by_role("slider", name="Query row").press("ArrowUp")
    assert note(page) == text
    choose(page, "Block size", "32")
    assert note(page) == HINT


def test_every_kind_can_be_chosen_and_set_by_keyboard(page):
    choose(page, "Joins part 2", "–")
    for kind, sliders, expected in [
        ("causal", {}, causal()),
        ("sliding_window", {"w": 11}, sliding_window(11)),
        ("dilated", {"w": 3, "step": 5}, dilated(3, 5)),
        ("strided", {"step": 9}, strided(9)),
        ("sinks", {"n": 6}, sinks(6)),
        ("chunks", {"size": 10}, chunks(10)),
        ("random_blocks", {"size": 7, "count": 3, "seed": 4}, random_blocks(7, 3, 4)),
    ]:
        choose(page, "Part 1", kind)
        for name, value in sliders.items():
            slide(page, f"{name} of {kind}", value)
        assert differences(shown(page), expected, causal(), "AA", 8, 40) == []
    choose(page, "Part 1", "global_tokens")
    page.get_by_role("textbox", name="ids of global_tokens").fill("[3, 17]")
    assert differences(shown(page), global_tokens([3, 17]), causal(), "AA", 8, 40) == []
    choose(page, "Part 1", "documents")
    page.get_by_role("textbox", name="lengths of documents").fill("30 34")
    assert differences(shown(page), documents([30, 34]), causal(), "AA", 8, 40) == []


def test_and_binds_before_or_as_in_python(page):
    assert "& binds before |" in page.locator("[data-explorer]").inner_text()
    choose(page, "Part 1", "strided")
    choose(page, "Joins part 3", "&")
    choose(page, "Part 3", "chunks")
    choose(page, "Part 2", "sliding_window")
    assert differences(shown(page), strided(8) | sliding_window(8) & chunks(16), causal(), "AA", 8, 40) == []
    choose(page, "Joins part 2", "&")
    choose(page, "Joins part 3", "|")
    assert differences(shown(page), strided(8) & sliding_window(8) | chunks(16), causal(), "AA", 8, 40) == []
    choose(page, "Joins part 2", "–")
    assert differences(shown(page), strided(8) | chunks(16), causal(), "AA", 8, 40) == []


def test_pattern_b_is_edited_apart_and_layers_take_their_turns(page):
    choose(page, "Layer 2", "B")
    choose(page, "Layer 3", "A")
    assert differences(shown(page), START, causal(), "ABA", 8, 40) == []
    choose(page, "Pattern shown", "B")
    choose(page, "Part 1", "chunks")
    assert differences(shown(page), chunks(16), START, "BAB", 8, 40) == []
    options = page.get_by_role("combobox", name="Pattern shown").locator("option")
    assert options.all_inner_texts() == ["A: sliding_window(8) | sinks(2)", "B: chunks(16)"]
    choose(page, "Pattern shown", "A")
    choose(page, "Layer 3", "–")
    assert differences(shown(page), START, chunks(16), "AB", 8, 40) == []
    assert page.get_by_role("slider", name="w of sliding_window").input_value() == "8"


@pytest.mark.parametrize("size", [8, 16, 32])
def test_blocks_of_each_size(page, size):
    choose(page, "Block size", str(size))
    assert differences(shown(page), START, causal(), "AA", size, 40) == []


def test_the_edge_of_the_window_can_be_dragged(page):
    for far, w in ((20, 21), (3, 4), (40, 41)):
        edge = int(re.search(r"window\((\d+)\)", shown(page)["code"])[1])
        page.mouse.move(*point(page, 50, 50 - edge + 0.5))
        page.mouse.down()
        page.mouse.move(*point(page, 50, 50 - far - 0.5), steps=3)
        page.mouse.up()
        assert differences(shown(page), sliding_window(w) | sinks(2), causal(), "AA", 8, 50) == []
        assert page.get_by_role("slider", name="w of sliding_window").input_value() == str(w)
    choose(page, "Part 1", "chunks")
    assert not page.locator(".att-edge").is_visible()


def test_a_finger_drags_the_edge_sideways_and_scrolls_the_page_elsewhere(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    touch = context.new_cdp_session(page)

    def swipe(start, end):
        for step in range(7):
            x, y = (a + step / 6 * (b - a) for a, b in zip(start, end, strict=True))
            kind = "touchMove" if step else "touchStart"
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
            page.wait_for_timeout(50)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(point(page, 40, 32.5), point(page, 40, 16.5))
    assert shown(page)["code"] == "sliding_window(24) | sinks(2)"
    assert page.evaluate("scrollY") == 0
    swipe(point(page, 60, 50), point(page, 30, 50))
    page.wait_for_function("scrollY > 50")
    assert shown(page)["code"] == "sliding_window(24) | sinks(2)"
    context.close()


def test_pointing_lights_a_row_for_a_while_and_a_click_keeps_it(page):
    page.mouse.move(*point(page, 20, 60))
    assert row(page) == 20
    page.mouse.move(5, 5)
    assert row(page) == 40
    page.mouse.click(*point(page, 12, 3))
    page.mouse.move(5, 5)
    assert row(page) == 12
    assert differences(shown(page), START, causal(), "AA", 8, 12) == []


def test_arrow_keys_choose_the_row_and_no_key_reaches_the_notebook(page):
    picture = page.locator(".att-mask")
    picture.focus()
    steps = [("ArrowDown", 41), ("ArrowRight", 42), ("ArrowUp", 41), ("ArrowLeft", 40), ("End", 63),
             ("ArrowDown", 63), ("Home", 0), ("ArrowUp", 0), ("ArrowDown", 1), ("x", 1)]  # fmt: skip
    for key, now in steps:
        page.keyboard.press(key)
        assert row(page) == now, key
    assert picture.get_attribute("aria-valuetext") == "row 1, keys 0, 1"
    assert differences(shown(page), START, causal(), "AA", 8, 1) == []
    slider = page.get_by_label("row", exact=True)
    assert keys_heard(page, slider, ["End"]) == []
    assert row(page) == 63 and slider.input_value() == "63"
    assert keys_heard(page, picture, [key for key, _ in steps]) == []


def test_bad_lists_say_what_is_expected_and_keep_the_last_picture(page):
    choose(page, "Part 2", "global_tokens")
    before = shown(page)
    ids, said = page.get_by_role("textbox"), page.locator(".att-hint")
    for typed in ("64", "3, 3", "5, 2", "-1", "1.5", "two"):
        ids.fill(typed)
        assert said.inner_text() == (
            f"ids must be whole numbers from 0 to 63, in ascending order; got {typed}."
        )
        assert ids.get_attribute("aria-invalid") == "true"
        assert shown(page) == before
    ids.fill("")
    assert shown(page)["code"] == "sliding_window(8) | global_tokens([])"
    assert ids.get_attribute("aria-invalid") == "false" and "binds" in said.inner_text()

    choose(page, "Part 2", "documents")
    before = shown(page)
    for typed in ("20, 20", "0, 64", "60.5, 3.5", "64, 64", "", "-1, 65"):
        page.get_by_role("textbox").fill(typed)
        expected = f"lengths must be whole numbers from 1 that add up to 64; got {typed or 'nothing'}."
        assert said.inner_text() == expected
        assert shown(page) == before
    assert "lengths must" in announced(page, "lengths must")
    choose(page, "Block size", "16")
    assert page.get_by_role("textbox").input_value() == "20, 12, 32"


FORMULAS = [
    causal(), START, dilated(5, 3), strided(7), global_tokens([]), global_tokens([2, 40]), chunks(12),
    sliding_window(9) & strided(2) | sinks(3), chunks(8) & global_tokens([4, 9]), causal() & sinks(4),
    dilated(2, 9) | chunks(5) & sliding_window(3), strided(3) | strided(5) & sliding_window(30),
]  # fmt: skip


@pytest.mark.parametrize("each", FORMULAS, ids=repr)
def test_the_formula_is_the_pattern(browser, tmp_path, each):
    """The rule as it is shown, read by Python, allows the pairs that the pattern allows."""
    page = browser.new_page()
    page.goto(page_of(explorer(each), tmp_path))
    rule = re.fullmatch(r"For j ≤ i:\s+j ∈ Gi when (.*)", shown(page)["formula"])[1]
    page.close()
    rule = re.sub(r"i − j = (\d+) m for a whole m < (\d+)", r"i − j ∈ range(0, \1 * \2, \1)", rule)
    for sign, word in [("−", "-"), ("∈", "in"), ("≤", "<="), (" mod ", " % "), (" = ", " == ")]:
        rule = rule.replace(sign, word)
    rule = compile(re.sub(r"⌊(\w) / (\d+)⌋", r"(\1 // \2)", rule), "rule", "eval")
    allowed = [[j <= i and bool(eval(rule, {"i": i, "j": j})) for j in range(TOKENS)] for i in range(TOKENS)]
    assert (np.array(allowed) == each.mask(TOKENS)).all()


def test_the_expression_can_be_copied(page):
    page.get_by_role("button", name="Copy").press("Enter")
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("getSelection().toString()") == "sliding_window(8) | sinks(2)"
    assert page.evaluate("navigator.clipboard.readText()") == "sliding_window(8) | sinks(2)"
    slide(page, "n of sinks", 3)
    assert page.get_by_role("button", name="Copy", exact=True).count() == 1


def test_changes_are_announced_once_they_have_settled(page):
    slide(page, "n of sinks", 4)
    assert "sinks(4)" in announced(page, "sinks(4)")
    pairs = (sliding_window(8) | sinks(4)).pairs(TOKENS)
    assert page.get_by_role("status").inner_text() == (
        f"sliding_window(8) | sinks(4). Pairs: {pairs}. Pairs in all layers: {2 * pairs:,}."
        " Positions that can reach row 40: 19."
    )


def test_two_explorers_hatch_apart(page):
    page.evaluate("""() => { const node = document.querySelector("[data-mount]").cloneNode();
        document.querySelector("main").append(node);
        front.mount(node, { ...%s }); }""" % json.dumps(explorer().spec))
    hatches = page.locator("pattern").evaluate_all("nodes => nodes.map((node) => node.id)")
    fills = page.locator(".att-partial").evaluate_all("nodes => nodes.map((node) => node.style.fill)")
    assert len(set(hatches)) == 2 and fills == [f'url("#{name}")' for name in hatches]


def test_accessible_in_both_themes_and_widths(themed):
    themed.get_by_role("button", name="Like BigBird").click()
    themed.get_by_role("textbox").fill("99")
    assert obstacles(themed, hidden=True) == []


def test_starts_with_what_it_is_given(browser, tmp_path):
    page = browser.new_page()
    a, b = documents([40, 24]) & strided(2) | sinks(3), random_blocks(4, 2, 1)
    page.goto(page_of(explorer(a, b, "BAB", row=7, block_size=32), tmp_path))
    assert differences(shown(page), a, b, "BAB", 32, 7) == []
    page.close()
