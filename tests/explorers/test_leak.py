"""The leak explorer on a page: its table against NumPy, its verdict, keyboard, and what it says."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from companion.explorers import frontend
from companion.explorers.leak import POWERS, VALUES, leak
from companion.frontend.mount import html
from companion.look import css
from companion.reference import attention, softmax

KIND = "explorer-leak"
AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
QUERY, KEY, V = 2 * np.log(POWERS), np.eye(4), np.array(VALUES, float)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>%s
body{background:var(--att-paper);color:var(--att-ink);font:16px/1.6 sans-serif;max-width:42rem;margin:0 auto}
</style></head><body><main>%s</main><script>(function () { const front = (function () { %s })();
document.querySelectorAll("[data-mount]").forEach((node) => {
node.remount = front.mount(node, JSON.parse(node.querySelector("script").textContent)); }); })();</script>"""


def page_of(widget, folder):
    """The address of a page with one explorer, delivered as the site does: a classic script over file://."""
    sheets = css() + "".join(sheet.read_text() for sheet in frontend.stylesheets())
    script = frontend.sources()[KIND].replace("export default", "return")
    file = folder / "page.html"
    file.write_text(PAGE % (sheets, html(widget.kind, widget.spec, widget.fallback()), script))
    return file.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return page_of(leak(), tmp_path_factory.mktemp("leak"))


