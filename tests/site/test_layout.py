"""The page at 390 pixels: nothing scrolls sideways but wide code and maths, each inside its own box."""

import pytest
from helpers.pages import chapters, pages

PHONE = {"width": 390, "height": 844}
TOO_WIDE = """() => {
  const boxed = element => {
    for (let box = element; box; box = box.parentElement)
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) return true;
    return false;
  };
  return [...document.querySelectorAll("main *")].filter(element => {
    const rect = element.getBoundingClientRect();
    return rect.width && rect.right > innerWidth + 1 && !boxed(element);
  }).map(element => `${element.tagName}.${element.className}`);
}"""


@pytest.mark.parametrize("name", pages())
def test_nothing_scrolls_sideways_on_a_phone(visit, http, name):
    with visit(f"{http}/{name}", viewport=PHONE) as v:
        assert v.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert v.page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("name", chapters())
def test_a_wide_equation_can_be_scrolled_to_its_first_symbol(visit, http, name):
    with visit(f"{http}/{name}", viewport=PHONE) as v:
        hidden = v.page.locator("div.math").evaluate_all(
            """all => all.filter(box => {
              box.scrollLeft = 0;
              const math = box.querySelector("mjx-math");
              return math.getBoundingClientRect().left < box.getBoundingClientRect().left - 1;
            }).map(box => box.textContent.slice(0, 60))"""
        )
        assert hidden == []


def test_code_of_88_columns_fits_at_1280(visit, http):
    with visit(f"{http}/{chapters()[0]}") as v:
        columns = v.page.evaluate(
            """() => {
              const pre = document.querySelector(".cell_input pre");
              const probe = document.createElement("span");
              probe.textContent = "0".repeat(100);
              pre.append(probe);
              const width = probe.getBoundingClientRect().width / 100;
              const style = getComputedStyle(pre);
              const room = pre.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
              probe.remove();
              return room / width;
            }"""
        )
        assert columns >= 88


def test_lines_of_prose_are_of_readable_length(visit, http):
    with visit(f"{http}/{chapters()[0]}") as v:
        characters = v.page.evaluate(
            """() => {
              const p = [...document.querySelectorAll("article p")].find(p => p.textContent.length > 300);
              const range = document.createRange();
              range.selectNodeContents(p);
              const lines = new Set([...range.getClientRects()].map(r => Math.round(r.top))).size;
              return p.textContent.length / lines;
            }"""
        )
        assert 55 <= characters <= 85
