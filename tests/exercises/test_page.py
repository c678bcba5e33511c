"""Every kind of exercise on a page, answered as a reader does; over file://, by a classic script."""

import pytest
from exercises import demo_bank, pages
from exercises.drive import Card, check_probes, words
from exercises.keyboard import SOLVERS, press
from helpers.axe import violations
from playwright.sync_api import expect

SPECS = {spec.id: spec for spec in demo_bank.EXERCISES}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    text = pages.page(*(pages.mount(spec) for spec in demo_bank.EXERCISES))
    return pages.write(tmp_path_factory.mktemp("demo") / "demo.html", text)


@pytest.fixture(scope="module")
def shared(browser, address):
    """One page for the tests that leave their card as they like it."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    yield page
    page.close()


@pytest.fixture
def page(browser, address):
    """A page of one's own, with empty storage."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.goto(address)
    yield page
    context.close()


@pytest.mark.parametrize("spec", demo_bank.EXERCISES, ids=lambda spec: spec.id)
def test_each_answer_gets_its_verdict_and_message(shared, spec):
    check_probes(shared, spec)
    assert shared.errors == []


@pytest.mark.parametrize("id", SPECS)
def test_the_contract_of_names(shared, id):
    card = Card(shared, id)
    names = [name.strip() for name in card.root.get_by_role("button").all_inner_texts()]
    assert ("Check" in names) == (card.kind != "code")
    assert {"Solution", "Reset"} <= set(names)
    assert ("Hint" in names) == bool(SPECS[id].hints)
    assert card.root.get_by_role("status").count() == 1
    assert card.root.get_attribute("id") == id
    for field in card.root.locator("input, textarea").all():
        assert field.evaluate("field => field.labels.length") == 1


def test_hints_come_one_at_a_time(page):
    card = Card(page, "demo-vector")
    hints = card.root.locator(".att-hints li")
    for count in (1, 2):
        card.press("Hint")
        assert hints.count() == count
    hint = card.root.get_by_role("button", name="Hint")
    assert hint.get_attribute("aria-disabled") == "true"
    hint.press("Enter")
    assert hints.count() == 2


def test_the_solution_opens_after_a_try_or_after_the_hints(page):
    card = Card(page, "demo-vector")
    solution = card.root.locator(".att-solution")
    card.root.get_by_role("button", name="Solution").press("Enter")
    assert not solution.is_visible() and "Try once first" in card.feedback
    card.answer("[9, 9]")
    card.press("Solution")
    assert solution.is_visible() and "[3.1,1.7]" in solution.inner_text().replace("\n", "").replace(" ", "")
    card = Card(page, "demo-terms")
    card.press("Hint")
    card.press("Solution")
    assert card.root.locator(".att-solution").is_visible()


def test_what_cannot_be_read_costs_nothing(page):
    card = Card(page, "demo-number")
    card.answer("a third")
    assert card.state == "unanswered" and "does not read as a number" in card.feedback
    card.press("Hint")
    card.press("Reset")
    card.answer("1")
    card.answer("?")
    assert card.state == "wrong"


def test_another_like_this_grades_its_own_numbers(page):
    spec, card = SPECS["demo-vector"], Card(page, "demo-vector")
    prompts = set()
    for variant in spec.cards[1:]:
        card.press("Another like this")
        prompts.add(card.root.locator(".att-prompt").inner_html())
        for rule in variant["rules"]:
            card.answer(str(rule["value"]))
            assert card.verdict == ("right" if rule["right"] else "wrong")
            assert card.message == words(rule["message"])
    assert len(prompts) >= 10
    card.press("Another like this")
    assert words(card.root.locator(".att-prompt").inner_html()) == words(spec.payload["prompt"])


def test_partial_credit_for_a_vector_says_which_entry(page):
    card = Card(page, "demo-vector")
    card.answer("3.1, 5")
    assert card.message == "Counting from 0, entry 0 is right, entry 1 not yet."


def test_partial_credit_for_tokens_says_how_many(page):
    card = Card(page, "demo-tokens")
    card.answer([0, 3, 4])
    assert card.message.startswith("1 missing, 1 too many.")
    assert card.root.locator(".att-readout").inner_text() == "G = {0, 3, 4}"


def test_enter_in_an_input_checks(page):
    card = Card(page, "demo-vector")
    card.enter("3.1 1.7")
    page.keyboard.press("Enter")
    assert card.state == "solved"
    assert card.root.get_by_role("textbox").evaluate("field => field === document.activeElement")


