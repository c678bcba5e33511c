"""Says which extra of the distribution brings what an import did not find."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["extra"]

_BRINGS = {"torch": ("torch", "triton"), "book": ("matplotlib",)}


@contextmanager
def extra(name: str) -> Iterator[None]:
    """``with extra("torch"): import torch`` raises ModuleNotFoundError that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _BRINGS[name]:
            raise
        message = f"there is no {error.name} here: install attention-token-by-token[{name}]"
        raise ModuleNotFoundError(message, name=error.name) from None
