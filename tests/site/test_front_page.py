"""The front page: what the book is, in one screen, with an explorer that lives."""

import json
import re
import tomllib

import pytest
import torch
from helpers.pages import SITE, chapters
from helpers.project import ROOT
from torch.nn.functional import scaled_dot_product_attention

from companion.explorers.weighted_sum import weighted_sum
from companion.patterns import sinks, sliding_window

FRONT = "book/intro.html"
SCREEN = {"width": 1280, "height": 800}


def test_the_explorer_is_that_of_chapter_1():
    found = re.search(
        r'data-mount="explorer-weighted-sum"><script type="application/json">(.*?)</script>',
        (SITE / FRONT).read_text(),
    )
    assert json.loads(found[1]) == weighted_sum().spec


def test_one_screen_shows_explorer_three_ways_and_map(visit, http):
    with visit(f"{http}/{FRONT}", viewport=SCREEN) as v:
        bottoms = {
            name: v.page.locator(name).evaluate("e => e.getBoundingClientRect().bottom")
            for name in (".att-front-live", ".att-front-ways", ".att-strip")
        }
        assert max(bottoms.values()) <= SCREEN["height"], bottoms
        ways = v.page.locator(".att-front-ways p > strong:first-child").all_inner_texts()
        assert ways == ["Read", "Run", "Build"]


def test_the_explorer_answers_to_the_keyboard(visit, address):
    with visit(f"{address}/{FRONT}", viewport=SCREEN) as v:
        result = v.page.locator(".att-explorer .att-result")
        before = result.inner_text()
        bar = v.page.get_by_label("Weight 0", exact=True)
        bar.focus()
        for _ in range(10):
            bar.press("ArrowRight")
        assert before == "[3.10, 1.70]" and result.inner_text() != before


def test_without_scripts_the_page_says_what_the_explorer_shows(browser, http):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{http}/{FRONT}")
    shown = page.locator(".att-front-live").inner_text()
    context.close()
    assert "o = 0.10 v_0 + 0.60 v_1 + 0.30 v_2 = [3.10, 1.70]" in shown


def test_the_code_for_builders_runs_and_is_right():
    source = re.search(r"```python\n(.*?)```", (ROOT / "book/intro.md").read_text(), re.S)[1]
    names = {}
    exec(source, names)
    mask = torch.tensor((sliding_window(256) | sinks(4)).mask(1024))
    expected = scaled_dot_product_attention(names["x"], names["x"], names["x"], attn_mask=mask)
    torch.testing.assert_close(names["out"], expected)
    assert names["out"].shape == (1, 8, 1024, 64)


def test_the_plan_links_every_chapter_in_order():
    plan = re.search(r'<dl class="[^"]*att-plan.*?</dl>', (SITE / FRONT).read_text(), re.S)[0]
    order = sorted(chapters(), key=lambda page: page.removesuffix(".html").split("/")[1].partition("_")[0])
    assert re.findall(r'href="\.\./([^"#]+)', plan) == order


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_strip_has_a_dot_for_every_concept(visit, http, theme):
    concepts = tomllib.loads((ROOT / "book/concepts.toml").read_text())["concept"]
    with visit(f"{http}/{FRONT}", theme=theme) as v:
        assert v.page.locator(".att-strip circle").count() == len(concepts)
        dot, ground = v.page.evaluate(
            """() => [getComputedStyle(document.querySelector(".att-strip circle")).fill,
                      getComputedStyle(document.body).backgroundColor]"""
        )
        assert dot != ground
        v.page.locator(".att-strip-link").click()
        assert v.page.url.endswith("/book/concept_map.html")
