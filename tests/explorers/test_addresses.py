"""The address explorer: programs and addresses against PyTorch's own strides, controls, what it says."""

import pytest
import torch
from helpers.explorers import announced, functions, keys_heard, obstacles

from companion.explorers.addresses import DIM, HEADS
from companion.explorers.addresses import addresses as explorer

CASES = [(10, 4, 2), (16, 8, 1), (3, 2, 4), (8, 4, 1)]


@pytest.fixture(scope="module")
def js(browser):
    yield from functions(browser, explorer().kind, "owned, stridesOf, addressOf, reads")


def tensor(heads, tokens, tokens_first):
    """A tensor (heads, tokens, DIM) that holds its own addresses."""
    memory = torch.arange(heads * tokens * DIM)
    if tokens_first:
        return memory.view(tokens, heads, DIM).transpose(0, 1)
    return memory.view(heads, tokens, DIM)


def owner(program, tokens, rows):
    """Head and tile, found by counting programs in the order of the kernel: a head's last tile first."""
    order = [(head, tile) for head in range(HEADS) for tile in reversed(range(-(-tokens // rows)))]
    return order[program]


@pytest.mark.parametrize(("tokens", "rows", "key_heads"), CASES)
def test_a_program_owns_what_the_kernel_gives_it(js, tokens, rows, key_heads):
    group = HEADS // key_heads
    for program in range(HEADS * -(-tokens // rows)):
        found = js("owned", program, tokens, rows, group)
        assert (found["head"], found["tile"]) == owner(program, tokens, rows)
        assert found["keyHead"] == found["head"] // group


@pytest.mark.parametrize("tokens_first", [False, True])
@pytest.mark.parametrize(("tokens", "rows", "key_heads"), CASES)
def test_addresses_are_those_of_pytorch(js, tokens, rows, key_heads, tokens_first):
    x = tensor(HEADS, tokens, tokens_first)
    strides = js("stridesOf", HEADS, tokens, DIM, tokens_first)
    assert (strides["head"], strides["token"]) == x.stride()[:2]
    for first in range(0, tokens, rows):
        found = js("reads", 1, first, rows, tokens, strides)
        assert found["live"] == x[1, first : first + rows, 0].tolist()
        assert len(found["masked"]) == rows - len(found["live"])
        for place, address in enumerate(found["masked"]):
            assert address == x[1, 0, 0] + (tokens + place) * x.stride(1)


def slider(page, name):
    return page.get_by_role("slider", name=name, exact=True)


def note(page):
    return page.locator(".att-note").inner_text()


def marked(page, strip, kind):
    """Heads written in the marked squares of a strip."""
    return page.locator(f".att-{strip} .att-on-{kind}").all_text_contents()


def test_starts_with_a_tile_whose_masked_rows_point_into_the_next_head(page):
    assert note(page) == (
        "Program 3 of 12 owns tile 2 of head 1. Addresses of its queries: 72, 76, masked 80, 84. "
        "It reads keys of head 0."
    )
    assert marked(page, "queries", "live") == ["1", "1"] and marked(page, "queries", "masked") == ["2", "2"]
    assert marked(page, "keys", "live") == ["0"] * 10
    formula = page.locator(".att-formula").inner_text()
    assert "tile = 3 − 1 − 3 mod 3 = 2" in formula and "head = ⌊3 / 3⌋ = 1" in formula
    assert "key head = ⌊1 / 2⌋ = 0" in formula and "1 × 40 + 8 × 4 = 72" in formula


def test_the_last_tile_of_the_last_head_points_past_the_end(page):
    slider(page, "Program").press("End")
    assert note(page).startswith("Program 11 of 12 owns tile 0 of head 3.")
    for _ in range(2):
        slider(page, "Program").press("ArrowLeft")
    assert "152, 156, masked 160, 164" in note(page)
    assert marked(page, "queries", "masked") == ["", ""]


def test_tokens_first_moves_the_tile_in_memory(page):
    page.get_by_label("Memory").select_option("tokens first")
    assert "132, 148, masked 164, 180" in note(page)
    assert marked(page, "queries", "live") == ["1", "1"]


def test_key_heads_decide_whose_keys_are_read(page):
    for count, head in (("4", 1), ("2", 0), ("1", 0)):
        page.get_by_label("Key heads").select_option(count)
        assert note(page).endswith(f"It reads keys of head {head}.")
        assert marked(page, "keys", "live") == [str(head)] * 10


def test_fewer_tokens_keep_the_program_within_the_grid(page):
    slider(page, "Program").press("End")
    slider(page, "Tokens").press("Home")
    assert note(page).startswith("Program 3 of 4 owns tile 0 of head 3.")
    page.get_by_label("Rows a program").select_option("2")
    assert note(page).startswith("Program 3 of 8 owns tile 0 of head 1.")


def test_reset_brings_the_beginning_back(page):
    before = note(page)
    slider(page, "Tokens").press("End")
    page.get_by_label("Memory").select_option("tokens first")
    assert note(page) != before
    page.get_by_role("button", name="Reset").press("Enter")
    assert note(page) == before and slider(page, "Tokens").input_value() == "10"


def test_changes_are_announced_once_they_have_settled(page):
    assert announced(page)
    slider(page, "Program").press("Home")
    assert "Program 0 of 12 owns tile 2 of head 0." in announced(page, "Program 0 of 12")


def test_no_key_reaches_the_notebook(page):
    assert keys_heard(page, slider(page, "Program"), ("a", "d", "x", "Enter", "ArrowUp")) == []


def test_accessible_in_both_themes_and_widths(themed):
    slider(themed, "Tokens").press("End")
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    assert "12 programs, of which program 3 owns tile 2 of head 1." in explorer().alt()
    assert "program 0 owns tile 3 of head 0." in explorer(tokens=16, program=0).alt()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": 2}, "tokens must be from 3 to 16, got 2"),
        ({"program": 12}, "program must be from 0 to 11, got 12"),
    ],
)
def test_what_it_cannot_show_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        explorer(**options)
