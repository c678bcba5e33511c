"""A first visit with empty storage: nothing is asked for outside, no error is logged, all maths is set."""

import re

import pytest
from helpers.pages import SITE, chapters, pages

MB = 1_000_000


@pytest.mark.parametrize("page", pages())
def test_a_first_visit_is_quiet(visit, address, page):
    with visit(f"{address}/{page}") as v:
        v.page.wait_for_timeout(300)
        assert v.outside == []
        assert v.errors == []


def test_a_request_that_leaves_and_an_error_are_seen(visit, address):
    """The net that the test above and others fish with."""
    with visit(f"{address}/book/notation.html") as v:
        v.page.evaluate(
            """async () => {
              await fetch("https://example.org/script.js").catch(() => console.error("no script"));
              setTimeout(() => { throw new Error("on its own"); });
            }"""
        )
        v.page.wait_for_timeout(100)
        assert v.outside == ["https://example.org/script.js"]
        assert [part for part in ("no script", "on its own") if part not in " ".join(v.errors)] == []


@pytest.mark.parametrize("page", pages())
def test_all_maths_is_typeset(visit, address, page):
    with visit(f"{address}/{page}") as v:
        written = len(re.findall(r'class="math notranslate', (SITE / page).read_text()))
        assert v.page.locator("mjx-container").count() == written
        assert v.page.locator("mjx-merror").count() == 0
        # Code may hold TeX, as that of an exercise's author does.
        v.page.evaluate("document.querySelectorAll('article :is(pre, code)').forEach(code => code.remove())")
        left = v.page.evaluate("document.querySelector('article').innerText")
        assert not re.search(r"\$[^$\n]+\$|\\\(|\\begin|\\tag", left), "maths left in its source form"


@pytest.mark.parametrize("page", chapters())
def test_equation_numbers_are_shown(visit, http, page):
    tags = re.findall(r"\\tag\{([\d.]+)\}", (SITE / page).read_text())
    with visit(f"{http}/{page}") as v:
        shown = v.page.locator("mjx-labels").evaluate_all("all => all.map(e => e.textContent.trim())")
        assert len(shown) == len(tags) > 0


@pytest.mark.parametrize("page", chapters())
def test_a_chapter_loads_little(visit, http, page):
    """Everything that the page loads, theme and MathJax included, uncompressed."""
    with visit(f"{http}/{page}") as v:
        v.page.wait_for_timeout(500)
        loaded = {url.split("?")[0] for url in v.requests if url.startswith("http")}
        sizes = {url: (SITE / url.removeprefix(f"{http}/")).stat().st_size for url in loaded}
        assert sum(sizes.values()) < 4.5 * MB, sorted(sizes.items(), key=lambda item: -item[1])[:8]
