"""The two kinds of array that a function under examination may take: NumPy's and PyTorch's.

PyTorch is imported only when it is asked for.
"""

import inspect
import sys
from types import CodeType, ModuleType

import numpy as np

from companion.extras import extra

__all__ = ["DTYPES", "NumPy", "PyTorch", "epsilon", "kind_named", "likely_kinds"]

#: Precisions, the one that is examined most thoroughly first.
DTYPES = ("float32", "float64", "float16", "bfloat16")


def epsilon(dtype: str) -> float:
    """Distance from 1 to the next larger number."""
    return 2.0**-7 if dtype == "bfloat16" else float(np.finfo(dtype).eps)


class NumPy:
    """Arrays."""

    name = "numpy"
    dtypes = tuple(dtype for dtype in DTYPES if dtype != "bfloat16")

    def make(self, array, dtype=None):
        """A fresh, contiguous array of the kind."""
        return np.array(array, dtype or array.dtype, order="C")

    def holds(self, value):
        return isinstance(value, np.ndarray)

    def dtype(self, value):
        return value.dtype.name

    def float64(self, value):
        return np.array(value, np.float64)

    def copy(self, value):
        return value.copy()

    def swapped(self, value):
        """The same numbers in the memory order of the array with axes -2 and -3 (or -1) exchanged."""
        axes = (-2, -3) if value.ndim > 2 else (-1, -2)
        return np.ascontiguousarray(value.swapaxes(*axes)).swapaxes(*axes)

    def stepped(self, value):
        """The same numbers as every second entry of a wider array."""
        wide = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)
        wide[..., ::2] = value
        return wide[..., ::2]

    def shared(self, value):
        """The first entry of the first axis in place of all, with a stride of 0."""
        return np.broadcast_to(value[:1], value.shape)


class PyTorch:
    """Tensors on one device."""

    name = "torch"
    dtypes = DTYPES

    def __init__(self, device="cpu"):
        with extra("torch"):
            import torch
        try:
            torch.empty(0, device=device)
        except (AssertionError, RuntimeError) as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(f"device {device!r} cannot be used: {reason}") from None
        self.torch, self.device = torch, device

    def make(self, array, dtype=None):
        tensor = self.torch.from_numpy(np.ascontiguousarray(array).copy())
        return tensor.to(self.device, getattr(self.torch, dtype) if dtype else None)

    def holds(self, value):
        return isinstance(value, self.torch.Tensor)

    def dtype(self, value):
        return str(value.dtype).removeprefix("torch.")

    def float64(self, value):
        return value.detach().to("cpu", self.torch.float64).numpy().copy()

    def copy(self, value):
        return value.detach().clone()

    def swapped(self, value):
        axes = (-2, -3) if value.ndim > 2 else (-1, -2)
        return value.transpose(*axes).contiguous().transpose(*axes)

    def stepped(self, value):
        wide = value.new_zeros((*value.shape[:-1], 2 * value.shape[-1]))
        wide[..., ::2] = value
        return wide[..., ::2]

    def shared(self, value):
        return value[:1].expand_as(value)


def kind_named(name: str, device: str = "cpu"):
    """The kind called ``"numpy"`` or ``"torch"``; ImportError if PyTorch is asked for and not installed."""
    if name not in ("numpy", "torch"):
        raise ValueError(f"kind must be 'numpy' or 'torch', not {name!r}")
    return NumPy() if name == "numpy" else PyTorch(device)


def likely_kinds(fn) -> tuple[str, ...]:
    """Kinds to try, the likelier first, from what the function's module, annotations and code mention."""
    mentioned = _mentioned(fn) & {"numpy", "torch"}
    if mentioned:
        return tuple(sorted(mentioned, reverse=True))
    return ("numpy", "torch") if "torch" in sys.modules else ("numpy",)


def _mentioned(fn):
    """Top-level modules that the function, or what it uses by name, comes from."""
    fn = getattr(fn, "func", fn)
    fn = getattr(fn, "forward", fn)
    fn = inspect.unwrap(getattr(fn, "__func__", fn))
    if not inspect.isroutine(fn):
        fn = type(fn).__call__
    found = {(getattr(fn, "__module__", None) or "").split(".")[0]}
    found |= {word for note in getattr(fn, "__annotations__", {}).values() for word in _words(note)}
    if code := getattr(fn, "__code__", None):
        names = set(_names(code))
        found |= names & {"torch", "numpy"}
        used = [fn.__globals__[name] for name in names if name in fn.__globals__]
        used += [value for cell in fn.__closure__ or () for value in _contents(cell)]
        for value in used:
            found |= set(_words(value)) | {base.__module__.split(".")[0] for base in type(value).__mro__}
    return found


def _words(value):
    """Where a module, an annotation or a function comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return [(name if isinstance(name, str) else str(value)).split(".")[0]]


def _names(code):
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _contents(cell):
    """What a closure's cell holds: nothing while the function is still being defined."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []
