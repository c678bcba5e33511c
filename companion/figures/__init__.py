"""The static figures of the book: one file a chapter, on one base."""

from companion.extras import extra

with extra("book"):
    import matplotlib  # noqa: F401  every figure needs it
