"""A pattern from text, such as ``sliding_window(64) | sinks(4)``, without evaluating the text."""

import ast

from companion import patterns
from companion.patterns import Pattern

__all__ = ["parse_pattern"]

_MAKERS = {name for name in patterns.__all__ if name[0].islower()}


def parse_pattern(text: str) -> Pattern:
    """The pattern that the text spells.

    It may hold calls of the functions in `companion.patterns`, whole numbers, lists of either, ``&``, ``|``
    and parentheses.

    Raises ValueError, naming the part, for anything else, and for what a pattern refuses.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise ValueError(f"pattern {text!r} cannot be read") from None
    try:
        pattern = _value(tree.body)
    except TypeError as error:
        raise ValueError(f"pattern {text!r}: {error}") from None
    if not isinstance(pattern, Pattern):
        raise ValueError(f"pattern {text!r} is not a pattern, such as causal()")
    return pattern


def _value(node):
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part) for part in parts]
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            return _value(left) & _value(right)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _value(left) | _value(right)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _MAKERS:
            named = {keyword.arg: _value(keyword.value) for keyword in keywords if keyword.arg}
            if len(named) == len(keywords):
                return getattr(patterns, name)(*map(_value, args), **named)
    raise ValueError(f"not part of a pattern: {ast.unparse(node)!r}; known are {', '.join(sorted(_MAKERS))}")
