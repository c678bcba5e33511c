"""Which calls the Triton kernels take, what they say of the others, and that they compile for a GPU."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest
import torch

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


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU, so Triton's interpreter is off")
@pytest.mark.parametrize(
    ("version", "numpy", "can"),
    [
        ("3.6.0", "2.4.0", False),
        ("3.6.0", "2.10.0", False),
        ("3.6.0", "2.3.5", True),
        ("3.10.0", "2.4.6", True),
    ],
)
def test_an_interpreter_older_than_numpy_is_named(version, numpy, can, monkeypatch):
    """Triton 3.6 takes an array of one element for a number, which fails with NumPy 2.4 amid a kernel."""
    monkeypatch.setattr("triton.__version__", version)
    monkeypatch.setattr("numpy.__version__", numpy)
    why = launch.reason(*tensors(20), causal(), return_lse=False)
    assert why is None if can else f"Triton {version}'s interpreter cannot work with NumPy {numpy}" in why


def test_auto_leaves_the_kernels_to_those_who_name_them(monkeypatch):
    """Until they have been measured on a GPU. `choose` looks at devices only: meta tensors stand for one."""
    inputs = [x.to("meta") for x in tensors(500)]
    monkeypatch.setattr(launch, "reason", lambda *args, **options: None)
    assert choose(*inputs, causal()).name in ("flex", "blocks")


@pytest.mark.parametrize(("kib", "step", "stages"), [(99, 16, 3), (163, 32, 3), (227, 32, 5)])
def test_tiles_are_cut_where_the_shared_memory_is_small(kib, step, stages, monkeypatch):
    """Those of 5 stages take up to 163.1 KiB; with 3, at D = 256, 129 KiB in steps of 32 and 84 in steps of 16.

    At D = 128 all of 3 stages fit 99.
    """
    has = SimpleNamespace(shared_memory_per_block_optin=kib * 1024)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: has)
    for dim, right in ((256, step), (128, 64)):
        like = SimpleNamespace(shape=(1, 1, 4096, dim), dtype=torch.bfloat16, device=torch.device("cuda"))
        tiles = [launch._tile(which, 4096, like, like, 128) for which in range(3)]
        assert [tile.step for tile in tiles] == 3 * [right]
        assert max(tile.num_stages for tile in tiles) == stages


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


@pytest.mark.parametrize(
    ("dtype", "dim", "block"),
    [("bfloat16", 64, 128), ("bfloat16", 128, 128), ("bfloat16", 128, 64), ("float32", 128, 128)],
)
def test_the_kernels_compile_for_a_gpu(dtype, dim, block):
    """What the interpreter lets pass a compiler may not. A program on a Hopper GPU may share 227 KiB.

    In the loops every number must find a register. Products on the matrix units must not wait for each other,
    and in blocks of 128 the copies of the next step not be waited for together with those of this one.
    """
    found = json.loads(apart("-m", "helpers.triton_compile", dtype, str(dim), str(block)))
    assert set(found) == {"attend", "pull_queries", "pull_keys"}
    for kernel in found.values():
        assert kernel["spilled"] == [0, 0]  # over full blocks, and over those under a mask
        assert kernel["shared"] <= 227 * 1024 and kernel["asynchronous copies"]
        assert kernel["matrix units"] == (dtype == "bfloat16")
        assert not kernel["serialized"] and not kernel["tf32"] and not kernel["atomics"]
        assert min(kernel["in flight"]) >= (2 if (dtype, block) == ("bfloat16", 128) else 0)
