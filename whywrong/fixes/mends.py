"""Mends that are no rules: (node, source) -> the nodes that may stand in its place, none where nothing is to be mended.

A list of statements may stand in the place of one. What begins with `_slip_` stands in `whywrong.fixes.helpers`.
"""

import ast
import copy
import io
import itertools
import tokenize
import types
from functools import partial

from whywrong.fixes.places import span
from whywrong.fixes.rules import rules

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.FloorDiv: "//"}
MOST_PARTS = 12  # of an expression into which brackets are put
_ROUNDING = ("int", "round", "ceil", "floor", "trunc", "rint")
_ALONG = ("sum", "mean", "std", "var", "max", "min", "amax", "amin", "all", "any")
_ALONG += ("argmax", "softmax", "cumsum", "flip")
_FUNCTIONS = ("exp", "log", "sqrt", "abs", "tanh", "tan", "sinh", "erf", "erfc", "expm1", "log1p", "sigmoid", "relu")
_FUNCTIONS += ("sin", "cos", "arctan", "floor", "ceil", "round", "square")
_WRITES = dict.fromkeys(("exp", "sqrt", "abs", "tanh", "log"), 1) | {"where": 3, "clip": 3}
_WRITES |= dict.fromkeys(("maximum", "minimum", "add", "subtract", "multiply", "divide"), 2)


def _binary(node, *operators):
    """Tell whether a node is an operation with one of these operators between its two values."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, operators)


def _sum(node):
    return _binary(node, ast.Add, ast.Sub)


def _with(node, **fields):
    """Return a new node like this one, with other fields."""
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _called(call):
    """Return the name under which something is called, without that of its module."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_parameter(node, source):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.parameters


# ---- operators and brackets


def caret(node, source):
    """a ^ b  ->  a ** b in the whole text: the two operators bind differently"""
    if type(node) is not type(source.definition) or node.lineno != source.definition.lineno:
        return []
    text = source.text(source.definition)
    lines = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    carets = [one.start for one in tokens if one.type == tokenize.OP and one.string in ("^", "^=")]
    for row, column in reversed(carets):
        lines[row - 1] = lines[row - 1][:column] + "**" + lines[row - 1][column + 1 :]
    return ast.parse("".join(lines)).body if carets else []


def whole_quotient(node, source):
    """a / b  ->  a // b, where nothing rounds it already"""
    calls = (call for call in ast.walk(source.definition) if isinstance(call, ast.Call) and _called(call) in _ROUNDING)
    if isinstance(node, ast.BinOp) and any(node in ast.walk(call) for call in calls):
        return []
    return _whole(node, source)


_whole = rules("a / b -> a // b")


def condition_last(node, source):
    """a + b if c else d  ->  a + (b if c else d), with the sum cut at any of its places"""
    if not isinstance(node, ast.IfExp):
        return []
    found, left, operator, last = [], node.body, None, None
    while _sum(left):
        last = left.right if last is None else ast.BinOp(left.right, operator, last)
        found.append(ast.BinOp(left.left, left.op, ast.IfExp(node.test, last, node.orelse)))
        left, operator = left.left, left.op
    return found


def brackets(node, source):
    """a + b * c  ->  (a + b) * c, and the like: brackets around each run of parts in which something is added"""
    flat, found = _flat(node), []
    signs = flat[1::2]
    if not _sum(node) or not 2 <= len(signs) < MOST_PARTS:
        return []
    written = [one if isinstance(one, str) else f"({ast.unparse(one)})" for one in flat]
    for first, last in itertools.combinations(range(len(signs) + 1), 2):
        around = signs[max(first - 1, 0) : first] + signs[last : last + 1]
        if around and set(signs[first:last]) & {"+", "-"}:
            tokens = [*written]
            tokens[2 * first] = "(" + tokens[2 * first]
            tokens[2 * last] += ")"
            found.append(ast.parse(" ".join(tokens), mode="eval").body)
    return found


def _flat(node, outer=None, is_right=False):
    """Return the parts of an expression with the signs between them, as far as no brackets stand around them."""
    if not _binary(node, *_SIGNS):
        return [node]
    if outer is not None and ((_sum(node) and not _sum(outer)) or (is_right and (_sum(node) or not _sum(outer)))):
        return [node]
    return [*_flat(node.left, node), _SIGNS[type(node.op)], *_flat(node.right, node, True)]


def bracket_place(node, source):
    """f(a) / b  ->  f(a / b), and f(a / b)  ->  f(a) / b, unless f rounds; nobody means the length of a sum"""
    match node:
        case ast.BinOp(left=ast.Call(args=[inside]) as call) if _called(call) != "len":
            return [_with(call, args=[ast.BinOp(inside, node.op, node.right)])]
        case ast.Call(args=[ast.BinOp() as inside]) if _called(node) not in ("len", *_ROUNDING):
            return [ast.BinOp(_with(node, args=[inside.left]), inside.op, inside.right)]
    return []


