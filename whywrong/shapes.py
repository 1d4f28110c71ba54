"""Explain shapes that do not fit: the operation that failed, the shapes that met there, and what would fit."""

import ast
import itertools
import linecache
import re
import types
from typing import TypeAlias

import numpy as np

from whywrong import sandbox
from whywrong.fixes.source import LONGEST
from whywrong.form import is_tensor
from whywrong.task import Finding

Shape: TypeAlias = tuple[int, ...]

_PAIR = r"(\(\d*(?:, ?\d*)*\))"
_OF_SHAPES = re.compile(
    "could not be broadcast together|must match the size of tensor|mismatch in its core dimension|not aligned"
    "|shapes cannot be multiplied|size mismatch|inconsistent tensor size"
)
_MET = re.compile(rf"operands could not be broadcast together with shapes {_PAIR} {_PAIR}")
_NAMES = (ast.Name, ast.Attribute)


def find_learners_step(error: BaseException) -> types.TracebackType | None:
    """Return the last step of an error's traceback that stands in the learner's code, or None.

    >>> find_learners_step(ValueError("raised nowhere")) is None
    True
    """
    last_step, step = None, error.__traceback__
    while step is not None:
        if sandbox.is_learners(step.tb_frame.f_code.co_filename):
            last_step = step
        step = step.tb_next
    return last_step


def find_failing_code(error: BaseException) -> tuple[ast.expr, str, types.FrameType] | None:
    """Return the learner's expression that raised an error, its text, and the frame it ran in; or None.

    >>> find_failing_code(ValueError("raised nowhere")) is None
    True
    """
    step = find_learners_step(error)
    if step is None:
        return None
    text = _text_at(step)
    try:
        return ast.parse(text.strip(), mode="eval").body, " ".join(text.split()), step.tb_frame
    except (SyntaxError, ValueError):
        return None


def _text_at(step: types.TracebackType) -> str:
    """Return the text of the expression in which a step of a traceback stands."""
    code = step.tb_frame.f_code
    position = next(itertools.islice(code.co_positions(), step.tb_lasti // 2, None), (None,) * 4)
    if None in position:
        return ""
    first_line, last_line, begin, end = position
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(first_line, last_line + 1)]
    if not lines:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    return b"".join(lines).decode()


def describe_origins(error: BaseException) -> str:
    """Say where the learner's own code sets the names in the expression that failed; "" where it sets none.

    >>> describe_origins(ValueError("raised nowhere"))
    ''
    """
    place, step = find_failing_code(error), find_learners_step(error)
    if step is None:
        return ""
    code, line = "".join(linecache.getlines(step.tb_frame.f_code.co_filename)), step.tb_lineno
    try:
        tree = ast.parse(code)
        node = place[0] if place else ast.parse(code.splitlines()[line - 1].strip())
    except (SyntaxError, ValueError, IndexError):
        return ""
    statement = next((part for part in tree.body if part.lineno <= line <= part.end_lineno), tree)
    assignments = [part for part in ast.walk(statement) if isinstance(part, ast.Assign)]
    names_of_sides = [_names_in(side) for side in _sides(node) or ()]
    origins = {}
    for name in _names_in(node):
        if names_of_sides and all(name in names for names in names_of_sides):
            continue  # both sides are made from it here, so the misfit arises here
        earlier = [part for part in assignments if name in _targets(part) and _is_set_before(part, line, name)]
        if earlier:
            origins.setdefault(" ".join(ast.get_source_segment(code, earlier[-1]).split()), name)
    described = [f"`{name}` comes from `{_cut(origin)}`" for origin, name in origins.items()]
    return f" There {', and '.join(described[:3])}." if described else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _names_in(node: ast.AST) -> list[str]:
    """Return the names and attributes that stand in some code, each once."""
    return list(dict.fromkeys(ast.unparse(part) for part in ast.walk(node) if isinstance(part, _NAMES)))


def _targets(assignment: ast.Assign) -> list[str]:
    parts = (part for target in assignment.targets for part in ast.walk(target))
    return [ast.unparse(part) for part in parts if isinstance(part, _NAMES)]


def _is_set_before(assignment: ast.Assign, line: int, name: str) -> bool:
    """Tell whether an assignment comes before a line; a part of `self` may be set in any other method."""
    is_around = assignment.lineno <= line <= assignment.end_lineno
    return assignment.end_lineno < line or (name.startswith("self.") and not is_around)


def find_misfit(error: BaseException, words: str) -> Finding | None:
    """Return the slip behind shapes that do not fit, with what would fit; None where nothing is known.

    >>> find_misfit(ValueError("no word of shapes"), "no word of shapes") is None
    True

    Args:
        error: what the learner's code raised.
        words: its message.
    """
    if not isinstance(error, (ValueError, RuntimeError)) or not _OF_SHAPES.search(words):
        return None
    place = find_failing_code(error)
    if place is None:
        return None
    node, text, frame = place
    layer_width = _find_layer_width(node, text, frame)
    if layer_width is not None:
        return layer_width
    if isinstance(node, (ast.Tuple, ast.Constant)) or len(text) > 60:
        text = ""
    sides = _sides(node)
    shapes = tuple(_shape_of(side, frame) for side in sides) if sides else (None, None)
    met = _MET.search(words)
    if met and None in shapes:
        shapes = tuple(tuple(int(size) for size in re.findall(r"\d+", shape)) for shape in met.groups())
    if None in shapes or not sides:
        return None
    code = f"`{text}`" if text else "this line"
    if (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)) or _is_product(node):
        return _explain_product(code, *shapes)
    if "cannot be multiplied" in words:  # torch's `linear`: a row of the table
        return None
    return _explain_by_values(code, node, *shapes)


