"""What the table measures on a CPU, and what is to be reached: on two threads, in float32."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from torch.nn.attention.flex_attention import create_block_mask

from companion.bench import memory
from companion.bench.contestants import (
    Contestant,
    Problem,
    by_flex,
    local,
    ours,
    problem,
    sdpa_causal,
    sdpa_mask,
)
from companion.bench.measure import measure
from companion.bench.report import AT_LEAST, AT_MOST, Row
from companion.bench.rows import FLEX, aimed, best_flex, named, speedup, speedups, spent
from companion.bench.settings import Settings
from companion.bench.zoo import zoo
from companion.patterns import Pattern, sinks, sliding_window

__all__ = ["Case", "Tick", "cases", "scaling"]

_FEW = 3  # repetitions of what takes seconds
_BLOCK = 64
_DENSITY, _WASTE = 0.1, 2.0  # above either, a pattern has no target
Tick = Callable[[str], None]


class Case(NamedTuple):
    """A measurement: its name, and what makes its rows, told whose turn it is through a `Tick`."""

    name: str
    rows: Callable[[Settings, Tick], list[Row]]


def cases(settings: Settings) -> list[Case]:
    """All measurements of the table, in its order."""
    fixed = [
        Case("forward", _forward),
        Case("forward + backward", _backward),
        Case("growth", _growth),
        Case("layout", _layout),
        Case("long", _long),
    ]
    return fixed + [
        Case(name, partial(_pattern, name=name, pattern=pattern))
        for name, pattern in zoo(settings.tokens, settings.window).items()
    ]


def _forward(settings, tick):
    given = problem(settings, sliding_window(settings.window), settings.tokens)
    peers = [sdpa_causal(given), sdpa_mask(given), *_flexes(given, settings.flex_blocks), local(given)]
    auto = ours(given)
    times = best_flex(measure([ours(given, "blocks"), auto, *peers], settings.repeats, tick=tick))
    what = f"forward, window {settings.window}, L = {settings.tokens}"
    first, *others = speedups(what, times, named(times, "SDPA, is_causal"))
    flex = named(times, FLEX)
    last = speedup(what, auto.name, times[auto.name], flex, times[flex])
    return [aimed(first, settings, AT_LEAST, 8), *others, aimed(last, settings, AT_LEAST, 0.95)]


def _backward(settings, tick):
    given = problem(settings, sliding_window(settings.window), settings.tokens, backward=True)
    peers = [sdpa_causal(given), sdpa_mask(given), *_flexes(given, settings.flex_blocks), local(given)]
    times = best_flex(measure([ours(given), *peers], settings.repeats, tick=tick))
    what = f"forward + backward, window {settings.window}, L = {settings.tokens}"
    first, *others = speedups(what, times, named(times, "SDPA, is_causal"))
    return [aimed(first, settings, AT_LEAST, 9), *others]


def _growth(settings, tick):
    pattern, lengths = sliding_window(settings.window), (settings.tokens, 2 * settings.tokens)
    pair = [ours(problem(settings, pattern, L, backward=True)) for L in lengths]
    name = pair[0].name
    apart = [replace(one, name=f"L = {L}", exact=False) for one, L in zip(pair, lengths, strict=True)]
    short, long = measure(apart, settings.repeats, tick=tick).values()
    what = f"forward + backward, L = {lengths[0]} to {lengths[1]}"
    against = f"L = {lengths[0]}"
    in_time = Row(f"{what}, time", name, long.seconds / short.seconds, against=against, **spent(long))
    in_memory = Row(f"{what}, memory", name, against=against, note=memory.reason(settings.device) or "")
    if not in_memory.note:
        tick("memory")
        small, large = (
            memory.peak_bytes(memory.attending, settings, pattern, L, True, device=settings.device)
            for L in lengths
        )
        in_memory = replace(
            in_memory, reached=large / small, megabytes=large / 1e6, note="peak above the inputs"
        )
    return [aimed(in_time, settings, AT_MOST, 2.3), aimed(in_memory, settings, AT_MOST, 2.2)]


def _layout(settings, tick):
    pattern, few = sliding_window(settings.layout_window) | sinks(4), settings.mask_tokens
    makers = {
        "companion, layout": (pattern.layout, memory.laying_out, settings.long_tokens),
        "FlexAttention, create_block_mask": (partial(_block_mask, pattern), memory.blocking, few),
    }
    contestants = [
        Contestant(name, lambda run=partial(make, L, block_size=_BLOCK): run, prepares=False, exact=False)
        for name, (make, _, L) in makers.items()
    ]
    times = measure(contestants, _FEW, tick=tick)
    rows = []
    for name, (_, setup, L) in makers.items():
        what = f"layout, {pattern}, L = {L}"
        rows.append(Row(f"{what}, time", name, times[name].seconds, "s", **spent(times[name])))
        row = Row(f"{what}, memory", name, unit="MB", note=memory.reason("cpu") or "")
        if not row.note:
            tick(f"{name}, memory")
            used = memory.peak_bytes(setup, pattern, L, _BLOCK) / 1e6
            row = replace(row, reached=used, megabytes=used, note="peak of the process above its inputs")
        rows.append(row)
    rows[2] = replace(rows[2], note="it builds the dense mask first, hence the smaller L")
    return [aimed(rows[0], settings, AT_MOST, 0.2), aimed(rows[1], settings, AT_MOST, 50), *rows[2:]]


def _long(settings, tick):
    pattern, L = sliding_window(settings.window), settings.long_tokens
    contestant = ours(given := problem(settings, pattern, L))
    timing = measure([contestant], _FEW, tick=tick)[contestant.name]
    row = Row(f"forward, window {settings.window}, L = {L}", contestant.name, unit="MB", **spent(timing))
    if why := memory.reason(settings.device):
        return [replace(row, note=why)]
    tick("memory")
    peak = memory.peak_bytes(memory.attending, settings, pattern, L, False, device=settings.device)
    above = (peak - given.value.nbytes) / 1e6  # the output is as large as the values
    row = replace(row, reached=above, megabytes=peak / 1e6, note="reached: peak above inputs and output")
    return [aimed(row, settings, AT_MOST, 500)]


def _pattern(settings, tick, name, pattern):
    L = settings.tokens
    given = problem(settings, pattern, L)
    peers = [sdpa_mask(given), sdpa_causal(given), *_flexes(given, settings.pattern_flex_blocks)]
    times = best_flex(measure([ours(given), *peers], settings.repeats, tick=tick))
    pairs, density = pattern.pairs(L), pattern.density(L)
    waste = pattern.layout(L, block_size=_BLOCK).pairs_bound / pairs
    what = f"forward, {name}, density {density:.3f}, L = {L}"
    first, *others = speedups(what, times, named(times, "SDPA, dense mask"), waste=waste)
    if density > _DENSITY:
        first = replace(first, note=f"no target: density above {_DENSITY}")
    elif waste > _WASTE:
        first = replace(first, note=f"no target: blocks hold more than {_WASTE:g} times the pattern's pairs")
    else:
        first = aimed(first, settings, AT_LEAST, 3)
    return [first, *others]


def scaling(settings: Settings, block_size: int, tick: Tick) -> list[list]:
    """Seconds of a forward pass under the window at several lengths: ``[contestant, tokens, seconds]``.

    FlexAttention has one block size here. Who cannot take part is left out.
    """
    found = []
    for L in settings.scaling:
        given = problem(settings, sliding_window(settings.window), L)
        contestants = [
            ours(given), sdpa_causal(given), sdpa_mask(given), by_flex(given, block_size), local(given),
        ]  # fmt: skip
        times = measure(contestants, _FEW, tick=lambda name, L=L: tick(f"L = {L}, {name}"))
        found += [[name, L, timing.seconds] for name, timing in times.items() if timing.seconds is not None]
    return found


def _flexes(given: Problem, block_sizes: tuple[int, ...]) -> list[Contestant]:
    return [by_flex(given, block_size) for block_size in block_sizes]


def _block_mask(pattern: Pattern, tokens: int, *, block_size: int):
    return create_block_mask(pattern, None, None, tokens, tokens, "cpu", BLOCK_SIZE=block_size)
