"""The figures of chapter 13: lines are the file's, addresses PyTorch's, walks those of the lists."""

import heapq
import inspect
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from companion.backends.lists import lists
from companion.figures import kernel
from companion.look import COLOURS
from companion.patterns import causal, sinks, sliding_window, strided

PATTERN = sliding_window(24) | sinks(2)
FIGURES = {
    "addresses": lambda: kernel.addresses(2, 5, 4, 4, 0, 1),
    "walk": lambda: kernel.walk(PATTERN, 64, 8),
    "shifts": lambda: kernel.shifts(range(1, 13), 4),
}


@pytest.mark.parametrize("name", FIGURES)
def test_svg_stands_in_a_page(name):
    figure = FIGURES[name]()
    root = ElementTree.fromstring(figure.svg)
    assert root.get("aria-label") == figure.alt
    assert 300 < int(root.get("width")) <= 672
    assert len(figure.svg) < 60_000
    used = set(re.findall(r"#[0-9a-fA-F]{6}\b", figure.svg))
    assert used <= {light for light, _ in COLOURS.values()}


def sample(x):
    """A function to be listed."""
    total = 0
    for n in range(x):
        total += n

    return total


def test_a_listing_holds_the_lines_of_the_file():
    source, number = inspect.getsourcelines(sample)
    whole = kernel.listing(sample)
    assert whole.text == "".join(source).rstrip() and whole.number == number
    part = kernel.listing(sample, "for n", "return")
    assert part.text == "for n in range(x):\n    total += n" and part.number == number + 3
    numbered = [f"{number + 3:4}  for n in range(x):", f"{number + 4:4}      total += n"]
    assert repr(part).splitlines() == numbered
    assert part._repr_markdown_() == f"```python\n{part.text}\n```"


def test_a_listing_of_a_kernel_looks_behind_its_decorator():
    class Decorated:
        fn = staticmethod(sample)

    assert kernel.listing(Decorated).text == kernel.listing(sample).text


@pytest.mark.parametrize(
    ("first", "stop", "message"),
    [
        ("total", None, "first must begin one line of the source, 'total' begins 2"),
        ("while", None, "'while' begins 0"),
        ("for n", "nothing", "stop must begin one line"),
        ("return", "for n", "'for n' comes before 'return'"),
    ],
)
def test_a_listing_without_such_lines_is_refused(first, stop, message):
    with pytest.raises(ValueError, match=message):
        kernel.listing(sample, first, stop)


def told(alt, name):
    """What the alternative text says of one order of memory: addresses read and masked."""
    said = re.search(name + r": read are the addresses ([\d, ]+), masked ([\d, ]+|none), of", alt)
    read, masked = said.groups()
    return [[int(x) for x in part.split(", ")] if part != "none" else [] for part in (read, masked)]


@pytest.mark.parametrize("case", [(2, 5, 4, 0, 1), (3, 4, 2, 2, 1), (2, 5, 4, 1, 1)])
def test_addresses_are_those_of_pytorch(case):
    (heads, tokens, rows, head, tile), dim = case, 4
    alt = kernel.addresses(heads, tokens, dim, rows, head, tile).alt
    memory = torch.arange(heads * tokens * dim)
    orders = {
        "heads first": memory.view(heads, tokens, dim),
        "tokens first": memory.view(tokens, heads, dim).transpose(0, 1),
    }
    first = tile * rows
    for name, x in orders.items():
        read, masked = told(alt, name)
        assert read == x[head, first : first + rows, 0].tolist()
        assert masked == [x[head, 0, 0] + i * x.stride(1) for i in range(max(tokens, first), first + rows)]


def test_addresses_say_whose_memory_the_masked_rows_point_to():
    alt = kernel.addresses(2, 5, 4, 4, 0, 1).alt
    assert "masked 20, 24, 28, of which 3 belong to other heads or tokens and 0 lie past the end" in alt
    assert "masked 40, 48, 56, of which 0 belong to other heads or tokens and 3 lie past the end" in alt


@pytest.mark.parametrize(("pattern", "L"), [(PATTERN, 64), (causal(), 20), (strided(8), 40)], ids=str)
def test_a_walk_goes_along_the_lists_of_the_kernel(pattern, L):
    alt = kernel.walk(pattern, L, 8).alt
    found = lists(pattern, L, L, 0, 8, torch.device("cpu"), by_keys=False, alike=False)
    rows = len(found.bounds)
    for program in range(rows):
        begin, middle, end = found.bounds[rows - 1 - program].tolist()
        blocks = re.search(rf"program {program} reads ([\d, ]+)", alt)[1].rstrip(", ")
        assert [int(block) for block in blocks.split(", ")] == found.blocks[begin:end].tolist()


def makespan(costs, processors):
    free = [0] * processors
    for cost in costs:
        heapq.heappush(free, heapq.heappop(free) + cost)
    return max(free)


@pytest.mark.parametrize(("count", "processors"), [(12, 4), (5, 2), (3, 8), (1, 1)])
def test_shifts_end_when_the_last_processor_is_done(count, processors):
    costs = np.arange(1, count + 1)
    alt = kernel.shifts(costs, processors).alt
    assert f"first rows first, done at {makespan(costs, processors)};" in alt
    assert f"last rows first, done at {makespan(costs[::-1], processors)}." in alt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernel.addresses(2, 5, 4, 4, 2, 0), "got 2 of 2"),
        (lambda: kernel.addresses(2, 5, 4, 4, 0, 2), "2 of 5 tokens"),
        (lambda: kernel.shifts([], 2), "must not be empty"),
        (lambda: kernel.shifts([1], 0), "must not be empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
