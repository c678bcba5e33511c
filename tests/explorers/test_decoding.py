"""The cache explorer: its arithmetic against companion.cost, keyboard, and what it says."""

import numpy as np
import pytest
from helpers.explorers import announced, functions, keys_heard, obstacles

from companion.cost import bound_seconds, cache_bytes, flops
from companion.explorers.decoding import GIB, START
from companion.explorers.decoding import decoding as explorer

DEVICE = {"peak": 312e12, "bandwidth": 2.039e12}
NAMES = {
    "layers": "layers",
    "kv": "key heads",
    "heads": "query heads",
    "dim": "D",
    "bytes": "bytes a number",
    "tokens": "tokens",
    "batch": "sequences",
    "memory": "memory, GiB",
}


def model(**changes):
    return {**START, **changes}


def cache_of(m):
    sizes = {"kv_heads": m["kv"], "layers": m["layers"], "batch": m["batch"], "itemsize": m["bytes"]}
    return cache_bytes(m["tokens"], m["dim"], **sizes)


def operations_of(m):
    return m["layers"] * flops(m["tokens"], m["dim"], heads=m["heads"], batch=m["batch"])


MODELS = [
    model(),
    model(kv=1, heads=64, bytes=1, tokens=2**20),
    model(layers=2, kv=4, heads=4, dim=64, bytes=4, tokens=128, batch=256),
]


@pytest.fixture(scope="module")
def js(browser):
    names = "cacheBytes, operations, intensity, seconds, use, share, size, time, withHeads"
    yield from functions(browser, explorer().kind, names)


def dial(page, name):
    return page.get_by_role("slider", name=NAMES[name], exact=True)


def formulas(page):
    return page.locator(".att-formula").all_inner_texts()


@pytest.mark.parametrize("m", MODELS)
def test_arithmetic_is_that_of_the_cost_model(js, m):
    cache, operations = cache_of(m), operations_of(m)
    assert js("cacheBytes", m) == cache
    assert js("operations", m) == operations
    assert js("intensity", m) == operations / cache
    assert js("share", m) == cache / (m["memory"] * GIB)
    bound = bound_seconds(operations, cache, peak_flops=DEVICE["peak"], bandwidth=DEVICE["bandwidth"])
    assert js("seconds", m, DEVICE) == pytest.approx(bound, rel=1e-14)
    part = operations / DEVICE["peak"] / bound
    assert js("use", m, DEVICE) == pytest.approx(part, rel=1e-14)


@pytest.mark.parametrize(
    ("bytes", "shown"),
    [(512, "512 B"), (2**17, "128 KiB"), (2**30, "1 GiB"), (2**41, "2 TiB"), (2**61, "2048 PiB")],
)
def test_sizes_are_exact(js, bytes, shown):
    assert js("size", bytes) == shown


@pytest.mark.parametrize(("x", "shown"), [(5.266e-4, "530 µs"), (0.01685, "17 ms"), (2.5, "2.5 s")])
def test_times_have_two_digits(js, x, shown):
    assert js("time", x) == shown


def test_query_heads_stay_a_multiple_of_key_heads(js):
    assert js("withHeads", model(), {"kv": 64})["heads"] == 64
    assert js("withHeads", model(), {"heads": 4})["kv"] == 4
    assert js("withHeads", model(), {"heads": 64})["kv"] == 8


def test_starts_with_the_example_of_the_chapter(page):
    cache, ratio = formulas(page)
    assert cache == "cache = 2 N Hkv D S B b = 2 × 32 × 8 × 128 × 8192 × 1 × 2 = 1 GiB"
    assert ratio == "operations per byte = 2 Hq / (Hkv b) = 2 × 32 / (8 × 2) = 4"
    assert page.locator(".att-meter-number").all_inner_texts() == ["1.6 %", "2.6 %"]
    note = page.locator(".att-note").inner_text()
    assert "at least 530 µs" in note and "153 operations for each byte." in note


def test_keyboard_moves_every_dial(page):
    for name in START:
        before = formulas(page), page.locator(".att-note").inner_text()
        dial(page, name).press("ArrowRight")
        assert dial(page, name).get_attribute("aria-valuetext") == str(2 * START[name])
        assert (formulas(page), page.locator(".att-note").inner_text()) != before
    page.get_by_role("button", name="Reset").press("Enter")
    assert formulas(page)[0].endswith("= 1 GiB")


def test_a_batch_fills_the_memory_and_leaves_the_intensity(page):
    for _ in range(7):
        dial(page, "batch").press("ArrowRight")
    cache, ratio = formulas(page)
    assert cache.endswith("= 128 GiB") and ratio.endswith("= 4")
    assert page.locator(".att-meter-number").first.inner_text() == "does not fit"
    assert "is 2 times the memory" in page.locator(".att-note").inner_text()


def test_fewer_key_heads_raise_the_intensity(page):
    for _ in range(3):
        dial(page, "kv").press("ArrowLeft")
    cache, ratio = formulas(page)
    assert cache.endswith("= 128 MiB") and ratio.endswith("= 32")


def test_bars_are_as_long_as_their_numbers(page):
    for _ in range(5):
        dial(page, "tokens").press("ArrowRight")
    widths = "nodes => nodes.map((node) => node.getBoundingClientRect().width)"
    tracks, bars = (page.locator(f".att-meter-{part}").evaluate_all(widths) for part in ("track", "bar"))
    m = model(tokens=2**18)
    expected = [cache_of(m) / (64 * GIB), 4 * DEVICE["bandwidth"] / DEVICE["peak"]]
    np.testing.assert_allclose(np.array(bars) / tracks, expected, atol=0.01)


def test_changes_are_announced_once_they_have_settled(page):
    assert announced(page)
    dial(page, "tokens").press("End")
    assert "Cache 128 GiB" in announced(page, "Cache 128 GiB")
    assert page.get_by_role("status").inner_text().endswith("is 2 times the memory. 4 operations per byte.")


def test_no_key_reaches_the_notebook(page):
    assert keys_heard(page, dial(page, "tokens"), ("a", "d", "x", "Enter", "ArrowUp")) == []


def test_accessible_in_both_themes_and_widths(themed):
    dial(themed, "batch").press("End")
    assert obstacles(themed) == []


def test_it_is_told_without_scripts():
    widget = explorer()
    assert "takes 1 GiB of 64 GiB" in widget.alt() and "4 operations per byte" in widget.alt()


@pytest.mark.parametrize("name", ["peak_flops", "bandwidth"])
def test_a_device_without_speed_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} must be above 0, got 0"):
        explorer(**{name: 0})
