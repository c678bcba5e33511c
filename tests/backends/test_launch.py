"""Which calls the Triton kernels take, what they say of the others, and that they compile for a GPU."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from companion.attention import attention, choose
from companion.backends import launch
from companion.device import device
from companion.indices import IndexSet
from companion.patterns import causal
from helpers.attention_oracle import tensors
from helpers.project import ROOT

pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="there is no Triton for this system")


def test_what_it_cannot_do_it_refuses_and_says_why(monkeypatch):
    inputs = [x.to(device()) for x in tensors(20)]
    wide = [x.to(device()) for x in tensors(20, dim_value=300)]
    indices = IndexSet.from_mask(causal().mask(20))
    for arguments, why in (
        ([*inputs, indices], "index set"),
        ([*(x.double() for x in inputs), causal()], "no float64"),
        ([*wide, causal()], "head dimensions up to 256"),
    ):
        with pytest.raises(ValueError, match=f"'triton' cannot do this call: .*{why}"):
            attention(*arguments, backend="triton")
    monkeypatch.setattr(launch, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="there is no Triton"):
        attention(*inputs, causal(), backend="triton")


def test_auto_leaves_the_kernels_to_those_who_name_them(monkeypatch):
    """Until they have been measured on a GPU. `choose` looks at devices only: meta tensors stand for one."""
    inputs = [x.to("meta") for x in tensors(500)]
    monkeypatch.setattr(launch, "reason", lambda *args, **options: None)
    assert choose(*inputs, causal()).name in ("flex", "blocks")


IN_WRONG_ORDER = """
import importlib, os, sys, torch
from companion.attention import attention
print("triton" in sys.modules)
import triton

def tell():
    try:
        attention(*3 * [torch.ones(1, 1, 3, 16)], backend="triton")
    except ValueError as error:
        print(error)

tell()
os.environ["TRITON_INTERPRET"] = "1"
importlib.reload(importlib.import_module("companion.backends.triton"))
tell()
"""


def apart(*arguments):
    """What Python prints in a process of its own, without Triton's interpreter."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT / "tests")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_on_a_cpu_it_needs_the_interpreter_and_in_time():
    early, first, second = apart("-c", IN_WRONG_ORDER).splitlines()
    assert early == "False", "nobody asked for the kernels yet"
    assert "on a CPU Triton needs TRITON_INTERPRET=1" in first
    assert "TRITON_INTERPRET changed after triton was imported" in second


@pytest.mark.parametrize(("dtype", "dim", "one_head"), [("bfloat16", 128, 0), ("float32", 16, 1)])
def test_the_kernels_compile_for_a_gpu(dtype, dim, one_head):
    """What the interpreter lets pass a compiler may not. A program on a Hopper GPU may share 227 KiB."""
    found = json.loads(apart("-m", "helpers.triton_compile", dtype, str(dim), str(one_head)))
    assert set(found) == {"attend", "pull_queries", "pull_keys"}
    for kernel in found.values():
        assert kernel["shared"] <= 227 * 1024 and kernel["asynchronous copies"]
        assert kernel["matrix units"] == (dtype == "bfloat16")
        assert not kernel["tf32"] and not kernel["atomics"]
