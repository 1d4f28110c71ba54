"""Rewrites that rules cannot express: (node, source) -> the nodes that may replace it, none if there is nothing to fix.

A list of statements may replace a statement. Names that begin with `_slip_` are defined in helpers.py. The examples
call `preview` of copies.py.
"""

import ast
import io
import itertools
import tokenize
import types
from functools import partial
from typing import TypeAlias

from whywrong.fixes.places import span
from whywrong.fixes.rules import parse_rules
from whywrong.fixes.source import Source

Nodes: TypeAlias = list[ast.AST]

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.FloorDiv: "//"}
MOST_PARTS = 12  # of an expression to which brackets are added
_ROUNDING = ("int", "round", "ceil", "floor", "trunc", "rint")
_ALONG = ("sum", "mean", "std", "var", "max", "min", "amax", "amin", "all", "any")
_ALONG += ("argmax", "softmax", "cumsum", "flip")
_FUNCTIONS = ("exp", "log", "sqrt", "abs", "tanh", "tan", "sinh", "erf", "erfc", "expm1", "log1p", "sigmoid", "relu")
_FUNCTIONS += ("sin", "cos", "arctan", "floor", "ceil", "round", "square")
_INPUTS_OF = dict.fromkeys(("exp", "sqrt", "abs", "tanh", "log"), 1) | {"where": 3, "clip": 3}
_INPUTS_OF |= dict.fromkeys(("maximum", "minimum", "add", "subtract", "multiply", "divide"), 2)


def _is_binary(node: ast.AST, *operators: type[ast.operator]) -> bool:
    """Return whether a node is an operation with one of these operators between its two values."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, operators)


def _is_sum(node: ast.AST) -> bool:
    return _is_binary(node, ast.Add, ast.Sub)


def _replace(node: ast.AST, **fields: object) -> ast.AST:
    """Return a new node like this one, with other fields."""
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _make_call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _called_name(call: ast.Call) -> str:
    """Return the name under which something is called, without that of its module."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_parameter(node: ast.AST, source: Source) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.parameters


def _is_module(node: ast.AST | None, source: Source) -> bool:
    return isinstance(node, ast.Name) and isinstance(source.names.get(node.id), types.ModuleType)


# ---- operators and brackets


def replace_caret(node: ast.AST, source: Source) -> Nodes:
    """Write `**` for `^` in the text of the whole definition, because the two operators bind differently.

    >>> preview(replace_caret, "def f(x): return x + x ^ 3")
    ['def f(x):\\n    return x + x ** 3']
    """
    if type(node) is not type(source.definition) or node.lineno != source.definition.lineno:
        return []
    text = source.text_of(source.definition)
    lines = text.splitlines(keepends=True)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    carets = [token.start for token in tokens if token.type == tokenize.OP and token.string in ("^", "^=")]
    for row, column in reversed(carets):
        lines[row - 1] = lines[row - 1][:column] + "**" + lines[row - 1][column + 1 :]
    return ast.parse("".join(lines)).body if carets else []


def divide_whole(node: ast.AST, source: Source) -> Nodes:
    """Write `//` for `/`, unless something already rounds the quotient.

    >>> preview(divide_whole, "8 * d / 3"), preview(divide_whole, "int(8 * d / 3)")
    (['8 * d // 3'], [])
    """
    divided, outer = _divide_whole(node, source), node
    while divided and isinstance(node, ast.BinOp) and (outer := source.parents.get(id(outer))):
        if isinstance(outer, ast.Call) and _called_name(outer) in _ROUNDING:
            return []
    return divided


_divide_whole = parse_rules("a / b -> a // b")


def narrow_condition(node: ast.AST, source: Source) -> Nodes:
    """Apply a condition only to the last part of a sum, wherever the sum is split.

    >>> preview(narrow_condition, "a + b - c if bias else 0")
    ['a + b - (c if bias else 0)', 'a + (b - c if bias else 0)']
    """
    if not isinstance(node, ast.IfExp):
        return []
    narrowed, left, operator, last = [], node.body, None, None
    while _is_sum(left):
        last = left.right if last is None else ast.BinOp(left.right, operator, last)
        narrowed.append(ast.BinOp(left.left, left.op, ast.IfExp(node.test, last, node.orelse)))
        left, operator = left.left, left.op
    return narrowed


