"""One wrong word: an answer in which all is right but for one operator, name, number, axis or bound.

A repair is told only if the mended code passes all checks, and tells where to look, not what to write.
"""

import ast
import copy
import itertools

from course_lib.grading.mending import PRODUCTS, Slip, binary, other_operator

_OTHER_WAY = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_NEGATED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
_EQUAL_TOO = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_OPPOSITES = ("min", "max"), ("minimum", "maximum"), ("amin", "amax"), ("argmin", "argmax"), ("any", "all")
_ALONG = (
    "sum",
    "mean",
    "std",
    "var",
    "max",
    "min",
    "amax",
    "amin",
    "all",
    "any",
    "argmax",
    "softmax",
    "cumsum",
    "flip",
)


_FUNCTIONS = ("exp", "log", "sqrt", "abs", "tanh", "tan", "sinh", "erf", "erfc", "expm1", "log1p", "sigmoid", "relu")
_FUNCTIONS += ("sin", "cos", "arctan", "floor", "ceil", "round", "square")


def _no_product(node, source):
    """a * b  ->  a / b, a + b, and a ** b"""
    found = other_operator(ast.Mult, ast.Div, ast.Add)(node, source)
    if binary(node, ast.Mult):
        found.append(ast.Call(ast.Name("_slip_power", ast.Load()), [node.left, node.right], []))
    return found


def _compared(other):
    """a < b  ->  another comparison"""

    def mend(node, source):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in other:
            return [ast.Compare(node.left, [other[type(node.ops[0])]()], node.comparators)]
        return []

    return mend


def _minus_dropped(node, source):
    """-a  ->  a"""
    return [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else []


def _other_side(*operators):
    """a @ b  ->  b @ a"""

    def mend(node, source):
        return [ast.BinOp(node.right, node.op, node.left)] if binary(node, *operators) else []

    return mend


def _transpose_dropped(node, source):
    """a.T  ->  a"""
    return [node.value] if isinstance(node, ast.Attribute) and node.attr == "T" else []


def _transpose_added(node, source):
    """a @ b  ->  a @ b.T or a.T @ b"""
    if not binary(node, ast.MatMult):
        return []
    left, right = (ast.Attribute(side, "T", ast.Load()) for side in (node.left, node.right))
    return [ast.BinOp(node.left, node.op, right), ast.BinOp(left, node.op, node.right)]


def _other_axis(node, source):
    """x.sum(axis=0)  ->  another axis, or the same with dim or without a word"""
    if not isinstance(node, ast.Call):
        return []
    places = [(node.keywords, place) for place, one in enumerate(node.keywords) if one.arg in ("axis", "dim")]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _ALONG and node.args:
        places.append((node.args, len(node.args) - 1))
    found = []
    for holder, place in places:
        given = holder[place].value if holder is node.keywords else holder[place]
        if isinstance(given, ast.UnaryOp) and isinstance(given.operand, ast.Constant):
            old = -given.operand.value
        else:
            old = given.value if isinstance(given, ast.Constant) else None
        for axis in (0, 1, -1, -2):
            if type(old) is int and axis != old:
                new = ast.Constant(axis)
                changed = [*holder]
                changed[place] = ast.keyword(holder[place].arg, new) if holder is node.keywords else new
                parts = (node.args, changed) if holder is node.keywords else (changed, node.keywords)
                found.append(ast.Call(node.func, *parts))
    return found


def _opposite(node, source):
    """x.min()  ->  x.max(), np.minimum  ->  np.maximum, any  ->  all"""
    called = node.func if isinstance(node, ast.Call) else None
    written = getattr(called, "attr", getattr(called, "id", None))
    for pair in _OPPOSITES:
        if written in pair:
            other = pair[1 - pair.index(written)]
            kept = ast.Attribute(called.value, other, ast.Load()) if isinstance(called, ast.Attribute) else None
            return [ast.Call(kept or ast.Name(other, ast.Load()), node.args, node.keywords)]
    return []


def _sum_or_mean(node, source):
    """x.sum()  ->  x.mean(), and back"""
    called = node.func if isinstance(node, ast.Call) else None
    other = {"sum": "mean", "mean": "sum"}.get(getattr(called, "attr", ""))
    return [ast.Call(ast.Attribute(called.value, other, ast.Load()), node.args, node.keywords)] if other else []


def _branches(node, source):
    """a if c else b  ->  b if c else a, and the same for if blocks and for where(c, a, b)"""
    if isinstance(node, ast.IfExp):
        return [ast.IfExp(node.test, node.orelse, node.body)]
    if isinstance(node, ast.If) and node.orelse:
        return [ast.If(node.test, node.orelse, node.body)]
    if isinstance(node, ast.If):
        return [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, [])]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "where" and len(node.args) == 3:
        return [ast.Call(node.func, [node.args[0], node.args[2], node.args[1]], node.keywords)]
    return []


