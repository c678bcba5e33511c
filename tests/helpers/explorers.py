"""A page that shows one explorer, and the checks that are the same for all of them."""

import json
import re
from pathlib import Path

from companion.explorers import frontend
from companion.frontend.mount import html
from companion.look import css

__all__ = ["accessible", "bundle", "functions", "hears_no_key", "page_of", "watched"]

AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Explorer</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>%s
body{background:var(--att-paper);color:var(--att-ink);font:16px/1.6 sans-serif;max-width:42rem;margin:0 auto}
</style></head><body><main>%s</main><script>(function () { const front = (function () { %s })();
window.front = front;
document.querySelectorAll("[data-mount]").forEach((node) => {
node.unmount = front.mount(node, JSON.parse(node.querySelector("script").textContent)); }); })();</script>"""


def page_of(widget, folder):
    """The address of a page with one explorer, delivered as the site does: a classic script over file://."""
    sheets = css() + "".join(sheet.read_text() for sheet in frontend.stylesheets())
    script = frontend.source(widget.kind).replace("export default", "return")
    file = folder / "page.html"
    file.write_text(PAGE % (sheets, html(widget.kind, widget.spec, widget.fallback()), script))
    return file.as_uri()


def watched(browser, address, **options):
    """A page that fails when its script errs, writes to the console or asks for anything outside."""
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
    page.set_default_timeout(10_000)
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("request", lambda request: request.url.startswith("file:") or troubles.append(request.url))
    page.goto(address)
    yield page
    page.close()
    assert [trouble for trouble in troubles if not trouble.startswith("data:")] == []


def functions(browser, kind, names):
    """Calls functions of a front end by name: ``js("softmax", scores, tau)``; ``names`` lists them."""
    page = browser.new_page()
    module = frontend.source(kind).replace("export default", f"return {{ {names} }};\n(")
    page.evaluate("code => { window.core = new Function(code)(); }", module.rstrip().rstrip(";") + ")")
    yield lambda name, *args: page.evaluate("([name, args]) => core[name](...args)", [name, list(args)])
    page.close()


def hears_no_key(page, locator, keys):
    """Raises AssertionError if a key pressed in the element reaches the document, as in a notebook."""
    page.evaluate("() => { window.heard = []; document.onkeydown = (event) => { heard.push(event.key); }; }")
    locator.focus()
    for key in keys:
        page.keyboard.press(key)
    assert page.evaluate("heard") == []


def accessible(page, also="", hidden=False):
    """Raises AssertionError if axe finds a violation, the page scrolls sideways, or a target is below 24 px.

    Targets are inputs, buttons and lists, and what the selector ``also`` names. With ``hidden``,
    those that the explorer hides at the moment do not count; without it, a hidden one is too small.
    """
    page.evaluate(AXE.read_text())
    found = page.evaluate("tags => axe.run({ runOnly: tags })", TAGS)
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
    targets = page.locator("input, button, select" + (also and f", {also}"))
    assert targets.count() > 0
    small = targets.evaluate_all(
        """(nodes, hidden) => nodes.filter((node) => !hidden || node.checkVisibility()).filter((node) => {
          const { width, height } = node.getBoundingClientRect();
          return Math.min(width, height) < 24;
        }).map((node) => node.outerHTML)""",
        hidden,
    )
    assert small == []


def bundle(widget):
    """The fallback in a widget's output; raises AssertionError unless the output reads without scripts."""
    output, _ = widget._repr_mimebundle_()
    assert output["text/plain"] == widget.alt()
    spec = re.search(r'<script type="application/json">(.*?)</script>', output["text/html"])[1]
    assert json.loads(spec) == widget.spec
    fallback = output["text/html"].split('class="att-fallback">')[1]
    for alive in ("<input", "<button", "<select", "<script"):
        assert alive not in fallback
    return fallback
