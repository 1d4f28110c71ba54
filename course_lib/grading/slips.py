"""Everyday slips: small faults that everybody makes, each known by its mend.

A slip is named only when its cause was tested for: the learner's code, mended in that one place, passes all checks.
"""

import ast
import io
import math
import sys
import tokenize
import types

import numpy as np

from course_lib.arguments import is_tensor
from course_lib.grading.brackets import bracketed
from course_lib.grading.mending import PRODUCTS, Slip, binary, other_operator, source_of


def _whole_quotient(node, source):
    """a / b  ->  a // b, where nothing rounds it already"""
    if isinstance(node, ast.BinOp) and any(node in ast.walk(call) for call in _roundings(source)):
        return []
    return other_operator(ast.Div, ast.FloorDiv)(node, source)


def _roundings(source):
    calls = [node for node in ast.walk(source.definition) if isinstance(node, ast.Call)]
    known = ("int", "round", "ceil", "floor", "trunc", "rint")
    return [call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) in known]


def _view(node, source):
    """x[:]  ->  x.copy()"""
    whole = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load)
    if whole and (node.slice.lower, node.slice.upper, node.slice.step) == (None, None, None):
        return [ast.Call(ast.Attribute(node.value, "copy", ast.Load()), [], [])]
    return []


def _condition_last(node, source):
    """a + b if c else d  ->  a + (b if c else d), with the sum cut at any of its places"""
    if not isinstance(node, ast.IfExp):
        return []
    found, left, operator, last = [], node.body, None, None
    while isinstance(left, ast.BinOp):
        last = left.right if last is None else ast.BinOp(left.right, operator, last)
        found.append(ast.BinOp(left.left, left.op, ast.IfExp(node.test, last, node.orelse)))
        left, operator = left.left, left.op
    return found


def _divisor(node, source):
    """a / b * c  ->  a / (b * c), and a / b / c  ->  a / (b / c)"""
    if binary(node, ast.Mult, ast.Div) and binary(node.left, ast.Div, ast.FloorDiv):
        inner = node.left
        return [ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))]
    return []


def _sum_first(node, source):
    """a + b * c  ->  (a + b) * c, and a / b + c + d  ->  a / (b + c + d), wherever they stand in a longer sum"""
    if not binary(node, ast.Add, ast.Sub):
        return []
    found = []
    if binary(node.right, *PRODUCTS):
        found += _with_first(node.right, lambda first: ast.BinOp(node.left, node.op, first))
        if binary(node.left, ast.Add, ast.Sub):  # the last term of the sum so far belongs to the bracket
            last = _with_first(node.right, lambda first: ast.BinOp(node.left.right, node.op, first))
            found += [ast.BinOp(node.left.left, node.left.op, product) for product in last]
    after, earlier = [], node  # what follows an earlier product belongs into a bracket with its last factor
    while binary(earlier, ast.Add, ast.Sub):
        after.insert(0, earlier)
        earlier = earlier.left
        product = earlier.right if binary(earlier, ast.Add, ast.Sub) else earlier
        if binary(product, *PRODUCTS):
            bracket = product.right
            for term in after:
                bracket = ast.BinOp(bracket, term.op, term.right)
            mended = ast.BinOp(product.left, product.op, bracket)
            found.append(mended if product is earlier else ast.BinOp(earlier.left, earlier.op, mended))
    return found + bracketed(node, source)


def _with_first(product, make):
    """Return the product with a sum in the place of its first factor, taken as short or as long as it goes."""
    found = [ast.BinOp(make(product.left), product.op, product.right)]
    if binary(product.left, *PRODUCTS):
        found += [ast.BinOp(inner, product.op, product.right) for inner in _with_first(product.left, make)]
    return found


def _bracket_place(node, source):
    """f(a) / b  ->  f(a / b), and f(a / b)  ->  f(a) / b, unless f rounds; nobody means the length of a sum"""
    called = node.left if isinstance(node, ast.BinOp) else node
    name = getattr(called.func, "attr", getattr(called.func, "id", "")) if isinstance(called, ast.Call) else ""
    if name == "len" or (called is node and name in ("int", "round", "floor", "ceil", "trunc")):
        return []
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Call) and len(node.left.args) == 1:
        call = node.left
        return [ast.Call(call.func, [ast.BinOp(call.args[0], node.op, node.right)], call.keywords)]
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.BinOp):
        inside = node.args[0]
        return [ast.BinOp(ast.Call(node.func, [inside.left], node.keywords), inside.op, inside.right)]
    return []


