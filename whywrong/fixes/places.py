"""Where a node of the learner's code stands."""

import ast


def covers(outer: ast.AST, inner: ast.AST) -> bool:
    """Tell whether one node stands within another, or is it."""
    return span(outer)[0] <= span(inner)[0] and span(inner)[1] <= span(outer)[1]


def span(node) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where a node begins and ends, each as line and column."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
