"""A chapter on paper: the article alone, light, nothing cut, exercises with room to write."""

from io import BytesIO

import pytest
from helpers.pages import chapters
from pypdf import PdfReader

CHAPTER = next(page for page in chapters() if "/07_" in page)
A4 = 210 - 2 * 17  # millimetres between the margins
SHEET = {"width": round(A4 / 25.4 * 96), "height": 1000}
# What sticks out of the sheet on the right, unless it sits in a box that shows nothing outside.
CUT = """() => [...document.querySelectorAll("article *")].filter(element => {
  const box = element.getBoundingClientRect();
  return box.width && box.right > innerWidth + 1 && !element.closest("svg, mjx-assistive-mml, .att-hidden");
}).map(element => `${element.tagName}.${element.className}`)"""
HELD = """h1, h2, h3, .att-plate svg, .att-caption, div.math, div.cell_input pre, .cell_output pre, table,
  .att-explorer svg, [data-exercise], .att-prompt, section > :is(p, ul, ol):not(.att-mount *)"""
GROUND = "getComputedStyle(document.documentElement).getPropertyValue('--att-paper').trim()"


@pytest.fixture
def paper(visit, http):
    """A chapter, set for print."""

    def opened(page, **options):
        return visit(f"{http}/{page}", viewport=SHEET, **options)

    return opened


def test_paper_shows_the_article_alone(paper):
    with paper(CHAPTER) as v:
        v.page.emulate_media(media="print")
        for gone in (
            ".bd-sidebar-primary",
            ".bd-sidebar-secondary",
            "button",
            ".headerlink",
            "footer",
            "[type=search]",
        ):
            left = v.page.locator(f"{gone}:visible:not(.att-exercise *)").count()
            assert left == 0, gone
        assert v.page.locator("article h1").is_visible()
        assert v.page.locator("article h2").first.is_visible()


@pytest.mark.parametrize("page", chapters())
def test_nothing_is_cut_at_the_edge_of_the_paper(paper, page):
    with paper(page) as v:
        v.page.emulate_media(media="print")
        assert v.page.evaluate(CUT) == []


def test_a_dark_page_prints_light_and_is_dark_again(paper):
    with paper(CHAPTER, theme="dark") as v:
        for media, ground in (("screen", "#14181e"), ("print", "#ffffff"), ("screen", "#14181e")):
            v.page.emulate_media(media=media)
            v.page.wait_for_function(f"{GROUND} === '{ground}'")
            assert v.page.evaluate(GROUND) == ground


@pytest.mark.parametrize("page", chapters())
def test_all_that_a_chapter_holds_is_on_paper(paper, page):
    with paper(page) as v:
        v.page.emulate_media(media="print")
        held = v.page.locator(f"article :is({HELD})")
        assert held.count() > 40
        hidden = held.locator("visible=false").evaluate_all("all => all.map(e => e.outerHTML.slice(0, 200))")
        assert hidden == []


def test_an_exercise_has_its_prompt_and_room_to_write(paper):
    with paper(CHAPTER) as v:
        v.page.emulate_media(media="print")
        cards = v.page.locator("[data-exercise]")
        assert cards.count() > 8
        for card in cards.all():
            assert len(card.locator(".att-prompt").inner_text()) > 20
            help = card.locator(".att-actions, .att-feedback, .att-hints, .att-solution")
            assert help.locator("visible=true").count() == 0
            room = card.evaluate("root => parseFloat(getComputedStyle(root, '::after').height)")
            assert room >= 80, card.get_attribute("data-exercise")


def test_an_answer_given_on_the_page_is_not_printed(paper):
    with paper(CHAPTER) as v:
        card = v.page.locator("[data-exercise=ch07-output]")
        card.get_by_role("textbox").fill("1, 2")
        card.get_by_role("button", name="Check").click()
        v.page.emulate_media(media="print")
        assert (
            card.get_by_role("textbox").evaluate("box => getComputedStyle(box).color") == "rgba(0, 0, 0, 0)"
        )
        assert not card.locator("[role=status]").is_visible()


def test_an_explorer_is_a_picture_that_says_where_it_lives(paper):
    with paper(CHAPTER) as v:
        v.page.emulate_media(media="print")
        explorer = v.page.locator(".att-explorer").first
        assert explorer.locator("svg, table").first.is_visible()
        assert explorer.locator("button:visible, input:visible, select:visible").count() == 0
        assert "live on the book's page" in explorer.evaluate(
            "root => getComputedStyle(root, '::after').content"
        )


def test_the_sheets_are_numbered_and_spell_out_no_address(paper):
    with paper(CHAPTER) as v:
        sheets = PdfReader(BytesIO(v.page.pdf(prefer_css_page_size=True))).pages
        texts = [sheet.extract_text() for sheet in sheets]
        # The margin's number is the first text of a sheet; the first sheet has none.
        assert [text.split()[0] for text in texts[1:]] == [str(number) for number in range(2, len(texts) + 1)]
        assert "http" not in "".join(texts)
        assert "Exercise" in "".join(texts) and "Hint" not in "".join(texts)
