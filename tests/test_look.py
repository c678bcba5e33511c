"""One source for every colour: the generated files are current, and contrast holds on both grounds."""

from helpers.project import ROOT

from companion.look import COLOURS, css, mplstyle

TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.2: 1.4.3 and 1.4.11


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_style_files_are_made_from_the_table():
    assert (ROOT / "companion/frontend/look.css").read_text() == css()
    assert (ROOT / "companion/book.mplstyle").read_text() == mplstyle()


def test_every_text_colour_can_be_read_on_both_grounds():
    for side in (0, 1):
        for ground in ("paper", "card"):
            for name in ("q", "k", "v", "alpha", "masked", "right", "wrong", "ink", "muted"):
                assert contrast(COLOURS[name][side], COLOURS[ground][side]) >= TEXT, (name, ground, side)


def test_edges_of_controls_can_be_seen():
    for side in (0, 1):
        for ground in ("paper", "card"):
            for name in ("edge", "focus"):
                assert contrast(COLOURS[name][side], COLOURS[ground][side]) >= GRAPHIC, (name, ground, side)
