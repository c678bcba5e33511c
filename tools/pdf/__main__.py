"""The whole book as one PDF, into the built site: ``python -m tools.pdf``."""

import sys
from pathlib import Path

from tools.downloads import PDF, offer

from .assemble import book
from .printer import chromium, printed

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"


def main():
    if not (SITE / "book" / "intro.html").exists():
        print("The site is not built: run make site.")
        return 1
    # Beside the pages, whose style sheets and pictures it uses.
    whole = SITE / "whole_book.html"
    try:
        whole.write_text(book(SITE, ROOT))
        with chromium() as browser:
            (SITE / PDF).write_bytes(printed(browser, whole.as_uri()))
    except RuntimeError as error:
        print(error)
        return 1
    finally:
        whole.unlink(missing_ok=True)
    offer(SITE)
    print(f"The PDF is {SITE / PDF}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