def add_brackets(node: ast.AST, source: Source) -> Nodes:
    """Put brackets around each run of parts in which something is added.

    >>> preview(add_brackets, "a + b * c"), preview(add_brackets, "a / b - c")
    (['(a + b) * c'], ['a / (b - c)'])
    """
    parts = _flatten(node)
    signs = parts[1::2]
    if not _is_sum(node) or not 2 <= len(signs) < MOST_PARTS:
        return []
    words = [part if isinstance(part, str) else f"({ast.unparse(part)})" for part in parts]
    bracketed = []
    for first, last in itertools.combinations(range(len(signs) + 1), 2):
        signs_around = signs[max(first - 1, 0) : first] + signs[last : last + 1]
        if signs_around and set(signs[first:last]) & {"+", "-"}:
            tokens = [*words]
            tokens[2 * first] = "(" + tokens[2 * first]
            tokens[2 * last] += ")"
            bracketed.append(ast.parse(" ".join(tokens), mode="eval").body)
    return bracketed


def _flatten(node: ast.AST, outer: ast.AST | None = None, is_right: bool = False) -> list[ast.AST | str]:
    """Return the parts of an expression with the signs between them, without looking into its brackets."""
    if not _is_binary(node, *_SIGNS):
        return [node]
    if outer is not None:
        sum_in_product = _is_sum(node) and not _is_sum(outer)
        if sum_in_product or (is_right and (_is_sum(node) or not _is_sum(outer))):
            return [node]
    return [*_flatten(node.left, node), _SIGNS[type(node.op)], *_flatten(node.right, node, True)]


def move_bracket(node: ast.AST, source: Source) -> Nodes:
    """Close the bracket of a call in a different place, unless the function rounds or is `len`.

    >>> preview(move_bracket, "np.sqrt(a) / b"), preview(move_bracket, "np.sqrt(a / b)")
    (['np.sqrt(a / b)'], ['np.sqrt(a) / b'])
    """
    match node:
        case ast.BinOp(left=ast.Call(args=[inside]) as call) if _called_name(call) != "len":
            return [_replace(call, args=[ast.BinOp(inside, node.op, node.right)])]
        case ast.Call(args=[ast.BinOp() as inside]) if _called_name(node) not in ("len", *_ROUNDING):
            return [ast.BinOp(_replace(node, args=[inside.left]), inside.op, inside.right)]
    return []


def add_transpose(node: ast.AST, source: Source) -> Nodes:
    """Transpose one side of a matrix product, unless it is transposed already.

    >>> preview(add_transpose, "x @ W"), preview(add_transpose, "x @ W.T")
    (['x @ W.T', 'x.T @ W'], ['x.T @ W.T'])
    """
    if not _is_binary(node, ast.MatMult):
        return []
    sides = [side for side in ("right", "left") if getattr(getattr(node, side), "attr", "") != "T"]
    return [_replace(node, **{side: ast.Attribute(getattr(node, side), "T", ast.Load())}) for side in sides]


def add_factor(node: ast.AST, source: Source) -> Nodes:
    """Multiply or divide a term, or a product, by a parameter.

    >>> preview(add_factor, "x + 1")
    ['(x + 1) * x', '(x + 1) / x', 'x * x + 1', 'x / x + 1', 'x + 1 * x', 'x + 1 / x']
    """
    names = [ast.Name(name, ast.Load()) for name in source.parameters if _is_term(node, source)]
    return [ast.BinOp(node, operator, name) for name in names for operator in (ast.Mult(), ast.Div())]


def _is_term(node: ast.AST, source: Source) -> bool:
    return isinstance(node, ast.expr) and hasattr(node, "lineno") and span(node) in source.terms


