"""What chapter 13 shows of a kernel: source, addresses of a tile, walk over blocks, order of programs."""

import heapq
import inspect
import textwrap
from collections.abc import Callable, Sequence

from matplotlib.patches import Rectangle

from companion.figures.base import INK, Figure, canvas
from companion.figures.matrices import bare
from companion.patterns import Pattern

__all__ = ["Listing", "addresses", "listing", "shifts", "walk"]


class Listing:
    """Some lines of a source file: highlighted on a page, numbered as in the file elsewhere."""

    def __init__(self, text: str, number: int):
        self.text = text
        self.number = number

    def __repr__(self):
        lines = enumerate(self.text.split("\n"), self.number)
        return "\n".join(f"{number:4}  {line}".rstrip() for number, line in lines)

    def _repr_markdown_(self):
        return f"```python\n{self.text}\n```"


def listing(function: Callable, first: str = "", stop: str | None = None) -> Listing:
    """The source of ``function`` from the line that begins with ``first`` up to the one with ``stop``.

    Spaces in front do not count. A kernel made by ``triton.jit`` will do. Without ``first`` it starts at the
    decorator, without ``stop`` it goes to the end. ValueError where not exactly one line begins so.
    """
    lines, number = inspect.getsourcelines(getattr(function, "fn", function))

    def place(name, start):
        found = [n for n, line in enumerate(lines) if line.strip().startswith(start)]
        if len(found) != 1:
            raise ValueError(f"{name} must begin one line of the source, {start!r} begins {len(found)}")
        return found[0]

    begin = place("first", first) if first else 0
    end = place("stop", stop) if stop else len(lines)
    if begin >= end:
        raise ValueError(f"stop must come after first, {stop!r} comes before {first!r}")
    return Listing(textwrap.dedent("".join(lines[begin:end])).rstrip(), number + begin)


def addresses(heads: int, tokens: int, dim: int, rows: int, head: int, tile: int) -> Figure:
    """The vectors that a tile of ``rows`` points to, in two orders of memory, each vector with its address.

    The tensor is ``(heads, tokens, dim)``; ``head`` and ``tile`` say which tile. Rows past the last token are
    masked. ValueError where there is no such head or tile.
    """
    if not (0 <= head < heads and 0 <= tile * rows < tokens):
        raise ValueError(f"head and tile must exist, got {head} of {heads}, {tile} of {tokens} tokens")
    wanted = range(tile * rows, tile * rows + rows)
    layouts = {
        "heads first": lambda h, i: h * tokens + i,
        "tokens first": lambda h, i: i * heads + h,
    }
    count, told = heads * tokens, []
    last = max(place(head, wanted[-1]) for place in layouts.values())
    width = max(count, last + 1)
    with canvas(6.9, 2.6) as drawing:
        axes = drawing.add_subplot()
        for strip, (name, place) in enumerate(layouts.items()):
            top = 3.4 * strip
            read = [place(head, i) for i in wanted if i < tokens]
            masked = [place(head, i) for i in wanted if i >= tokens]
            owner = {place(h, i): (h, i) for h in range(heads) for i in range(tokens)}
            for at in range(width):
                style = {"facecolor": "none", "edgecolor": INK["edge"], "linewidth": 0.8}
                if at in read:
                    style["facecolor"] = INK["q"]
                if at in masked:
                    style |= {"hatch": "////", "edgecolor": INK["masked"]}
                if at in owner or at in masked:
                    axes.add_patch(Rectangle((at, top), 1, 1, **style))
                if at in owner:
                    colour = INK["paper"] if at in read else INK["muted"]
                    box = {"facecolor": INK["paper"], "edgecolor": "none", "pad": 1} if at in masked else None
                    label = "{},{}".format(*owner[at])
                    axes.text(at + 0.5, top + 0.5, label, ha="center", va="center", fontsize=8, color=colour,
                              bbox=box)  # fmt: skip
                if at in read or at in masked:
                    axes.text(at + 0.5, top + 1.1, f"{at * dim}", ha="center", va="top", fontsize=8)
            axes.text(0, top - 0.15, name, ha="left", va="bottom", fontsize=10)
            axes.plot([count, count], [top - 0.35, top + 1.5], color=INK["ink"], linewidth=1.4)
            axes.text(count + 0.1, top - 0.15, "end", ha="left", va="bottom", fontsize=9, color=INK["muted"])
            ours = sum(at in owner for at in masked)
            told.append(
                f"{name}: read are the addresses {numbers(read, dim)}, masked {numbers(masked, dim)},"
                f" of which {ours} belong to other heads or tokens and {len(masked) - ours} lie past the end"
            )
        bare(axes, (-0.1, width + 0.1), (5.2, -0.9))
    alt = (
        f"Two strips of memory with the {count} vectors of {heads} heads by {tokens} tokens, each named by"
        f" head and token. The tile of {rows} rows from token {wanted[0]} of head {head} is marked: rows that"
        f" exist are solid, masked rows hatched. {'; '.join(told)}. A line marks the end of the tensor."
    )
    return Figure("addresses", alt, drawing)


