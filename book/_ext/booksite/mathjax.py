"""MathJax served from the site itself: no request leaves it, and it works from ``file://``.

The PyPI package sphinx-mathjax-offline carries MathJax's files. Its own extension would
copy all 24 MB; the pages need one script, the TeX extensions and the fonts.
"""

import shutil
from importlib.metadata import files
from pathlib import Path

from .generated import static_folder

__all__ = ["setup"]

NEEDED = ("tex-chtml.js", "input/tex/extensions/", "output/chtml/fonts/woff-v2/")


def copy(app, config):
    target = static_folder(app) / "mathjax"
    marker = "/static/mathjax/"
    for file in files("sphinx-mathjax-offline"):
        inside = file.as_posix().partition(marker)[2]
        if inside.startswith(NEEDED) and not (target / inside).exists():
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(file.locate()), target / inside)
    config.mathjax_path = "mathjax/tex-chtml.js"
    config.mathjax3_config = {
        # The context menu and the speech explorer would load 2 MB on first use.
        "options": {"enableMenu": False},
        # One size for all fonts: matching the height of x makes maths too large beside wide system fonts.
        "chtml": {"matchFontHeight": False, "scale": 1.08},
    }


def setup(app):
    app.connect("config-inited", copy)
