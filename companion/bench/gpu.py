"""The table on a GPU: the Triton kernels against compiled FlexAttention and PyTorch's own attention.

A block-sparse kernel takes t = t0 + density x t_dense: t0 however little it visits, and t_dense for visiting
all L x L pairs. So a speed-up is measured, and never read off a density.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from companion.backends.lists import block_size
from companion.bench.cases import Case, Tick
from companion.bench.contestants import FLEX_LAYOUT, SDPA, by_layout, ours, problem, sdpa_causal, sdpa_kernels
from companion.bench.measure import Timing, measure
from companion.bench.report import AT_LEAST, Row
from companion.bench.rows import aimed, best_of, speedup, speedups, spent
from companion.bench.settings import Settings
from companion.patterns import Pattern, causal, sinks, sliding_window, strided

__all__ = ["Measurement", "cases", "fit", "measurements", "points"]

_OURS = "companion, triton"


@dataclass(frozen=True)
class Measurement:
    """One pattern at one length, forward or forward + backward.

    ``batch`` keeps the number of tokens the same at all lengths. ``peers``: against others too.
    """

    pattern: Pattern
    tokens: int
    batch: int
    backward: bool
    peers: bool = True

    @property
    def what(self) -> str:
        return "forward + backward" if self.backward else "forward"

    @property
    def dense(self) -> bool:
        return self.pattern == causal()

    @property
    def visited(self) -> float:
        """Pairs in the blocks that the kernels visit, over L x L."""
        size = block_size(self.pattern, self.tokens, self.tokens, 0)
        return self.pattern.layout(self.tokens, block_size=size).density

    def __str__(self):
        return f"{self.what}, {self.pattern}, L = {self.tokens}"

    def times(self, settings: Settings, tick: Tick = lambda name: None) -> dict[str, Timing]:
        """By "companion", "flex" and "sdpa", each its fastest way; who has no part in it is left out."""
        given = problem(
            replace(settings, batch=self.batch), self.pattern, self.tokens, backward=self.backward
        )
        contestants = [ours(given, "triton")]
        if self.peers:
            contestants += [] if self.dense else [by_layout(given, settings.flex_blocks[0])]
            contestants += [sdpa_causal(given), *sdpa_kernels(given)]
        times = measure(contestants, settings.repeats, tick=tick)
        named = {"companion": _OURS, "flex": FLEX_LAYOUT, "sdpa": SDPA}
        folded = {key: best_of(times, name) for key, name in named.items()}
        return {key: timing for key, timing in folded.items() if timing is not None}


def measurements(settings: Settings) -> list[Measurement]:
    """What is measured, what matters most first; at the end the points of the fit."""
    window, L = sliding_window(settings.window), settings.tokens
    several = window | sinks(4) | strided(settings.window)
    asked = [(window, L), (causal(), L), (several, L), (window, settings.long_tokens)]
    asked = [(pattern, tokens, True) for pattern, tokens in asked]
    asked += [(sliding_window(w), L, False) for w in settings.fit_windows]
    return [
        Measurement(pattern, tokens, max(1, settings.batch * L // tokens), backward, peers)
        for pattern, tokens, peers in asked
        for backward in (False, True)
    ]


def points(found: Sequence[tuple[Measurement, float]], tokens: int, backward: bool) -> list[tuple]:
    """(density of what is visited, seconds) of our own times at one length."""
    return [(m.visited, t) for m, t in found if (m.tokens, m.backward) == (tokens, backward)]


def fit(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """t0 and t_dense, in seconds, of the line through points (density, seconds): least relative squares.

    ValueError if there are not two densities.
    """
    density, seconds = np.array(found, float).reshape(-1, 2).T
    if len(set(density)) < 2:
        raise ValueError(f"found must hold two densities at least; got {sorted(set(density))}")
    line = np.stack([1 / seconds, density / seconds], axis=1)
    t0, t_dense = np.linalg.lstsq(line, np.ones(len(seconds)), rcond=None)[0]
    return float(t0), float(t_dense)


def cases(settings: Settings) -> list[Case]:
    """The rows of the table: each measurement, then the two fits, of whatever was measured before them."""
    own: list[tuple[Measurement, float]] = []
    fits = [
        Case(f"fit, {'forward + backward' if backward else 'forward'}", partial(_fitted, own, backward))
        for backward in (False, True)
    ]
    return [Case(str(one), partial(_rows, one, own)) for one in measurements(settings)] + fits


def _rows(measurement, own, settings, tick):
    times = measurement.times(settings, tick)
    mine = times["companion"]
    own.append((measurement, mine.seconds))
    what = f"{measurement}, density {measurement.pattern.density(measurement.tokens):.3f}"
    if not measurement.peers:
        return [Row(what, _OURS, **spent(mine))]
    against = "sdpa" if measurement.dense else "flex"
    first, *others = speedups(what, times, against)
    rows = [aimed(first, settings, AT_LEAST, 0.7 if measurement.dense else 1), *others]
    return rows if measurement.dense else [*rows, speedup(what, "companion", mine, "sdpa", times["sdpa"])]


def _fitted(own, backward, settings, tick):
    tick("fit")
    t0, t_dense = fit(points(own, settings.tokens, backward))
    what = f"{'forward + backward' if backward else 'forward'}, L = {settings.tokens}, t0 + density x t_dense"
    return [Row(what, "t0", t0, "s"), Row(what, "t_dense", t_dense, "s")]
