"""The reshape explorer: its arithmetic against NumPy's own reshape, keyboard, pointer, and what it says."""

import itertools
import re

import numpy as np
import pytest
from helpers.explorers import announced, functions, keys_heard, obstacles

from companion.explorers.reshape import SIZES
from companion.explorers.reshape import reshape as explorer

SHAPES = list(itertools.product(*SIZES.values()))


@pytest.fixture(scope="module")
def js(browser):
    yield from functions(browser, explorer().kind, "address, cutRight, cutWrong, joinWrong, strays")


def arrays(L, H, D, sentence=0):
    """What NumPy makes of a batch of two: one array a panel, the numbers of one sentence."""
    x = np.arange(2 * L * H * D).reshape(2, L, H * D)
    right = x.reshape(2, L, H, D).swapaxes(1, 2)
    wrong = x.reshape(2, H, L, D)
    return [a[sentence] for a in (x, right, wrong, right.reshape(2, L, H * D))]


def shown(page):
    """The numbers of every panel, as they stand there."""
    panels = page.locator(".att-panel").all()
    return [np.array(panel.locator("[data-place]").all_inner_texts(), int) for panel in panels]


def choose(page, **sizes):
    for name, label in (("sentence", "sentence b"), ("tokens", "tokens L"), ("heads", "heads H")):
        if name in sizes:
            page.get_by_label(label).select_option(str(sizes[name]))
    if "dim" in sizes:
        page.get_by_label("numbers a head D").select_option(str(sizes["dim"]))


def picked(page):
    return page.locator("button[aria-pressed=true]").inner_text()


@pytest.mark.parametrize(("L", "H", "D"), SHAPES)
def test_every_number_goes_where_numpy_puts_it(js, L, H, D):
    size = {"tokens": L, "heads": H, "dim": D}
    x, right, wrong, joined = arrays(L, H, D)
    for t, c in {(0, 0), (L - 1, H * D - 1), (1, H * D // 2), (L - 1, 0), (L - 2, H * D - 1)}:
        for sentence in range(2):
            assert js("address", size, sentence, t, c) == arrays(L, H, D, sentence)[0][t, c]
        for name, into in (("cutRight", right), ("cutWrong", wrong)):
            to = js(name, size, t, c)
            assert into[to["head"], to["row"], to["d"]] == x[t, c]
        back = js("joinWrong", size, t, c)
        assert joined[back["token"], back["column"]] == x[t, c]


def test_strays_are_the_numbers_in_a_row_of_another_token(page):
    for L, H, D in SHAPES:
        choose(page, tokens=L, heads=H, dim=D)
        x, _, wrong, joined = arrays(L, H, D)
        owner = np.repeat(np.arange(L), H * D)  # the token of every number
        cut = sum(owner[number] != row for (_, row, _), number in np.ndenumerate(wrong))
        join = sum(owner[number] != row for (row, _), number in np.ndenumerate(joined))
        note = page.locator(".att-note").inner_text()
        told = re.search(r"Of (\d+) numbers, .* puts (\d+) in .* join (\d+)\.", note).groups()
        assert [int(count) for count in told] == [x.size, cut, join]


@pytest.mark.parametrize(("L", "H", "D", "sentence"), [(4, 4, 2, 1), (2, 4, 1, 0), (4, 1, 2, 1)])
def test_panels_show_what_numpy_computes(page, L, H, D, sentence):
    choose(page, tokens=L, heads=H, dim=D, sentence=sentence)
    for numbers, expected in zip(shown(page), arrays(L, H, D, sentence), strict=True):
        np.testing.assert_array_equal(numbers.reshape(expected.shape), expected)


def test_starts_with_the_number_of_the_spec(page):
    x, right, wrong, _ = arrays(3, 2, 2)
    assert picked(page) == str(x[1, 2])
    (h, t, d), (h2, t2, d2) = (np.argwhere(a == x[1, 2])[0].tolist() for a in (right, wrong))
    formula = " ".join(page.locator(".att-formula").inner_text().split())
    right, wrong = f"Right: heads[0, {h}, {t}, {d}].", f"Wrong: heads[0, {h2}, {t2}, {d2}]."
    assert formula == f"x[0, 1, 2] is number 6. {right} {wrong}"


def test_arrow_keys_move_and_stop_at_the_edge(page):
    page.locator("button[aria-pressed=true]").focus()
    ways = [("Right", 7), ("Right", 7), ("Down", 11), ("Down", 11), ("Left", 10), ("Up", 6)]
    for way, number in ways:
        page.keyboard.press(f"Arrow{way}")
        assert picked(page) == str(number)
        assert page.evaluate("document.activeElement.innerText") == str(number)
    assert page.locator("button[data-place][tabindex='0']").count() == 1


@pytest.mark.parametrize("panel", range(4))
def test_a_click_in_any_panel_picks_the_number_everywhere(page, panel):
    page.locator(".att-panel").nth(panel).locator("[data-place='9']").click()
    assert picked(page) == "9"
    assert page.locator(".att-on").all_inner_texts() == ["9"] * 4
    token = page.locator(".att-panel").nth(1).locator(".att-same").all_inner_texts()
    assert sorted(token, key=int) == ["8", "9", "10", "11"]


def test_a_smaller_shape_keeps_the_pick_inside_and_reset_restores(page):
    choose(page, tokens=4, heads=4)
    page.locator("button[data-place='31']").click()
    choose(page, tokens=2, heads=1, dim=1)
    assert picked(page) == "1"
    page.get_by_role("button", name="Reset").press("Enter")
    assert picked(page) == "6"
    assert page.get_by_label("heads H").input_value() == "2"


def test_changes_are_announced_once_they_have_settled(page):
    page.locator("button[data-place='9']").click()
    assert "number 9" in announced(page, "number 9")
    assert "The wrong join gives it to token 1." in page.get_by_role("status").inner_text()


def test_no_key_reaches_the_notebook(page):
    pressed = page.locator("button[aria-pressed=true]")
    assert keys_heard(page, pressed, ("a", "d", "x", "Enter", "ArrowUp")) == []


def test_accessible_in_both_themes_and_widths(themed):
    choose(themed, tokens=4, heads=4)
    assert obstacles(themed, also="[data-place]") == []


def test_it_is_told_without_scripts():
    widget = explorer()
    assert "number 6, token 1, column 2" in widget.alt()
    assert "head 1, row 1; view alone into head 1, row 0" in widget.alt()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"tokens": 5}, ValueError, r"tokens must be one of \(2, 3, 4\), got 5"),
        ({"heads": 3}, ValueError, r"heads must be one of \(1, 2, 4\), got 3"),
        ({"dim": 2.0}, TypeError, "dim"),
        ({"token": 3}, ValueError, "token must be below 3, got 3"),
        ({"column": -1}, ValueError, "column"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        explorer(**arguments)