def add_count(node: ast.AST, source: Source) -> Nodes:
    """Multiply or divide a term, or a product, by a small number.

    >>> preview(add_count, "x * y")
    ['x * y * 2', 'x * y / 2', 'x * y * 3', 'x * y / 3', 'x * y * 4', 'x * y / 4']
    """
    counts = [ast.Constant(count) for count in (2, 3, 4)] if _is_term(node, source) else []
    return [ast.BinOp(node, operator, count) for count in counts for operator in (ast.Mult(), ast.Div())]


def add_term(node: ast.AST, source: Source) -> Nodes:
    """Add a parameter or 1 to a term, or to a product, or subtract it.

    >>> preview(add_term, "2 * x")
    ['2 * x + x', '2 * x - x', '2 * x + 1', '2 * x - 1']
    """
    if not _is_term(node, source):
        return []
    terms = [*(ast.Name(name, ast.Load()) for name in source.parameters), ast.Constant(1)]
    return [ast.BinOp(node, operator, term) for term in terms for operator in (ast.Add(), ast.Sub())]


# ---- calls


def compare_values(node: ast.AST, source: Source) -> Nodes:
    """Compare value by value where a number is in the place of an axis: np.max(a, b), a.max(b).

    >>> preview(compare_values, "x.max(0)")
    ['_slip_max(x, 0)']
    """
    names = {"max": "max", "amax": "max", "min": "min", "amin": "min"}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names):
        return []
    owner = node.func.value
    values = node.args if _is_module(owner, source) else [owner, *node.args]
    return [_make_call(f"_slip_{names[node.func.attr]}", *values)] if len(values) == 2 else []


def use_array_functions(node: ast.AST, source: Source) -> Nodes:
    """Call a function of `math` on arrays and tensors.

    >>> preview(use_array_functions, "math.exp(x)")
    ["_slip_math('exp', x)"]
    """
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=args):
            return [_make_call("_slip_math", ast.Constant(name), *args)]
    return []


def remove_call(node: ast.AST, source: Source) -> Nodes:
    """Remove a call; of a `where`, the value where the condition holds is left.

    >>> preview(remove_call, "abs(x)"), preview(remove_call, "x.copy()"), preview(remove_call, "np.where(mask, x, 0)")
    (['x'], ['x'], ['x'])
    """
    if not isinstance(node, ast.Call):
        return []
    owner = getattr(node.func, "value", None)
    is_bare = owner is not None and not (_is_module(owner, source) or node.args or node.keywords)
    first = int(getattr(node.func, "attr", "") == "where")
    return [*node.args[first : first + 1], *([owner] if is_bare else [])]


def change_function(node: ast.AST, source: Source) -> Nodes:
    """Call another function of one number.

    >>> preview(change_function, "np.tanh(x)")[:3]
    ['np.exp(x)', 'np.log(x)', 'np.sqrt(x)']
    """
    if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS:
        return [ast.Attribute(node.value, other, ast.Load()) for other in _FUNCTIONS if other != node.attr]
    return []


def change_axis(node: ast.AST, source: Source) -> Nodes:
    """Take another axis.

    >>> preview(change_axis, "x.sum(axis=0)"), preview(change_axis, "x.sum(-1)")
    (['x.sum(axis=1)', 'x.sum(axis=-1)', 'x.sum(axis=-2)'], ['x.sum(0)', 'x.sum(1)', 'x.sum(-2)'])
    """
    if not isinstance(node, ast.Call):
        return []
    changed = []
    for place, keyword in enumerate(node.keywords):
        for axis in _other_axes(keyword.value) if keyword.arg in ("axis", "dim") else ():
            keywords = [*node.keywords[:place], ast.keyword(keyword.arg, axis), *node.keywords[place + 1 :]]
            changed.append(_replace(node, keywords=keywords))
    if isinstance(node.func, ast.Attribute) and node.func.attr in _ALONG and node.args:
        changed += [_replace(node, args=[*node.args[:-1], axis]) for axis in _other_axes(node.args[-1])]
    return changed