def test_no_key_leaves_the_card(page):
    page.evaluate(
        """for (const type of ["keydown", "keyup", "keypress"]) {
          document.addEventListener(type, () => (window.leaked = type));
        }"""
    )
    Card(page, "demo-vector").root.get_by_role("textbox").focus()
    for key in ("a", "b", "d", "x", "Enter", "Escape", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate("window.leaked") is None


@pytest.mark.parametrize(("id", "solve"), SOLVERS.items())
def test_the_keyboard_alone_solves(page, id, solve):
    card = Card(page, id)
    solve(page, card)
    if card.kind != "code":
        press(page, card, "Check")
    assert card.state == "solved"


def test_items_can_be_dragged(page):
    card = Card(page, "demo-order")
    items = card.root.locator("[data-item]")
    first, last = items.first, items.last
    moved = first.get_attribute("data-item")
    first.scroll_into_view_if_needed()
    start, goal = first.bounding_box(), last.bounding_box()
    page.mouse.move(start["x"] + 60, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + 60, goal["y"] + goal["height"] - 2, steps=8)
    page.mouse.up()
    assert items.last.get_attribute("data-item") == moved


def test_hostile_text_is_shown_and_not_run(page):
    card = Card(page, "demo-hostile")
    assert (
        "<b>bold</b> </script><script>window.broken = 1</script> $5"
        in card.root.locator(".att-prompt").inner_text()
    )
    card.answer(1)
    assert card.message == "<b>not</b> this"
    explain = Card(page, "demo-explain")
    hostile = '</textarea><img src=x onerror="window.broken=1">' + "漢字 مرحبا 😀 $x$ " * 2000
    explain.answer({"text": hostile, "marks": None})
    page.reload()
    expect(Card(page, "demo-explain").root.get_by_role("textbox")).to_have_value(hostile)
    assert page.evaluate("window.broken") is None


def test_nothing_above_the_feedback_moves(page):
    card = Card(page, "demo-vector")
    boxes = """root => [root, ...root.querySelectorAll("button, input")].map(
        one => [one.offsetTop - root.offsetTop, one.offsetHeight])"""
    before = card.root.evaluate(boxes)
    card.answer("[2.67, 2.33]")
    assert card.root.evaluate(boxes) == before


@pytest.mark.parametrize(("entry", "colour"), [("3.1 1.7", "rgb(10, 107, 46)"), ("9 9", "rgb(166, 27, 27)")])
def test_right_and_wrong_have_their_colours_and_words(page, entry, colour):
    card = Card(page, "demo-vector")
    card.answer(entry)
    verdict = card.root.locator(".att-verdict")
    assert verdict.evaluate("one => getComputedStyle(one).color") == colour
    assert verdict.inner_text().strip() == {"solved": "✓ Right.", "wrong": "↩ Not yet."}[card.state]


def test_feedback_is_set_once(page):
    card = Card(page, "demo-vector")
    card.root.locator('[role="status"]').evaluate(
        """box => {
          window.changes = 0;
          new MutationObserver(all => (window.changes += all.length)).observe(box, { childList: true });
        }"""
    )
    card.answer("[2.67, 2.33]")
    page.wait_for_function("window.changes")
    assert page.evaluate("window.changes") == 1


def test_answers_do_not_stand_in_the_page():
    source = pages.page(*(pages.mount(spec) for spec in demo_bank.EXERCISES))
    for secret in ("plain mean", "3.1, 1.7", "alpha @ V", "convex combination", "model that reads it learns"):
        assert secret not in source


def test_an_address_with_an_id_shows_that_exercise(page, address):
    page.goto("about:blank")
    page.goto(f"{address}#demo-order")
    expect(Card(page, "demo-order").root).to_be_in_viewport()


def test_print_shows_prompts_with_space_and_no_buttons(page):
    page.emulate_media(media="print")
    card = Card(page, "demo-choice")
    assert card.root.locator(".att-prompt").is_visible()
    assert not card.root.get_by_role("button", name="Check").is_visible()
    assert card.root.evaluate("root => getComputedStyle(root, '::after').height") == "96px"


def test_at_390_pixels_nothing_scrolls_sideways(page):
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    small = page.evaluate(
        """[...document.querySelectorAll("button, a, input[type=text], label")].filter(element => {
          const box = element.getBoundingClientRect();
          return box.width > 0 && (box.width < 24 || box.height < 24) && !element.closest(".att-typed label");
        }).map(element => element.outerHTML)"""
    )
    assert [one for one in small if "label" not in one] == []


def test_without_a_script_the_prompt_can_be_read(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    text = page.locator("main").inner_text()
    assert r"$\alpha_0 = 0.1$" in text and "the longest, whatever its weight" in text
    assert page.locator("button, input").count() == 0
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(page, theme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"document.documentElement.dataset.theme = {theme!r}")
    for spec in demo_bank.EXERCISES:
        card, probes = Card(page, spec.id), list(spec.probes())
        if spec.hints:
            card.press("Hint")
        if probes:
            card.answer(probes[min(1, len(probes) - 1)].entry)
            card.press("Solution")
    assert violations(page) == []
