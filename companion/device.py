"""Where the chapters compute."""

from companion.extras import extra

with extra("torch"):
    import torch

__all__ = ["device"]


def device() -> torch.device:
    """``cuda`` where this machine has a CUDA device that torch can use, else ``cpu``."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
