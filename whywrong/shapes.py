"""Shapes that do not fit: the operation that failed, the shapes that met there, and what would fit."""

import ast
import itertools
import linecache
import re
import types

import numpy as np

from whywrong import sandbox
from whywrong.fixes.source import LONGEST
from whywrong.form import is_tensor
from whywrong.task import Finding

_PAIR = r"(\(\d*(?:, ?\d*)*\))"
_OF_SHAPES = re.compile(
    "could not be broadcast together|must match the size of tensor|mismatch in its core dimension|not aligned"
    "|shapes cannot be multiplied|size mismatch|inconsistent tensor size"
)
_MET = re.compile(rf"operands could not be broadcast together with shapes {_PAIR} {_PAIR}")


def learners_step(error: BaseException) -> types.TracebackType | None:
    """Return the last step of an error's traceback that stands in the learner's code, or None."""
    found, step = None, error.__traceback__
    while step is not None:
        if sandbox.is_learners(step.tb_frame.f_code.co_filename):
            found = step
        step = step.tb_next
    return found


def failed_at(error: BaseException) -> tuple[ast.expr, str, object] | None:
    """Return the learner's expression that raised an error, with its text and the frame it ran in; or None."""
    found = learners_step(error)
    if found is None:
        return None
    text = _text_at(found)
    try:
        return ast.parse(text.strip(), mode="eval").body, " ".join(text.split()), found.tb_frame
    except (SyntaxError, ValueError):
        return None


def _text_at(step):
    """Return the text of the expression that a step of a traceback stands in."""
    code = step.tb_frame.f_code
    line, last, begin, end = next(itertools.islice(code.co_positions(), step.tb_lasti // 2, None), (None,) * 4)
    if None in (line, last, begin, end):
        return ""
    rows = [linecache.getline(code.co_filename, number).encode() for number in range(line, last + 1)]
    if not rows:
        return ""
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][begin:]
    return b"".join(rows).decode()


def comes_from(error) -> str:
    """Say where the learner's own code sets the names that occur where an error came up."""
    place, step = failed_at(error), learners_step(error)
    if step is None:
        return ""
    written, line = "".join(linecache.getlines(step.tb_frame.f_code.co_filename)), step.tb_lineno
    try:
        tree = ast.parse(written)
        node = place[0] if place else ast.parse(written.splitlines()[line - 1].strip())
    except (SyntaxError, ValueError, IndexError):
        return ""
    within = (one for one in tree.body if one.lineno <= line <= one.end_lineno)
    sets, said = [one for one in ast.walk(next(within, tree)) if isinstance(one, ast.Assign)], {}
    both = [_written(side) for side in _sides(node) or ()]
    for name in _written(node):
        if both and all(name in side for side in both):
            continue  # what fits not is made of it here
        before = [one for one in sets if name in _targets(one) and _is_before(one, line, name)]
        if before:
            said.setdefault(" ".join(ast.get_source_segment(written, before[-1]).split()), name)
    cut = ((one if len(one) <= LONGEST else one[: LONGEST - 1] + "…", name) for one, name in said.items())
    told = [f"`{name}` comes from `{one}`" for one, name in cut]
    return f" There {', and '.join(told[:3])}." if told else ""


_NAMES = (ast.Name, ast.Attribute)


def _written(node):
    """Return the names that stand in some code, each once."""
    return list(dict.fromkeys(ast.unparse(one) for one in ast.walk(node) if isinstance(one, _NAMES)))


def _targets(assignment):
    parts = (one for target in assignment.targets for one in ast.walk(target))
    return [ast.unparse(one) for one in parts if isinstance(one, _NAMES)]


def _is_before(assignment, line, name):
    """Tell whether an assignment stands before a line; what an object holds is set in another method."""
    within = assignment.lineno <= line <= assignment.end_lineno
    return assignment.end_lineno < line or (name.startswith("self.") and not within)


def misfit(error: BaseException, words: str) -> Finding | None:
    """Return the slip behind shapes that do not fit, with what would fit; None where nothing is known.

    Args:
        error: what the learner's code raised.
        words: its message.
    """
    if not isinstance(error, (ValueError, RuntimeError)) or not _OF_SHAPES.search(words):
        return None
    place = failed_at(error)
    if place is None:
        return None
    node, text, frame = place
    layer = _into_a_layer(node, text, frame)
    if layer is not None:
        return layer
    if isinstance(node, (ast.Tuple, ast.Constant)) or len(text) > 60:
        text = ""
    sides = _sides(node)
    shapes = tuple(_shape(side, frame) for side in sides) if sides else (None, None)
    met = _MET.search(words)
    if met and None in shapes:
        shapes = tuple(tuple(int(part) for part in re.findall(r"\d+", one)) for one in met.groups())
    if None in shapes or not sides:
        return None
    code = f"`{text}`" if text else "this line"
    if (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)) or _is_product(node):
        return _product(code, *shapes)
    if "cannot be multiplied" in words:  # torch's `linear`: a row of the table
        return None
    return _by_values(code, node, *shapes)