def _bounds(node, source):
    """range(1, n)  ->  range(n), range(n - 1)  ->  range(n), and one step more at either end"""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        return []
    if len(node.args) not in (1, 2):
        return []
    first, last = [ast.Constant(0), *node.args][-2:]
    ends = [(_plus(first, 1), last), (_plus(first, -1), last), (first, _plus(last, 1)), (first, _plus(last, -1))]
    return [ast.Call(node.func, list(end), []) for end in ends]


def _plus(node, step):
    return ast.BinOp(node, ast.Add(), ast.Constant(step))


def _other_function(node, source):
    """torch.tanh  ->  torch.erf, and other pairs of functions of one number"""
    if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS:
        return [ast.Attribute(node.value, other, ast.Load()) for other in _FUNCTIONS if other != node.attr]
    return []


def _other_name(node, source):
    """A parameter  ->  another one"""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.parameters:
        return [ast.Name(name, ast.Load()) for name in source.parameters if name != node.id]
    return []


def _minus_missing(node, source):
    """a + b % c  ->  a + -b % c: a minus before the first or second part of an operation, or before an argument"""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return [ast.Call(node.func, [ast.UnaryOp(ast.USub(), node.args[0])], node.keywords)]
    if binary(node, ast.Mod, ast.FloorDiv, ast.Pow):
        return [ast.BinOp(ast.UnaryOp(ast.USub(), node.left), node.op, node.right)]
    return []


def _names_swapped(node, source):
    """Two parameters in each other's place, wherever they stand"""
    if not isinstance(node, ast.FunctionDef) or node.name != source.definition.name:
        return []
    return [_swapped(node, one, other) for one, other in itertools.combinations(source.parameters, 2)]


def _swapped(node, one, other):
    names = {one: other, other: one}

    class Swap(ast.NodeTransformer):
        def visit_Name(self, name):
            return ast.Name(names.get(name.id, name.id), name.ctx)

    return ast.FunctionDef(
        **{**dict(ast.iter_fields(node)), "body": [Swap().visit(copy.deepcopy(line)) for line in node.body]}
    )


def _square_missing(node, source):
    """a  ->  a ** 2"""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in source.parameters:
        return [ast.BinOp(node, ast.Pow(), ast.Constant(2))]
    return []


def _power_first(node, source):
    """a * b ** c  ->  (a * b) ** c, and -a ** b  ->  (-a) ** b; and a ** b * c  ->  a ** (b * c)"""
    if binary(node, *PRODUCTS) and binary(node.right, ast.Pow):
        return [ast.BinOp(ast.BinOp(node.left, node.op, node.right.left), ast.Pow(), node.right.right)]
    if binary(node, *PRODUCTS) and binary(node.left, ast.Pow):
        return [ast.BinOp(node.left.left, ast.Pow(), ast.BinOp(node.left.right, node.op, node.right))]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and binary(node.operand, ast.Pow):
        return [ast.BinOp(ast.UnaryOp(ast.USub(), node.operand.left), ast.Pow(), node.operand.right)]
    return []


def _power_of_part(node, source):
    """(a * b) ** c  ->  a ** c * b and a * b ** c"""
    if not binary(node, ast.Pow) or not binary(node.left, ast.Mult, ast.Div):
        return []
    (left, operator, right), power = (node.left.left, node.left.op, node.left.right), node.right
    return [
        ast.BinOp(ast.BinOp(left, ast.Pow(), power), operator, right),
        ast.BinOp(left, operator, ast.BinOp(right, ast.Pow(), power)),
    ]


def _factor_missing(node, source):
    """a + b  ->  a + b * n, or a + b / n, for a parameter n; and the same for a number that is returned"""
    if binary(node, ast.Add, ast.Sub):
        found = []
        for name in source.parameters:
            for operator in (ast.Mult, ast.Div):
                by = ast.Name(name, ast.Load())
                found.append(ast.BinOp(node.left, node.op, ast.BinOp(node.right, operator(), by)))
                found.append(ast.BinOp(ast.BinOp(node.left, operator(), by), node.op, node.right))
        return found
    return []


