"""The weighted-sum explorer on a page: keyboard, pointer, typing, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.weighted_sum import weighted_sum as explorer
from companion.reference import weighted_sum

ALPHA = np.array([0.1, 0.6, 0.3])
V = np.array([[1, 2], [3, 0], [4, 5]], float)


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.\d\d", text.replace("\u2212", "-"))]


def weights(page):
    return numbers(" ".join(page.locator(".att-term .att-is-weight").all_inner_texts()))


def output(page):
    return numbers(page.locator(".att-result").inner_text())


def point(page, name):
    return page.get_by_role("button", name=f"{name} at")


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, name, place):
    """Drags a point by the pointer to a place of the plane."""
    x0, y0 = centre(point(page, "v_0").locator("path"))
    x1, _ = centre(point(page, "v_1").locator("path"))
    unit = (x1 - x0) / (V[1] - V[0])[0]
    page.mouse.move(*centre(point(page, name).locator("path")))
    page.mouse.down()
    page.mouse.move(x0 + unit * (place[0] - V[0, 0]), y0 - unit * (place[1] - V[0, 1]), steps=4)
    page.mouse.up()


def test_starts_with_the_formula_of_the_spec(page):
    formula = re.sub(r"\s+", " ", page.locator(".att-formula").inner_text())
    told = ", ".join(f"{x:.2f}" for x in weighted_sum(ALPHA, V))
    assert formula == f"o = 0.10 v0 + 0.60 v1 + 0.30 v2 = [{told}]"


def test_typed_values_and_weights_give_the_reference_output(page):
    rng = np.random.default_rng(0)
    alpha, values = ALPHA.copy(), V.copy()
    for _ in range(12):
        j, axis = rng.integers(3), rng.integers(2)
        values[j, axis] = rng.integers(-5, 50) / 10
        name = ("first", "second")[axis]
        page.get_by_label(f"v_{j}, {name} coordinate").fill(f"{values[j, axis]:g}")
        j, weight = rng.integers(3), rng.integers(1, 95) / 100
        alpha = np.where(np.arange(3) == j, weight, alpha * (1 - weight) / (1 - alpha[j]))
        page.get_by_label(f"Weight {j} as a number").fill(f"{weight:g}")
        assert weights(page) == pytest.approx(alpha, abs=0.00501)
        assert output(page) == pytest.approx(weighted_sum(alpha, values), abs=0.00501)


@pytest.mark.parametrize("typed", ["", "-", "7", "-2"])
def test_a_weight_stays_a_weight(page, typed):
    field = page.get_by_label("Weight 1 as a number")
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(typed) if typed else page.keyboard.press("Delete")
    field.blur()
    assert weights(page)[1] == {"7": 1, "-2": 0}.get(typed, 0.6)
    assert sum(weights(page)) == pytest.approx(1, abs=0.011)
    assert field.input_value() == f"{weights(page)[1]:.2f}"


def test_arrow_keys_move_weights_values_and_output(page):
    page.get_by_role("slider", name="Weight 0").focus()
    page.keyboard.press("ArrowRight")
    assert weights(page)[0] == 0.11
    page.get_by_role("button", name="Reset").press("Enter")
    point(page, "v_1").focus()
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowLeft")
    assert point(page, "v_1").get_attribute("aria-label") == "v_1 at [2.90, 1.00]"
    moved = np.array([[1, 2], [2.9, 1], [4, 5]])
    assert output(page) == pytest.approx(weighted_sum(ALPHA, moved), abs=0.00501)
    assert weights(page) == ALPHA.tolist()
    point(page, "o").focus()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    assert output(page) == pytest.approx(np.round(weighted_sum(ALPHA, moved), 1) + [0, 0.3], abs=0.00501)


def test_dragging_a_value_leaves_the_weights(page):
    drag(page, "v_2", (2, 4))
    assert output(page) == pytest.approx(weighted_sum(ALPHA, [[1, 2], [3, 0], [2, 4]]), abs=0.00501)
    assert weights(page) == ALPHA.tolist()


def test_dragging_the_output_solves_for_the_weights(page):
    drag(page, "o", (2.5, 2))
    solved = np.linalg.solve(np.vstack([V.T, np.ones(3)]), [2.5, 2, 1])
    assert output(page) == [2.5, 2.0]
    assert weights(page) == pytest.approx(solved, abs=0.00501)


def test_no_weights_reach_outside_the_hull(page):
    drag(page, "o", (5, 1))
    assert page.locator(".att-note").inner_text().startswith("No weights reach [5.00, 1.00]")
    way = V[2] - V[1]
    t = (np.array([5, 1]) - V[1]) @ way / (way @ way)
    assert weights(page) == pytest.approx([0, 1 - t, t], abs=0.00501)
    assert output(page) == pytest.approx(V[1] + t * way, abs=0.00501)
    drag(page, "o", (2.5, 2))
    assert "No weights" not in page.locator(".att-note").inner_text()


def test_a_fourth_value_makes_the_weights_a_range(page):
    way = page.locator(".att-way input")
    assert way.is_disabled()
    page.get_by_role("button", name="Add").click()
    drag(page, "o", (2.5, 3.5))
    assert way.is_enabled()
    way.focus()
    page.keyboard.press("Home")
    first = weights(page)
    page.keyboard.press("End")
    assert sorted([first, weights(page)]) == [[0, 0, 0, 1], [0.5, 0, 0.5, 0]]
    assert output(page) == [2.5, 3.5]
    tracks = [track.bounding_box()["width"] for track in page.locator(".att-track").all()]
    brackets = page.locator(".att-bracket").all()
    shown = [b.bounding_box()["width"] if b.is_visible() else 0 for b in brackets]
    assert np.array(shown) / tracks == pytest.approx([0.5, 0, 0.5, 1], abs=0.01)


def test_removing_the_fourth_value_and_reset(page):
    page.get_by_role("button", name="Add").click()
    page.get_by_label("Weight 3 as a number").fill("0.5")
    page.get_by_role("button", name="Remove").click()
    assert weights(page) == pytest.approx(ALPHA, abs=0.00501)
    drag(page, "v_0", (0, 0))
    page.get_by_role("button", name="Add").click()
    page.get_by_role("button", name="Reset").click()
    assert weights(page) == ALPHA.tolist()
    assert output(page) == [3.1, 1.7]


@pytest.mark.parametrize("how", ["hover the term", "hover the value", "focus the slider"])
def test_a_token_lights_up_everywhere(page, how):
    if how == "hover the term":
        page.locator(".att-term").nth(1).hover()
    elif how == "hover the value":
        point(page, "v_1").hover()
    else:
        page.get_by_role("slider", name="Weight 1").focus()
    hot = page.locator(".att-hot")
    tokens = {hot.nth(k).get_attribute("data-token") for k in range(hot.count())}
    assert tokens == {"1"}
    for kind in (".att-term", ".att-step", ".att-value", ".att-token"):
        assert page.locator(f"{kind}.att-hot").count() == 1


def test_changes_are_announced_once_they_have_settled(page):
    said = page.get_by_role("status")
    assert announced(page)
    page.evaluate(
        "() => { window.heard = []; const node = document.querySelector('[role=status]');"
        "new MutationObserver(() => heard.push(node.textContent)).observe(node, { childList: true }); }"
    )
    page.get_by_role("slider", name="Weight 0").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("window.heard.length > 0")
    assert page.evaluate("window.heard") == [said.inner_text()]
    assert numbers(said.inner_text()) == [*weights(page), *output(page)]


def test_no_key_reaches_the_notebook(page):
    field = page.get_by_label("Weight 0 as a number")
    assert keys_heard(page, field, ("a", "d", "x", "Enter", "ArrowUp")) == []
    assert keys_heard(page, point(page, "o"), ["ArrowUp"]) == []


def test_accessible_in_both_themes_and_widths(themed):
    themed.get_by_role("button", name="Add").click()
    point(themed, "o").press("Shift+ArrowRight")
    assert obstacles(themed, also=".att-reach") == []


def test_touch_does_not_scroll_from_a_handle(page):
    assert point(page, "v_0").evaluate("node => getComputedStyle(node).touchAction") == "none"


def test_it_is_told_without_scripts():
    widget = explorer()
    assert "[3.10, 1.70]" in widget.alt()
    assert "o = 0.10 v_0 + 0.60 v_1 + 0.30 v_2 = [3.10, 1.70]" in fallback(widget)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": [[1, 2], [3, 4]]}, r"n at least 3, got shape \(2, 2\)"),
        ({"values": [[1, 2, 3]] * 3}, r"values must be \(n, 2\).*\(3, 3\)"),
        ({"alpha": [0.5, 0.5]}, r"alpha must be \(3,\).*\(2,\)"),
        ({"alpha": [0.5, 0.5, 0.5]}, r"add up to 1, got \[0.5, 0.5, 0.5\]"),
        ({"alpha": [1.5, -0.5, 0]}, r"from 0 up.*-0.5"),
        ({"extra": [1, 2, 3]}, r"extra must be a point"),
        ({"extra": [np.nan, 0]}, "must be finite.*nan"),
    ],
)
def test_a_spec_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        explorer(**arguments)