def _caret(node, source):
    """a ^ b  ->  a ** b in the whole text: the two operators bind differently"""
    if type(node) is not type(source.definition) or node.lineno != source.definition.lineno:
        return []
    text, found = source.text(source.definition), []
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP and token.string in ("^", "^="):
            found.append(token)
    for token in reversed(found):
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column] + "**" + lines[row - 1][column + 1 :]
    return ast.parse("".join(lines)).body if found else []


def _of_values(node, source):
    """np.max(a, b)  ->  np.maximum(a, b)"""
    called = node.func if isinstance(node, ast.Call) else None
    other = {"max": "maximum", "amax": "maximum", "min": "minimum", "amin": "minimum"}.get(getattr(called, "attr", ""))
    if other is not None and len(node.args) == 1 and not _is_module(called.value, source):  # x.max(0)
        return [ast.Call(ast.Name(f"_slip_{other[:3]}", ast.Load()), [called.value, *node.args], [])]
    if other is None or len(node.args) != 2 or not _is_module(called.value, source):
        return []
    return [ast.Call(ast.Name(f"_slip_{other[:3]}", ast.Load()), node.args, [])]


def _is_module(node, source):
    """Tell whether a node is the name of a module, such as np, in the learner's session."""
    return isinstance(node, ast.Name) and isinstance(source.names.get(node.id), types.ModuleType)


def _plain_call(helper, *known):
    """max(a, b)  ->  a helper that goes value by value"""

    def mend(node, source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known:
            return [ast.Call(ast.Name(helper + node.func.id, ast.Load()), node.args, node.keywords)]
        return []

    return mend


def _of_math(node, source):
    """math.f(x)  ->  f for arrays and tensors"""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "math":
        return [ast.Call(ast.Name("_slip_math", ast.Load()), [ast.Constant(called.attr), *node.args], [])]
    return []


def _bool_mean(node, source):
    """(h == 0).mean(...) and torch.mean(h == 0)  ->  the mean of zeros and ones"""
    called = node.func if isinstance(node, ast.Call) else None
    if not isinstance(called, ast.Attribute) or called.attr != "mean":
        return []
    of_module = isinstance(called.value, ast.Name) and called.value.id == "torch"
    values = node.args if of_module else [called.value, *node.args]
    return [ast.Call(ast.Name("_slip_mean", ast.Load()), values, node.keywords)]


def _return_in_loop(node, source):
    """A return at the end of a loop's body, or one of an if and its else there  ->  the same return below the loop"""
    if not isinstance(node, (ast.For, ast.While)):
        return []
    *before, last = node.body
    below = [(before or [ast.Pass()], last)] if isinstance(last, ast.Return) else []
    if isinstance(last, ast.If) and all(part and isinstance(part[-1], ast.Return) for part in (last.body, last.orelse)):
        below.append(([*before, ast.If(last.test, last.body, [])], last.orelse[-1]))
        below.append(([*before, ast.If(ast.UnaryOp(ast.Not(), last.test), last.orelse, [])], last.body[-1]))
    return [[type(node)(**{**dict(ast.iter_fields(node)), "body": body}), leave] for body, leave in below]


def _set_anew(node, source):
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
            body = [*node.body[:place], added, *node.body[place + 1 :]]
            found.append(type(node)(**{**dict(ast.iter_fields(node)), "body": body}))
    return found


def _reads(value, target):
    """Tell whether a value is computed from what already stands in its place."""
    if isinstance(target, ast.Name):
        return target.id in _names(value)
    return ast.unparse(target) in ast.unparse(value)


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _in_place(node, source):
    """x += a  ->  x = x + a"""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return [ast.Assign([node.target], value)]
    return []


def _no_return(node, source):
    """A last line that computes something, or gives it a name  ->  the same, returned"""
    last = node.body[-1] if isinstance(node, ast.FunctionDef) and node.name != "__init__" else None
    if isinstance(last, ast.Expr):
        returned = [ast.Return(last.value)]
    elif isinstance(last, ast.Assign) and isinstance(last.targets[0], (ast.Name, ast.Tuple)):
        returned = [last, ast.Return(last.value)]
    else:
        return []
    return [ast.FunctionDef(**{**dict(ast.iter_fields(node)), "body": [*node.body[:-1], *returned]})]


def _without_self(node, source):
    """up = … in __init__  ->  self.up = …"""
    if not isinstance(node, ast.FunctionDef) or node.name != "__init__":
        return []
    body = [
        ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), line.targets[0].id, ast.Store())], line.value)
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
        else line
        for line in node.body
    ]
    return [ast.FunctionDef(**{**dict(ast.iter_fields(node)), "body": body})]