def _other_axes(axis: ast.expr) -> list[ast.Constant]:
    is_negative = isinstance(axis, ast.UnaryOp) and isinstance(axis.op, ast.USub)
    number = getattr(axis.operand if is_negative else axis, "value", None)
    if type(number) is not int:
        return []
    return [ast.Constant(other) for other in (0, 1, -1, -2) if other != (-number if is_negative else number)]


def drop_out(node: ast.AST, source: Source) -> Nodes:
    """Drop the array that a NumPy function writes its result into.

    >>> preview(drop_out, "np.maximum(x, 0, x)"), preview(drop_out, "np.exp(x, out=x)")
    (['np.maximum(x, 0)'], ['np.exp(x)'])
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    args = node.args[: _INPUTS_OF.get(node.func.attr, 99)]
    keywords = [keyword for keyword in node.keywords if keyword.arg != "out"]
    is_changed = len(args) < len(node.args) or len(keywords) < len(node.keywords)
    return [ast.Call(node.func, args, keywords)] if is_changed else []


# ---- names and numbers


def change_name(node: ast.AST, source: Source) -> Nodes:
    """Use another parameter, but not one that the same `where` already gets: that is right by accident.

    >>> preview(change_name, "d + f"), preview(change_name, "np.where(mask > 0, x, 0)")
    (['f + f', 'd + d'], ['np.where(mask > 0, mask, 0)'])
    """
    if not _is_parameter(node, source):
        return []
    around = node
    while around is not None and not isinstance(around, ast.Call):
        around = source.parents.get(id(around))
    is_where = getattr(getattr(around, "func", None), "attr", "") == "where"
    known = {node.id, *(getattr(arg, "id", None) for arg in (around.args if is_where else ()))}
    return [ast.Name(name, ast.Load()) for name in source.parameters if name not in known]


def swap_names(node: ast.AST, source: Source) -> Nodes:
    """Swap two parameters everywhere.

    >>> preview(swap_names, "def f(a, b): return a - b / a")
    ['def f(a, b):\\n    return b - a / b']
    """
    if not isinstance(node, ast.FunctionDef) or node.name != source.definition.name:
        return []
    swapped = []
    for first, second in itertools.combinations(source.parameters, 2):
        names = {first: second, second: first}
        swapped.append(_replace(node, body=_rename(node.body, names)))
    return swapped


def _rename(node: object, names: dict[str, str]) -> object:
    if isinstance(node, list):
        return [_rename(part, names) for part in node]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: _rename(value, names) for name, value in ast.iter_fields(node)}
    if isinstance(node, ast.Name):
        fields["id"] = names.get(node.id, node.id)
    return type(node)(**fields)


def add_square(node: ast.AST, source: Source) -> Nodes:
    """Square a parameter, unless it is a Boolean array.

    >>> preview(add_square, "x + 1")
    ['_slip_square(x) + 1']
    """
    return [_make_call("_slip_square", node)] if _is_parameter(node, source) else []


def change_number(node: ast.AST, source: Source) -> Nodes:
    """Use a nearby number, twice the number, half of it, or 0.

    >>> preview(change_number, "x + 2")
    ['x + 3', 'x + 1', 'x + 4', 'x + 1.0', 'x + 0']
    """
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return []
    old = node.value
    return [ast.Constant(new) for new in (old + 1, old - 1, 2 * old, old / 2, 0) if new != old]


# ---- indexing


def _change_slice(node: ast.AST, source: Source, turned: bool) -> Nodes:
    """Change the sign of the bound of a slice; if `turned`, cut off the other side, too."""
    if not isinstance(node, ast.Slice) or node.step is not None or (node.lower is None) == (node.upper is None):
        return []
    bound = node.upper if node.lower is None else node.lower
    is_negative = isinstance(bound, ast.UnaryOp) and isinstance(bound.op, ast.USub)
    other = bound.operand if is_negative else ast.UnaryOp(ast.USub(), bound)
    return [ast.Slice(None, other) if turned == (node.upper is None) else ast.Slice(other, None)]


take_other_end = partial(_change_slice, turned=True)  # x[:k]  ->  x[-k:], and back
take_other_part = partial(_change_slice, turned=False)  # x[:k]  ->  x[:-k], and x[k:]  ->  x[-k:], and back


def shift_bound(node: ast.AST, source: Source) -> Nodes:
    """Begin or end a slice one place later or earlier, also within the `max` or `min` that bounds it.

    >>> preview(shift_bound, "x[max(0, i - k) : j]")
    ['x[max(0, i - k + 1):j]', 'x[max(0, i - k - 1):j]', 'x[max(0, i - k):j + 1]', 'x[max(0, i - k):j - 1]']
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return []
    shifted = []
    for field in ("lower", "upper"):
        for bound in _shift(getattr(node.slice, field)):
            shifted.append(_replace(node, slice=_replace(node.slice, **{field: bound})))
    return shifted


