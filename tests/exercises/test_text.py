import numpy as np
import pytest

from companion.exercises import text


def test_text_code_and_maths():
    assert text.inline("a `b` $x$") == "a <code>b</code> <math><mi>x</mi></math>"


def test_blank_lines_part_paragraphs_and_lone_maths_is_displayed():
    shown = text.html("one\ntwo\n\n$x$\n\nthree")
    assert shown == '<p>one\ntwo</p><p><math display="block"><mi>x</mi></math></p><p>three</p>'


def test_a_dollar_is_escaped():
    assert text.inline(r"\$5 and $x$") == "$5 and <math><mi>x</mi></math>"


def test_the_fallback_keeps_maths_as_source():
    assert text.fallback(r"$a < b$ for \$5, `<i>`") == r"<p>$a &lt; b$ for \$5, <code>&lt;i&gt;</code></p>"


@pytest.mark.parametrize(
    "hostile", ["<b>x</b>", "</script><script>alert(1)</script>", "<img src=x onerror='1'>", '"&amp;']
)
def test_html_is_shown_as_text(hostile):
    for shown in (
        text.inline(hostile),
        text.inline(f"`{hostile}`"),
        text.html(hostile),
        text.fallback(hostile),
    ):
        assert "<" not in shown.replace("<p>", "").replace("</p>", "").replace("<code>", "").replace(
            "</code>", ""
        )


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "  ",
        None,
        "a $ b",
        "a ` b",
        "**bold**",
        "[a](b)",
        "# head",
        "- item",
        "1. item",
        r"\(x\)",
        "$$x$$",
        "$\\foo$",
    ],
)
def test_other_markup_is_refused(bad):
    with pytest.raises(ValueError):
        text.html(bad)


def test_markup_inside_code_is_code():
    assert text.inline("`a ** b`") == "<code>a ** b</code>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1 + 0.2, "0.3"),
        (3.0, "3"),
        (-2, "-2"),
        (8 / 3, "2.6667"),
        (2.06e-9, "2.06e-9"),
        (0, "0"),
        (131040, "131040"),
        ([3.1, 1.7], "[3.1, 1.7]"),
        ({3, 0}, "{0, 3}"),
        ("word", "word"),
        (np.array([[1, 2], [3, 4]]), r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}"),
    ],
)
def test_values_read_as_text(value, shown):
    assert text.show(value) == shown


def test_holes_are_filled_by_name_index_and_format():
    names = {"V": np.array([[1, 2], [3, 0]]), "z": 1 / 3}
    assert text.fill("<<V[1]>>, <<V[1][0]>>, <<z:.2f>>, a << b", names) == "[3, 0], 3, 0.33, a << b"


def test_an_unknown_hole_is_named():
    with pytest.raises(ValueError, match="<<w>> is not among the data: v"):
        text.fill("<<w>>", {"v": 1})