def transpose_missing(node, source):
    """a @ b  ->  a @ b.T and a.T @ b, unless it is one already"""
    if not _binary(node, ast.MatMult):
        return []
    sides = [one for one in ("right", "left") if getattr(getattr(node, one), "attr", "") != "T"]
    return [_with(node, **{side: ast.Attribute(getattr(node, side), "T", ast.Load())}) for side in sides]


def factor_missing(node, source):
    """A term, or a product  ->  the same, multiplied or divided by a parameter"""
    names = [ast.Name(name, ast.Load()) for name in source.parameters if _is_term(node, source)]
    return [ast.BinOp(node, operator, name) for name in names for operator in (ast.Mult(), ast.Div())]


def _is_term(node, source):
    return isinstance(node, ast.expr) and hasattr(node, "lineno") and span(node) in source.terms


def count_missing(node, source):
    """A term, or a product  ->  the same, multiplied or divided by a small number"""
    counts = (ast.Constant(count) for count in (2, 3, 4)) if _is_term(node, source) else ()
    return [ast.BinOp(node, by, count) for count in counts for by in (ast.Mult(), ast.Div())]


def term_missing(node, source):
    """A term, or a product  ->  the same, and a parameter or 1 added or taken away"""
    others = [*(ast.Name(name, ast.Load()) for name in source.parameters), ast.Constant(1)]
    return [ast.BinOp(node, by, one) for one in others for by in (ast.Add(), ast.Sub()) if _is_term(node, source)]


# ---- what is called


def value_by_value(node, source):
    """np.max(a, b)  ->  np.maximum(a, b), and the same of a.max(b)"""
    other = {"max": "max", "amax": "max", "min": "min", "amin": "min"}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in other):
        return []
    of = node.func.value
    is_module = isinstance(of, ast.Name) and isinstance(source.names.get(of.id), types.ModuleType)
    values = node.args if is_module else [of, *node.args]
    return [_call(f"_slip_{other[node.func.attr]}", *values)] if len(values) == 2 else []


def of_math(node, source):
    """math.f(x)  ->  f for arrays and tensors"""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=args):
            return [_call("_slip_math", ast.Constant(name), *args)]
    return []


def call_too_much(node, source):
    """f(a)  ->  a, and a.f()  ->  a"""
    if not isinstance(node, ast.Call):
        return []
    of = getattr(node.func, "value", None)
    is_module = isinstance(of, ast.Name) and isinstance(source.names.get(of.id), types.ModuleType)
    return [*node.args[:1], *([] if of is None or is_module or node.args or node.keywords else [of])]


def other_function(node, source):
    """torch.tanh  ->  torch.erf, and other pairs of functions of one number"""
    if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS:
        return [ast.Attribute(node.value, other, ast.Load()) for other in _FUNCTIONS if other != node.attr]
    return []


def other_axis(node, source):
    """x.sum(axis=0)  ->  another axis, or the same with dim or without a word"""
    if not isinstance(node, ast.Call):
        return []
    found = []
    for place, word in enumerate(node.keywords):
        for axis in _other_axes(word.value) if word.arg in ("axis", "dim") else ():
            keywords = [*node.keywords[:place], ast.keyword(word.arg, axis), *node.keywords[place + 1 :]]
            found.append(_with(node, keywords=keywords))
    if isinstance(node.func, ast.Attribute) and node.func.attr in _ALONG and node.args:
        found += [_with(node, args=[*node.args[:-1], axis]) for axis in _other_axes(node.args[-1])]
    return found


def _other_axes(given):
    negative = isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub)
    number = getattr(given.operand if negative else given, "value", None)
    if type(number) is not int:
        return []
    return [ast.Constant(axis) for axis in (0, 1, -1, -2) if axis != (-number if negative else number)]


def written_into(node, source):
    """np.maximum(x, 0, x)  ->  np.maximum(x, 0), and the same with out=x"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    args = node.args[: _WRITES.get(node.func.attr, 99)]
    keywords = [one for one in node.keywords if one.arg != "out"]
    changed = len(args) < len(node.args) or len(keywords) < len(node.keywords)
    return [ast.Call(node.func, args, keywords)] if changed else []


# ---- names and numbers


def other_name(node, source):
    """A parameter  ->  another one"""
    if not _is_parameter(node, source):
        return []
    return [ast.Name(name, ast.Load()) for name in source.parameters if name != node.id]


def names_swapped(node, source):
    """Two parameters in each other's place, wherever they stand"""
    if not isinstance(node, ast.FunctionDef) or node.name != source.definition.name:
        return []
    pairs = itertools.combinations(source.parameters, 2)
    return [_with(node, body=[_swapped(line, {one: other, other: one}) for line in node.body]) for one, other in pairs]


def _swapped(line, names):
    line = copy.deepcopy(line)
    for node in ast.walk(line):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return line


def square_missing(node, source):
    """A parameter a  ->  a ** 2, unless it holds truths"""
    return [_call("_slip_square", node)] if _is_parameter(node, source) else []


