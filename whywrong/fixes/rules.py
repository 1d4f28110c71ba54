"""Rewrites that are written as rules, such as "a / b * c -> a / (b * c)"."""

import ast
import re
from collections.abc import Iterator
from typing import TypeAlias

from whywrong.fixes.source import Rewrite, Source

Pattern: TypeAlias = ast.AST | list | str | int | float | None
"""A part of a syntax tree in which names of one letter stand for any expression."""
Bindings: TypeAlias = dict[str, ast.AST | list[ast.AST] | None]
"""What the letters of a pattern stand for."""


def parse_rules(*rules: str) -> Rewrite:
    """Return the rewrite that rules describe; the first pattern that matches decides.

    >>> from whywrong.fixes.copies import preview
    >>> preview(parse_rules("a // b -> a / b"), "total // (n + 1)")
    ['total / (n + 1)']

    A letter stands for any expression, `*a` for any further arguments, and `**k` for any further keyword arguments.
    `|` separates several replacements, and `<->` goes both ways.

    >>> preview(parse_rules("a * b -> a / b | a + b"), "w * h")
    ['w / h', 'w + h']
    >>> preview(parse_rules("x.min(*a, **k) <-> x.max(*a, **k)"), "scores.max(0, keepdims=True)")
    ['scores.min(0, keepdims=True)']

    A letter that occurs on the right only stands for each parameter of the function in turn.

    >>> preview(parse_rules("a + b -> a + b * n"), "x + 1 - k")
    ['x + 1 * x - k', 'x + 1 * k - k']

    A rule that changes only the operator between two values applies to `a += b` as well.

    >>> preview(parse_rules("a + b -> a - b"), "def f(x): x += 1")
    ['def f(x):\\n    x -= 1']
    """
    by_type = {}
    for rule in rules:
        for pattern, replacements in _parse(rule):
            free = _letters_in(*replacements) - _letters_in(pattern)
            by_type.setdefault(type(pattern), []).append((pattern, replacements, free))

    def rewrite(node: ast.AST, source: Source) -> list[ast.AST]:
        if isinstance(node, ast.AugAssign):
            rewritten = rewrite(ast.BinOp(node.target, node.op, node.value), source)
            operators = [other.op for other in rewritten if _values_of(other) == (node.target, node.value)]
            return [ast.AugAssign(node.target, operator, node.value) for operator in operators]
        for pattern, replacements, free in by_type.get(type(node), ()):
            bindings = {}
            if _matches(pattern, node, bindings):
                values = [ast.Name(name, ast.Load()) for name in source.parameters] if free else [None]
                choices = [bindings | dict.fromkeys(free, value) for value in values]
                return [_fill(replacement, choice) for choice in choices for replacement in replacements]
        return []

    return rewrite


def _parse(rule: str) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """Yield each pattern of a rule, with what may replace it."""
    left, arrow, right = re.split(" (<?->) ", rule)
    pattern, *replacements = (ast.parse(side, mode="eval").body for side in (left, *right.split(" | ")))
    yield pattern, replacements
    if arrow == "<->":
        yield replacements[0], [pattern]


def _letters_in(*patterns: ast.AST) -> set[str]:
    return {_letter_of(node) for pattern in patterns for node in ast.walk(pattern)} - {None}


def _letter_of(pattern: Pattern) -> str | None:
    return pattern.id if isinstance(pattern, ast.Name) and len(pattern.id) == 1 else None


def _rest_letter_of(pattern: Pattern) -> str | None:
    """Return the letter behind the stars of `*a` or `**k`."""
    is_starred = isinstance(pattern, ast.Starred) or (isinstance(pattern, ast.keyword) and pattern.arg is None)
    return _letter_of(pattern.value) if is_starred else None


def _values_of(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    return (node.left, node.right) if isinstance(node, ast.BinOp) else None


def _matches(pattern: Pattern, node: Pattern, bindings: Bindings) -> bool:
    """Return whether a node matches a pattern, and note what the letters of the pattern stand for."""
    if isinstance(pattern, list):
        if pattern and _rest_letter_of(pattern[-1]):
            *pattern, rest = pattern
            bindings[_rest_letter_of(rest)], node = node[len(pattern) :], node[: len(pattern)]
        if len(pattern) != len(node):
            return False
        return all(_matches(part, inner, bindings) for part, inner in zip(pattern, node, strict=True))
    if _letter_of(pattern):
        known = bindings.setdefault(pattern.id, node)
        return known is node or ast.dump(known) == ast.dump(node)
    if isinstance(pattern, ast.AST):
        if type(pattern) is not type(node):
            return False
        return all(_matches(value, getattr(node, field), bindings) for field, value in ast.iter_fields(pattern))
    return pattern == node


def _fill(pattern: Pattern, bindings: Bindings) -> Pattern:
    """Return a new copy of a pattern, with what its letters stand for."""
    if isinstance(pattern, list):
        filled = []
        for part in pattern:
            rest = _rest_letter_of(part)
            filled += bindings[rest] if rest else [_fill(part, bindings)]
        return filled
    if _letter_of(pattern):
        return bindings[pattern.id]
    if isinstance(pattern, ast.AST):
        return type(pattern)(**{field: _fill(value, bindings) for field, value in ast.iter_fields(pattern)})
    return pattern
