from xml.etree import ElementTree

import pytest

from companion.frontend.mathml import mathml


def shown(latex):
    return "".join(ElementTree.fromstring(mathml(latex)).itertext())


@pytest.mark.parametrize(
    ("latex", "characters"),
    [
        (r"\mathbf{v}_0", "𝐯0"),
        (r"\mathbf{v_0}", "𝐯𝟎"),
        (r"\boldsymbol{\alpha}", "𝜶"),
        (r"\mathbf{\alpha}", "𝛂"),
        (r"\alpha_{i,j} \le 1", "αi,j≤1"),
        (r"\mathrm{Att}(q)", "Att(q)"),
        (r"G \subseteq \{0, \dots, i\}", "G⊆{0,…,i}"),
        (r"\mathbb{R}", "ℝ"),
        (r"-\infty", "−∞"),
    ],
)
def test_characters(latex, characters):
    assert shown(latex) == characters


def test_no_attribute_that_browsers_dropped_is_left():
    assert "mathvariant" not in mathml(r"\mathbf{v_0} \boldsymbol{\alpha} \mathrm{softmax}")


def test_a_word_is_one_identifier():
    assert "<mi>Att</mi>" in mathml(r"\mathrm{Att}")
    assert "<mi>softmax</mi>" in mathml(r"\operatorname{softmax}(x)")


def test_a_matrix_is_a_table_between_stretchy_brackets():
    made = mathml(r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}")
    assert made.count("<mtr>") == 2 and made.count("<mtd>") == 4
    assert "<mo>[</mo>" in made and "<mo>]</mo>" in made


def test_a_minus_sign_after_a_comma_is_a_sign():
    made = mathml("[1, -2] - 3")
    assert made.count('<mo form="prefix">−</mo>') == 1 and made.count("<mo>−</mo>") == 1


def test_a_function_name_stands_off_its_argument_but_not_off_a_bracket():
    assert "mspace" in mathml(r"\ln 3") and "mspace" not in mathml(r"\ln(3)")


def test_display():
    assert mathml("x", display=True) == '<math display="block"><mi>x</mi></math>'


@pytest.mark.parametrize(
    "bad",
    [
        r"\foo x",
        r"\mathbf{\foo}",
        "a & b",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"a \\ b",
        r"\frac{1}{2",
        r"\begin{bmatrix} 1",
        "x^",
        "",
        " ",
        "{}",
    ],
)
def test_what_cannot_be_converted_is_refused_and_shown(bad):
    with pytest.raises(ValueError) as error:
        mathml(bad)
    assert repr(bad) in str(error.value)


def test_less_than_stays_escaped():
    assert "<mo>&lt;</mo>" in mathml("x < y")
