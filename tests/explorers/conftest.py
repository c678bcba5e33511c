"""The page of the explorer that a test file names ``explorer``."""

from itertools import product

import pytest

# Before they are imported, so that a failed check tells what it found.
pytest.register_assert_rewrite("helpers.explorers")

from helpers.explorers import page_of, watched  # noqa: E402


@pytest.fixture(scope="module")
def address(request, tmp_path_factory):
    return page_of(request.module.explorer(), tmp_path_factory.mktemp("explorer"))


@pytest.fixture
def page(browser, address):
    yield from watched(browser, address)


@pytest.fixture(params=product(("light", "dark"), (1280, 390)), ids=lambda each: f"{each[0]}-{each[1]}")
def themed(page, request):
    """The page in either theme, at either width."""
    theme, width = request.param
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    return page
