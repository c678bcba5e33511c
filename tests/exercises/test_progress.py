"""Progress: what survives a reload, a broken storage, a second copy and a second book."""

import json

import pytest
from exercises import demo_bank, pages
from exercises.drive import Card
from playwright.sync_api import expect

from companion.exercises import frontend

SPECS = {spec.id: spec for spec in demo_bank.EXERCISES}
KEY = "attention-token-by-token/demo-vector"
FULL = """<script>
Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }
</script>"""
THROWING = """<script>
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError") } })
</script>"""
ABSENT = "<script>Object.defineProperty(window, 'localStorage', { value: undefined })</script>"


@pytest.fixture
def open_page(browser, tmp_path):
    context = browser.new_context(accept_downloads=True)

    def opened(*mounts, name="page", head=""):
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(pages.write(tmp_path / f"{name}.html", pages.page(*mounts, head=head)))
        return page

    yield opened
    context.close()


def stored(page, key=KEY):
    return json.loads(page.evaluate(f"localStorage.getItem({key!r})"))


def solve(card):
    card.answer("[3.1, 1.7]")
    assert card.state == "solved"


def test_a_reload_restores_everything(open_page):
    page = open_page(*map(pages.mount, demo_bank.EXERCISES))
    vector = Card(page, "demo-vector")
    vector.press("Hint")
    vector.answer("[2.67, 2.33]")
    vector.press("Solution")
    said = vector.message
    entries = {}
    for spec in demo_bank.EXERCISES[:9]:
        probe = next(probe for probe in spec.probes() if probe.state == "right")
        if spec.id != "demo-vector":
            Card(page, spec.id).answer(probe.entry)
            entries[spec.id] = Card(page, spec.id).message
    page.reload()
    vector = Card(page, "demo-vector")
    assert (vector.state, vector.message) == ("wrong", said)
    assert vector.root.get_by_role("textbox").input_value() == "[2.67, 2.33]"
    assert vector.root.locator(".att-hints li").count() == 1
    assert vector.root.locator(".att-solution").is_visible()
    for id, message in entries.items():
        card = Card(page, id)
        assert (card.state, card.message) == ("solved", message)


def test_a_draft_is_kept_before_it_is_checked(open_page):
    page = open_page(pages.mount(SPECS["demo-explain"]))
    Card(page, "demo-explain").enter({"text": "half a thou", "marks": None})
    page.reload()
    card = Card(page, "demo-explain")
    assert card.root.get_by_role("textbox").input_value() == "half a thou"
    assert card.state == "unanswered"


def test_reset_forgets(open_page):
    page = open_page(pages.mount(SPECS["demo-vector"]))
    card = Card(page, "demo-vector")
    card.press("Another like this")
    card.press("Hint")
    card.press("Reset")
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    card = Card(page, "demo-vector")
    assert card.state == "unanswered" and card.root.locator(".att-hints li").count() == 0


def test_solved_stays_solved_while_another_is_tried(open_page):
    page = open_page(pages.mount(SPECS["demo-vector"]))
    card = Card(page, "demo-vector")
    solve(card)
    card.press("Another like this")
    assert card.state == "unanswered" and stored(page)["solved"]


@pytest.mark.parametrize(
    "broken", ["{", "null", "7", '"text"', "[]", "{}", '{"version": {}}', '{"version": null, "answer": []}']
)
def test_broken_records_change_nothing(open_page, broken):
    page = open_page(pages.mount(SPECS["demo-vector"]))
    page.evaluate(f"localStorage.setItem({KEY!r}, {broken!r})")
    page.reload()
    card = Card(page, "demo-vector")
    assert card.state == "unanswered"
    solve(card)
    assert page.errors == [] and stored(page)["solved"]


@pytest.mark.parametrize("answer", [None, 3, [1, 2], {"text": 5}, "x" * 10_000, True])
def test_records_of_the_wrong_shape_change_nothing(open_page, answer):
    page = open_page(*map(pages.mount, demo_bank.EXERCISES))
    for spec in demo_bank.EXERCISES:
        record = {
            "version": spec.payload["version"],
            "answer": answer,
            "checked": answer,
            "variant": 99,
            "hints": 50,
        }
        key = f"attention-token-by-token/{spec.id}"
        page.evaluate("([key, record]) => localStorage.setItem(key, record)", [key, json.dumps(record)])
    page.reload()
    assert page.locator("[data-exercise]").count() == len(demo_bank.EXERCISES) and page.errors == []


@pytest.mark.parametrize("head", [FULL, THROWING, ABSENT], ids=["full", "throwing", "absent"])
def test_without_storage_the_page_works_and_says_so(open_page, head):
    page = open_page(pages.mount(SPECS["demo-vector"]), pages.mount(SPECS["demo-terms"]), head=head)
    card = Card(page, "demo-vector")
    card.press("Hint")
    solve(card)
    assert "keeps no progress" in card.root.locator(".att-note").inner_text()
    card.press("Reset")
    assert card.state == "unanswered" and page.errors == []


