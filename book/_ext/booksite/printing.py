"""The print style sheet, and the script that makes paper light, on every page."""

__all__ = ["setup"]


def add(app, config):
    app.add_css_file("print.css", media="print", priority=950)
    app.add_js_file("print.js", priority=300)


def setup(app):
    app.connect("config-inited", add)
