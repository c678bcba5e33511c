"""From timings to rows of the table."""

from dataclasses import replace

from companion.bench.measure import Timing
from companion.bench.report import Row
from companion.bench.settings import Settings

__all__ = ["FLEX", "aimed", "best_flex", "best_of", "named", "speedup", "speedups", "spent"]

FLEX = "FlexAttention, block "  # how the names of its contestants begin


def aimed(row: Row, settings: Settings, sense: str, target: float) -> Row:
    """The row with what is to be reached, if that holds at these settings."""
    return replace(row, sense=sense, target=target) if settings.judged else row


def speedup(what: str, name: str, timing: Timing, against: str, baseline: Timing, **more) -> Row:
    """One row: how many times faster than the baseline, or why that cannot be said."""
    absent = timing.seconds is None or baseline.seconds is None
    return Row(
        what,
        name,
        None if absent else baseline.seconds / timing.seconds,
        against=against,
        note=timing.note or (baseline.note if absent else ""),
        **spent(timing),
        **more,
    )


def speedups(what: str, times: dict[str, Timing], against: str, **more) -> list[Row]:
    """A row for each of the contestants, over one of them."""
    return [speedup(what, name, timing, against, times[against], **more) for name, timing in times.items()]


def spent(timing: Timing) -> dict:
    """The columns of a row that a timing fills."""
    return {"seconds": timing.seconds, "prepare": timing.prepare, "compile": timing.compile}


def best_flex(times: dict[str, Timing]) -> dict[str, Timing]:
    """The same timings with FlexAttention's block sizes folded into one: the fastest, which says the rest."""
    sizes = {name: timing for name, timing in times.items() if name.startswith(FLEX)}
    ran = sorted((name for name in sizes if sizes[name].seconds is not None), key=lambda n: sizes[n].seconds)
    best = next(iter([*ran, *sizes]), None)
    others = [f"{name.removeprefix(FLEX)}: {sizes[name].seconds:.3g} s" for name in ran[1:]]
    folded = {name: timing for name, timing in times.items() if name not in sizes or name == best}
    if others:
        folded[best] = replace(sizes[best], note="block " + ", ".join(others))
    return folded


def best_of(times: dict[str, Timing], start: str) -> Timing | None:
    """The fastest timing of those whose names start so, which says whose it is; None if there are none.

    Where none has run, it says why.
    """
    found = {name: timing for name, timing in times.items() if name.startswith(start)}
    ran = {name: timing.seconds for name, timing in found.items() if timing.seconds is not None}
    if ran:
        name = min(ran, key=ran.get)
        return replace(found[name], note=name)
    return next(iter(found.values()), None)


def named(times: dict[str, Timing], start: str) -> str:
    """The contestant whose name starts so."""
    return next(name for name in times if name.startswith(start))
