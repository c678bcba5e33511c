"""LaTeX maths to MathML that browsers typeset without a script, in the book's own font.

latex2mathml lets unknown macros, stray ``&`` and row breaks outside a matrix pass
without a word, and relies on attributes that browsers have dropped
(``mathvariant="bold"``). Here the first are refused, and the letters are written as
the Unicode characters meant.
"""

import unicodedata
from functools import cache
from xml.etree import ElementTree

from latex2mathml.converter import convert

__all__ = ["mathml"]

_NAMES = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "sans-serif": "SANS-SERIF",
    "monospace": "MONOSPACE",
}
_FUNCTIONS = {"exp", "ln", "log", "max", "min", "sup", "inf", "arg", "softmax", "lse", "sigmoid", "det"}
_OPEN = set("([{,;")
_CLOSE = set(")]}′!")


@cache
def mathml(latex, *, display=False):
    """The ``<math>`` element of ``latex``, on its own line when ``display``.

    Raises ValueError, showing ``latex``, when any part of it could not be converted.
    """
    if _depth(latex) != 0:
        raise ValueError(f"maths {latex!r}: its braces do not match")
    try:
        root = ElementTree.fromstring(convert(latex))
    except ElementTree.ParseError:
        raise ValueError(f"maths {latex!r}: an '&' stands outside a matrix") from None
    except Exception as error:
        raise ValueError(f"maths {latex!r}: {type(error).__name__} {error}") from error
    for node in root.iter():
        node.tag = node.tag.partition("}")[2] or node.tag
        if "\\" in (node.text or ""):
            raise ValueError(f"maths {latex!r}: unknown macro {node.text!r}")
        if node.get("linebreak"):
            raise ValueError(f"maths {latex!r}: a row break stands outside a matrix")
    if not "".join(root.itertext()).strip():
        raise ValueError(f"maths {latex!r}: nothing is left of it")
    for node in root.iter():
        _letters(node)
    for node in list(root.iter()):
        _join_words(node)
        _space(node)
    row = root[0] if len(root) == 1 and root[0].tag == "mrow" else root
    inside = "".join(ElementTree.tostring(child, encoding="unicode") for child in row)
    return f'<math display="block">{inside}</math>' if display else f"<math>{inside}</math>"


def _depth(latex):
    bare = latex.replace("\\{", "").replace("\\}", "")
    return bare.count("{") - bare.count("}")


def _letters(node):
    """Write ``mathvariant`` as Unicode letters, and tell letters from operators."""
    style = node.get("mathvariant")
    if style in _NAMES:
        del node.attrib["mathvariant"]
        node.text = "".join(_letter(char, _NAMES[style]) for char in node.text or "")
    elif node.tag == "mo" and (node.text or "").isalpha() and len(node.text) > 1:
        node.tag = "mi"
    elif node.text == "′":
        node.tag = "mo"
    elif node.text in ("∞", "∅"):
        node.tag = "mi"
    elif node.tag == "mo" and node.text == "/":
        node.set("lspace", "0")
        node.set("rspace", "0")


def _letter(char, style):
    name = unicodedata.name(char, "")
    for script in ("LATIN", "GREEK", ""):
        name = name.replace(f"{script} SMALL LETTER", "SMALL").replace(f"{script} CAPITAL LETTER", "CAPITAL")
    try:
        return unicodedata.lookup(f"MATHEMATICAL {style} {name}")
    except KeyError:
        return char


def _join_words(node):
    """``\\mathrm{Att}`` arrives a letter an element; a word is one identifier."""
    children, joined = list(node), []
    for child in children:
        upright = child.tag == "mi" and child.get("mathvariant") == "normal"
        last = joined[-1] if joined else None
        if upright and last is not None and last.get("mathvariant") == "normal" and node.tag == "mrow":
            last.text += child.text
        else:
            joined.append(child)
    for child in joined:
        if child.get("mathvariant") == "normal" and len(child.text or "") > 1:
            del child.attrib["mathvariant"]
    node[:] = joined


def _space(node):
    """Two spacings that browsers do not infer: a minus sign's, and a function name's."""
    if node.tag not in ("math", "mrow", "mtd"):
        return
    row, before = [], None
    for child in node:
        text = child.text or ""
        if text in ("−", "-", "+") and before is not None and before.tag == "mo":
            if (before.text or "") not in _CLOSE:
                child.set("form", "prefix")
        after_name = before is not None and _is_function(before)
        if after_name and child.tag != "mo" and child.tag != "mspace":
            row.append(ElementTree.Element("mspace", width="0.167em"))
        row.append(child)
        before = child
    node[:] = row


def _is_function(node):
    head = node[0] if node.tag in ("msub", "msup", "msubsup") else node
    return head.tag == "mi" and head.text in _FUNCTIONS
