"""The picture that other sites show beside a link to the book: ``python -m tools.social_card``.

1200 x 630 pixels, from the book's own colours and one of its patterns; the PNG is committed.
"""

from pathlib import Path

from companion.look import css
from companion.patterns import sinks, sliding_window
from playwright.sync_api import sync_playwright

from tools.browser import installed

__all__ = ["page"]

CARD = Path(__file__).resolve().parent.parent / "book" / "_static" / "social-card.png"
TOKENS, CELL, GAP = 12, 34, 5
PATTERN = sliding_window(4) | sinks(1)
STYLE = """
body { margin: 0; width: 1200px; height: 630px; display: grid; grid-template-columns: 1fr auto; align-items: center;
  gap: 40px; padding: 0 76px; box-sizing: border-box; background: var(--att-paper); color: var(--att-ink);
  font-family: system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 66px; line-height: 1.12; font-weight: 650; letter-spacing: -0.015em; margin: 0 0 28px; }
p { font-size: 27px; line-height: 1.45; color: var(--att-muted); margin: 0; }
"""


def page():
    """The card as HTML: rows are queries, columns are keys; what a query reads is filled."""
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><style>{css()}{STYLE}</style><body class="att-dark">'
        "<div><h1>Attention, Token by Token</h1>"
        "<p>Causal and sparse attention, derived, run and tested: from one weighted sum to GPU kernels.</p></div>"
        f"{mask()}</body></html>"
    )


def mask():
    side = TOKENS * (CELL + GAP)
    cells = "".join(cell(i, j) for i in range(TOKENS) for j in range(i + 1))
    return f'<svg width="{side}" height="{side}" viewBox="0 0 {side} {side}">{cells}</svg>'


def cell(i, j):
    """Read: filled, the diagonal in the query's colour. Left out: an outline."""
    x, y = j * (CELL + GAP), i * (CELL + GAP)
    colour = "none" if j not in PATTERN.indices(i) else "var(--att-q)" if i == j else "var(--att-v)"
    return (
        f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="5" fill="{colour}" '
        f'stroke="{"var(--att-edge)" if colour == "none" else colour}" stroke-width="1.5"/>'
    )


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed(), args=["--no-sandbox", "--disable-gpu"]
        )
        sheet = browser.new_page(viewport={"width": 1200, "height": 630})
        sheet.set_content(page())
        sheet.screenshot(path=CARD)
        browser.close()
    print(f"{CARD.name}: {CARD.stat().st_size} bytes")


if __name__ == "__main__":
    main()
