"""A JupyterLab of the tests' own, and what drives it in a browser."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

START_S = 60
# Every cell in the page, not only those in view: the tests count them.
SETTINGS = {"@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"}}


@contextmanager
def jupyterlab(home):
    """The address of a JupyterLab on ``home/notebooks``; all that it writes stays in ``home``."""
    for name, settings in SETTINGS.items():
        (home / "settings" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "settings" / name).write_text(json.dumps(settings))
    port = free_port()
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"),
        *(f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="),
        f"--ServerApp.root_dir={home / 'notebooks'}",
        f"--LabApp.user_settings_dir={home / 'settings'}",
        f"--LabApp.workspaces_dir={home / 'workspaces'}",
    ]
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "RUNTIME", "DATA")}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, env={**os.environ, **folders}, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + START_S
            while not answers(f"{address}/api"):
                assert process.poll() is None and time.monotonic() < deadline, (home / "log").read_text()
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(20)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(address):
    try:
        return urllib.request.urlopen(address, timeout=2).status == 200
    except OSError:
        return False


def open_notebook(page, lab, name, cells):
    """Open a notebook, and wait until all its ``cells`` are in the page and the kernel answers."""
    page.goto(f"{lab}/lab/tree/{name}?reset")
    ready(page, cells)


def ready(page, cells):
    counted = f"document.querySelectorAll('.jp-Notebook .jp-Cell').length === {cells}"
    page.wait_for_function(counted, timeout=60_000)
    settled(page, "window.jupyterapp.shell.currentWidget.context.sessionContext.ready")


def run_all(page):
    settled(page, "window.jupyterapp.commands.execute('notebook:run-all-cells')")


def settled(page, promise, seconds=120):
    """Wait for a promise of JupyterLab's, but not for ever."""
    late = f"setTimeout(() => no(new Error('not settled in {seconds} s')), {seconds * 1000})"
    page.evaluate(f"Promise.race([{promise}, new Promise((_, no) => {late})])")
