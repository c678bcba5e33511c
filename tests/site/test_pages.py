"""What the files of the built site hold: nothing from elsewhere, no answer in plain text, within budget."""

import gzip
import json
import re
from urllib.parse import urlsplit

import pytest
from helpers.project import ROOT
from helpers.pages import SITE, chapters, notebook_cells, pages

from companion.exercises import ids
from companion.exercises.bank import find

KB, MB = 1000, 1_000_000
LOADED = re.compile(r"<(?:script|img|iframe|source|audio|video)\b[^>]*?\bsrc=\"([^\"]+)\"|<link\b[^>]*>")


def html(page):
    return (SITE / page).read_text()


@pytest.mark.parametrize("page", pages())
def test_a_page_loads_nothing_from_elsewhere(page):
    for tag in LOADED.finditer(html(page)):
        link = re.search(r'href="([^"]+)"', tag[0])
        address = tag[1] or (link and link[1]) or ""
        assert not urlsplit(address).netloc, f"{page} loads {address}"


@pytest.mark.parametrize("page", chapters())
def test_every_exercise_call_is_a_mount(page):
    calls = [
        name
        for cell in notebook_cells(page)
        if cell["cell_type"] == "code"
        for name in re.findall(r"^exercise\(\"([\w-]+)\"\)", "".join(cell["source"]), re.M)
    ]
    mounts = re.findall(r'data-mount="exercise"><script type="application/json">(.*?)</script>', html(page))
    assert [json.loads(data)["id"] for data in mounts] == calls
    # A numbered chapter has exercises; the page between chapters 3 and 4 has none.
    assert len(calls) >= 8 or re.fullmatch(r"notebooks/\d\d[a-z]_\w+\.html", page)


@pytest.mark.parametrize("page", chapters())
def test_the_call_of_an_exercise_does_not_show(page):
    shown = re.sub(r"<[^>]+>", "", html(page))
    assert "exercise(&quot;" not in shown and 'exercise("' not in shown


def texts_that_give_away(spec):
    """Feedback, hints and solution as they stand in the card: none may be readable in the page."""
    card = spec.cards[0]
    yield card["solution"]
    yield from card["hints"]
    yield from (rule["message"] for rule in card.get("rules", ()))


@pytest.mark.parametrize("page", chapters())
def test_no_answer_stands_in_plain_text(page):
    chapter = f"ch{page.split('/')[1][:2]}"
    index = (SITE / "searchindex.js").read_text()
    for name in ids():
        if name.startswith(chapter):
            for text in texts_that_give_away(find(name)):
                assert text not in html(page) and text not in index, f"{name}: {text[:60]}"


@pytest.mark.parametrize("page", chapters())
def test_our_own_scripts_and_styles_are_light(page):
    own = re.findall(r"_static/((?:attention|explorer-[\w-]+|site)\.(?:js|css))", html(page))
    sizes = {name: len(gzip.compress((SITE / "_static" / name).read_bytes())) for name in own}
    assert {"attention.js", "attention.css", "site.css"} <= set(sizes)
    assert sum(sizes.values()) < 60 * KB, sizes


@pytest.mark.parametrize("page", pages())
def test_a_page_loads_the_explorers_that_stand_on_it(page):
    loaded = re.findall(r"_static/(explorer-[\w-]+)\.js", html(page))
    mounted = re.findall(r'data-mount="(explorer-[\w-]+)"', html(page))
    assert sorted(loaded) == sorted(set(mounted))


@pytest.mark.parametrize("page", chapters())
def test_a_chapter_is_a_small_file(page):
    assert (SITE / page).stat().st_size < 600 * KB


@pytest.mark.parametrize("page", pages())
def test_no_launch_button_without_an_address(page):
    """The site under test is built where no public address is known."""
    if "https://" in (ROOT / ".git" / "config").read_text():
        return
    assert "colab.research" not in html(page) and "Launch on" not in html(page)
