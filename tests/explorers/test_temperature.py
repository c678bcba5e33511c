"""The temperature explorer: its arithmetic against companion.reference, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, functions, keys_heard, obstacles

from companion.explorers.temperature import temperature as explorer
from companion.reference import softmax

DIVISORS = {"one": lambda D: 1, "root": lambda D: D**0.5, "D": lambda D: D}
Z = np.array(explorer().spec["draws"])


@pytest.fixture(scope="module")
def js(browser):
    yield from functions(browser, explorer().kind, "products, scores, softmax, slopes, heat")


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.\d\d", text.replace("\u2212", "-"))]


def table(page):
    """Products, scores, weights and slopes, as shown."""
    rows = page.locator(".att-scores tbody tr").all_inner_texts()
    return np.array([numbers(row) for row in rows]).T


def expected(z, D, divisor, tau):
    raw = D**0.5 * z
    alpha = softmax(raw / DIVISORS[divisor](D) / tau)
    return np.array([raw, raw / DIVISORS[divisor](D), alpha, alpha * (1 - alpha)])


def meters(page):
    return numbers(" ".join(page.locator(".att-meter-number").all_inner_texts()))


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("D", [1, 64, 1024])
def test_weights_are_those_of_the_reference(js, D, divisor):
    for tau in (0.1, 1, 10):
        for z in Z:
            s = js("scores", z.tolist(), D, divisor)
            np.testing.assert_allclose(s, D**0.5 * z / DIVISORS[divisor](D), rtol=1e-14)
            np.testing.assert_allclose(js("softmax", s, tau), softmax(np.array(s) / tau), atol=1e-14)


def test_the_softmax_survives_scores_that_overflow(js):
    assert js("softmax", [1000, 1000, -1000], 1) == [0.5, 0.5, 0]


def test_slopes_are_the_derivatives_of_the_weights(js):
    s, step = Z[0], 1e-6
    nudges = step * np.eye(6)
    moved = [(softmax(s + nudges[j]) - softmax(s - nudges[j]))[j] / (2 * step) for j in range(6)]
    np.testing.assert_allclose(js("slopes", softmax(s).tolist()), moved, atol=1e-9)


def test_starts_undivided_and_saturated(page):
    np.testing.assert_allclose(table(page), expected(Z[0], 64, "one", 1), atol=0.00501)
    assert meters(page)[0] == pytest.approx(expected(Z[0], 64, "one", 1)[2].max(), abs=0.00501)
    assert page.locator(".att-note").inner_text().startswith("Saturated")


def test_keyboard_moves_every_dial(page):
    page.get_by_role("slider", name="D").press("ArrowRight")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "one", 1), atol=0.00501)
    page.get_by_role("radio", name="√D").press("Space")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "root", 1), atol=0.00501)
    warmth = page.get_by_role("slider", name="Temperature")
    warmth.press("End")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "root", 10), atol=0.00501)
    assert warmth.get_attribute("aria-valuetext") == "10.00"
    assert page.locator(".att-note").inner_text().startswith("Nearly uniform")
    page.get_by_role("button", name="Reset").press("Enter")
    page.get_by_role("button", name="Other keys").press("Enter")
    np.testing.assert_allclose(table(page), expected(Z[1], 64, "one", 1), atol=0.00501)


def test_with_the_root_the_size_of_D_does_not_matter(page):
    page.get_by_role("radio", name="√D").check()
    before = table(page)[1:]
    page.get_by_role("slider", name="D").press("End")
    assert (table(page)[1:] == before).all()


def test_bars_are_as_long_as_their_weights(page):
    page.get_by_role("radio", name="√D").check()
    track = page.locator(".att-weight-track").first.bounding_box()["width"]
    bars = page.locator(".att-weight-bar").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().width)"
    )
    np.testing.assert_allclose(np.array(bars) / track, expected(Z[0], 64, "root", 1)[2], atol=0.01)
    assert meters(page)[1] == pytest.approx(expected(Z[0], 64, "root", 1)[3].sum(), abs=0.00501)


def test_changes_are_announced_once_they_have_settled(page):
    assert announced(page)
    page.get_by_role("slider", name="D").press("Home")
    assert "D 1," in announced(page, "D 1,")
    alpha = expected(Z[0], 1, "one", 1)[2]
    said = page.get_by_role("status").inner_text()
    assert f"largest weight {alpha.max():.2f} for key {alpha.argmax()}" in said


def test_no_key_reaches_the_notebook(page):
    assert keys_heard(page, page.get_by_role("slider", name="D"), ("a", "d", "x", "Enter", "ArrowUp")) == []


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    widget = explorer()
    assert f"largest weight is {softmax(8 * Z[0]).max():.2f} without" in widget.alt()


@pytest.mark.parametrize(
    ("D", "error"), [(48, ValueError), (2048, ValueError), (8.0, TypeError), (True, TypeError)]
)
def test_another_D_is_refused(D, error):
    with pytest.raises(error, match=f"D must be .*{D}"):
        explorer(D)
