"""The scaling plot: seconds over tokens, one line a contestant."""

from pathlib import Path

__all__ = ["plot"]

_LOOK = {  # how a contestant's name begins: its colour's name, its mark
    "companion": ("q", "o"),
    "SDPA, is_causal": ("k", "s"),
    "SDPA, dense mask": ("wrong", "D"),
    "FlexAttention": ("alpha", "^"),
    "local-attention": ("v", "v"),
}


def plot(scaling: list[list], path: Path) -> None:
    """Draws ``[contestant, tokens, seconds]`` to a file whose suffix says the format. Needs matplotlib."""
    import matplotlib.style
    from matplotlib.figure import Figure

    from companion.look import COLOURS

    lines = {}
    for name, tokens, seconds in scaling:
        lines.setdefault(name, []).append((tokens, seconds))
    with matplotlib.style.context(Path(__file__).parent.parent / "book.mplstyle"):
        canvas = Figure(figsize=(7.0, 4.2))
        axes = canvas.add_subplot(xlabel="tokens", ylabel="seconds, forward")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(sorted({tokens for _, tokens, _ in scaling}), minor=False)
        axes.xaxis.set_major_formatter(lambda tokens, _: f"{tokens:.0f}")
        ends = _apart({name: points[-1][1] for name, points in lines.items()})
        for name, points in lines.items():
            colour, mark = next(look for start, look in _LOOK.items() if name.startswith(start))
            axes.plot(*zip(*points, strict=True), marker=mark, color=COLOURS[colour][0])
            axes.annotate(
                name, (points[-1][0], ends[name]), (8, 0), textcoords="offset points", va="center",
                color=COLOURS[colour][0], annotation_clip=False,
            )  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        canvas.savefig(path, facecolor=COLOURS["paper"][0])


def _apart(ends, least=1.35):
    """Heights for the labels at the lines' ends, each at least so many times the one below."""
    placed, last = {}, 0.0
    for name, height in sorted(ends.items(), key=lambda item: item[1]):
        placed[name] = last = max(height, last * least)
    return placed
