"""The temperature explorer: its arithmetic against companion.reference, keyboard, and what it says."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest

from companion.explorers import frontend
from companion.explorers.temperature import temperature as explorer
from companion.frontend.mount import html
from companion.look import css
from companion.reference import softmax

KIND = "explorer-temperature"
AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
DIVISORS = {"one": lambda D: 1, "root": lambda D: D**0.5, "D": lambda D: D}
Z = np.array(explorer().spec["draws"])
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>%s
body{background:var(--att-paper);color:var(--att-ink);font:16px/1.6 sans-serif;max-width:42rem;margin:0 auto}
</style></head><body><main>%s</main><script>(function () { const front = (function () { %s })();
document.querySelectorAll("[data-mount]").forEach((node) => {
node.remount = front.mount(node, JSON.parse(node.querySelector("script").textContent)); }); })();</script>"""


@pytest.fixture(scope="module")
def js(browser):
    """Calls a function of the front end: js("softmax", scores, tau)."""
    page = browser.new_page()
    names = "products, scores, softmax, slopes, heat"
    module = frontend.source(KIND).replace("export default", f"return {{ {names} }};\n(")
    page.evaluate("code => { window.core = new Function(code)(); }", module.rstrip().rstrip(";") + ")")
    yield lambda name, *args: page.evaluate("([name, args]) => core[name](...args)", [name, list(args)])
    page.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with the explorer, delivered as the site does: a classic script over file://."""
    widget = explorer()
    sheets = css() + "".join(sheet.read_text() for sheet in frontend.stylesheets())
    script = frontend.sources()[KIND].replace("export default", "return")
    file = tmp_path_factory.mktemp("explorer") / "page.html"
    file.write_text(PAGE % (sheets, html(widget.kind, widget.spec, widget.fallback()), script))
    return file.as_uri()


@pytest.fixture
def page(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(5000)
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("request", lambda request: request.url.startswith("file:") or troubles.append(request.url))
    page.goto(address)
    yield page
    page.close()
    assert [trouble for trouble in troubles if not trouble.startswith("data:")] == []


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+\.\d\d", text.replace("\u2212", "-"))]


def table(page):
    """Products, scores, weights and slopes, as shown."""
    rows = page.locator(".att-scores tbody tr").all_inner_texts()
    return np.array([numbers(row) for row in rows]).T


def expected(z, D, divisor, tau):
    raw = D**0.5 * z
    alpha = softmax(raw / DIVISORS[divisor](D) / tau)
    return np.array([raw, raw / DIVISORS[divisor](D), alpha, alpha * (1 - alpha)])


def meters(page):
    return numbers(" ".join(page.locator(".att-meter-number").all_inner_texts()))


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("D", [1, 64, 1024])
def test_weights_are_those_of_the_reference(js, D, divisor):
    for tau in (0.1, 1, 10):
        for z in Z:
            s = js("scores", z.tolist(), D, divisor)
            np.testing.assert_allclose(s, D**0.5 * z / DIVISORS[divisor](D), rtol=1e-14)
            np.testing.assert_allclose(js("softmax", s, tau), softmax(np.array(s) / tau), atol=1e-14)


def test_the_softmax_survives_scores_that_overflow(js):
    assert js("softmax", [1000, 1000, -1000], 1) == [0.5, 0.5, 0]


def test_slopes_are_the_derivatives_of_the_weights(js):
    s, step = Z[0], 1e-6
    nudges = step * np.eye(6)
    moved = [(softmax(s + nudges[j]) - softmax(s - nudges[j]))[j] / (2 * step) for j in range(6)]
    np.testing.assert_allclose(js("slopes", softmax(s).tolist()), moved, atol=1e-9)


def test_starts_undivided_and_saturated(page):
    np.testing.assert_allclose(table(page), expected(Z[0], 64, "one", 1), atol=0.00501)
    assert meters(page)[0] == pytest.approx(expected(Z[0], 64, "one", 1)[2].max(), abs=0.00501)
    assert page.locator(".att-note").inner_text().startswith("Saturated")


def test_keyboard_moves_every_dial(page):
    page.get_by_role("slider", name="D").press("ArrowRight")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "one", 1), atol=0.00501)
    page.get_by_role("radio", name="√D").press("Space")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "root", 1), atol=0.00501)
    warmth = page.get_by_role("slider", name="Temperature")
    warmth.press("End")
    np.testing.assert_allclose(table(page), expected(Z[0], 128, "root", 10), atol=0.00501)
    assert warmth.get_attribute("aria-valuetext") == "10.00"
    assert page.locator(".att-note").inner_text().startswith("Nearly uniform")
    page.get_by_role("button", name="Reset").press("Enter")
    page.get_by_role("button", name="Other keys").press("Enter")
    np.testing.assert_allclose(table(page), expected(Z[1], 64, "one", 1), atol=0.00501)


