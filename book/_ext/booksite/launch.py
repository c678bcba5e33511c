"""Launch and repository buttons, only where the repository's address is known.

It is taken from BOOK_REPOSITORY_URL, else from the remote ``origin``. A dead button is worse than none.
"""

import os
import re
import subprocess

__all__ = ["setup"]


def address(srcdir):
    """The repository's https address, or None when there is none that a reader could open."""
    url = os.environ.get("BOOK_REPOSITORY_URL")
    if url is None:
        run = subprocess.run(
            ["git", "remote", "get-url", "origin"], cwd=srcdir, capture_output=True, text=True, check=False
        )
        url = run.stdout.strip()
    url = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", url).removesuffix(".git").rstrip("/")
    return url if re.fullmatch(r"https://[\w.-]+\.[a-z]+/[\w./-]+", url) else None


def configure(app, config):
    url = address(app.srcdir)
    if url is None:
        return
    options = config.html_theme_options
    options["repository_url"] = url
    options["repository_branch"] = os.environ.get("BOOK_REPOSITORY_BRANCH", "main")
    options["use_repository_button"] = True
    if url.startswith("https://github.com/"):
        options["launch_buttons"] = {"colab_url": "https://colab.research.google.com"}


def setup(app):
    app.connect("config-inited", configure)
