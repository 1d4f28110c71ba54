"""Mends that are written as rules, such as "a / b * c -> a / (b * c)"."""

import ast
import re
from collections.abc import Callable, Iterator

from whywrong.fixes.code import Source


def rules(*written: str) -> Callable[[ast.AST, Source], list[ast.AST]]:
    """Return the mend, (node, source) -> the nodes that may stand in its place, that rules describe.

    Args:
        written: in each a form, an arrow, and what may stand in its place: "a * b -> a / b | a + b"; `<->` goes both
            ways. A letter stands for any expression, `*a` for any further arguments, `**k` for those with names, and a
            letter that stands behind the arrow alone for each parameter in turn. The first form that fits decides.
            What puts another operator between the same two values holds for `a += b` as well.
    """
    forms = {}
    for rule in written:
        for form, others in _read(rule):
            forms.setdefault(type(form), []).append((form, others, _letters(*others) - _letters(form)))

    def mend(node, source):
        if isinstance(node, ast.AugAssign):
            mended = mend(ast.BinOp(node.target, node.op, node.value), source)
            operators = [one.op for one in mended if _values(one) == (node.target, node.value)]
            return [ast.AugAssign(node.target, operator, node.value) for operator in operators]
        for form, others, free in forms.get(type(node), ()):
            found = {}
            if _fits(form, node, found):
                names = [ast.Name(name, ast.Load()) for name in source.parameters] if free else [None]
                return [_filled(other, found | dict.fromkeys(free, name)) for name in names for other in others]
        return []

    return mend


def _read(rule) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    left, arrow, right = re.split(" (<?->) ", rule)
    form, *others = (ast.parse(one, mode="eval").body for one in (left, *right.split(" | ")))
    yield form, others
    if arrow == "<->":
        yield others[0], [form]


def _letters(*forms):
    return {_letter(node) for form in forms for node in ast.walk(form)} - {None}


def _letter(form):
    return form.id if isinstance(form, ast.Name) and len(form.id) == 1 else None


def _rest(form):
    """Return the letter behind the stars of `*a` or `**k`."""
    starred = isinstance(form, ast.Starred) or (isinstance(form, ast.keyword) and form.arg is None)
    return _letter(form.value) if starred else None


def _values(node):
    return (node.left, node.right) if isinstance(node, ast.BinOp) else None


def _fits(form, node, found) -> bool:
    """Tell whether a node has a form, and note what the letters of the form stand for."""
    if isinstance(form, list):
        if form and _rest(form[-1]):
            *form, rest = form
            found[_rest(rest)], node = node[len(form) :], node[: len(form)]
        return len(form) == len(node) and all(_fits(one, part, found) for one, part in zip(form, node, strict=True))
    if _letter(form):
        known = found.setdefault(form.id, node)
        return known is node or ast.dump(known) == ast.dump(node)
    if isinstance(form, ast.AST):
        alike = type(form) is type(node)
        return alike and all(_fits(value, getattr(node, field), found) for field, value in ast.iter_fields(form))
    return form == node


def _filled(form, found):
    """Return new nodes of a form, with what its letters stand for."""
    if isinstance(form, list):
        return [part for one in form for part in (found[_rest(one)] if _rest(one) else [_filled(one, found)])]
    if _letter(form):
        return found[form.id]
    if isinstance(form, ast.AST):
        return type(form)(**{field: _filled(value, found) for field, value in ast.iter_fields(form)})
    return form
