"""Compiles the Triton kernels for a Hopper GPU, which need not be there, and prints what came out as JSON.

In a process of its own, without Triton's interpreter: python -m helpers.triton_compile DTYPE DIM ONE_HEAD
"""

import json
import sys

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from companion.backends import launch
from companion.backends import triton as kernels

_KINDS = {"bounds": "*i32", "blocks": "*i32", "which": "*i32", "masks": "*u8", "scale": "fp32"}
_KINDS |= {"lse": "*fp32", "delta": "*fp32"}
_TENSORS = {"query", "key", "value", "out", "grad_out", "grad_query", "grad_key", "grad_value"}
_NAMES = {torch.bfloat16: "*bf16", torch.float16: "*fp16", torch.float32: "*fp32"}


def compiled(kernel, tile, dtype, dim, one_head, block=128):
    """``kernel`` compiled as `companion.backends.launch` would launch it on aligned tensors.

    A number that is 1 is compiled in: with ``one_head`` those are the counts of one token and one head.
    """
    constants = {"BLOCK": block, "ROWS": tile.rows, "STEP": tile.step, "D": dim, "DV": dim}
    constants |= dict.fromkeys(("L", "S", "heads", "group", "layout_heads") if one_head else (), 1)
    signature, aligned = {}, {}
    for place, name in enumerate(kernel.arg_names):
        kind = _KINDS.get(name, _NAMES[dtype] if name in _TENSORS else "i32")
        signature[name] = "constexpr" if name in constants else kind
        if kind.startswith("*") or name.endswith(("_batch", "_head", "_token")):
            aligned[(place,)] = [["tt.divisibility", 16]]
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    options = {"num_warps": tile.num_warps, "num_stages": tile.num_stages}
    source = ASTSource(kernel, signature, places, aligned)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)


if __name__ == "__main__":
    dtype, dim, one_head = getattr(torch, sys.argv[1]), int(sys.argv[2]), bool(int(sys.argv[3]))
    like, found = torch.empty(1, 1, 1, dim, dtype=dtype), {}
    for name, which in (("attend", 0), ("pull_queries", 1), ("pull_keys", 1)):
        tile = launch._tile(which, 4096, like, like, 128)
        binary = compiled(getattr(kernels, name), tile, dtype, dim, one_head)
        ptx = binary.asm["ptx"]
        found[name] = {
            "shared": binary.metadata.shared,
            "matrix units": "wgmma" in ptx,
            "tf32": "tf32" in ptx,
            "asynchronous copies": "cp.async" in ptx,
            "atomics": "atom." in ptx or "red." in ptx.replace("shared.", ""),
        }
    print(json.dumps(found))
