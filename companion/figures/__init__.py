"""The static figures of the book: one file a chapter, on one base."""
