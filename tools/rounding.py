"""Every notebook, run where PyTorch and Triton's interpreter round otherwise: its outputs must not change.

    python -m tools.rounding [PATH ...]

Another device adds in another order and has exponentials of its own, so results differ in their last bits.
Here sums, products and exponentials are moved by up to ``ULPS`` units in the last place, equal numbers alike,
so that what must be equal bit for bit still is. Whole numbers stay.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["main", "shake"]

ROOT = Path(__file__).parents[1]
ULPS = 2
TORCH = set(
    "_scaled_dot_product_flash_attention_for_cpu _softmax _softmax_backward_data addmm baddbmm bmm cumsum dot"
    " exp exp2 linalg_vector_norm log log2 logsumexp mean mm mv native_layer_norm pow rsqrt sigmoid std sum"
    " tanh var".split()
)
TRITON = "create_dot", "create_exp", "create_exp2", "create_fdiv", "create_log", "create_log2"
STARTUP = "import tools.rounding\n\ntools.rounding.shake()\ndel tools\n"


def shake():
    """From now on, in this process, results are rounded otherwise."""
    import torch
    from torch.nn.attention import flex_attention
    from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

    class Shaken(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            found = function(*args, **(kwargs or {}))
            if function.name().partition("::")[2].partition(".")[0] not in TORCH:
                return found
            return tuple(map(moved, found)) if isinstance(found, tuple) else moved(found)

    def moved(x):
        if not (isinstance(x, torch.Tensor) and x.is_floating_point()):
            return x
        y = x.double()
        other = y * (1 + ULPS * torch.finfo(x.dtype).eps * torch.sin(y * 1e6))
        return torch.where(y == y.round(), x, other.to(x.dtype))

    def compiled(*args, function=flex_attention.flex_attention, **kwargs):
        with _disable_current_modes():  # PyTorch does not trace a function where it is watched
            return function(*args, **kwargs)

    flex_attention.flex_attention = compiled
    Shaken().__enter__()
    if not torch.cuda.is_available():
        shake_interpreter()


def shake_interpreter():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton is imported
    import numpy as np
    from triton.runtime.interpreter import InterpreterBuilder

    def shaken(operation):
        def operate(*args, **kwargs):
            found = operation(*args, **kwargs)
            x = found.data
            with np.errstate(invalid="ignore"):
                other = x * (1 + ULPS * np.finfo(x.dtype).eps * np.sin(x * 1e6))
                found.data = np.where(x == np.round(x), x, other).astype(x.dtype)
            return found

        return operate

    for name in TRITON:
        setattr(InterpreterBuilder, name, shaken(getattr(InterpreterBuilder, name)))


def main(paths=()):
    """Runs nbval over the notebooks; its exit status."""
    paths = list(paths) or sorted(map(str, (ROOT / "notebooks").glob("*.ipynb")))
    with TemporaryDirectory() as home:
        start = Path(home, "profile_default", "startup")
        start.mkdir(parents=True)
        (start / "shake.py").write_text(STARTUP)
        env = os.environ | {"IPYTHONDIR": home, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env"]
        return subprocess.call([*command, "--nbval-cell-timeout=600", *paths], env=env, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
