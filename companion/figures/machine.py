"""The figure of the page on the rest of the machine: one layer and the stream it writes to."""

from matplotlib.patches import FancyBboxPatch

from companion.figures.base import INK, Figure, canvas
from companion.figures.plane import arrow

__all__ = ["stream"]

STREAM, BRANCH = 0.5, 1.75  # heights of the two lines
HALF = {"embed": 0.55, "attention": 0.62, "MLP": 0.55, "norm": 0.42, "unembed": 0.62}


def stream() -> Figure:
    """Embedding, one layer (attention, then MLP), norm and unembedding along the residual stream."""
    with canvas(6.9, 2.1) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        axes.set(xlim=(-0.1, 11), ylim=(-0.35, 2.75))
        axes.set_axis_off()
        for tail, head in ((0.35, 0.7), (1.8, 8.13), (8.97, 9.33), (10.57, 10.95)):
            arrow(axes, (tail, STREAM), (head, STREAM), INK["ink"], width=2.4)
        axes.text(0.3, STREAM, "$t$", ha="right", va="center")
        for centre, name in ((1.25, "embed"), (8.55, "norm"), (9.95, "unembed")):
            box(axes, centre, STREAM, name, INK["edge"])
        layer(axes, 2.2, "attention", INK["q"], "reads other positions")
        layer(axes, 5.1, "MLP", INK["edge"], "reads its own position")
        style = {"ha": "center", "va": "top", "color": INK["muted"]}
        axes.text(4.9, 0.2, "residual stream: one vector a position", **style)
    alt = (
        "A line from left to right, the residual stream. Tokens are embedded into it. Two branches leave it"
        " and come back with a plus sign: norm and attention, which reads other positions, then norm and MLP,"
        " which reads its own position. At the end a norm and the unembedding turn each vector into one score"
        " for every token."
    )
    return Figure("stream", alt, drawing)


def layer(axes, start, name, colour, note):
    """A branch that leaves the stream at ``start``, passes a norm and a part, and is added back."""
    centres = start + 0.62, start + 1.82
    axes.plot([start, start, centres[0]], [STREAM, BRANCH, BRANCH], color=INK["ink"], linewidth=1.2)
    axes.plot(centres, [BRANCH, BRANCH], color=INK["ink"], linewidth=1.2)
    box(axes, centres[0], BRANCH, "norm", INK["edge"])
    box(axes, centres[1], BRANCH, name, colour)
    end = start + 2.6
    axes.plot([centres[1], end], [BRANCH, BRANCH], color=INK["ink"], linewidth=1.2)
    arrow(axes, (end, BRANCH), (end, STREAM + 0.17), INK["ink"], width=1.2)
    axes.plot(end, STREAM, "o", color=INK["ink"], markerfacecolor=INK["paper"], markersize=13, zorder=4)
    axes.text(end, STREAM, "+", ha="center", va="center_baseline", zorder=5)
    axes.text(centres[1], BRANCH + 0.42, note, ha="center", va="bottom", color=INK["muted"], fontsize=9)


def box(axes, x, y, name, colour):
    half = HALF[name]
    style = {"boxstyle": "round,pad=0,rounding_size=0.08", "facecolor": INK["card"], "edgecolor": colour}
    axes.add_patch(FancyBboxPatch((x - half, y - 0.27), 2 * half, 0.54, linewidth=1.4, zorder=3, **style))
    axes.text(x, y, name, ha="center", va="center", fontsize=9.5, zorder=5)
