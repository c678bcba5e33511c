"""Exercises and explorers on the page: one classic script, one style sheet, no kernel.

The widgets' own JavaScript modules are wrapped as a classic script, because a module
cannot be loaded from ``file://``.
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
    """Every front end in one script: what serves several kinds of mount stands there once."""
    modules = [(exercises.mounts, exercises.source())]
    modules += [((kind,), source) for kind, source in explorers.sources().items()]
    fronts = "\n".join(
        f"{{ const front = {classic(source)};\n" + "".join(f'fronts["{kind}"] = front;\n' for kind in kinds) + "}"
        for kinds, source in modules
    )
    return f'(function () {{\n"use strict";\nconst fronts = {{}};\n{fronts}\n{BOOT}}})();\n'


def styles():
    sheets = [mount.HERE / "look.css", mount.HERE / "math.css", *exercises.stylesheets(), *explorers.stylesheets()]
    return FONT + "".join(Path(sheet).read_text() for sheet in sheets)


def write(app, config):
    folder = static_folder(app)
    (folder / "attention.js").write_text(script())
    (folder / "attention.css").write_text(styles())
    shutil.copyfile(mount.HERE / "math.woff2", folder / "math.woff2")
    app.add_css_file("attention.css")
    app.add_css_file("site.css", priority=900)
    app.add_js_file("attention.js", defer="defer")
    # Pages name these files with a digest: write them again when a file changes.
    config.booksite_frontend = hashlib.sha256((script() + styles()).encode()).hexdigest()


def setup(app):
    app.add_config_value("booksite_frontend", "", "html")
    app.connect("config-inited", write)
