"""Exercises and explorers on the page: classic scripts, one style sheet, no kernel.

The widgets' own JavaScript modules are wrapped as classic scripts, because a module
cannot be loaded from ``file://``. A page loads the explorers that stand on it, and no others.
"""

import hashlib
import re
import shutil
from pathlib import Path

from companion.exercises import frontend as exercises
from companion.explorers import frontend as explorers
from companion.frontend import mount

from .generated import static_folder

__all__ = ["setup"]

BOOT = (Path(__file__).parent / "boot.js").read_text()
FONT = '@font-face{font-family:"Book Math";src:url(math.woff2) format("woff2");font-display:swap}\n'


def classic(source):
    """A front end module as an expression: ``export default`` is its only export."""
    body, count = re.subn(r"^export default ", "return ", source, flags=re.M)
    if count != 1 or re.search(r"^(import|export)\b", body, flags=re.M):
        raise ValueError("a front end module has exactly one export, the default, and no import")
    return f"(function () {{\n{body}\n}})()"


def script():
    """What every page loads: the exercises, and what brings all mounts to life."""
    fronts = "".join(f'fronts["{kind}"] = front;\n' for kind in exercises.mounts)
    front = f"const front = {classic(exercises.source())};\n{fronts}"
    return f'(function () {{\n"use strict";\nconst fronts = (window.attentionFronts ??= {{}});\n{front}{BOOT}}})();\n'


def scripts():
    """File name to script of each explorer: it leaves its front end where `script` finds it."""
    return {
        f"{kind}.js": f'(window.attentionFronts ??= {{}})["{kind}"] = {classic(source)};\n'
        for kind, source in explorers.sources().items()
    }


def styles():
    sheets = [mount.HERE / "look.css", mount.HERE / "math.css", *exercises.stylesheets(), *explorers.stylesheets()]
    return FONT + "".join(Path(sheet).read_text() for sheet in sheets)


def write(app, config):
    folder = static_folder(app)
    files = {"attention.js": script(), "attention.css": styles(), **scripts()}
    for name, text in files.items():
        (folder / name).write_text(text)
    shutil.copyfile(mount.HERE / "math.woff2", folder / "math.woff2")
    app.add_css_file("attention.css")
    app.add_css_file("site.css", priority=900)
    app.add_js_file("attention.js", defer="defer")
    # Pages name these files with a digest: write them again when a file changes.
    config.booksite_frontend = hashlib.sha256("".join(files.values()).encode()).hexdigest()


def load_explorers(app, pagename, templatename, context, doctree):
    """The explorers of this page alone, before the script that mounts them."""
    for kind in explorers.sources():
        if f'data-mount="{kind}"' in context.get("body", ""):
            app.add_js_file(f"{kind}.js", priority=400, defer="defer")


def setup(app):
    app.add_config_value("booksite_frontend", "", "html")
    app.connect("config-inited", write)
    app.connect("html-page-context", load_explorers)