def test_with_the_root_the_size_of_D_does_not_matter(page):
    page.get_by_role("radio", name="√D").check()
    before = table(page)[1:]
    page.get_by_role("slider", name="D").press("End")
    assert (table(page)[1:] == before).all()


def test_bars_are_as_long_as_their_weights(page):
    page.get_by_role("radio", name="√D").check()
    track = page.locator(".att-weight-track").first.bounding_box()["width"]
    bars = page.locator(".att-weight-bar").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().width)"
    )
    np.testing.assert_allclose(np.array(bars) / track, expected(Z[0], 64, "root", 1)[2], atol=0.01)
    assert meters(page)[1] == pytest.approx(expected(Z[0], 64, "root", 1)[3].sum(), abs=0.00501)


def test_changes_are_announced_once_they_have_settled(page):
    page.wait_for_function("document.querySelector('[role=status]').textContent !== ''")
    page.get_by_role("slider", name="D").press("Home")
    page.wait_for_function("document.querySelector('[role=status]').textContent.startsWith('D 1,')")
    alpha = expected(Z[0], 1, "one", 1)[2]
    said = page.get_by_role("status").inner_text()
    assert f"largest weight {alpha.max():.2f} for key {alpha.argmax()}" in said


def test_no_key_reaches_the_notebook(page):
    page.evaluate(
        "() => { window.leaked = 0; document.addEventListener('keydown', () => { leaked += 1; }); }"
    )
    for key in ("a", "d", "x", "Enter", "ArrowUp"):
        page.get_by_role("slider", name="D").press(key)
    assert page.evaluate("window.leaked") == 0


def test_unmounting_clears_the_element(page):
    assert page.locator("[data-explorer=temperature]").count() == 1
    page.evaluate("document.querySelector('[data-mount]').remount()")
    assert page.locator(".att-explorer").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible_in_both_themes_and_widths(page, theme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
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
    widget = explorer()
    bundle, _ = widget._repr_mimebundle_()
    assert bundle["text/plain"] == widget.alt()
    assert f"largest weight is {softmax(8 * Z[0]).max():.2f} without" in widget.alt()
    spec = re.search(r'<script type="application/json">(.*?)</script>', bundle["text/html"])[1]
    assert json.loads(spec) == widget.spec


def test_module_keeps_the_contract_of_a_mount():
    module = frontend.source(KIND)
    assert re.findall(r"^ *(?:import|export)\b.*", module, re.M) == [
        "export default { mount, render: ({ model, el }) => mount(el, model.get(\"spec\")) };"
    ]
    assert module.rstrip().endswith("};")
    assert len(gzip.compress(module.encode())) < 6_000


@pytest.mark.parametrize(
    ("D", "error"), [(48, ValueError), (2048, ValueError), (8.0, TypeError), (True, TypeError)]
)
def test_another_D_is_refused(D, error):
    with pytest.raises(error, match=f"D must be .*{D}"):
        explorer(D)
