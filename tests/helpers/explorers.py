"""A page that shows one explorer, and what all of them are asked."""

import re

from playwright.sync_api import TimeoutError as Late

from companion.explorers import frontend
from companion.frontend.mount import html
from companion.look import css
from helpers.axe import violations

__all__ = ["announced", "fallback", "functions", "keys_heard", "obstacles", "page_of", "watched"]

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


def keys_heard(page, locator, keys):
    """Which of the keys, pressed in the element, reach the document, as they would reach a notebook."""
    page.evaluate("() => { window.heard = []; document.onkeydown = (event) => { heard.push(event.key); }; }")
    locator.focus()
    for key in keys:
        page.keyboard.press(key)
    return page.evaluate("heard")


def announced(page, part=re.compile(r"\S")):
    """What the live region says as soon as it holds ``part``, or says at last if it never does."""
    said = page.get_by_role("status")
    try:
        said.filter(has_text=part).wait_for(state="attached")
    except Late:
        pass
    return said.inner_text()


def obstacles(page, also="", hidden=False):
    """What axe finds, whether the page scrolls sideways, and the targets below 24 px.

    Targets are inputs, buttons and lists, and what the selector ``also`` names. With ``hidden``,
    those that the explorer hides at the moment do not count; without it, a hidden one is too small.
    """
    found = violations(page)
    if page.evaluate("document.documentElement.scrollWidth") != page.viewport_size["width"]:
        found.append("the page scrolls sideways")
    targets = page.locator("input, button, select" + (also and f", {also}"))
    found += targets.evaluate_all(
        """(nodes, hidden) => nodes.filter((node) => !hidden || node.checkVisibility()).filter((node) => {
          const { width, height } = node.getBoundingClientRect();
          return Math.min(width, height) < 24;
        }).map((node) => "too small: " + node.outerHTML)""",
        hidden,
    )
    return found if targets.count() else [*found, "there is nothing to press"]


def fallback(widget):
    """What a widget's stored output shows where no script runs."""
    output, _ = widget._repr_mimebundle_()
    return output["text/html"].split('class="att-fallback">')[1]
