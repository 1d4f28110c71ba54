"""Slips about places: which end of a list is taken, whole rows in place of entries, and where a result is written."""

import ast

import numpy as np

from course_lib.arguments import is_tensor
from course_lib.grading.mending import Slip

_WRITES = {
    "maximum": 2,
    "minimum": 2,
    "add": 2,
    "subtract": 2,
    "multiply": 2,
    "divide": 2,
    "exp": 1,
    "sqrt": 1,
    "abs": 1,
}
_WRITES |= {"where": 3, "clip": 3, "tanh": 1, "log": 1}


def _other_end(node, source):
    """x[:k]  ->  x[-k:], and x[-k:]  ->  x[:k]"""
    if not isinstance(node, ast.Slice) or node.step is not None or (node.lower is None) == (node.upper is None):
        return []
    bound = node.upper if node.lower is None else node.lower
    negated = bound.operand if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub) else None
    turned = negated or ast.UnaryOp(ast.USub(), bound)
    return [ast.Slice(turned, None, None) if node.lower is None else ast.Slice(None, turned, None)]


def _other_sign(node, source):
    """x[:k]  ->  x[:-k], and x[k:]  ->  x[-k:], and back"""
    if not isinstance(node, ast.Slice) or node.step is not None or (node.lower is None) == (node.upper is None):
        return []
    bound = node.upper if node.lower is None else node.lower
    negated = bound.operand if isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub) else None
    turned = negated or ast.UnaryOp(ast.USub(), bound)
    return [ast.Slice(None, turned, None) if node.lower is None else ast.Slice(turned, None, None)]


def _entries(node, source):
    """x[places]  ->  x[row, places], where places has a row of columns for each row"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        rows = ast.Call(ast.Name("_place_rows", ast.Load()), [node.slice], [])
        return [ast.Subscript(node.value, ast.Tuple([rows, node.slice], ast.Load()), node.ctx)]
    return []


def _column(node, source):
    """x[-k]  ->  x[:, [-k]] or x[:, -k]"""
    index = getattr(node, "slice", None)
    if not isinstance(node, ast.Subscript) or not isinstance(index, (ast.Name, ast.UnaryOp, ast.Constant, ast.BinOp)):
        return []
    value = ast.Call(ast.Name("_place_two_axes", ast.Load()), [node.value], [])
    every = ast.Slice(None, None, None)
    kept = ast.Tuple([every, ast.List([index], ast.Load())], ast.Load())
    return [ast.Subscript(value, place, node.ctx) for place in (kept, ast.Tuple([every, index], ast.Load()))]


def _two_axes(x):
    if getattr(x, "ndim", 0) != 2:
        raise TypeError
    return x


def _rows(places):
    if is_tensor(places) or not isinstance(places, np.ndarray) or places.ndim != 2 or places.dtype.kind not in "iu":
        raise TypeError
    return np.arange(len(places))[:, None]


def _written_into(node, source):
    """np.maximum(x, 0, x)  ->  np.maximum(x, 0), and the same with out=x"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    known = _WRITES.get(node.func.attr, 99)
    kept = [one for one in node.keywords if one.arg != "out"]
    if len(node.args) <= known and len(kept) == len(node.keywords):
        return []
    return [ast.Call(node.func, node.args[:known], kept)]


PLACE_HELPERS = {"_place_rows": _rows, "_place_two_axes": _two_axes}
PLACES = (
    Slip(
        "out",
        _written_into,
        "In `{code}` the last argument is the array that the result is written into: leave it out.",
    ),
    Slip(
        "whole-rows",
        _entries,
        "`{code}` takes whole rows: for entries NumPy needs rows and columns, as in "
        "`x[np.arange(n)[:, None], columns]`; or go row by row.",
    ),
    Slip(
        "column",
        _column,
        "`{code}` is a row; a column is `x[:, i]`, and `x[:, [i]]` keeps it one.",
        together=False,
    ),
    Slip(
        "end", _other_end, "The wrong end is taken in `{line}`: which entries are the first ones there, which the last?"
    ),
    Slip(
        "end",
        _other_sign,
        "The wrong part is taken in `{line}`: what does `:k` leave, and what `:-k`?",
    ),
)
