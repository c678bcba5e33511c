"""The text in every picture can be read: on a desk, and on a phone, where a wide one scrolls in its box."""

import pytest
from helpers.pages import chapters, pages

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
TEXT, SCRIPT = 10.9, 7.4  # pixels, less what rounding takes
# Size in pixels of each letter that a picture draws, and whether it is a script: matplotlib writes a glyph as
# a path on 100 units that is used, and shrinks the scripts; an explorer writes text.
LETTERS = """() => {
  const scale = (node) => {
    const { a, b, c, d } = node.getScreenCTM();
    return Math.sqrt(Math.abs(a * d - b * c));
  };
  const letters = [];
  for (const glyph of document.querySelectorAll("main svg use")) {
    const shape = document.getElementById(glyph.href.baseVal.slice(1));
    if (!shape.hasAttribute("transform")) continue;
    const script = /scale/.test(glyph.getAttribute("transform"));
    letters.push({ size: 100 * scale(glyph), script, of: shape.id });
  }
  for (const text of document.querySelectorAll("main svg :is(text, tspan)")) {
    const own = [...text.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (!own || !text.getClientRects().length) continue;
    const size = (node) => parseFloat(getComputedStyle(node).fontSize);
    const script = text.tagName === "tspan" && size(text) < size(text.parentElement);
    letters.push({ size: size(text) * scale(text.closest("text")), script, of: text.textContent });
  }
  return letters;
}"""
PLATES = """() => [...document.querySelectorAll(".att-plate:has(.att-figure)")].map((box) => ({
  wide: box.scrollWidth > box.clientWidth,
  stop: box.tabIndex === 0,
  name: `${box.getAttribute("role")} ${box.getAttribute("aria-label")}`,
  hint: getComputedStyle(box, "::after").content,
}))"""


def too_small(page):
    letters = page.evaluate(LETTERS)
    return [one for one in letters if one["size"] < (SCRIPT if one["script"] else TEXT)]


@pytest.mark.parametrize("name", pages())
def test_every_letter_can_be_read(visit, http, name):
    with visit(f"{http}/{name}") as v:
        found = {}
        for size in (DESK, PHONE):
            v.page.set_viewport_size(size)
            found[size["width"]] = too_small(v.page)[:3]
        assert found == {1280: [], 390: []}


def test_letters_are_measured(visit, http):
    """At a width of 250 pixels, a chapter's figures and its explorer have text that is too small."""
    shrink = "main svg { min-width: 0 !important; width: 250px !important; }"
    with visit(f"{http}/{next(page for page in chapters() if '/08_' in page)}", viewport=PHONE) as v:
        v.page.add_style_tag(content=shrink)
        small = too_small(v.page)
        assert len([one for one in small if "DejaVu" in one["of"]]) > 100
        assert len([one for one in small if "DejaVu" not in one["of"]]) > 10


@pytest.mark.parametrize("name", chapters())
def test_a_figure_wider_than_the_phone_scrolls_in_a_box_that_says_so(visit, http, name):
    with visit(f"{http}/{name}", viewport=PHONE) as v:
        v.page.wait_for_function("document.querySelector('.att-plate[tabindex]')")
        plates = v.page.evaluate(PLATES)
        assert any(plate["wide"] for plate in plates)
        assert all(plate["stop"] == plate["wide"] for plate in plates)
        assert all(plate["name"].startswith("figure Figure ") for plate in plates)
        assert all(("Scroll sideways" in plate["hint"]) == plate["wide"] for plate in plates)


def test_the_arrow_keys_scroll_a_wide_figure(visit, http):
    with visit(f"{http}/{chapters()[0]}", viewport=PHONE) as v:
        box = v.page.locator(".att-plate[tabindex='0']").first
        box.focus()
        v.page.keyboard.press("ArrowRight")
        v.page.wait_for_function("document.querySelector('.att-plate[tabindex=\"0\"]').scrollLeft > 0")
        assert box.evaluate("box => box === document.activeElement && box.scrollLeft > 0")


@pytest.mark.parametrize("name", chapters())
def test_no_figure_scrolls_on_a_desk(visit, http, name):
    with visit(f"{http}/{name}") as v:
        assert [plate for plate in v.page.evaluate(PLATES) if plate["wide"] or plate["stop"]] == []
