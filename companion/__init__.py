"""Companion of the book *Attention, Token by Token*.

Nothing is re-exported here: ``from companion.attention import attention`` says
which room a thing lives in, and ``import companion`` stays nearly free.
"""

__version__ = "0.1.0"
