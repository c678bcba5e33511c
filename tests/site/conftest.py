"""The built site, over http and over file://, in a browser that may not leave it."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from helpers.pages import SITE

from tools.serve import server

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def site():
    assert (SITE / "index.html").exists(), "the site is not built: run make site"
    return SITE


@pytest.fixture(scope="session")
def http(site):
    with server(site, ports=(0,)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(scope="session", params=["http", "file"])
def address(request, site):
    return request.getfixturevalue("http") if request.param == "http" else f"file://{site}"


@dataclass
class Visit:
    """A page, and what it did that it should not: requests that leave the site, errors."""

    page: object
    outside: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    requests: list = field(default_factory=list)


@pytest.fixture
def visit(browser):
    """``with visit(url, ...) as v``: a first visit with empty storage, nothing but the site within reach."""

    @contextmanager
    def opened(url, *, viewport=DESKTOP, theme="light", script=None):
        home = url.split("/", 3)[:3]
        context = browser.new_context(viewport=viewport, color_scheme=theme, reduced_motion="reduce")
        if script:
            context.add_init_script(script)
        page = context.new_page()
        visit = Visit(page)

        def route(handler):
            target = handler.request.url
            visit.requests.append(target)
            if target.split("/", 3)[:3] == home or target.startswith("data:"):
                handler.continue_()
            else:
                visit.outside.append(target)
                handler.abort()

        context.route("**/*", route)
        page.on("console", lambda m: m.type in ("error", "warning") and visit.errors.append(m.text))
        page.on("pageerror", lambda error: visit.errors.append(str(error)))
        page.goto(url)
        page.evaluate("window.MathJax ? window.MathJax.startup.promise.then(() => true) : true")
        yield visit
        context.close()

    return opened
