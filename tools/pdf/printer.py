"""A page as a PDF by the browser, printed twice: page numbers are known only after the first time."""

from contextlib import contextmanager
from io import BytesIO

from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter

from tools.browser import installed

__all__ = ["chromium", "destinations", "printed"]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MINUTES = 10
# Each card gets its exercise's number, and where its solution is.
NUMBER = """() => {
  for (const solved of document.querySelectorAll(".att-worked")) {
    const card = document.getElementById(solved.id.replace("solution-", ""));
    card.querySelector(".att-kicker").textContent = `Exercise ${solved.dataset.number} `;
    const where = document.createElement("p");
    where.className = "att-where";
    const number = `<span class="att-number" data-target="${solved.id}"></span>`;
    where.innerHTML = `<a href="#${solved.id}">Solution: page ${number}</a>`;
    card.append(where);
  }
}"""
FILL = """pages => {
  for (const place of document.querySelectorAll(".att-number")) {
    place.textContent = pages[place.dataset.target];
  }
}"""
ENTRIES = """() => [...document.querySelectorAll(".att-contents a")].map((link) => ({
  chapter: link.classList.contains("att-level-1"),
  target: decodeURIComponent(link.hash.slice(1)),
  title: link.firstElementChild.textContent,
}))"""
# Text wider than the paper would be cut off: it is drawn smaller.
FIT = """() => {
  const article = document.querySelector("article");
  const room = article.getBoundingClientRect();
  const wides = "mjx-container[display=true], table, .att-plate svg, math[display=block]";
  for (const wide of article.querySelectorAll(wides)) {
    const box = wide.getBoundingClientRect();
    const needs = Math.max(wide.scrollWidth, box.width);
    const has = wide.parentElement.clientWidth;
    if (needs > has + 1) wide.style.zoom = has / needs;
  }
}"""


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        yield browser
        browser.close()


def printed(browser, address):
    """The PDF of the page at ``address`` as bytes, with its page numbers filled in.

    Raises RuntimeError when the page logs an error, or when numbers do not settle.
    """
    # An A4 page less its margins, so that widths on the screen are widths on paper.
    page = browser.new_page(viewport={"width": 665, "height": 1000})
    page.set_default_timeout(MINUTES * 60_000)
    troubles = []
    page.on("console", lambda m: m.type in ("error", "warning") and troubles.append(m.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.emulate_media(media="print")
    page.goto(address)
    page.evaluate("window.MathJax ? MathJax.startup.promise.then(() => true) : true")
    page.evaluate(NUMBER)
    page.evaluate(FIT)
    pdf = outlined(numbered(page), page.evaluate(ENTRIES))
    page.close()
    if troubles:
        raise RuntimeError(f"{address} logs errors: {troubles[:5]}")
    return pdf


def numbered(page):
    wanted = page.locator(".att-number").evaluate_all("all => all.map(place => place.dataset.target)")
    numbers, seen = {}, []
    for _ in range(6):
        pdf = page.pdf(prefer_css_page_size=True, tagged=True)
        places = destinations(PdfReader(BytesIO(pdf)))
        lost = [target for target in wanted if target not in places]
        if lost:
            raise RuntimeError(f"no page for {lost[:5]}")
        found = {target: places[target] for target in wanted}
        if found == numbers:
            return pdf
        # A heading at the foot of a page may change sides from one printing to the next, and back.
        if found not in seen:
            seen.append(found)
            numbers = found
            page.evaluate(FILL, numbers)
    raise RuntimeError("page numbers move with every printing")


def outlined(pdf, entries):
    """``pdf`` with the contents as its outline. The browser's own repeats the titles at the top of a page."""
    writer, places = PdfWriter(clone_from=BytesIO(pdf)), destinations(PdfReader(BytesIO(pdf)))
    chapter = writer.add_outline_item(title="Contents", page_number=1)
    for entry in entries:
        parent = None if entry["chapter"] else chapter
        page = places[entry["target"]] - 1
        item = writer.add_outline_item(title=entry["title"], page_number=page, parent=parent)
        chapter = item if entry["chapter"] else chapter
    # The browser stores a hatching anew for each cell that it fills: the masks become one, then the rest.
    for _ in range(2):
        writer.compress_identical_objects(remove_unreferenced=False)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def destinations(reader):
    """Anchor to page number, from 1, of a PDF's named destinations."""
    return {
        name.lstrip("/"): reader.get_destination_page_number(destination) + 1
        for name, destination in reader.named_destinations.items()
    }
