"""One front end in two homes: an anywidget in a notebook, a mount on the published page.

A front end is one JavaScript file that ends in::

    export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };

``mount(element, spec)`` fills the element and returns a function that clears it
again. JupyterLab calls ``render``. The site wraps the same file as a classic script
(it has to work from ``file://``) and calls ``mount`` for every element that
:func:`html` made.
"""

import base64
import json
from functools import cache
from html import escape
from pathlib import Path

import anywidget
import traitlets

__all__ = ["Mount", "html", "style"]

HERE = Path(__file__).parent


def html(kind, spec, fallback):
    """The mount: ``fallback`` is what a reader sees where no script runs.

    ``<`` is escaped inside the JSON, so no text in a spec can end the script element.
    """
    data = json.dumps(spec, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    for char, code in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        data = data.replace(char, code)
    return (
        f'<div class="att-mount" data-mount="{escape(kind)}">'
        f'<script type="application/json">{data}</script>'
        f'<div class="att-fallback">{fallback}</div></div>'
    )


@cache
def style(*sheets):
    """The CSS of a widget: the colours, the mathematics font inlined, then ``sheets``."""
    font = base64.b64encode((HERE / "math.woff2").read_bytes()).decode()
    face = f'@font-face{{font-family:"Book Math";src:url(data:font/woff2;base64,{font}) format("woff2")}}\n'
    return face + "".join(Path(sheet).read_text() for sheet in (HERE / "look.css", HERE / "math.css", *sheets))


class Mount(anywidget.AnyWidget):
    """A widget whose output also carries the page's mount, and alternative text.

    Subclasses set ``_esm``, ``_css`` and ``kind``, and define ``fallback()`` and ``alt()``.
    """

    kind = ""
    spec = traitlets.Dict().tag(sync=True)

    def fallback(self):
        raise NotImplementedError

    def alt(self):
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs):
        bundle, metadata = super()._repr_mimebundle_(**kwargs), {}
        if isinstance(bundle, tuple):
            bundle, metadata = bundle
        bundle = dict(bundle)
        bundle["text/plain"] = self.alt()
        bundle["text/html"] = html(self.kind, self.spec, self.fallback())
        return bundle, metadata
