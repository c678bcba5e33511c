"""The figures of chapter 6: calls with a cache, its bytes, and what bounds a decoding step."""

from collections.abc import Sequence

import numpy as np

from companion.cost import cache_bytes
from companion.figures.base import INK, Figure, canvas
from companion.figures.matrices import bare, cell
from companion.patterns import causal, full

__all__ = ["alignments", "bill", "calls", "roofline"]

GIB = 2**30


def calls(lengths: Sequence[int]) -> Figure:
    """One block of rows a call: the new queries, and the keys that come from the cache or are new.

    ``lengths``: how many new tokens each call brings, all at least 1 (ValueError otherwise).
    """
    lengths = [int(length) for length in lengths]
    if not lengths or min(lengths) < 1:
        raise ValueError(f"lengths must hold numbers from 1 up, got {lengths}")
    total, gap = sum(lengths), 1.15
    tall = total + gap * len(lengths)
    with canvas(6.9, 6.9 * (tall + 0.2) / (total + 6.6)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        before, top = 0, gap
        for length in lengths:
            mask = causal().mask(length, before + length, query_offset=before)
            for r, j in np.ndindex(mask.shape):
                cell(axes, j, top + r, hatched=not mask[r, j], fill=INK["alpha"] if mask[r, j] else "none")
            for start, stop, name in ((0, before, "cached"), (before, before + length, "new")):
                if stop > start:
                    bracket(axes, start, stop, top - 0.12, f"{stop - start} {name}")
            for r in range(length):
                axes.text(-0.2, top + r + 0.5, f"$q_{before + r}$", ha="right", va="center", color=INK["q"])
            note = f"{counted(length, 'query', 'queries')}, {counted(before + length, 'key', 'keys')}"
            axes.text(before + length + 0.4, top + length / 2, note, ha="left", va="center")
            before, top = before + length, top + length + gap
        bare(axes, (-1.0, total + 5.6), (tall + 0.1, 0.0))
    told, before = [], 0
    for number, length in enumerate(lengths):
        told.append(f"call {number} brings {length} new and finds {before} cached")
        before += length
    alt = (
        f"Blocks of rows, one a call, one row a new query, one column a key: {'; '.join(told)}. Each query"
        " reads all cached keys and the new ones up to itself; the rest is hatched. Put below each other, the"
        f" blocks are the causal triangle over {total} tokens."
    )
    return Figure("calls", alt, drawing)


def counted(number, one, many):
    return f"{number} {one if number == 1 else many}"


def bracket(axes, start, stop, at, note):
    """A bracket over the columns ``start`` to ``stop``, in the keys' colour, with a note above it."""
    left, right = start + 0.1, stop - 0.1
    axes.plot([left, left, right, right], [at, at - 0.18, at - 0.18, at], color=INK["k"], linewidth=1.4)
    axes.text((left + right) / 2, at - 0.26, note, ha="center", va="bottom", color=INK["k"], fontsize=9)


def alignments(cached: int, new: int) -> Figure:
    """Who reads what when ``new`` queries follow ``cached`` tokens: by flag, without a mask, by offset."""
    L, S = new, cached + new
    panels = {
        "is_causal=True": causal().mask(L, S, query_offset=0),
        "no mask": full().mask(L, S),
        f"query_offset={cached}": causal().mask(L, S, query_offset=cached),
    }
    gap = 1.7
    across = len(panels) * (S + gap) - gap
    with canvas(6.9, 6.9 * (L + 2.4) / (across + 1.4)) as drawing:
        axes = drawing.add_subplot(aspect="equal")
        for panel, (title, mask) in enumerate(panels.items()):
            start = panel * (S + gap)
            for r, j in np.ndindex(mask.shape):
                fill = INK["alpha"] if mask[r, j] else "none"
                cell(axes, start + j, r, hatched=not mask[r, j], fill=fill)
            edge = start + cached
            axes.plot([edge, edge], [-0.1, L + 0.1], color=INK["ink"], linewidth=2)
            for j in range(S):
                axes.text(start + j + 0.5, -0.15, f"$k_{j}$", ha="center", va="bottom", color=INK["k"])
            for r in range(L):
                q = f"$q_{cached + r}$"
                axes.text(start - 0.15, r + 0.5, q, ha="right", va="center", color=INK["q"])
            axes.text(start + S / 2, L + 0.3, title, ha="center", va="top", family="monospace", fontsize=9)
        bare(axes, (-1.2, across + 0.2), (L + 1.3, -1.1))
    told = []
    for title, mask in panels.items():
        reads = (f"q_{cached + r} reads {counted(mask[r].sum(), 'key', 'keys')}" for r in range(L))
        told.append(f"{title}, {', '.join(reads)}")
    alt = (
        f"Three grids, {L} queries by {S} keys, a thick line after the {cached} cached keys: {'; '.join(told)}."
        " The first hides the past, the second shows the future, the third is right."
    )
    return Figure("alignments", alt, drawing)


def bill(kv_heads: Sequence[int], *, dim: int, layers: int, memory: float, itemsize: int = 2) -> Figure:
    """Bytes of one sequence's cache against its length, a line for each number of key heads.

    ``memory``: of a device, in bytes, drawn as a level.
    """
    lengths = 2 ** np.arange(10, 21)
    with canvas(6.6, 3.7) as drawing:
        axes = drawing.add_subplot()
        told = []
        for heads in kv_heads:
            size = [
                cache_bytes(int(n), dim, kv_heads=heads, layers=layers, itemsize=itemsize) / GIB
                for n in lengths
            ]
            axes.plot(np.log2(lengths), np.log2(size), color=INK["k"])
            axes.text(20.15, np.log2(size[-1]), counted(heads, "key head", "key heads"), va="center")
            told.append(f"{counted(heads, 'key head', 'key heads')}, {size[3]:g} GiB at {lengths[3]} tokens")
        level = np.log2(memory / GIB)
        axes.plot([10, 20], [level, level], color=INK["edge"], linestyle=(0, (4, 3)))
        axes.text(10, level + 0.15, "memory of the device", ha="left", va="bottom", color=INK["muted"])
        axes.set_xticks(range(10, 21, 2), ["1 Ki", "4 Ki", "16 Ki", "64 Ki", "256 Ki", "1 Mi"])
        axes.set_yticks(range(-6, 10, 3), ["1/64", "1/8", "1", "8", "64", "512"])
        axes.set(xlim=(9.8, 22.2), ylim=(-6.6, 9.6), xlabel="tokens", ylabel="cache, GiB")
    alt = (
        "Straight lines on two logarithmic axes, cache against tokens, each doubling with the length: "
        f"{'; '.join(told)}. A dashed level marks the memory of a device, {memory / GIB:.1f} GiB."
    )
    return Figure("bill", alt, drawing)


def roofline(work: dict[str, float], *, peak_flops: float, bandwidth: float) -> Figure:
    """The most operations a second against operations per byte, and where each piece of work stands.

    ``work``: name -> operations per byte. ``peak_flops`` and ``bandwidth``: operations and bytes a second.
    Source: Williams, Waterman and Patterson 2009.
    """
    ridge = peak_flops / bandwidth
    low, high = 0.5, 8192

    def roof(intensity):
        return min(peak_flops, intensity * bandwidth) / 1e12

    with canvas(6.6, 3.6) as drawing:
        axes = drawing.add_subplot()
        corners = [low, ridge, high]
        axes.plot(np.log2(corners), np.log2([roof(x) for x in corners]), color=INK["ink"])
        floor = np.log2(roof(low)) - 1
        foot = {"color": INK["edge"], "linestyle": (0, (4, 3))}
        axes.plot([np.log2(ridge)] * 2, [floor, np.log2(roof(ridge))], **foot)
        beside = {"color": INK["muted"], "va": "bottom", "fontsize": 9}
        axes.text(np.log2(ridge) - 0.2, floor + 0.1, "bound by bytes", ha="right", **beside)
        axes.text(np.log2(ridge) + 0.2, floor + 0.1, "bound by operations", ha="left", **beside)
        for name, intensity in work.items():
            x, y = np.log2(intensity), np.log2(roof(intensity))
            axes.plot(x, y, "o", color=INK["q"], markersize=7)
            if intensity < ridge / 8:
                axes.text(x + 0.25, y - 0.1, name, ha="left", va="top")
            elif intensity < ridge:  # to the right it would run into the ridge
                axes.text(x - 0.25, y + 0.1, name, ha="right", va="bottom")
            else:
                axes.text(x, y + 0.3, name, ha="center", va="bottom")
        ticks = [1, 4, 16, 64, 256, 1024, 4096]
        axes.set_xticks(np.log2(ticks), [str(tick) for tick in ticks])
        heights = [1, 4, 16, 64, 256]
        axes.set_yticks(np.log2(heights), [str(height) for height in heights])
        axes.set(xlim=(np.log2(low), np.log2(high)), ylim=(floor, np.log2(peak_flops / 1e12) + 1.3))
        axes.set(xlabel="operations per byte", ylabel="Top/s at most")
    told = "; ".join(
        f"{name}, {intensity:.4g} and at most {roof(intensity):.3g} Top/s"
        for name, intensity in work.items()
    )
    alt = (
        "Operations a second at most against operations per byte, both axes logarithmic: a line that rises"
        f" and turns level at {ridge:.0f} operations per byte. On it, with operations per byte: {told}."
    )
    return Figure("roofline", alt, drawing)
