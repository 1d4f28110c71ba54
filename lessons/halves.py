"""Halve the worked cells: each line of a solution stays, and TODO takes the place of what is at its heart.

No cell needs a mark for it. Of a value, a test or a call the longest operand goes, or the whole where its operands are
names and numbers; of an array of numbers the second half of each row. What does not depend on the arguments stays, such
as seeds and random draws, and so do arrays of zeros.
"""

import ast
import re

STARS = 2  # an exercise of so many or more is halved


def half(master: str) -> tuple[str, list[str]]:
    """Return half of a master from solutions.py, and the expressions that are blank in it."""
    marked = re.finditer("### BEGIN SOLUTION.*?### END SOLUTION", master, re.DOTALL)
    solved = {1 + master.count("\n", 0, place) for found in marked for place in range(*found.span())}
    functions = [node for node in ast.walk(ast.parse(master)) if isinstance(node, ast.FunctionDef)]
    inner = [node for function in functions for node in ast.walk(function) if node is not function]
    blanks = [node for function in functions if function not in inner for node in _blanks(function, solved)]
    lines = master.encode("utf-8").splitlines(keepends=True)
    for node in sorted(blanks, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        before, behind = lines[node.lineno - 1][: node.col_offset], lines[node.end_lineno - 1][node.end_col_offset :]
        lines[node.lineno - 1 : node.end_lineno] = [before + b"TODO" + behind]
    code = b"".join(lines).decode("utf-8")
    bare = re.sub(r"(?<![\w\])])\(TODO\)", "TODO", code)  # the brackets of a call stay
    return bare, [ast.get_source_segment(master, node) for node in blanks]


def _blanks(function, solved):
    """Return the expressions that go in the solved lines of a function."""
    arguments = {one.arg for one in function.args.args} - {"self"}
    found, depending = [], set(arguments)  # names of what depends on the arguments
    statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    for node in sorted(statements, key=lambda node: node.lineno):
        if isinstance(node, ast.FunctionDef):  # such as a hook, which stays with its name and what it is called with
            depending |= {one.arg for one in node.args.args}
        if isinstance(node, ast.FunctionDef | ast.With):
            continue
        value = next(getattr(node, name) for name in ("iter", "test", "value") if hasattr(node, name))
        if _names(value) & depending:
            target = value.func.value if _appends(value) else getattr(node, "target", None)
            targets = getattr(node, "targets", [target])
            depending |= {name for target in targets if target for name in _names(target)}
        if node.lineno not in solved or isinstance(node, ast.For):
            continue
        if isinstance(node, ast.Return) and isinstance(value, ast.Tuple) and _is_literal(value):
            found += _second_half(value)
        for part in _parts(value):
            rows = [one for one in getattr(part, "args", []) if isinstance(one, ast.List) and _is_literal(one)]
            if rows:
                found += _second_half(rows[0])
            elif not arguments or _names(part) & depending:
                found += _heart(part)
    return found


def _appends(value):
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "append"


def _names(value):
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}


def _is_literal(value):
    kinds = ast.Constant | ast.UnaryOp | ast.List | ast.Tuple
    return all(isinstance(node, kinds) for node in ast.walk(value) if isinstance(node, ast.expr))


def _parts(value):
    """Return the expressions that are halved each on its own: those of a tuple, of "or", of "not", of a choice."""
    match value:
        case ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            parts = [operand]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            parts = [test, body, orelse]
        case _:
            return [value]
    return [one for part in parts for one in _parts(part)]


def _second_half(row):
    """Return the second half of a row of values; of rows, that of each."""
    if all(isinstance(one, ast.List) and len(one.elts) > 1 for one in row.elts):
        return [blank for one in row.elts for blank in _second_half(one)]
    return [one.elts[0] if isinstance(one, ast.List) else one for one in row.elts[len(row.elts) // 2 :]]


def _heart(value):
    """Return the longest operand of an expression, or all of it where none computes; nothing of a name or a number."""
    operands = [one for one in _operands(value) if not _is_plain(one)]
    return [] if _is_plain(value) else [max(operands, key=lambda one: len(list(ast.walk(one))), default=value)]


def _is_plain(value):
    """Tell whether an expression computes nothing: a name, a number, an array of zeros."""
    if isinstance(value, ast.Attribute):
        return _is_plain(value.value)
    if isinstance(value, ast.Call):
        return getattr(value.func, "attr", "") == "zeros"
    return isinstance(value, ast.Name) or _is_literal(value)


def _operands(value):
    match value:
        case ast.BinOp(ast.BinOp(op=first) as left, ast.Add() | ast.Mult() as op, right) if type(first) is type(op):
            return [*_operands(left), right]
        case ast.BinOp(left=one, right=other) | ast.Subscript(value=one, slice=other):
            return [one, other]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Call(func=func, args=given, keywords=named):
            return [getattr(func, "value", func), *given, *(one.value for one in named)]
    return []
