"""Compiles the Triton kernels for a Hopper GPU, which need not be there, and prints what came out as JSON.

In a process of its own, without Triton's interpreter: python -m helpers.triton_compile DTYPE DIM
"""

import json
import re
import subprocess
import sys
import tempfile

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler import ASTSource

from companion.backends import launch
from companion.backends import triton as kernels

_KINDS = {"bounds": "*i32", "blocks": "*i32", "which": "*i32", "scale": "fp32"}
_KINDS |= {"lse": "*fp32", "delta": "*fp32"}
_TENSORS = {"query", "key", "value", "out", "grad_out", "grad_query", "grad_key", "grad_value"}
_NAMES = {torch.bfloat16: "*bf16", torch.float16: "*fp16", torch.float32: "*fp32"}


def compiled(kernel, tile, dtype, dim, block=128):
    """``kernel`` compiled as `companion.backends.launch` would launch it on aligned tensors."""
    constants = {"BLOCK": block, "ROWS": tile.rows, "STEP": tile.step, "D": dim, "DV": dim}
    signature, aligned = {}, {}
    kinds = _KINDS | {"masks": f"*i{tile.step}"} | dict.fromkeys(_TENSORS, _NAMES[dtype])
    for place, name in enumerate(kernel.arg_names):
        kind = kinds.get(name, "i32")
        signature[name] = "constexpr" if name in constants else kind
        if kind.startswith("*") or name.endswith(("_batch", "_head", "_token")):
            aligned[(place,)] = [["tt.divisibility", 16]]
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}
    options = {"num_warps": tile.num_warps, "num_stages": tile.num_stages}
    source = ASTSource(kernel, signature, places, aligned)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)


def spilled(ptx):
    """Bytes that a thread stores because its registers do not suffice, as the assembler tells."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [get_ptxas(90).path, "-v", "--gpu-name=sm_90a", "-o", "/dev/null", file.name]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return int(re.search(r"(\d+) bytes spill stores", told)[1])


if __name__ == "__main__":
    dtype, dim = getattr(torch, sys.argv[1]), int(sys.argv[2])
    like, found = torch.empty(1, 1, 1, dim, dtype=dtype), {}
    for name, which in (("attend", 0), ("pull_queries", 1), ("pull_keys", 1)):
        tile = launch._tile(which, 4096, like, like, 128)
        binary = compiled(getattr(kernels, name), tile, dtype, dim)
        ptx = binary.asm["ptx"]
        found[name] = {
            "shared": binary.metadata.shared,
            "spilled": spilled(ptx),
            "matrix units": "wgmma" in ptx,
            "tf32": "tf32" in ptx,
            "asynchronous copies": "cp.async" in ptx,
            "atomics": "atom." in ptx or "red." in ptx.replace("shared.", ""),
        }
    print(json.dumps(found))
