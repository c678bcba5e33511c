"""Reading without a network: a worker keeps the pages that were visited, and a folder can be searched."""

import shutil
from pathlib import Path

__all__ = ["setup"]

WORKER = Path(__file__).with_name("visited.js")


def add(app, config):
    app.add_js_file("offline.js", priority=300)


def place_worker(app, error):
    """A worker serves what lies beside it and below, so it stands at the root of the site."""
    if error is None and app.builder.format == "html":
        shutil.copyfile(WORKER, Path(app.outdir) / WORKER.name)


def setup(app):
    app.connect("config-inited", add)
    app.connect("build-finished", place_worker)