def _shift(bound: ast.expr | None) -> Nodes:
    """Return a bound moved by one place: of a call of `max` or `min`, each argument that is computed."""
    if isinstance(bound, ast.Call) and _called_name(bound) in ("max", "min"):
        places = [place for place, arg in enumerate(bound.args) if not isinstance(arg, ast.Constant)]
        return [
            _replace(bound, args=[*bound.args[:place], arg, *bound.args[place + 1 :]])
            for place in places
            for arg in _shift(bound.args[place])
        ]
    if bound is None:
        return []
    return [ast.BinOp(bound, operator, ast.Constant(1)) for operator in (ast.Add(), ast.Sub())]


def index_entries(node: ast.AST, source: Source) -> Nodes:
    """Index rows and columns, where the index holds a row of columns for each row.

    >>> preview(index_entries, "x[best]")
    ['x[_slip_rows(best), best]']
    """
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        return [_replace(node, slice=ast.Tuple([_make_call("_slip_rows", node.slice), node.slice], ast.Load()))]
    return []


def take_column(node: ast.AST, source: Source) -> Nodes:
    """Take a column instead of a row.

    >>> preview(take_column, "x[-k]")
    ['_slip_two_axes(x)[:, [-k]]', '_slip_two_axes(x)[:, -k]']
    """
    index = getattr(node, "slice", None)
    if not isinstance(node, ast.Subscript) or not isinstance(index, (ast.Name, ast.UnaryOp, ast.Constant, ast.BinOp)):
        return []
    matrix, columns = _make_call("_slip_two_axes", node.value), (ast.List([index], ast.Load()), index)
    return [_replace(node, value=matrix, slice=ast.Tuple([ast.Slice(), column], ast.Load())) for column in columns]


# ---- statements


def separate_rows(node: ast.AST, source: Source) -> Nodes:
    """Make a new row each time, where the same one is repeated.

    >>> preview(separate_rows, "[[0] * m] * n")
    ['[[0] * m for _ in range(n)]']
    """
    match node:
        case ast.BinOp(left=ast.List(elts=[ast.List() | ast.BinOp() as row]), op=ast.Mult(), right=count):
            loop = ast.comprehension(ast.Name("_", ast.Store()), _make_call("range", count), [], 0)
            return [ast.ListComp(row, [loop])]
    return []


def make_defaults_anew(node: ast.AST, source: Source) -> Nodes:
    """Make the default of a parameter anew in the first line of the function.

    >>> preview(make_defaults_anew, "def f(x, rows=[]): return rows")
    ['def f(x, rows=[]):\\n    rows = []\\n    return rows']
    """
    if not isinstance(node, ast.FunctionDef):
        return []
    lines = []
    for arg, default in zip(node.args.args[::-1], node.args.defaults[::-1], strict=False):
        if isinstance(default, (ast.Dict, ast.List, ast.Set, ast.Call)):
            lines.append(ast.Assign([ast.Name(arg.arg, ast.Store())], default))
    return [_replace(node, body=[*lines, *node.body])] if lines else []