def _valuewise(name):
    def valuewise(*args):
        if len(args) != 2:
            return getattr(args[0], name)()
        if any(map(is_tensor, args)):
            torch = sys.modules["torch"]
            low, high = (torch.as_tensor(one, dtype=torch.float64) for one in args)
            return getattr(torch, name + "imum")(low, high)
        return getattr(np, name + "imum")(*args)

    return valuewise


def _math(name, *args):
    if any(map(is_tensor, args)):
        return getattr(sys.modules["torch"], name)(*args)
    return np.vectorize(math.erf)(*args) if name == "erf" else getattr(np, name)(*args)


def _mean(values, *args, **options):
    return values.double().mean(*args, **options) if is_tensor(values) else values.mean(*args, **options)


def _count(values):
    if not is_tensor(values) and not isinstance(values, np.ndarray):
        raise TypeError
    if "bool" not in str(values.dtype):
        raise TypeError
    return values.sum()


def _power(base, exponent):
    if is_tensor(base) or isinstance(base, np.ndarray):
        return base**exponent
    return float(base) ** float(exponent)  # of whole numbers it could take for ever


HELPERS = {
    "_slip_len": _count,
    "_slip_power": _power,
    "_slip_max": _valuewise("max"),
    "_slip_min": _valuewise("min"),
    "_slip_sum": lambda values: values.sum(),
    "_slip_math": _math,
    "_slip_mean": _mean,
}

CARET = Slip("caret", _caret, "`^` is not a power in Python: write `**`, as in `x**3`.")
MAX = Slip(
    "max",
    _plain_call("_slip_", "max", "min"),
    "Python's `max` and `min` compare whole arrays; `np.maximum` and `torch.clamp` go value by value.",
)
MATH = Slip(
    "math",
    _of_math,
    "The functions of `math` take one number; those of `np`, or of `torch` for tensors, take whole arrays.",
)
BOOL_MEAN = Slip(
    "bool-mean",
    _bool_mean,
    "torch takes no mean of True and False: make numbers of them first, with `.double().mean()`.",
)

# What Python does otherwise than it looks: named before any mistake in the subject.
SLIPS = (
    CARET,
    Slip(
        "floor-division", other_operator(ast.FloorDiv, ast.Div), "`//` cuts the fraction off, in `{code}`: write `/`."
    ),
    Slip(
        "true-division",
        _whole_quotient,
        "`/` gives a float, in `{code}`: for a whole number write `//`.",
    ),
    Slip(
        "condition-last",
        _condition_last,
        "Python reads `a + b if condition else 0` as `(a + b) if condition else 0`: put the part that the condition is "
        "meant for, with its `if` and `else`, into brackets.",
    ),
    MAX,
    Slip(
        "max-along",
        _of_values,
        "In `{code}` a number stands where an axis is meant: `np.maximum` and `torch.clamp` compare value by value.",
    ),
    Slip(
        "sum",
        _plain_call("_slip_", "sum"),
        "Python's `sum` adds up the rows and leaves an array; `.sum()` adds up all numbers.",
    ),
    Slip(
        "len",
        _plain_call("_slip_", "len"),
        "`{code}` counts all entries, the False ones too: `.sum()` counts where something is True.",
    ),
    MATH,
    BOOL_MEAN,
    Slip(
        "divisor",
        _divisor,
        "Python reads `{code}` from left to right, as `(a / b) * c`: put the whole divisor into brackets.",
    ),
    Slip(
        "brackets",
        _sum_first,
        "Brackets are missing: in `{code}` Python computes the product or quotient before the sum.",
        together=False,
    ),
    Slip("bracket-place", _bracket_place, "A bracket closes in the wrong place: look at `{code}`.", together=False),
    Slip("no-return", _no_return, "The last line computes the result, and `return` is missing before it."),
    Slip(
        "view",
        _view,
        "Of an array, `{code}` is no copy but a view: what is written into it changes the array. `.copy()` copies.",
    ),
    Slip("in-place", _in_place, "`{code}` changes the array itself, which is the input: `x = x + …` makes a new one."),
    Slip(
        "set-anew",
        _set_anew,
        "In the loop `{line}` a value is set anew in every round, and the last one alone is left: add up, with `+=`.",
        together=False,
    ),
    Slip("self", _without_self, "A name that is set in `__init__` without `self.` is gone when `__init__` ends."),
    Slip(
        "return-in-loop",
        _return_in_loop,
        "The `return` stands inside the loop, which therefore ends in its first round: move it to the left.",
    ),
)


def holds_caret(answer) -> bool:
    """Tell whether there is a `^` in a learner's code, whatever else may be wrong with it."""
    source = source_of(answer)
    return source is not None and any(isinstance(node, ast.BitXor) for node in ast.walk(source.definition))
