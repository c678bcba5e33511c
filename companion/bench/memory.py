"""How memory is measured: the highest mark of a fresh process, above where it stood before the call.

On a CPU the mark is the resident set's, VmHWM of Linux's /proc/self/status, which counts every library's
buffers, not only tensors, to within some hundred kilobytes. On a CUDA device it is that of torch's allocator.
"""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch

from companion.bench.contestants import ours, problem
from companion.bench.settings import Settings
from companion.patterns import Pattern

__all__ = ["attending", "blocking", "laying_out", "peak_bytes", "reason"]

_STATUS = Path("/proc/self/status")
_SMALL = 512  # tokens of the call that loads what a first call loads


def reason(device: str) -> str | None:
    """Why memory cannot be measured here, or None."""
    if device == "cpu" and not _STATUS.exists():
        return "peak memory is read from Linux's /proc, and there is none"
    return None


def peak_bytes(setup: Callable[..., Callable[[], object]], *arguments, device: str = "cpu") -> int:
    """Bytes by which the call that ``setup(*arguments)`` returns raises the peak, in a fresh process.

    ``setup`` must be a function of a module, and what it allocates itself is not counted.
    """
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh) as process:
        return process.submit(_peak, device, torch.get_num_threads(), setup, arguments).result()


def attending(settings: Settings, pattern: Pattern, tokens: int, backward: bool) -> Callable[[], object]:
    """A call of this package's attention, its plan included."""
    ours(problem(settings, pattern, _SMALL, backward=backward)).prepare()()
    contestant = ours(problem(settings, pattern, tokens, backward=backward))
    return lambda: contestant.prepare()()


def laying_out(pattern: Pattern, tokens: int, block_size: int) -> Callable[[], object]:
    """A call that builds a layout."""
    pattern.layout(_SMALL, block_size=block_size)
    return lambda: pattern.layout(tokens, block_size=block_size)


def blocking(pattern: Pattern, tokens: int, block_size: int) -> Callable[[], object]:
    """A call of FlexAttention's create_block_mask."""
    from torch.nn.attention.flex_attention import create_block_mask

    def call(tokens):
        return create_block_mask(pattern, None, None, tokens, tokens, "cpu", BLOCK_SIZE=block_size)

    call(_SMALL)
    return lambda: call(tokens)


def _peak(device, threads, setup, arguments):
    torch.set_num_threads(threads)
    call = setup(*arguments)
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        return torch.cuda.max_memory_allocated() - before
    Path("/proc/self/clear_refs").write_text("5")  # the mark falls to where the process stands
    before = _kilobytes("VmRSS")
    call()
    return 1024 * (_kilobytes("VmHWM") - before)


def _kilobytes(field):
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
