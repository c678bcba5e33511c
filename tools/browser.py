"""See that the browser tests have a browser: an installed one, else the one that Playwright fetches."""

import os
import shutil
import subprocess
import sys

__all__ = ["installed"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def installed():
    """Path of an installed Chromium or Chrome (BOOK_BROWSER names another); None when there is none."""
    return os.environ.get("BOOK_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def main():
    if installed():
        return 0
    fetched = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if fetched.returncode:
        print("No browser: install Chromium or Chrome (Debian: apt-get install chromium), then run again.")
    return fetched.returncode


if __name__ == "__main__":
    sys.exit(main())
