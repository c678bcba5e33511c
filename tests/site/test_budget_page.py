"""What a chapter's page costs: requests, nothing from elsewhere, no error; bytes and a time are printed."""

import pytest
from helpers.pages import chapters

from tools.budget import HEAD, measure

MB = 1_000_000
REQUESTS = 60


@pytest.mark.parametrize("page", chapters())
def test_a_chapter_costs_little(browser, http, page):
    cost = measure(browser, http, page, slow=False)
    assert cost.size > 1 * MB
    assert 10 < cost.requests < REQUESTS
    assert cost.outside == ()
    assert cost.errors == ()


def test_an_exercise_comes_to_life_on_a_slow_line(browser, http, capsys):
    cost = measure(browser, http, chapters()[0])
    with capsys.disabled():
        print(f"\n{HEAD}\n{cost}")
    assert cost.seconds is not None


def test_a_request_that_leaves_the_site_is_seen(browser, http):
    """The same page, from a home that it does not belong to."""
    assert measure(browser, f"{http}/book", "intro.html", slow=False).outside != ()
