"""The page on a phone and on a desk: nothing scrolls sideways but what is wide, inside its own box."""

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
def test_a_wide_equation_can_be_scrolled_to_its_ends(visit, http, name):
    with visit(f"{http}/{name}", viewport=PHONE) as v:
        hidden = v.page.locator("div.math").evaluate_all(
            """all => all.filter(box => {
              const room = box.getBoundingClientRect();
              box.scrollLeft = 0;
              const left = box.querySelector("mjx-math").getBoundingClientRect().left;
              box.scrollLeft = box.scrollWidth;
              const inner = box.querySelectorAll("mjx-table, mjx-labels, mjx-math > *");
              const right = Math.max(...[...inner].map(part => part.getBoundingClientRect().right));
              return left < room.left - 1 || right > room.right + 1;
            }).map(box => box.textContent.slice(0, 60))"""
        )
        assert hidden == []


@pytest.mark.parametrize("name", chapters())
def test_no_line_starts_with_the_comma_after_a_formula(visit, http, name):
    with visit(f"{http}/{name}", viewport=PHONE) as v:
        torn = v.page.locator("article mjx-container:not([display]), .att-prompt math").evaluate_all(
            """all => all.filter(formula => {
              const span = formula.closest("span.math") ?? formula;
              const text = span.nextSibling;
              if (text?.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)]/.test(text.data)) return false;
              const mark = document.createRange();
              mark.setStart(text, 0);
              mark.setEnd(text, 1);
              return mark.getBoundingClientRect().left < formula.getBoundingClientRect().left;
            }).map(formula => formula.parentElement.closest("p, li")?.textContent.slice(0, 60))"""
        )
        assert torn == []


def test_a_card_keeps_room_for_one_line_of_feedback_and_no_more(visit, http):
    with visit(f"{http}/{next(page for page in chapters() if '/07_' in page)}") as v:
        card = v.page.locator(".att-exercise[data-kind=vector]").first
        places = """card => [".att-body", ".att-actions", ".att-feedback"].map(
          part => card.querySelector(part).getBoundingClientRect().top - card.getBoundingClientRect().top
        ).concat(card.offsetHeight)"""
        below = "card => card.offsetHeight - card.querySelector('.att-actions').offsetTop + card.offsetTop"
        before = card.evaluate(places)
        buttons = card.locator(".att-actions").evaluate("row => row.offsetHeight")
        assert card.evaluate(below) - buttons < 40
        card.get_by_role("textbox").fill("?")
        card.get_by_role("button", name="Check").click()
        assert card.get_by_role("status").inner_text()
        assert card.evaluate(places) == before


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


@pytest.mark.parametrize("name", chapters())
def test_no_line_of_code_or_output_is_cut_at_1280(visit, http, name):
    with visit(f"{http}/{name}") as v:
        cut = v.page.locator("div.cell pre").evaluate_all(
            """all => all.filter(pre => pre.scrollWidth > pre.clientWidth + 1)
              .map(pre => pre.textContent.trim().slice(0, 60))"""
        )
        assert cut == []


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