def _find_layer_width(node: ast.expr, text: str, frame: types.FrameType) -> Finding | None:
    """Say what a layer such as `ffn.up` takes, where it was given rows of another width."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    layer, shape = _value_of(node.func, frame), _shape_of(node.args[0], frame)
    width = getattr(layer, "in_features", None)
    if not isinstance(width, int) or not shape or shape[-1] == width:
        return None
    gets = f"the layer takes rows of {width} numbers, and gets an array of shape {shape}: look what goes in."
    return Finding("slip", "layer-width", f"In `{text}` {gets}")


def _value_of(node: ast.expr, frame: types.FrameType) -> object:
    """Return what a name or a chain such as `ffn.up` stands for; None for anything else."""
    if isinstance(node, ast.Attribute):
        return getattr(_value_of(node.value, frame), node.attr, None)
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id)) if isinstance(node, ast.Name) else None


def _sides(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the two sides of an operation, a comparison or a call."""
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return node.left, node.comparators[0]
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        return node.args[0], node.args[1]
    return None


def _is_product(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("dot", "matmul", "mm")


def _shape_of(node: ast.expr, frame: types.FrameType) -> Shape | None:
    """Return the shape of a name, of a chain such as `ffn.up.weight.T`, or of what is computed from arrays alone."""
    if not isinstance(node, _NAMES):
        value = _compute(node, frame)
        return None if value is None else tuple(value.shape)
    shape = getattr(_value_of(node, frame), "shape", None)
    return tuple(shape) if shape is not None and all(isinstance(size, int) for size in shape) else None


_HARMLESS = (
    *(ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.Subscript, ast.Slice, ast.UnaryOp, ast.BinOp),
    *(ast.Attribute, ast.operator, ast.unaryop),
)


def _compute(node: ast.expr, frame: types.FrameType) -> object:
    """Compute an expression again that holds only plain arrays and numbers; None where it holds anything else."""
    for part in ast.walk(node):
        if not isinstance(part, _HARMLESS) or (isinstance(part, ast.Attribute) and part.attr != "T"):
            return None
        if isinstance(part, ast.Name):
            value = frame.f_locals.get(part.id, frame.f_globals.get(part.id))
            is_number = type(value) in (int, float) or isinstance(value, (np.integer, np.floating))
            if not is_number and type(value) is not np.ndarray and not _is_plain_tensor(value):
                return None
    names = {**frame.f_globals, **frame.f_locals}
    try:
        value = eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<part>", "eval"), {}, names)
    except Exception:
        return None
    return value if isinstance(value, np.ndarray) or is_tensor(value) else None


def _is_plain_tensor(value: object) -> bool:
    return is_tensor(value) and type(value).__module__ == "torch"


def _fits(left: Shape, right: Shape) -> bool:
    """Tell whether a matrix product of two shapes is possible."""
    if not left or not right or left[-1] != right[0 if len(right) == 1 else -2]:
        return False
    try:
        np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        return False
    return True


def _explain_product(code: str, left: Shape, right: Shape) -> Finding | None:
    if _fits(left, right) or not left or not right:
        return None
    needs = right[0] if len(right) == 1 else right[-2]
    says = f"In {code}, shapes {left} and {right} meet: the last size of the first, {left[-1]}, must be {needs}."
    if len(left) == 1 and len(right) == 2:
        pass  # a bias or a row: whatever would fit on the left of this matrix is seldom what is meant
    elif _fits(right, left):
        says += " In the other order they fit."
    elif len(right) == 2 and _fits(left, right[::-1]):
        says += " With the second one transposed they fit."
    elif len(left) == 2 and _fits(left[::-1], right):
        says += " With the first one transposed they fit."
    elif len(left) == 2 and _fits(right, left[::-1]):
        says += " In the other order, with this first one transposed, they fit."
    return Finding("slip", "product-shapes", says)


def _explain_by_values(code: str, node: ast.expr, left: Shape, right: Shape) -> Finding:
    meet = f"In {code} shapes {left} and {right} meet, and"
    if 0 in left + right:
        return Finding("slip", "empty", f"{meet} one of the two is empty: look how it is cut out.")
    could_be_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    could_be_product = could_be_product and len(right) == 2 and _fits(left, right)
    if could_be_product and len(left) > 1:
        says = f"`*` multiplies value by value, and shapes {left} and {right} do not fit for that in {code}: "
        return Finding("slip", "product-by-values", says + "a matrix product is written `@`.")
    for longer, shorter in ((left, right), (right, left)):
        if len(shorter) >= 1 and shorter == longer[:-1]:
            says = f"{meet} NumPy lines them up from the right: one number for each row must be a column, by "
            says += "`keepdims=True` or `[:, None]`"
            or_product = ", and a matrix product is written `@`." if could_be_product else "."
            return Finding("slip", "column", says + or_product)
    return Finding("slip", "value-shapes", f"{meet} they do not fit value by value.")
