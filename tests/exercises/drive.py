"""Works an exercise's card as a reader does, in any page that shows it."""

import re
from html import unescape


class Card:
    """One exercise on a Playwright page."""

    def __init__(self, page, id, nth=0):
        self.page = page
        self.root = page.locator(f'[data-exercise="{id}"]').nth(nth)
        self.kind = self.root.get_attribute("data-kind")

    def press(self, name):
        self.root.get_by_role("button", name=name, exact=True).click()

    @property
    def state(self):
        return self.root.get_attribute("data-state")

    @property
    def feedback(self):
        return _squeezed(self.root.locator('[role="status"]').text_content())

    @property
    def message(self):
        return _squeezed(self.root.locator(".att-message").text_content())

    @property
    def verdict(self):
        """right or wrong when that was said, else what the front end calls the result."""
        return self.root.locator('[role="status"]').get_attribute("data-result")

    def enter(self, entry):
        """Give the answer ``entry``, a Probe's, without checking it."""
        getattr(self, f"_enter_{self.kind}")(entry)

    def answer(self, entry):
        self.enter(entry)
        if self.kind != "code":
            self.press("Check")

    def _enter_number(self, entry):
        self.root.get_by_role("textbox").fill(entry)

    _enter_vector = _enter_number

    def _enter_choice(self, entry):
        if entry is not None:
            self.root.locator("input").nth(entry).check()

    def _enter_choices(self, entry):
        for index, box in enumerate(self.root.locator("input").all()):
            box.set_checked(index in entry)

    def _enter_tokens(self, entry):
        for index, one in enumerate(self.root.locator("[aria-pressed]").all()):
            if (one.get_attribute("aria-pressed") == "true") != (index in entry):
                one.click()

    _enter_terms = _enter_tokens

    def _enter_order(self, entry):
        for goal, item in enumerate(entry):
            row = self.root.locator(f'[data-item="{item}"]')
            while self._places().index(item) > goal:
                row.get_by_role("button", name="Move up").click()

    def _places(self):
        return [int(row.get_attribute("data-item")) for row in self.root.locator("[data-item]").all()]

    def _enter_explain(self, entry):
        self.root.get_by_role("textbox").fill(entry["text"])
        if entry["marks"] is not None:
            if not self.root.get_by_role("checkbox").first.is_visible():
                self.press("Check")
            for index, box in enumerate(self.root.get_by_role("checkbox").all()):
                box.set_checked(index in entry["marks"])

    def _enter_code(self, entry):
        self.root.get_by_role("checkbox").set_checked(entry)


def check_probes(page, spec):
    """Give every answer that the spec knows to its card on ``page``: each has its verdict and its message."""
    card = Card(page, spec.id)
    for probe in spec.probes():
        card.press("Reset")
        card.answer(probe.entry)
        what = f"{spec.id}, {probe.name}, entered {probe.entry!r}"
        assert card.verdict == probe.state, f"{what}: {probe.state} expected, {card.verdict} came"
        assert card.state == {"right": "solved", "wrong": "wrong"}.get(probe.state, "unanswered"), what
        expected = card.message if probe.message is None else words(probe.message)
        assert card.message == expected != "", f"{what}: {expected!r} expected, {card.message!r} came"


def words(html):
    """The text of a message's HTML, as a page shows it."""
    return _squeezed(unescape(re.sub(r"<[^>]*>", "", html)))


def _squeezed(text):
    return " ".join((text or "").split())
