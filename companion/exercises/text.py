"""The text of exercises: plain text, ```code```, ``$maths$`` and values of the data, nothing else.

A blank line starts a new paragraph; a paragraph that is one piece of maths stands on
its own line. ``\\$`` is a dollar. ``<<name>>`` is replaced by a value of the
exercise's data, ``<<V[1]>>`` by a part of it, ``<<z:.2f>>`` by its format. Everything
else, ``<b>`` and ``</script>`` too, is shown as it is written.
"""

import re
from html import escape

import numpy as np

from companion.frontend.mathml import mathml

__all__ = ["fallback", "fallback_line", "fill", "html", "inline", "show"]

_HOLE = re.compile(r"<<\s*([A-Za-z_]\w*)((?:\[-?\d+\])*)\s*(?::([^<>]*))?>>")
_PIECE = re.compile(r"(?P<dollar>\\\$)|`(?P<code>[^`]+)`|\$(?P<maths>(?:[^$\\]|\\.)+)\$", re.DOTALL)
_FOREIGN = re.compile(r"\*\*|\]\(|^#{1,6} |^[-*] |^\d+\. |\\\(|\\\[|```|\$\$", re.MULTILINE)


def show(value, spec=""):
    """A number, a row of numbers or a matrix as text that also reads as maths."""
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(show(item, spec) for item in sorted(value)) + "}"
    array = np.asarray(value)
    if array.dtype.kind not in "iufb":
        return str(value)
    if array.ndim == 2:
        rows = (" & ".join(show(item, spec) for item in row) for row in array)
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"
    if array.ndim == 1:
        return "[" + ", ".join(show(item, spec) for item in array) + "]"
    if spec:
        return format(array.item(), spec)
    number = round(float(array), 4) if abs(array) >= 1e-3 or array == 0 else float(f"{float(array):.3g}")
    return f"{number:.10g}".replace("e-0", "e-")


def fill(text, names):
    """``text`` with every ``<<name>>`` replaced. ValueError names one that is missing."""

    def value(match):
        name, path, spec = match.groups()
        if name not in names:
            raise ValueError(
                f"<<{name}>> is not among the data: {', '.join(sorted(names)) or 'there are none'}"
            )
        found = names[name]
        for index in re.findall(r"-?\d+", path):
            found = found[int(index)]
        return show(found, spec or "")

    return _HOLE.sub(value, text)


def html(text):
    """Paragraphs of safe HTML, maths as MathML."""
    return _paragraphs(text, lambda latex, display: mathml(latex, display=display))


def fallback(text):
    """Paragraphs of safe HTML, maths left as ``$...$`` for a notebook to typeset."""
    return _paragraphs(text, _source, dollar=r"\$")


def fallback_line(text):
    """One line of safe HTML, maths left as ``$...$``."""
    return inline(text, maths=_source, dollar=r"\$")


def inline(text, *, maths=lambda latex, display: mathml(latex), dollar="$"):
    """One line of safe HTML. Raises ValueError for markup that this text does not have."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text expected, {text!r} came")
    outside = _PIECE.sub("", text)
    if foreign := _FOREIGN.search(_PIECE.sub("x", text)):
        raise ValueError(f"{foreign.group()!r} is markup that exercises do not have: {text!r}")
    for mark in "$`":
        if mark in outside:
            raise ValueError(f"a {mark} has no partner: {text!r}")
    parts, end = [], 0
    alone = _PIECE.fullmatch(text.strip())
    for piece in _PIECE.finditer(text):
        parts.append(escape(text[end : piece.start()]))
        if piece["dollar"]:
            parts.append(dollar)
        elif piece["code"]:
            parts.append(f"<code>{escape(piece['code'])}</code>")
        else:
            parts.append(maths(piece["maths"], alone is not None))
        end = piece.end()
    return "".join(parts) + escape(text[end:])


def _source(latex, display):
    return escape(f"${latex}$")


def _paragraphs(text, maths, dollar="$"):
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text expected, {text!r} came")
    blocks = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{inline(block, maths=maths, dollar=dollar)}</p>" for block in blocks)