def _into_a_layer(node, text, frame):
    """Say what a layer such as `ffn.up` takes, where rows of another width were handed to it."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    layer, shape = _named(node.func, frame), _shape(node.args[0], frame)
    takes = getattr(layer, "in_features", None)
    if not isinstance(takes, int) or not shape or shape[-1] == takes:
        return None
    gets = f"the layer takes rows of {takes} numbers, and gets an array of shape {shape}: look what goes in."
    return Finding("slip", "layer-width", f"In `{text}` {gets}")


def _named(node, frame):
    """Return what a name or a chain such as `ffn.up` stands for; None for anything else."""
    if isinstance(node, ast.Attribute):
        return getattr(_named(node.value, frame), node.attr, None)
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id)) if isinstance(node, ast.Name) else None


def _sides(node):
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return node.left, node.comparators[0]
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        return tuple(node.args)
    return None


def _is_product(node):
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("dot", "matmul", "mm")


def _shape(node, frame):
    """Return the shape of a name, of a chain such as `ffn.up.weight.T`, or of what is computed from arrays alone."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        value = _computed(node, frame)
        return None if value is None else tuple(value.shape)
    shape = getattr(_named(node, frame), "shape", None)
    return tuple(shape) if shape is not None and all(isinstance(size, int) for size in shape) else None


_HARMLESS = (
    *(ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.Subscript, ast.Slice, ast.UnaryOp, ast.BinOp),
    *(ast.Attribute, ast.operator, ast.unaryop),
)


def _computed(node, frame):
    """Compute an expression again in which only plain arrays and numbers occur; None where something else does."""
    for one in ast.walk(node):
        if not isinstance(one, _HARMLESS) or (isinstance(one, ast.Attribute) and one.attr != "T"):
            return None
        if isinstance(one, ast.Name):
            value = frame.f_locals.get(one.id, frame.f_globals.get(one.id))
            if type(value) not in (int, float, np.ndarray, np.int64, np.float64) and not _is_plain_tensor(value):
                return None
    names = {**frame.f_globals, **frame.f_locals}
    try:
        value = eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<part>", "eval"), {}, names)
    except Exception:
        return None
    return value if isinstance(value, np.ndarray) or is_tensor(value) else None


def _is_plain_tensor(value):
    return is_tensor(value) and type(value).__module__ == "torch"


def _fits(left, right):
    if not left or not right or left[-1] != right[0 if len(right) == 1 else -2]:
        return False
    try:
        np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        return False
    return True


def _product(code, left, right):
    if _fits(left, right) or not left or not right:
        return None
    needs = right[0] if len(right) == 1 else right[-2]
    says = f"In {code}, shapes {left} and {right} meet: the last size of the first, {left[-1]}, must be {needs}."
    if _fits(right, left):
        says += " In the other order they fit."
    elif len(right) == 2 and _fits(left, right[::-1]):
        says += " With the second one transposed they fit."
    elif len(left) == 2 and _fits(left[::-1], right):
        says += " With the first one transposed they fit."
    elif len(left) == 2 and _fits(right, left[::-1]):
        says += " In the other order, with this first one transposed, they fit."
    return Finding("slip", "product-shapes", says)


def _by_values(code, node, left, right):
    meet = f"In {code} shapes {left} and {right} meet, and"
    if 0 in left + right:
        return Finding("slip", "empty", f"{meet} one of the two is empty: look how it is cut out.")
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and len(right) == 2 and _fits(left, right)
    if product and len(left) > 1:
        says = f"`*` multiplies value by value, and shapes {left} and {right} do not fit for that in {code}: "
        return Finding("slip", "product-by-values", says + "a matrix product is written `@`.")
    for many, one in ((left, right), (right, left)):
        if len(one) >= 1 and one == many[:-1]:
            says = f"{meet} NumPy lines them up from the right: one number for each row must be a column, by "
            says += "`keepdims=True` or `[:, None]`"
            return Finding("slip", "column", says + (", and a matrix product is written `@`." if product else "."))
    return Finding("slip", "value-shapes", f"{meet} they do not fit value by value.")
