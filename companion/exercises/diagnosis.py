"""What the clinic says of a function, for the code exercises that ask for attention."""

from collections.abc import Callable

__all__ = ["named_fault"]

# Findings that say less than the checker does itself, and of dtypes, which an exercise's cases decide on.
_LEFT_OUT = ("cannot be called", "changes the dtype", "differs from the reference", "raises", "wrong shape")


def named_fault(function: Callable, *arguments, **options) -> str | None:
    """The first fault that the clinic can name, with its cause; None where it names none.

    ``arguments`` and ``options`` are those of `companion.clinic.examine`.
    """
    from companion.clinic import examine

    for found in examine(function, *arguments, **options).findings:
        if found.name not in _LEFT_OUT:
            return f"The clinic finds: {found.name}. {found.cause}"
    return None
