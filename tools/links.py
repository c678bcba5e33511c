"""Ask every external link of the built site for real: ``python tools/links.py``, in the weekly run.

Prints what is broken and what could not be told, and fails if a link is broken.
"""

import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag, urlsplit
from urllib.request import Request, urlopen

__all__ = ["Page", "asked", "external", "pages", "read"]

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
LINKS = {"a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}
# The server is there and will not say whether the page is, to a program or to so many questions.
TOLERATED = {401, 403, 405, 406, 429}
ATTEMPTS, PAUSE, PATIENCE = 3, 2.0, 20.0  # tries, and seconds: before the second try, for an answer
SERVERS, BREATH = 8, 0.5  # asked side by side, and seconds between two questions to one of them


@dataclass
class Page:
    """links: every address that the page names. ids: what a link to it can name."""

    links: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.page.ids.update(given[name] for name in ("id", "name") if given.get(name))
        address = given.get(LINKS.get(tag)) or given.get("xlink:href")
        if address:
            self.page.links.append(address)


def read(path: Path) -> Page:
    """The links and ids of one HTML file."""
    reader = Reader()
    reader.feed(path.read_text())
    return reader.page


def pages(site: Path = SITE) -> dict[str, Page]:
    """Every page of the site by its path; what the theme keeps among its own files is no page."""
    found = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    return {path.relative_to(site).as_posix(): read(path) for path in found}


def external(site: Path = SITE) -> dict[str, list[str]]:
    """Every address outside the site, without its fragment, to the pages that link to it."""
    found = defaultdict(list)
    for name, page in pages(site).items():
        for address in dict.fromkeys(urldefrag(link).url for link in page.links if urlsplit(link).netloc):
            found[address].append(name)
    return dict(found)


def asked(address: str, *, attempts: int = ATTEMPTS, pause: float = PAUSE) -> int | str:
    """The status that the server answers with, or in words why it answered with none.

    Asks again, after ``pause`` seconds and then twice as long, where there was no answer or a server's fault.
    """
    request = Request(address, headers={"User-Agent": "Mozilla/5.0 (link check of a book)"})
    for attempt in range(attempts):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return answer.status
        except HTTPError as error:
            found = error.code
            if found < 500:
                break
        except (OSError, HTTPException, ValueError) as error:
            found = f"no answer: {error}"
    return found


def in_turn(addresses):
    """``asked`` of addresses on one server, one after the other."""
    for address in addresses:
        yield address, asked(address)
        time.sleep(BREATH)


def main():
    if not (SITE / "index.html").exists():
        print("The site is not built: run make site.")
        return 1
    links = external()
    servers = defaultdict(list)
    for address in links:
        servers[urlsplit(address).netloc].append(address)
    with ThreadPoolExecutor(SERVERS) as threads:
        told = threads.map(lambda addresses: list(in_turn(addresses)), servers.values())
        answers = dict(chain.from_iterable(told))
    untold = {a: s for a, s in answers.items() if s in TOLERATED}
    # Redirections are followed: what still redirects goes in a circle.
    broken = {a: s for a, s in answers.items() if a not in untold and (isinstance(s, str) or s >= 300)}
    for title, some in (("Broken", broken), ("Would not say", untold)):
        for address, status in some.items():
            print(f"{title}: {address} ({status}), from {', '.join(links[address])}")
    print(f"{len(links)} links: {len(links) - len(broken) - len(untold)} answer, "
          f"{len(untold)} would not say, {len(broken)} broken")  # fmt: skip
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
