"""Say where a node of the learner's code is."""

import ast
from typing import TypeAlias

Span: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""Where something begins and ends, each as line and column."""


def covers(outer: ast.AST, inner: ast.AST) -> bool:
    """Return whether one node is within another, or is the other.

    >>> total = ast.parse("a + b * c", mode="eval").body
    >>> covers(total, total.right), covers(total.right, total)
    (True, False)
    """
    return span(outer)[0] <= span(inner)[0] and span(inner)[1] <= span(outer)[1]


def span(node: ast.AST) -> Span:
    """Return where a node begins and ends, each as line and column.

    >>> span(ast.parse("a + b * c", mode="eval").body.right)
    ((1, 4), (1, 9))
    """
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