def keep_result(node: ast.AST, source: Source) -> Nodes:
    """Assign the result of a call to its first argument, or of a method to its value, where it is thrown away.

    >>> preview(keep_result, "def f(x): sorted(x); return x")
    ['def f(x):\\n    x = sorted(x)\\n    return x']
    >>> preview(keep_result, "def f(x): x.clip(0); return x")
    ['def f(x):\\n    x = x.clip(0)\\n    return x']
    """
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name) as of))) if not _is_module(of, source):
            return [ast.Assign([ast.Name(name, ast.Store())], node.value)]
        case ast.Expr(value=ast.Call(args=[ast.Name(id=name), *_])):
            return [ast.Assign([ast.Name(name, ast.Store())], node.value)]
    return []


def add_return(node: ast.AST, source: Source) -> Nodes:
    """Return what the last line computes or assigns.

    >>> preview(add_return, "def f(x): x + 1")
    ['def f(x):\\n    return x + 1']
    """
    last = node.body[-1] if isinstance(node, ast.FunctionDef) and node.name != "__init__" else None
    match last:
        case ast.Expr(value=value):
            return [_replace(node, body=[*node.body[:-1], ast.Return(value)])]
        case ast.Assign(targets=[ast.Name() | ast.Tuple(), *_], value=value):
            return [_replace(node, body=[*node.body, ast.Return(value)])]
    return []


def add_up_in_loop(node: ast.AST, source: Source) -> Nodes:
    """Write `+=` for `=` in a loop, where every round overwrites what the last one wrote.

    >>> preview(add_up_in_loop, "def f(x):\\n  for v in x: y[0] = v\\n  return y")
    ['def f(x):\\n    for v in x:\\n        y[0] += v\\n    return y']
    """
    if not isinstance(node, ast.For):
        return []
    changed, counters = [], _names_in(node.target)
    for place, line in enumerate(node.body):
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], (ast.Name, ast.Subscript)):
            target = line.targets[0]
            if _names_in(target) & counters or _reads(line.value, target):
                continue  # each round has its own place, or continues from what is there
            added = ast.AugAssign(target, ast.Add(), line.value)
            changed.append(_replace(node, body=[*node.body[:place], added, *node.body[place + 1 :]]))
    return changed


def _reads(value: ast.expr, target: ast.expr) -> bool:
    """Return whether a value is computed from what is already there."""
    if isinstance(target, ast.Name):
        return target.id in _names_in(value)
    return ast.unparse(target) in ast.unparse(value)


def assign_new(node: ast.AST, source: Source) -> Nodes:
    """Assign a new value instead of changing the array in place.

    >>> preview(assign_new, "def f(x): x += 1; return x")
    ['def f(x):\\n    x = x + 1\\n    return x']
    """
    match node:
        case ast.AugAssign(target=ast.Name(id=name)):
            return [ast.Assign([node.target], ast.BinOp(ast.Name(name, ast.Load()), node.op, node.value))]
    return []


def set_on_self(node: ast.AST, source: Source) -> Nodes:
    """Set what `__init__` assigns on `self`.

    >>> preview(set_on_self, "def __init__(self, d): up = d")
    ['def __init__(self, d):\\n    self.up = d']
    """
    if not isinstance(node, ast.FunctionDef) or node.name != "__init__":
        return []
    return [_replace(node, body=[_assign_to_self(line) for line in node.body])]


def _assign_to_self(line: ast.stmt) -> ast.stmt:
    match line:
        case ast.Assign(targets=[ast.Name(id=name), *_]):
            return ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), name, ast.Store())], line.value)
    return line


def swap_branches(node: ast.AST, source: Source) -> Nodes:
    """Swap the two cases of a condition, of `where`, or of an `if` block.

    >>> preview(swap_branches, "a if c else b"), preview(swap_branches, "np.where(c, a, b)")
    (['b if c else a'], ['np.where(c, b, a)'])
    """
    if not isinstance(node, ast.If):
        return _swap_values(node, source)
    if node.orelse:
        return [ast.If(node.test, node.orelse, node.body)]
    return [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, [])]


_swap_values = parse_rules("a if c else b -> b if c else a", "m.where(c, a, b, **k) -> m.where(c, b, a, **k)")