def other_number(node, source):
    """2  ->  1, 3, 4, 1/2 or 0"""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return []
    old = node.value
    return [ast.Constant(new) for new in (old + 1, old - 1, 2 * old, old / 2, 0) if new != old]


# ---- places in arrays


def _other_slice(node, source, turned):
    """x[:k]  ->  x[:-k], and x[k:]  ->  x[-k:], and back; turned, x[:k]  ->  x[-k:], and back"""
    if not isinstance(node, ast.Slice) or node.step is not None or (node.lower is None) == (node.upper is None):
        return []
    bound = node.upper if node.lower is None else node.lower
    negative = isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub)
    other = bound.operand if negative else ast.UnaryOp(ast.USub(), bound)
    return [ast.Slice(None, other) if turned == (node.upper is None) else ast.Slice(other, None)]


other_end, other_part = partial(_other_slice, turned=True), partial(_other_slice, turned=False)


def entries(node, source):
    """x[places]  ->  x[row, places], where places has a row of columns for each row"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        return [_with(node, slice=ast.Tuple([_call("_slip_rows", node.slice), node.slice], ast.Load()))]
    return []


def column(node, source):
    """x[-k]  ->  x[:, [-k]] or x[:, -k]"""
    index = getattr(node, "slice", None)
    if not isinstance(node, ast.Subscript) or not isinstance(index, (ast.Name, ast.UnaryOp, ast.Constant, ast.BinOp)):
        return []
    value, places = _call("_slip_two_axes", node.value), (ast.List([index], ast.Load()), index)
    return [_with(node, value=value, slice=ast.Tuple([ast.Slice(), place], ast.Load())) for place in places]


# ---- statements


def same_row(node, source):
    """[[0]] * n  ->  [[0] for _ in range(n)]"""
    match node:
        case ast.BinOp(left=ast.List(elts=[ast.List() | ast.BinOp() as row]), op=ast.Mult(), right=count):
            each = ast.comprehension(ast.Name("_", ast.Store()), _call("range", count), [], 0)
            return [ast.ListComp(row, [each])]
    return []


def kept_default(node, source):
    """def f(x, found={})  ->  the same, with found = {} as the first line"""
    if not isinstance(node, ast.FunctionDef):
        return []
    named = zip(node.args.args[::-1], node.args.defaults[::-1], strict=False)
    made = [(arg, value) for arg, value in named if isinstance(value, (ast.Dict, ast.List, ast.Set, ast.Call))]
    lines = [ast.Assign([ast.Name(arg.arg, ast.Store())], value) for arg, value in made]
    return [_with(node, body=[*lines, *node.body])] if lines else []


def thrown_away(node, source):
    """A line f(x)  ->  x = f(x)"""
    match node:
        case ast.Expr(value=ast.Call(args=[ast.Name(id=name), *_])):
            return [ast.Assign([ast.Name(name, ast.Store())], node.value)]
    return []


def no_return(node, source):
    """A last line that computes something, or gives it a name  ->  the same, returned"""
    last = node.body[-1] if isinstance(node, ast.FunctionDef) and node.name != "__init__" else None
    match last:
        case ast.Expr(value=value):
            return [_with(node, body=[*node.body[:-1], ast.Return(value)])]
        case ast.Assign(targets=[ast.Name() | ast.Tuple(), *_], value=value):
            return [_with(node, body=[*node.body, ast.Return(value)])]
    return []


def set_anew(node, source):
    """y[i] = … in a loop that is not over i  ->  y[i] += …"""
    if not isinstance(node, ast.For):
        return []
    found, counts = [], _names(node.target)
    for place, line in enumerate(node.body):
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], (ast.Name, ast.Subscript)):
            target = line.targets[0]
            if _names(target) & counts or _reads(line.value, target):
                continue  # each round has its own place, or goes on from what is there
            added = ast.AugAssign(target, ast.Add(), line.value)
            found.append(_with(node, body=[*node.body[:place], added, *node.body[place + 1 :]]))
    return found


def _reads(value, target):
    """Tell whether a value is computed from what already stands in its place."""
    if isinstance(target, ast.Name):
        return target.id in _names(value)
    return ast.unparse(target) in ast.unparse(value)


def in_place(node, source):
    """x += a  ->  x = x + a"""
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            return [ast.Assign([node.target], ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value))]
    return []


def without_self(node, source):
    """up = … in __init__  ->  self.up = …"""
    if not isinstance(node, ast.FunctionDef) or node.name != "__init__":
        return []
    return [_with(node, body=[_of_self(line) for line in node.body])]


def _of_self(line):
    match line:
        case ast.Assign(targets=[ast.Name(id=name), *_]):
            return ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), name, ast.Store())], line.value)
    return line


def branches(node, source):
    """a if c else b  ->  b if c else a, and the same for where(c, a, b) and for if blocks"""
    if not isinstance(node, ast.If):
        return _branches(node, source)
    if node.orelse:
        return [ast.If(node.test, node.orelse, node.body)]
    return [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, [])]


_branches = rules("a if c else b -> b if c else a", "m.where(c, a, b, **k) -> m.where(c, b, a, **k)")
