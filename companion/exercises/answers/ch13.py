"""What the exercises of chapter 13 draw, compute and ask to be written."""

import numpy as np

from companion.exercises.diagnosis import named_fault
from companion.exercises.kinds import edited
from companion.patterns import full
from companion.reference import attention, softmax


def rounded_up(a, b):
    return -(-a // b)


def programs(d, heads=None, up=rounded_up):
    """Programs in the grid of the forward kernel, without splits."""
    return d.batch * (d.heads if heads is None else heads) * up(d.L, d.rows)


def address(d, strides=None):
    """Equation (13.1), in elements, for a tensor in the order (batch, tokens, heads, dim)."""
    h, i, k = d.at
    head, token = strides or (d.D, d.heads * d.D)
    return h * head + i * token + k


def first_overflow(d, limit=2**31):
    """The first batch element whose offset does not fit below ``limit``."""
    return rounded_up(limit, d.heads * d.tokens * d.D)


def tail_weight(d):
    """The weight of a real key, all scores being 0, where the missing keys got the score 0 too."""
    return softmax(np.zeros(d.block))[0]


def weight_to_base_2(d, factor=1.0):
    return softmax(np.log(2) * factor * np.array(d.s))[0]


def allowed(d, order="little", turned=False):
    bits = np.unpackbits(np.array(d.bytes[::-1] if turned else d.bytes, np.uint8), bitorder=order)
    return set(np.nonzero(bits)[0].tolist())


def key_heads(d):
    return np.arange(d.Hq) // (d.Hq // d.Hkv)


def last_share(d, share=rounded_up):
    """Blocks of the last split that has any number of them, by the lines of the kernel."""
    size = share(d.blocks, d.splits)
    begin = (d.splits - 1) * size
    return max(0, min(begin + size, d.blocks) - begin)


def heads_of_tokens(rng, size):
    """One head while small, on the device where kernels run here."""
    import torch

    from companion.device import device

    heads = 1 if size < 20 else 2
    made = rng.normal(size=(3, 1, heads, size, 16))
    return tuple(torch.tensor(2 * x, dtype=torch.float32, device=device()) for x in made)


def full_reference(query, key, value):
    import torch

    tokens = query.shape[-2]
    mask = np.ones((tokens, tokens), bool)
    right = attention(*(x.double().cpu().numpy() for x in (query, key, value)), mask)
    return torch.tensor(right, dtype=torch.float32)


def of_any_width(function):
    """``function``, which takes heads of 16 numbers in float32, for those of fewer: padded with zeros."""

    def call(query, key, value):
        from torch.nn.functional import pad

        from companion.device import device

        given = (pad(x.float(), (0, 16 - x.shape[-1])).to(device()) for x in (query, key, value))
        query_16, key_16, value_16 = given
        out = function(query_16 * (16 / query.shape[-1]) ** 0.5, key_16, value_16)
        return out[..., : value.shape[-1]].to(query)

    return call


def named_by_clinic(function):
    """What the clinic says of it, where every token reads all."""
    return named_fault(
        of_any_width(function), full(), style="qkv", layout="BHLD", kind="torch",
        lengths=(1, 2, 3, 5, 17, 33),
        skip=("decoding", "determinism", "dtypes", "gradient", "grouped heads", "head width", "outside G",
              "scores", "strides", "value width"),
    )  # fmt: skip


MEND_CODE = '''
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(query, key, value, out, scale, L, TILE: tl.constexpr, D: tl.constexpr):
    """One tile of queries of one head; tokens lie D apart, heads L * D."""
    head = tl.program_id(1).to(tl.int64) * L * D
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    d = tl.arange(0, D)[None, :]
    mine = head + i[:, None] * D + d
    q = tl.load(query + mine, (i < L)[:, None], other=0.0)
    m = tl.full([TILE], float("-inf"), tl.float32)
    l = tl.full([TILE], 0.0, tl.float32)
    u = tl.full([TILE, D], 0.0, tl.float32)
    for left in range(0, L, TILE):
        j = left + tl.arange(0, TILE)
        theirs = head + j[:, None] * D + d
        k = tl.load(key + theirs, (j < L)[:, None], other=0.0)
        v = tl.load(value + theirs, (j < L)[:, None], other=0.0)
        s = tl.dot(q, k.T, input_precision="ieee") * (scale * 1.4426950408889634)
        s = tl.where((j < L)[None, :], s, float("-inf"))
        new_m = tl.maximum(m, tl.max(s, 1))
        c, p = tl.exp2(m - new_m), tl.exp2(s - new_m[:, None])
        l = c * l + tl.sum(p, 1)
        u = c[:, None] * u + tl.dot(p, v, input_precision="ieee")
        m = new_m
    tl.store(out + mine, u / l[:, None], (i < L)[:, None])


def mended(query, key, value):
    query, key, value = (x.contiguous() for x in (query, key, value))
    B, heads, L, D = query.shape
    out = torch.empty_like(query)
    grid = triton.cdiv(L, 16), B * heads
    kernel[grid](query, key, value, out, D**-0.5, L, TILE=16, D=D)
    return out
'''

NO_LIMIT = ('        s = tl.where((j < L)[None, :], s, float("-inf"))\n', "")
BASE_TWO = (" * (scale * 1.4426950408889634)", " * scale")
NO_FACTOR = ("u = c[:, None] * u", "u = u")
MEND_STUB = edited(
    MEND_CODE, NO_LIMIT, BASE_TWO, NO_FACTOR,
    (
        "    query, key, value = (x.contiguous()",
        '    """Every token reads all: (batch, heads, tokens, 16), float32, to the same."""\n'
        "    raise NotImplementedError  # mend the kernel above, then delete this line\n"
        "    query, key, value = (x.contiguous()",
    ),
)  # fmt: skip
