"""The blocks explorer: its counts against the layouts of companion.patterns, keyboard, and what it says."""

import re

import numpy as np
import pytest
from helpers.explorers import announced, fallback, keys_heard, obstacles

from companion.explorers.blocks import PATTERNS, SIZES
from companion.explorers.blocks import blocks as explorer



def choose(page, pattern=None, size=None, tokens=None):
    if pattern is not None:
        page.get_by_role("combobox", name="Pattern").select_option(repr(pattern))
    if size is not None:
        page.get_by_role("slider", name="Block size").fill(str(SIZES.index(size)))
    if tokens is not None:
        page.get_by_role("slider", name="Tokens").fill(str(tokens))


def numbers(text):
    return [int(number) for number in re.findall(r"\d+", text.replace(",", ""))]


def shown(page):
    """Partial blocks, full blocks, all blocks; allowed and computed pairs, as the page tells them."""
    partial, full, whole = numbers(re.search(r": ([^:]*)\. Waste", page.locator(".att-note").inner_text())[1])
    allowed, computed = numbers(page.locator(".att-formula").inner_text().split("1 − ")[2])[:2]
    return partial, full, whole, allowed, computed


def expected(pattern, size, tokens):
    layout = pattern.layout(tokens, block_size=size)
    kinds = len(layout.partial_blocks), len(layout.full_blocks)
    return *kinds, layout.query_blocks**2, pattern.pairs(tokens), layout.pairs_bound


@pytest.mark.parametrize("tokens", [64, 101, 128])
@pytest.mark.parametrize("pattern", PATTERNS, ids=repr)
def test_counts_are_those_of_the_layout(page, pattern, tokens):
    choose(page, pattern, tokens=tokens)
    for size in SIZES:
        choose(page, size=size)
        assert shown(page) == expected(pattern, size, tokens)
        waste = 1 - pattern.pairs(tokens) / pattern.layout(tokens, block_size=size).pairs_bound
        told = re.search(r"Waste (\d\.\d\d)\.", page.locator(".att-note").inner_text())[1]
        assert float(told) == pytest.approx(waste, abs=0.00501)


@pytest.mark.parametrize("pattern", [PATTERNS[1], PATTERNS[3]], ids=repr)
def test_the_picture_has_every_block_and_every_live_pair(page, pattern):
    choose(page, pattern, size=16, tokens=100)
    layout = pattern.layout(100, block_size=16)
    for name, rows in (("partial", layout.partial_pairs()), ("full", layout.full_pairs())):
        drawn = page.locator(f".att-cut .att-{name}").get_attribute("d")
        corners = {(int(y), int(x)) for x, y in re.findall(r"M(\d+),(\d+)", drawn)}
        assert corners == {(16 * row, 16 * column) for row, column in zip(*rows, strict=True)}
    live = re.findall(r"M(\d+),(\d+)", page.locator(".att-cut .att-live").get_attribute("d"))
    assert {(int(i), int(j)) for j, i in live} == set(zip(*np.nonzero(pattern.mask(100)), strict=True))


def test_dots_stand_at_their_waste(page):
    choose(page, PATTERNS[0], size=32, tokens=96)
    circles = page.locator(".att-plane circle")
    heights = circles.evaluate_all("nodes => nodes.map((n) => +n.getAttribute('cy'))")
    bottom, height = 170 - 40, 170 - 40 - 18
    for size, y in zip(SIZES, heights, strict=True):
        *_, allowed, computed = expected(PATTERNS[0], size, 96)
        assert (bottom - y) / height == pytest.approx(1 - allowed / computed, abs=1e-6)
    assert page.locator(".att-plane circle.att-now").get_attribute("cy") == str(heights[SIZES.index(32)])


def test_keys_move_it_and_reset_brings_it_back(page):
    before = shown(page)
    slider = page.get_by_role("slider", name="Block size")
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "16"
    assert shown(page) == expected(PATTERNS[0], 16, 96)
    choose(page, PATTERNS[4], tokens=65)
    page.get_by_role("button", name="Reset").press("Enter")
    assert shown(page) == before == expected(PATTERNS[0], 8, 96)


def test_no_key_reaches_the_notebook(page):
    assert keys_heard(page, page.get_by_role("slider", name="Tokens"), ("a", "d", "x", "ArrowRight")) == []


def test_changes_are_announced_once_they_have_settled(page):
    choose(page, size=32)
    assert "blocks of 32" in announced(page, "blocks of 32")


def test_accessible_in_both_themes_and_widths(themed):
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    assert "for each block size" in fallback(explorer()).lower()


def test_alternative_text_tells_the_layouts():
    told = re.findall(r"(\d+): (\d+) and (\d\.\d\d)", explorer().alt())
    for size, listed, waste in told:
        partial, full, _, allowed, computed = expected(PATTERNS[0], int(size), 96)
        assert (int(listed), float(waste)) == (partial + full, round(1 - allowed / computed, 2))
    assert [int(size) for size, _, _ in told] == list(SIZES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 12}, "size must be one of 1, 2, .*got 12"),
        ({"tokens": 63}, "tokens must be from 64 to 128, got 63"),
        ({"tokens": 129}, "from 64 to 128, got 129"),
    ],
)
def test_a_start_outside_the_controls_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        explorer(**options)