def watched(browser, address):
    """A page that fails when its script errs or asks for anything outside."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("request", lambda request: request.url.startswith("file:") or troubles.append(request.url))
    page.goto(address)
    yield page
    page.close()
    assert [trouble for trouble in troubles if not trouble.startswith("data:")] == []


@pytest.fixture
def page(browser, address):
    yield from watched(browser, address)


def weights(query, key, mask):
    """The four ways of masking in NumPy."""
    scores = query @ key.T / np.sqrt(query.shape[1])
    lower = np.tril(np.ones_like(scores)) > 0
    if mask == "before":
        return softmax(np.where(lower, scores, -np.inf))
    alpha = softmax(scores) * (1 if mask == "none" else lower)
    return alpha / alpha.sum(axis=1, keepdims=True) if mask == "divided" else alpha


def poked(name, j, amount, key=KEY, value=V):
    arrays = {"key": key.copy(), "value": value.copy()}
    if name:
        arrays[name][j] += amount
    return arrays["key"], arrays["value"]


def expected_states(mask, name, j, amount, query=QUERY, key=KEY, value=V):
    before = weights(query, key, mask) @ value
    other_key, other_value = poked(name, j, amount, key, value)
    way = np.abs(weights(query, other_key, mask) @ other_value - before).max(axis=1)
    return ["still" if w < 1e-9 else "leaks" if j > i else "moves" for i, w in enumerate(way)]


def choose(page, mask, name, j):
    page.locator(f"input[value='{mask}']").check()
    page.locator(f"input[value='{name} {j}']" if name else "input[value='']").check()


def set_amount(page, amount):
    """By the keyboard, from the left end."""
    slider = page.get_by_label("Add to every entry")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(round((amount + 1) / 0.1)):
        page.keyboard.press("ArrowRight")


def table(page):
    """Per row: four weights, their sum, two coordinates."""
    rows = [row.locator("td").all_inner_texts() for row in page.locator("tbody tr").all()]
    return np.array([[float(x.replace("\u2212", "-")) for x in " ".join(row).split()] for row in rows])


def states(page):
    return [row.get_attribute("data-state") for row in page.locator("tbody tr").all()]


def test_starts_masked_first_with_the_last_key_poked(page):
    assert page.locator("[data-explorer=leak]").count() == 1
    assert states(page) == ["still", "still", "still", "moves"]
    assert table(page)[2].tolist() == [0.1, 0.6, 0.3, 0, 1, 3.1, 1.7]


@pytest.mark.parametrize("mask", ["before", "after", "divided", "none"])
def test_the_table_is_that_of_numpy_for_every_poke(page, mask):
    for amount in (0.5, -0.7):
        set_amount(page, amount)
        for name, j in [("", 0), *((name, j) for name in ("key", "value") for j in range(4))]:
            choose(page, mask, name, j)
            key, value = poked(name, j, amount)
            alpha = weights(QUERY, key, mask)
            right = np.column_stack([alpha, alpha.sum(axis=1), alpha @ value])
            np.testing.assert_allclose(table(page), right, atol=0.00501)
            assert states(page) == expected_states(mask, name, j, amount), (mask, name, j)


def test_masked_first_agrees_with_the_reference(page):
    choose(page, "before", "", 0)
    right = attention(QUERY, KEY, V, np.tril(np.ones((4, 4))) > 0)
    np.testing.assert_allclose(table(page)[:, 5:], right, atol=0.00501)


def test_other_numbers_and_large_scores(browser, tmp_path):
    rng = np.random.default_rng(0)
    query, key, value = 30 * rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    for page in watched(browser, page_of(leak(query, key, value, ["a", "b", "c"]), tmp_path)):
        for mask in ("before", "after", "none"):
            choose(page, mask, "key", 1)
            other, _ = poked("key", 1, 0.5, key, value)
            np.testing.assert_allclose(table(page)[:, 4:], weights(query, other, mask) @ value, atol=0.00501)
            assert states(page) == expected_states(mask, "key", 1, 0.5, query, key, value)


def test_the_note_says_who_leaks(page):
    choose(page, "after", "key", 3)
    note = page.locator(".att-note")
    assert note.inner_text() == (
        "0.5 is added to every entry of k_3. Rows 0, 1 and 2 leak: position 3 lies ahead. "
        "Row 3 moves, and may."
    )
    choose(page, "after", "value", 3)
    assert note.inner_text().endswith("Row 3 moves, and may. No row before it moves.")
    set_amount(page, 0)
    assert note.inner_text().endswith("No row moves.")
    page.get_by_role("button", name="Reset").press("Enter")
    assert states(page) == ["still", "still", "still", "moves"]
    assert page.locator("input[value='before']").is_checked()


def test_the_formula_follows_the_mask(page):
    shown = {}
    for mask in ("before", "after", "divided", "none"):
        page.locator(f"input[value='{mask}']").check()
        shown[mask] = re.sub(r"\s", "", page.locator(".att-formula").inner_text())
    assert shown["before"] == "αi,j=esi,j/∑m≤iesi,mforj≤i"
    assert shown["after"] == "αi,j=esi,j/∑mesi,mforj≤i"
    assert shown["divided"] == "αi,j=(esi,j/∑mesi,m)/(∑m≤iesi,m/∑mesi,m)forj≤i"
    assert shown["none"] == "αi,j=esi,j/∑mesi,mforallj"


def test_arrow_keys_choose_and_no_key_reaches_the_notebook(page):
    page.evaluate("() => { window.heard = 0; document.addEventListener('keydown', () => { heard += 1; }); }")
    page.locator("input[value='before']").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("input[value='after']").is_checked()
    assert states(page) == ["leaks", "leaks", "leaks", "moves"]
    for key in ("a", "d", "x", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("heard") == 0


def test_changes_are_announced_once_they_have_settled(page):
    choose(page, "none", "value", 2)
    said = page.get_by_role("status")
    page.wait_for_function("document.querySelector('[role=status]').textContent.includes('v_2')")
    assert said.inner_text().startswith("The mask stands nowhere. 0.5 is added")
    assert "Rows 0 and 1 leak" in said.inner_text()


def test_unmounting_clears_the_element(page):
    page.evaluate("document.querySelector('[data-mount]').remount()")
    assert page.locator(".att-explorer").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible_in_both_themes_and_widths(page, theme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    choose(page, "after", "key", 3)
    page.evaluate(AXE.read_text())
    found = page.evaluate("tags => axe.run({ runOnly: tags })", TAGS)
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    small = page.evaluate(
        "() => [...document.querySelectorAll('input, button')].map((node) => node.getBoundingClientRect())"
        ".filter((r) => Math.min(r.width, r.height) < 24).length"
    )
    assert small == 0


def test_bundle_reads_without_scripts():
    widget = leak()
    bundle, _ = widget._repr_mimebundle_()
    assert bundle["text/plain"] == widget.alt()
    fallback = bundle["text/html"].split('class="att-fallback">')[1]
    assert "those leak" in fallback
    for alive in ("<input", "<button", "<script"):
        assert alive not in fallback
    spec = re.search(r'<script type="application/json">(.*?)</script>', bundle["text/html"])[1]
    assert json.loads(spec) == widget.spec


def test_module_keeps_the_contract_of_a_mount():
    module = frontend.source(KIND)
    assert re.findall(r"^ *(?:import|export)\b.*", module, re.M) == [
        "export default { mount, render: ({ model, el }) => mount(el, model.get(\"spec\")) };"
    ]
    assert "fetch(" not in module
    assert len(gzip.compress(module.encode())) < 6_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": ["one"]}, "2 to 6 words, got 1"),
        ({"query": np.ones((3, 2))}, r"query must be \(4, D\).*\(3, 2\)"),
        ({"query": np.ones((4, 0))}, r"query must be \(4, D\).*\(4, 0\)"),
        ({"key": np.ones((4, 3))}, r"key must have the shape of query, \(4, 4\), got \(4, 3\)"),
        ({"value": np.ones((4, 3))}, r"value must be \(4, 2\), got shape \(4, 3\)"),
        ({"value": [[np.nan, 0]] * 4}, "value must be finite.*nan"),
    ],
)
def test_a_spec_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        leak(**arguments)