def test_a_full_storage_still_shows_what_was_done_since(open_page):
    page = open_page(pages.mount(SPECS["demo-vector"]), pages.mount(SPECS["demo-vector"]))
    Card(page, "demo-vector").answer("[9, 9]")
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full') })")
    solve(Card(page, "demo-vector"))
    assert Card(page, "demo-vector", 1).state == "solved"


def test_another_version_is_said_and_not_kept(open_page):
    page = open_page(pages.mount(SPECS["demo-vector"]))
    solve(Card(page, "demo-vector"))
    page = open_page(pages.mount(SPECS["demo-vector"], version="2"))
    card = Card(page, "demo-vector")
    assert card.state == "unanswered"
    assert "has changed since you solved it" in card.root.locator(".att-note").inner_text()
    assert card.root.get_by_role("textbox").input_value() == ""


def test_two_copies_stay_in_step(open_page):
    page = open_page(*[pages.mount(SPECS["demo-vector"])] * 2)
    one, two = Card(page, "demo-vector"), Card(page, "demo-vector", 1)
    solve(one)
    two.press("Hint")
    assert two.state == "solved" and two.message == one.message
    assert one.root.locator(".att-hints li").count() == 1
    assert page.locator("#demo-vector").count() == 1
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_two_tabs_stay_in_step(open_page):
    one, two = (open_page(pages.mount(SPECS["demo-vector"])) for _ in range(2))
    solve(Card(one, "demo-vector"))
    expect(two.locator("[data-exercise]")).to_have_attribute("data-state", "solved")


def test_two_books_do_not_collide(open_page):
    page = open_page(pages.mount(SPECS["demo-vector"]), pages.mount(SPECS["demo-vector"], book="another"))
    solve(Card(page, "demo-vector"))
    assert Card(page, "demo-vector", 1).state == "unanswered"


def test_the_chapter_line_counts(open_page):
    rows = pages.rows(demo_bank.EXERCISES)
    page = open_page(pages.mount(SPECS["demo-vector"]), frontend.chapter_progress(rows))
    chip = page.locator(".att-chip")
    assert chip.inner_text() == f"0 of {len(rows)} exercises solved"
    solve(Card(page, "demo-vector"))
    assert chip.inner_text() == f"1 of {len(rows)} exercises solved"


@pytest.fixture
def overview(open_page):
    rows = pages.rows(demo_bank.EXERCISES[:4], "One") + pages.rows(demo_bank.EXERCISES[4:6], "<Two>")
    return open_page(
        pages.mount(SPECS["demo-vector"]), pages.mount(SPECS["demo-tokens"]), frontend.progress(rows)
    )


def test_the_progress_page_sums_up_and_resumes(overview):
    text = overview.locator(".att-progress")
    assert "0 of 6 exercises solved. Next: Which token counts most." in text.inner_text()
    Card(overview, "demo-tokens").answer([0])
    assert "Next: A window of three." in text.inner_text()
    solve(Card(overview, "demo-vector"))
    assert "1 of 6 exercises solved" in text.inner_text()
    assert text.get_by_role("heading").all_inner_texts() == ["One 1 of 4", "<Two> 0 of 2"]
    states = text.locator("li").evaluate_all("all => all.map(one => one.dataset.state)")
    assert states == ["open", "open", "open", "solved", "begun", "open"]


def test_progress_goes_out_and_comes_back(overview, tmp_path):
    solve(Card(overview, "demo-vector"))
    with overview.expect_download() as download:
        overview.get_by_role("button", name="Export").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    overview.get_by_role("button", name="Clear", exact=True).click()
    assert overview.evaluate("localStorage.length") == 1
    overview.get_by_role("button", name="Keep it").click()
    assert overview.evaluate("localStorage.length") == 1
    overview.get_by_role("button", name="Clear", exact=True).click()
    overview.get_by_role("button", name="Yes, clear it").click()
    assert Card(overview, "demo-vector").state == "unanswered"
    overview.get_by_label("Import").set_input_files(path)
    expect(overview.locator(".att-progress [role=status]")).to_have_text("1 exercise imported.")
    assert Card(overview, "demo-vector").state == "solved"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"book": "another", "records": {}}', '{"book": "attention-token-by-token"}'],
)
def test_a_file_that_is_no_export_changes_nothing(overview, tmp_path, text):
    solve(Card(overview, "demo-vector"))
    path = tmp_path / "other.json"
    path.write_text(text)
    overview.get_by_label("Import").set_input_files(path)
    expect(overview.locator(".att-progress [role=status]")).to_contain_text("Nothing was changed")
    assert Card(overview, "demo-vector").state == "solved" and overview.errors == []