def _other_number(node, source):
    """2  ->  1, 3, 4, 1/2 or 0"""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return []
    old = node.value
    return [ast.Constant(new) for new in (old + 1, old - 1, 2 * old, old / 2, 0) if new != old]


def _dropped(node, source):
    """a + b  ->  a or b, and the same for products, quotients and powers"""
    if binary(node, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow):
        return [node.left] + ([node.right] if binary(node, ast.Add, ast.Mult) else [])
    return []


REPAIRS = (
    Slip("sign", other_operator(ast.Add, ast.Sub), "All is right but for one sign: look at `{code}`.", together=False),
    Slip("sign", other_operator(ast.Sub, ast.Add), "All is right but for one sign: look at `{code}`.", together=False),
    Slip("minus", _minus_dropped, "All is right but for one minus: look at `{code}`.", together=False),
    Slip("too-much", _dropped, "All is right but for one part that is too much: look at `{code}`.", together=False),
    Slip(
        "matrix-product",
        other_operator(ast.Mult, ast.MatMult),
        "`*` multiplies value by value, and `@` is the matrix product: look at `{code}`.",
    ),
    Slip(
        "value-by-value",
        other_operator(ast.MatMult, ast.Mult),
        "`@` is the matrix product, and `*` multiplies value by value: look at `{code}`.",
    ),
    Slip(
        "order",
        _other_side(ast.MatMult),
        "The factors of a matrix product stand in the wrong order: look at `{code}`.",
    ),
    Slip(
        "order",
        _other_side(ast.Sub, ast.Div),
        "The two sides of `{code}` stand in the wrong order.",
        together=False,
    ),
    Slip("transpose", _transpose_dropped, "One transpose is too much: look at `{code}`.", together=False),
    Slip("transpose", _transpose_added, "A transpose is missing: look at `{code}`."),
    Slip(
        "divided",
        other_operator(ast.Div, ast.Mult),
        "All is right but for one quotient, where a product is needed: look at `{code}`.",
        together=False,
    ),
    Slip(
        "multiplied",
        _no_product,
        "All is right but for one product: look at `{code}`.",
        together=False,
    ),
    Slip("added", other_operator(ast.Add, ast.Mult), "All is right but for one sum: look at `{code}`.", together=False),
    Slip(
        "power", other_operator(ast.Pow, ast.Mult), "All is right but for one power: look at `{code}`.", together=False
    ),
    Slip(
        "power-brackets",
        _power_first,
        "Brackets are missing: in `{code}` Python computes the power first.",
        together=False,
    ),
    Slip("power-of-part", _power_of_part, "The power is taken of too much: look at `{code}`.", together=False),
    Slip("axis", _other_axis, "All is right but for the axis: along which one does `{code}` go?"),
    Slip("direction", _compared(_OTHER_WAY), "The comparison `{code}` is the wrong way round.", together=False),
    Slip("negated", _compared(_NEGATED), "All is right but for one word: look at `{code}`.", together=False),
    Slip(
        "border",
        _compared(_EQUAL_TOO),
        "All is right but for the border: what does `{code}` say when both sides are equal?",
        together=False,
    ),
    Slip(
        "opposite",
        _opposite,
        "All is right but for one word: does `{code}` say what you mean, or its opposite?",
        together=False,
    ),
    Slip(
        "sum-or-mean",
        _sum_or_mean,
        "All is right but for one word: a sum and a mean are not the same, in `{code}`.",
        together=False,
    ),
    Slip("branches", _branches, "The two cases are swapped: look at `{line}`.", together=False),
    Slip(
        "bounds",
        _bounds,
        "All is right but for one step of the loop: where does `{code}` begin, and where does it end?",
        together=False,
    ),
    Slip("function", _other_function, "All is right but for one function: look at `{code}`.", together=False),
    Slip("name", _other_name, "All is right but for one name: look at the `{code}` in `{line}`.", together=False),
    Slip("number", _other_number, "All is right but for one number: look at the `{code}` in `{line}`.", together=False),
    Slip(
        "minus-missing",
        _minus_missing,
        "All is right but for a minus that is missing: look at `{code}`.",
        together=False,
    ),
    Slip(
        "names-swapped",
        _names_swapped,
        "All would be right if two of the parameters changed places throughout: look where each of them stands.",
        together=False,
    ),
    Slip(
        "square-missing",
        _square_missing,
        "All is right but for one square that is missing: look at the `{code}` in `{line}`.",
        together=False,
    ),
    Slip(
        "factor-missing",
        _factor_missing,
        "All is right but for one factor or divisor that is missing: look at `{code}`.",
        together=False,
    ),
)
