"""Fixtures that several rooms of the suite share."""

import pytest
from playwright.sync_api import sync_playwright

from tools.browser import installed

# No sandbox, for containers that run as root; no traffic of the browser's own.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        yield chromium
        chromium.close()
