"""Compiles the Triton kernels for a Hopper GPU, which need not be there, and prints what came out as JSON.

In a process of its own, without Triton's interpreter: python -m helpers.triton_compile DTYPE DIM BLOCK
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

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


def compiled(kernel, tile, dtype, dim, block):
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


def assembled(ptx):
    """The machine code of a kernel, a line an instruction or label, and what the assembler says of it."""
    with tempfile.TemporaryDirectory() as folder:
        text, binary = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        text.write_text(ptx)
        assembler = Path(get_ptxas(90).path)
        command = [assembler, "-v", "--gpu-name=sm_90a", "-o", binary, text]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        command = [assembler.with_name("nvdisasm"), "-c", binary]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout, told


def loops(code):
    """The instructions of a step of each innermost loop: those between a label and the jump back to it."""
    labels, inner, found = {}, 0, []
    for line in code.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(found)
        elif instruction := re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*);", line):
            found.append(instruction[1])
            jump = re.search(r"\bBRA\b.*`\((\.L_x_\d+)\)", instruction[1])
            start = labels.get(jump[1], -1) if jump else -1
            if inner <= start < len(found) - 1:  # not around another loop, nor the halt behind the end
                yield found[start:]
                inner = len(found)


def spilled(step):
    """How often a step stores or loads what registers do not hold."""
    return sum(bool(re.search(r"\b(LDL|STL)\b", instruction)) for instruction in step)


def in_flight(step):
    """How many groups of copies may still be under way when a step begins its work."""
    waits = (re.search(r"DEPBAR\.LE SB0, (0x[0-9a-f]+)", instruction) for instruction in step)
    return next((int(wait[1], 16) for wait in waits if wait), 0)


if __name__ == "__main__":
    dtype, dim, block = getattr(torch, sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    like, found = torch.empty(1, 1, 1, dim, dtype=dtype), {}
    for which, name in enumerate(("attend", "pull_queries", "pull_keys")):
        tile = launch._tile(which, 4096, like, like, block)
        binary = compiled(getattr(kernels, name), tile, dtype, dim, block)
        ptx = binary.asm["ptx"]
        code, told = assembled(ptx)
        found[name] = {
            "shared": binary.metadata.shared,
            "spilled": [spilled(step) for step in loops(code)],
            "in flight": [in_flight(step) for step in loops(code)],
            "serialized": "serialized" in told,
            "matrix units": "wgmma" in ptx,
            "tf32": "tf32" in ptx,
            "asynchronous copies": "cp.async" in ptx,
            "atomics": "atom." in ptx or "red." in ptx.replace("shared.", ""),
        }
    print(json.dumps(found))