def numbers(vectors, dim):
    return ", ".join(str(at * dim) for at in vectors) or "none"


def walk(pattern: Pattern, L: int, size: int) -> Figure:
    """Which blocks of ``size`` each program reads, in which order: full ones first, then under a mask.

    One program a row of blocks; program 0 has the last one. ``pattern`` holds for any head.
    """
    layout = pattern.layout(L, block_size=size)
    count, told = layout.query_blocks, []
    with canvas(0.5 * (layout.key_blocks + 3), 0.5 * (count + 1)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for row in range(count):
            listed = [(b, True) for b in layout.full(row)] + [(b, False) for b in layout.partial(row)]
            for order, (block, full) in enumerate(listed, start=1):
                style = {"facecolor": INK["alpha"]} if full else {"facecolor": "none", "hatch": "////"}
                axes.add_patch(Rectangle((block, row), 1, 1, edgecolor=INK["masked"], linewidth=0, **style))
                box = {"facecolor": INK["alpha" if full else "paper"], "edgecolor": "none", "pad": 1.5}
                colour = INK["paper" if full else "ink"]
                axes.text(block + 0.5, row + 0.52, str(order), ha="center", va="center", fontsize=9,
                          color=colour, bbox=box)  # fmt: skip
            program = count - 1 - row
            beside = {"ha": "right", "va": "center", "fontsize": 9, "color": INK["q"]}
            axes.text(-0.2, row + 0.5, f"program {program}", **beside)
            told.append(f"program {program} reads {', '.join(str(block) for block, _ in listed)}")
        for cut in range(count + 1):
            axes.plot([0, layout.key_blocks], [cut, cut], color=INK["edge"], linewidth=0.8)
        for cut in range(layout.key_blocks + 1):
            axes.plot([cut, cut], [0, count], color=INK["edge"], linewidth=0.8)
            if cut < layout.key_blocks:
                axes.text(cut + 0.5, -0.12, str(cut), ha="center", va="bottom", fontsize=9, color=INK["k"])
        bare(axes, (-2.6, layout.key_blocks + 0.2), (count + 0.2, -0.8))
    alt = (
        f"A grid of {count} rows of query blocks by {layout.key_blocks} columns of key blocks, for {pattern}"
        f" over {L} tokens in blocks of {size}. Full blocks are solid, blocks under a mask hatched, and each"
        f" bears the place at which it is read, full ones first: {'; '.join(reversed(told))}."
    )
    return Figure("walk", alt, drawing)


def shifts(costs: Sequence[float], processors: int) -> Figure:
    """Programs of the given costs on ``processors`` that each take the next one when free, in both orders.

    ``costs``: in the order of the tiles, at least one; ``processors``: 1 or more; ValueError otherwise.
    """
    if not len(costs) or processors < 1:
        raise ValueError(f"costs and processors must not be empty, got {list(costs)} and {processors}")
    orders = {"first rows first": list(enumerate(costs)), "last rows first": list(enumerate(costs))[::-1]}
    plans = {name: list(plan(order, processors)) for name, order in orders.items()}
    longest = max(end for jobs in plans.values() for _, _, _, end in jobs)
    told = []
    with canvas(6.8, 0.36 * processors + 0.9) as drawing:
        panels = drawing.subplots(1, 2, sharey=True)
        for axes, (name, jobs) in zip(panels, plans.items(), strict=True):
            end = max(end for _, _, _, end in jobs)
            for processor, tile, start, stop in jobs:
                style = {"facecolor": "none", "edgecolor": INK["q"], "linewidth": 1.2}
                axes.add_patch(Rectangle((start, processor + 0.1), stop - start, 0.8, **style))
                middle = (start + stop) / 2, processor + 0.5
                axes.text(*middle, str(tile), ha="center", va="center", fontsize=8)
            axes.plot([end, end], [0, processors], color=INK["ink"], linestyle=(0, (4, 3)), linewidth=1.2)
            axes.set_title(f"{name}: done at {end:g}", fontsize=10)
            axes.set(xlim=(0, longest * 1.03), ylim=(processors, 0), yticks=[])
            axes.spines["left"].set_visible(False)
            axes.set_xlabel("time, in blocks")
            told.append(f"{name}, done at {end:g}")
    alt = (
        f"Two charts of {processors} processors that work through {len(costs)} tiles of"
        f" {', '.join(f'{cost:g}' for cost in costs)} blocks, a bar a tile, a lane a processor:"
        f" {'; '.join(told)}."
    )
    return Figure("shifts", alt, drawing)


def plan(order, processors):
    """Each job's processor, name, start and end, if a processor that is free takes the next one."""
    free = [(0.0, processor) for processor in range(processors)]
    for name, cost in order:
        start, processor = heapq.heappop(free)
        heapq.heappush(free, (start + cost, processor))
        yield processor, name, start, start + cost
