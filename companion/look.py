"""The visual language: one table of colours, read by page, figure, explorer and exercise.

``python -m companion.look`` writes the two files that are made from it: the CSS
variables (``frontend/look.css``) and the matplotlib style (``book.mplstyle``).
"""

from pathlib import Path

__all__ = ["COLOURS", "css", "mplstyle"]

# name: (on light, on dark). Letter, mark or hatching always goes with a colour.
COLOURS = {
    "q": ("#0b62a8", "#6cb6f5"),
    "k": ("#b24a00", "#f2a35e"),
    "v": ("#00734f", "#4fcf9f"),
    "alpha": ("#7a3b9a", "#cf9df0"),
    "masked": ("#6b7280", "#9aa3af"),
    "right": ("#0a6b2e", "#5fd38d"),
    "wrong": ("#a61b1b", "#ff8f8a"),
    "ink": ("#1b1f24", "#e6e9ee"),
    "muted": ("#565d67", "#a9b1bc"),
    "rule": ("#d5d9df", "#343b45"),
    "edge": ("#858c96", "#78818d"),
    "paper": ("#ffffff", "#14181e"),
    "card": ("#f7f8fa", "#1b2129"),
    "focus": ("#0b62a8", "#6cb6f5"),
}

_DARK = ",\n".join(
    [
        'html[data-theme="dark"]',
        'html[theme="dark"]',
        'body[data-jp-theme-light="false"]',
        "body.vscode-dark",
        "body.vscode-high-contrast",
        ".att-dark",
    ]
)


def css():
    """The colours as CSS variables ``--att-<name>``, for light and for dark pages."""
    light, dark = (
        "\n".join(f"  --att-{name}: {pair[side]};" for name, pair in COLOURS.items()) for side in (0, 1)
    )
    return f"/* Made by python -m companion.look */\n:root {{\n{light}\n}}\n{_DARK} {{\n{dark}\n}}\n"


def mplstyle():
    """A matplotlib style: the light colours, no box, no grid, transparent ground."""
    light = {name: pair[0].lstrip("#") for name, pair in COLOURS.items()}
    cycle = ", ".join(f"'{light[name]}'" for name in ("q", "k", "v", "alpha"))
    lines = [
        "# Made by python -m companion.look",
        "figure.facecolor: none",
        "axes.facecolor: none",
        "savefig.facecolor: none",
        "savefig.bbox: tight",
        "savefig.pad_inches: 0.05",
        "figure.constrained_layout.use: True",
        "font.size: 11",
        "axes.titlesize: 11",
        "axes.labelsize: 11",
        "xtick.labelsize: 10",
        "ytick.labelsize: 10",
        "mathtext.fontset: cm",
        "axes.spines.top: False",
        "axes.spines.right: False",
        "axes.grid: False",
        f"text.color: {light['ink']}",
        f"axes.labelcolor: {light['ink']}",
        f"axes.edgecolor: {light['edge']}",
        f"xtick.color: {light['edge']}",
        f"ytick.color: {light['edge']}",
        f"xtick.labelcolor: {light['ink']}",
        f"ytick.labelcolor: {light['ink']}",
        f"hatch.color: {light['masked']}",
        "hatch.linewidth: 0.8",
        "lines.linewidth: 1.8",
        "legend.frameon: False",
        f"axes.prop_cycle: cycler('color', [{cycle}])",
        "svg.fonttype: path",
        "svg.hashsalt: attention",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    here = Path(__file__).parent
    (here / "frontend" / "look.css").write_text(css())
    (here / "book.mplstyle").write_text(mplstyle())
