"""Who is measured: this package's attention and its peers, on the same tensors, under the same pattern."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

from companion.attention import attention, choose
from companion.backends import flex
from companion.backends.plan import plan
from companion.bench.settings import Settings
from companion.patterns import Pattern, sliding_window

__all__ = [
    "FLEX_LAYOUT",
    "SDPA",
    "Contestant",
    "Problem",
    "by_flex",
    "by_layout",
    "local",
    "missing",
    "ours",
    "problem",
    "sdpa_causal",
    "sdpa_kernels",
    "sdpa_mask",
]

FLEX_LAYOUT = "FlexAttention, our layout"
SDPA = "SDPA, "  # how the names of its contestants begin
Call = Callable[[], tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class Problem:
    """Query, key and value (B, H, L, D), a pattern, and whether gradients are asked for too."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    pattern: Pattern
    backward: bool

    @property
    def tokens(self) -> int:
        return self.query.shape[2]

    def call(self, attend: Callable[..., torch.Tensor]) -> Call:
        """``attend(query, key, value)`` made a call that returns (out,), or the three gradients."""
        inputs = self.query, self.key, self.value
        if not self.backward:
            return torch.no_grad()(lambda: (attend(*inputs),))
        pull = torch.ones_like(self.query)
        return lambda: torch.autograd.grad(attend(*inputs), inputs, pull)


def problem(settings: Settings, pattern: Pattern, tokens: int, *, backward: bool = False) -> Problem:
    """Normal random tensors, the same on every run."""
    generator = torch.Generator(settings.device).manual_seed(0)
    shape = settings.batch, settings.heads, tokens, settings.dim
    tensors = [
        torch.randn(shape, generator=generator, device=settings.device).to(getattr(torch, settings.dtype))
        for _ in range(3)
    ]
    return Problem(*(x.requires_grad_(backward) for x in tensors), pattern, backward)


@dataclass(frozen=True)
class Contestant:
    """One way to compute a problem.

    ``prepare()`` does what is done once for a pattern and a length, its mask, layout or plan, and returns the
    call to be timed; it is None for who cannot take part, and then ``absent`` says why. ``prepares``: that
    takes time worth telling. ``compiles``: the first call compiles. ``exact``: it computes the pattern, so
    its results must agree with the others'.
    """

    name: str
    prepare: Callable[[], Call] | None
    absent: str = ""
    prepares: bool = True
    compiles: bool = False
    exact: bool = True


def ours(given: Problem, backend: str = "auto") -> Contestant:
    """This package. What "auto" chooses stands in the name."""
    q, k, v, pattern = given.query, given.key, given.value, given.pattern
    with torch.set_grad_enabled(given.backward):
        chosen = choose(q, k, v, pattern).name if backend == "auto" else backend

    def prepare():
        if chosen == "blocks":
            plan.__wrapped__(pattern, given.tokens, given.tokens, 0)  # anew, whatever is remembered
        return given.call(lambda *inputs: attention(*inputs, pattern, backend=backend))

    name = f"companion, auto: {chosen}" if backend == "auto" else f"companion, {backend}"
    return Contestant(name, prepare, prepares=chosen == "blocks", compiles=chosen in ("flex", "triton"))


def sdpa_causal(given: Problem) -> Contestant:
    """PyTorch's dense attention over the whole left context: another pattern, and the usual baseline."""

    def prepare():
        return given.call(lambda *inputs: scaled_dot_product_attention(*inputs, is_causal=True))

    return Contestant("SDPA, is_causal", prepare, prepares=False, exact=False)


def sdpa_kernels(given: Problem) -> list[Contestant]:
    """The same by each of PyTorch's fused CUDA kernels that can, since it may not choose the fastest."""
    inputs = given.query, given.key, given.value
    if given.query.device.type != "cuda":
        return []
    asked = torch.backends.cuda.SDPAParams(*inputs, None, 0.0, True, False)
    able = {
        SDPBackend.FLASH_ATTENTION: torch.backends.cuda.can_use_flash_attention(asked),
        SDPBackend.CUDNN_ATTENTION: torch.backends.cuda.can_use_cudnn_attention(asked),
    }

    def prepare(backend):
        def attend(*inputs):
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(*inputs, is_causal=True)

        return given.call(attend)

    return [
        Contestant(f"SDPA, {backend.name.lower()}", partial(prepare, backend), prepares=False, exact=False)
        for backend, can in able.items()
        if can
    ]


def sdpa_mask(given: Problem) -> Contestant:
    """PyTorch's attention under the pattern's dense boolean mask."""

    def prepare():
        mask = torch.from_numpy(given.pattern.mask(given.tokens)).to(given.query.device)
        return given.call(lambda *inputs: scaled_dot_product_attention(*inputs, attn_mask=mask))

    return Contestant("SDPA, dense mask", prepare)


def by_flex(given: Problem, block_size: int) -> Contestant:
    """PyTorch's FlexAttention as its users run it: create_block_mask, then the compiled function."""
    L, device = given.tokens, given.query.device
    make = partial(create_block_mask, given.pattern, None, None, L, L, device, BLOCK_SIZE=block_size)
    return _flex(given, f"FlexAttention, block {block_size}", make)


def by_layout(given: Problem, block_size: int) -> Contestant:
    """FlexAttention, compiled, under this package's layout, which builds no dense mask on the way."""

    def make():
        layout = given.pattern.layout(given.tokens, block_size=block_size)
        return layout.to_flex(given.query.device, given.pattern)

    return _flex(given, FLEX_LAYOUT, make)


def _flex(given, name, block_mask):
    with torch.set_grad_enabled(given.backward):
        reason = flex.reason(given.query, given.key, given.value, given.pattern, return_lse=False)
    if reason is not None:
        return Contestant(name, None, reason)
    compiled = torch.compile(flex_attention, dynamic=False)

    def prepare():
        blocks = block_mask()
        return given.call(lambda *inputs: compiled(*inputs, block_mask=blocks))

    return Contestant(name, prepare, compiles=True)


def local(given: Problem) -> Contestant:
    """The local-attention package, with exactly the keys of ``sliding_window(w)``.

    Its exact window of size n holds the query's own key and n before it, n + 1 in all, so n = w - 1; its own
    padding then makes the length a multiple of n.
    """
    if not isinstance(given.pattern, sliding_window) or given.pattern.w < 2:
        return Contestant("local-attention", None, "it has windows of two keys or more, and nothing else")
    if find_spec("local_attention") is None:
        return Contestant("local-attention", None, "the package local-attention is not installed")

    def prepare():
        from local_attention import LocalAttention

        module = LocalAttention(
            window_size=given.pattern.w - 1,
            causal=True,
            exact_windowsize=True,
            autopad=True,
            use_rotary_pos_emb=False,
        )
        return given.call(module)

    return Contestant("local-attention", prepare, prepares=False)


def missing(settings: Settings) -> list[str]:
    """What the table needs and this machine lacks, one sentence each."""
    given = problem(settings, sliding_window(2), 4)
    candidates = [by_flex(given, settings.flex_blocks[0])]
    candidates += [local(given)] if settings.device == "cpu" else []
    return [f"{one.name}: {one.absent}" for one in candidates if one.prepare is None]
