"""What "blocks" does with memory, and the plan that it follows."""

import tracemalloc

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from companion.attention import attention
from companion.backends.plan import plan, plan_indices
from companion.patterns import causal, documents, random_blocks, sinks, sliding_window, strided
from helpers.attention_oracle import COMPOSED, SINGLE, dense_mask, tensors


class Largest(TorchDispatchMode):
    """Notes the most memory, in bytes, that one tensor made by any operation inside really holds."""

    held = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        results = function(*args, **(kwargs or {}))
        for x in results if isinstance(results, tuple | list) else (results,):
            if isinstance(x, torch.Tensor):
                self.held = max(self.held, x.untyped_storage().nbytes())
        return results


@pytest.mark.parametrize(
    "pattern", [sliding_window(256), sliding_window(200) | sinks(4), documents([700] * 23 + [284])], ids=repr
)
def test_nothing_of_size_l_times_l_is_made(pattern):
    L, dim = 16_384, 8
    with Largest():  # what PyTorch imports on the way is not counted
        attention(*(x.requires_grad_() for x in tensors(256, heads=1)), backend="blocks").sum().backward()
    inputs = [x.requires_grad_() for x in tensors(L, heads=1, dim=dim)]
    plan.cache_clear()
    tracemalloc.start()
    with Largest() as largest:
        attention(*inputs, pattern, backend="blocks").sum().backward()
    arrays = tracemalloc.get_traced_memory()[1]  # NumPy reports to tracemalloc
    tracemalloc.stop()
    assert largest.held <= 8 * L * dim * 4, "one tensor is larger than a few times the inputs"
    assert arrays < L * L / 16, "NumPy held more than a 16th of a boolean mask"


def covered(parts, L, S, heads=1):
    """How often the parts allow each pair, (heads, L, S)."""
    count = np.zeros((heads, L, S), int)
    for part in parts:
        mask = part.mask()
        mask = np.ones((part.height, part.width), bool) if mask is None else mask.numpy()
        for tile in range(part.tiles):
            rows = part.first_query + tile * part.query_step + np.arange(part.height)
            if part.keys is None:
                keys = part.first_key + tile * part.key_step + np.arange(part.width)
            else:
                keys = part.keys[tile].numpy()
            for head in range(heads) if part.head is None else [part.head]:
                count[head, rows[:, None], keys] += mask
    return count


@pytest.mark.parametrize(("L", "S", "offset"), [(137, 137, 0), (300, 300, 0), (70, 300, 230), (300, 70, 0)])
@pytest.mark.parametrize("pattern", [p for p in SINGLE + COMPOSED if "documents" not in repr(p)], ids=repr)
def test_a_plan_holds_every_allowed_pair_once(pattern, L, S, offset):
    if "global_tokens" in repr(pattern) and S < 131:
        S = 137
    mask = dense_mask(pattern, L, S, offset).expand(pattern.heads or 1, L, S)
    assert np.array_equal(covered(plan(pattern, L, S, offset), L, S, pattern.heads or 1), mask.numpy())


def test_a_tile_with_more_keys_than_at_once_comes_in_parts():
    parts = plan(causal(), 64, 5000, 4936)
    assert max(part.width for part in parts) <= 2048 and len(parts) == 3
    assert [part.again for part in parts] == [False, True, True]
    assert np.array_equal(covered(parts, 64, 5000)[0], causal().mask(64, 5000, query_offset=4936))


def test_tiles_that_look_alike_run_together():
    """A long window is a handful of parts, whatever the length: its first tiles, and one for the others."""
    windows = plan(sliding_window(256), 2**13, 2**13, 0)
    assert len(plan(sliding_window(256), 2**16, 2**16, 0)) == len(windows) <= 6
    assert max(part.tiles for part in windows) == 2**13 // 64 - 4
    assert all(part.keys is None for part in windows), "a window needs no copy of its keys"


def test_dense_patterns_take_larger_tiles():
    assert max(part.height for part in plan(causal(), 8192, 8192, 0)) == 256
    assert max(part.height for part in plan(sliding_window(64), 8192, 8192, 0)) == 64


@pytest.mark.parametrize("pattern", [strided(32), random_blocks(64, 4, seed=3)], ids=repr)
def test_memory_of_a_plan_follows_its_blocks(pattern):
    """Distinct masks are kept once: a stride of 32 in blocks of 64 or more has two."""
    parts = plan(pattern, 4096, 4096, 0)
    masks = {part.masks.data_ptr(): part.masks for part in parts if part.masks is not None}
    assert sum(len(x) for x in masks.values()) <= 4


def test_plan_of_indices_holds_every_listed_pair_once():
    rng = np.random.default_rng(0)
    mask = (rng.random((3, 130, 400)) < 0.2) & causal().mask(130, 400, query_offset=270)
    longest = mask.sum(-1).max()
    indices = np.full((1, 3, 130, longest), -1)
    for head, row in np.ndindex(3, 130):
        listed = np.flatnonzero(mask[head, row])
        indices[0, head, row, : len(listed)] = rng.permutation(listed)
    assert np.array_equal(covered(plan_indices(torch.from_numpy(indices), 400), 130, 400, 3), mask)


def test_a_second_derivative_is_refused():
    inputs = [x.requires_grad_() for x in tensors(20)]
    out = attention(*inputs, causal(), backend="blocks")
    with pytest.raises(RuntimeError, match="cannot be differentiated twice; 'dense' can"):
        torch.autograd.grad(out.sum(), inputs[0], create_graph=True)


def test_a_compiled_function_that_calls_it():
    def doubled(query, key, value):
        return attention(2 * query, key, value, sliding_window(5), backend="blocks")

    query, key, value = tensors(200)
    found = torch.compile(doubled, backend="eager")(query, key, value)
    assert torch.equal(found, doubled(query, key, value))
