"""Solves one exercise of each kind of the demo bank by keyboard alone."""

from exercises import demo_bank

ORDER = next(spec for spec in demo_bank.EXERCISES if spec.id == "demo-order")


def keyboard_to(page, locator):
    for _ in range(200):
        if locator.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the keyboard does not get there")


def press(page, card, name):
    keyboard_to(page, card.root.get_by_role("button", name=name, exact=True))
    page.keyboard.press("Enter")


def solve_choice(page, card):
    keyboard_to(page, card.root.locator("input").nth(0))
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")


def solve_choices(page, card):
    for index in (0, 2):
        keyboard_to(page, card.root.locator("input").nth(index))
        page.keyboard.press("Space")


def solve_typed(page, card):
    keyboard_to(page, card.root.locator("input").first)
    page.keyboard.type("3.1; 1.7" if card.kind == "vector" else "0.03206")


def solve_tokens(page, card):
    keyboard_to(page, card.root.locator("[aria-pressed]").first)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    for key in ("Space", "ArrowRight", "Space", "ArrowRight", "Space"):
        page.keyboard.press(key)


def solve_grid(page, card):
    keyboard_to(page, card.root.locator("[aria-pressed]").first)
    for key in "Space Down Space Right Space Down Space Left Space End Space".split():
        page.keyboard.press({"Down": "ArrowDown", "Right": "ArrowRight", "Left": "ArrowLeft"}.get(key, key))


def solve_terms(page, card):
    keyboard_to(page, card.root.locator("[aria-pressed]").first)
    page.keyboard.press("End")
    page.keyboard.press("Space")


def solve_order(page, card):
    right = ORDER.cards[0]["rules"][0]["value"]
    places = list(range(len(right)))
    for goal, item in enumerate(right):
        up = card.root.locator(f'[data-item="{item}"]').get_by_role("button", name="Move up")
        if places.index(item) > goal:
            keyboard_to(page, up)
        for _ in range(places.index(item) - goal):
            page.keyboard.press("Enter")
        places.remove(item)
        places.insert(goal, item)
        page.evaluate("document.activeElement.blur()")


def solve_explain(page, card):
    keyboard_to(page, card.root.get_by_role("textbox"))
    page.keyboard.type("The next token is the target.")
    press(page, card, "Check")
    for index in (0, 1):
        keyboard_to(page, card.root.locator("input").nth(index))
        page.keyboard.press("Space")


def solve_code(page, card):
    keyboard_to(page, card.root.get_by_role("checkbox"))
    page.keyboard.press("Space")


#: id of the exercise: what answers it on a page, all but the final Check.
SOLVERS = {
    "demo-choice": solve_choice,
    "demo-choices": solve_choices,
    "demo-number": solve_typed,
    "demo-vector": solve_typed,
    "demo-tokens": solve_tokens,
    "demo-grid": solve_grid,
    "demo-terms": solve_terms,
    "demo-order": solve_order,
    "demo-explain": solve_explain,
    "demo-code": solve_code,
}
