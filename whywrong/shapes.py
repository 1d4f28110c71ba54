"""Explain shapes that do not fit: the operation that failed, the shapes that met there, and what would fit."""

import ast
import itertools
import linecache
import re
import types
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from whywrong import sandbox
from whywrong.fixes.source import LONGEST
from whywrong.form import is_array, is_tensor
from whywrong.task import Finding

Shape: TypeAlias = tuple[int, ...]
Path: TypeAlias = tuple[tuple[int, str], ...]

THEY_FIT = " They fit"  # begins the sentence that tells how two shapes do
_PAIR = r"(\(\d*(?:, ?\d*)*\))"
_OF_SHAPES = re.compile(
    "could not be broadcast together|must match the size of tensor|mismatch in its core dimension|not aligned"
    "|shapes cannot be multiplied|size mismatch|inconsistent tensor size|Expected size for first two dimensions"
)
_MET = re.compile(rf"operands could not be broadcast together with shapes {_PAIR} {_PAIR}")
_NAMES = (ast.Name, ast.Attribute)
_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def find_learners_step(error: BaseException) -> types.TracebackType | None:
    """Return the last step of an error's traceback that is in the learner's code, or None.

    >>> find_learners_step(ValueError("raised nowhere")) is None
    True
    """
    last_step, step = None, error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if sandbox.is_learners(file) and linecache.getline(file, step.tb_lineno):  # compiled code shows no lines
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
        return ast.parse(f"({text or '='})", mode="eval").body, " ".join(text.split()), step.tb_frame
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


def describe_origins(error: BaseException, part: ast.expr | None = None) -> str:
    """Say where the learner's own code sets the names in the expression that failed; "" if it sets none.

    If all that such a line computes with comes from one name that the code sets, say where that one comes from, too,
    and so on; and at the end of this, what a function inside of the answer returns.

    >>> describe_origins(ValueError("raised nowhere"))
    ''

    Args:
        error: what the learner's code raised.
        part: of the expression, if only its names matter.
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
    names_of_sides = [_names_in(side) for side in find_sides(node) or ()]
    origins, returns = {}, {}
    for name in _names_in(part or node):
        if names_of_sides and all(name in names for names in names_of_sides):
            continue  # both sides come from it, so the shapes stop fitting here
        setter = _find_setter(name, line, statement, step.tb_frame)
        if setter is None:
            continue
        origins.setdefault(_quote_setter(setter, code), name)
        before = _find_only_name(setter, statement, step.tb_frame)
        while before is not None and _quote_setter(before[1], code) not in origins:
            setter = before[1]
            origins[_quote_setter(setter, code)] = before[0]
            before = _find_only_name(setter, statement, step.tb_frame)
        returned = _find_returned(setter, statement)
        if before is None and returned is not None:
            call, value = (" ".join(ast.get_source_segment(code, one).split()) for one in (setter.value, returned))
            returns[call] = value
    described = [f"`{name}` comes from `{_cut(origin)}`" for origin, name in origins.items()]
    described += [f"`{call}` returns `{_cut(value)}`" for call, value in returns.items()]
    return f" There {', and '.join(described[:3])}." if described else ""


def _find_only_name(setter: ast.stmt, statement: ast.AST, frame: types.FrameType) -> tuple[str, ast.stmt] | None:
    """Return the one name that an assignment computes with and that the code sets, and what sets it; else None."""
    if not isinstance(setter, ast.Assign):
        return None
    names = [name for name in _names_in(setter.value) if "." not in name and name in frame.f_locals]
    setters = {name: before for name in names if (before := _find_setter(name, setter.lineno, statement, frame))}
    read = {name: {*_names_in(getattr(one, "iter", one))} - {name} for name, one in setters.items()}
    roots = {name: one for name, one in setters.items() if not read[name] & setters.keys()}
    return next(iter(roots.items())) if len(roots) == 1 else None


def _find_returned(setter: ast.stmt, statement: ast.AST) -> ast.expr | None:
    """Return what the one `return` gives back of a function inside of the answer whose result an assignment keeps."""
    call = setter.value if isinstance(setter, ast.Assign) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    inner = [part for part in ast.walk(statement) if isinstance(part, ast.FunctionDef) and part.name == call.func.id]
    returns = [part for one in inner for part in ast.walk(one) if isinstance(part, ast.Return)]
    return returns[0].value if len(returns) == 1 and inner[0] is not statement else None


def _find_setter(name: str, line: int, statement: ast.AST, frame: types.FrameType) -> ast.stmt | None:
    """Return what gave a name the value that it has in a line; None if more than one statement may have done so."""
    is_array = bool(getattr(frame.f_locals.get(name), "shape", ()))  # what changes in place keeps its shape
    if name.startswith("self."):  # any other method may set it
        setters = [part for part in ast.walk(statement) if name in _names_set(part, is_array)]
        setters = [part for part in setters if not part.lineno <= line <= part.end_lineno]
        return setters[0] if len(setters) == 1 else None
    inner_scopes = [part for part in ast.walk(statement) if isinstance(part, _SCOPES) and _is_around(part, line)]
    if any(name in _names_bound(part) for part in inner_scopes if not isinstance(part, ast.FunctionDef)):
        return None
    for scope in reversed([part for part in inner_scopes if isinstance(part, ast.FunctionDef)]):  # the inner ones first
        blocks = [(part, path) for part, path in _walk_blocks(scope) if name in _names_set(part, is_array)]
        if blocks or name in _names_bound(scope):
            return _find_last(blocks, line, scope, is_parameter=name in _names_bound(scope))
    return None


def _find_last(
    blocks: list[tuple[ast.stmt, Path]], line: int, scope: ast.FunctionDef, is_parameter: bool
) -> ast.stmt | None:
    """Return the last statement that set a name before a line ran; None if that is not certain."""
    earlier = [(part, path) for part, path in blocks if _last_line(part) < line]
    if not earlier:
        return None
    last, path = earlier[-1]
    paths = [path_to for part, path_to in _walk_blocks(scope) if part.lineno <= line <= _last_line(part)]
    always_runs = bool(paths) and paths[-1][: len(path)] == path
    if not always_runs and (is_parameter or len(earlier) > 1):
        return None
    loops = [part for part, _ in _walk_blocks(scope) if isinstance(part, ast.For | ast.While)]
    rounds = [loop for loop in loops if _is_around(loop, line) and not _is_around(loop, last.lineno)]
    later = [part for part, _ in blocks if _last_line(part) >= line and not _sets_an_entry(part)]
    return None if any(_is_around(loop, part.lineno) for loop in rounds for part in later) else last


def _sets_an_entry(part: ast.stmt) -> bool:
    targets = getattr(part, "targets", None) or [part.target]
    return all(isinstance(target, ast.Subscript) for target in targets)


def _walk_blocks(node: ast.AST, path: Path = ()) -> Iterator[tuple[ast.stmt, Path]]:
    """Yield each statement of a function with the branches and loops around it; a loop counts itself, as it sets names.

    Functions within it are left out.
    """
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else ():
            inside = (*path, (id(node), field)) if not isinstance(node, ast.With) else path
            if isinstance(part, ast.stmt):
                yield part, ((*inside, (id(part), "body")) if isinstance(part, ast.For) else inside)
            if not isinstance(part, _SCOPES) and isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                yield from _walk_blocks(part, inside)


def _is_around(part: ast.AST, line: int) -> bool:
    return part.lineno <= line <= part.end_lineno


def _last_line(part: ast.stmt) -> int:
    """Return the last line of a statement, or of the head of a loop."""
    return part.iter.end_lineno if isinstance(part, ast.For) else part.end_lineno


def _quote_setter(setter: ast.stmt, code: str) -> str:
    text = ast.get_source_segment(code, setter)
    if isinstance(setter, ast.For):
        target, values = (ast.get_source_segment(code, part) for part in (setter.target, setter.iter))
        text = f"for {target} in {values}:"
    return " ".join(text.split())


def _names_bound(scope: ast.AST) -> set[str]:
    """Return the names that a function or a lambda takes, or that a comprehension goes through."""
    parts = scope.generators if hasattr(scope, "generators") else [scope.args]
    names = {part.arg for every in parts for part in ast.walk(every) if isinstance(part, ast.arg)}
    return names | {name for every in parts if isinstance(every, ast.comprehension) for name in _targets(every.target)}


def _names_set(part: ast.AST, is_array: bool) -> list[str]:
    """Return the names and attributes that a statement sets; what changes an array in place sets none."""
    if isinstance(part, ast.Assign):
        return [name for target in part.targets for name in _targets(target, is_array)]
    if isinstance(part, ast.AugAssign):
        return [] if is_array else _targets(part.target, is_array)
    if isinstance(part, ast.For | ast.AnnAssign):
        return _targets(part.target, is_array)
    return []


def _targets(target: ast.expr, is_array: bool = False) -> list[str]:
    """Return the names and attributes that a target sets: in `taken[e]`, an entry of `taken`, and not `e`."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _targets(part, is_array)]
    if isinstance(target, ast.Starred):
        return _targets(target.value, is_array)
    if isinstance(target, ast.Subscript):
        return [] if is_array else _targets(target.value)
    return [ast.unparse(target)] if isinstance(target, _NAMES) else []


def quote_line(line: str) -> str:
    """Return a learner's line in backticks, cut if it is long.

    >>> quote_line("    y = x @ W")
    '`y = x @ W`'
    """
    return f"`{_cut(line.strip())}`" if line.strip() else "this line"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _names_in(node: ast.AST) -> list[str]:
    """Return the names and attributes that some code reads, each once."""
    changed = [part.target for part in ast.walk(node) if isinstance(part, ast.AugAssign)]
    parts = (part for part in ast.walk(node) if isinstance(part, _NAMES))
    read = (part for part in parts if isinstance(part.ctx, ast.Load) or part in changed)
    return list(dict.fromkeys(map(ast.unparse, read)))


def find_misfit(error: BaseException, words: str) -> Finding | None:
    """Return the slip behind shapes that do not fit, with what would fit; None if nothing is known.

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
    sides = find_sides(node)
    shapes = tuple(_shape_of(side, frame) for side in sides) if sides else (None, None)
    met = _MET.search(words)
    if met and None in shapes:
        shapes = tuple(tuple(int(size) for size in re.findall(r"\d+", shape)) for shape in met.groups())
    if None in shapes or not sides:
        return None
    code = f"`{text}`" if text else quote_line(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
    for side, shape in zip(sides, shapes, strict=True):
        if getattr(side, "attr", "") == "T" and len(shape) > 2:
            says = f"In {code}, `.T` turns all {len(shape)} axes round, which gives the shape {shape}. "
            return Finding("slip", "all-axes", says + "`.mT` swaps only the last two.")
    if (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)) or _is_product(node):
        return _explain_product(code, *shapes)
    if "cannot be multiplied" in words:  # torch's `linear`: a row of the table
        return None
    return _explain_by_values(code, node, *shapes)


def _find_layer_width(node: ast.expr, text: str, frame: types.FrameType) -> Finding | None:
    """Say what a layer such as `ffn.up` takes, if it was given rows of another width."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    layer, shape = find_value(node.func, frame), _shape_of(node.args[0], frame)
    width = getattr(layer, "in_features", None)
    if not isinstance(width, int) or not shape or shape[-1] == width:
        return None
    gets = f"the layer takes rows of {width} numbers, but gets an array of shape {shape}. Look at what goes in, "
    gets += "and at how the layer is made."
    return Finding("slip", "layer-width", f"In `{text}`, {gets}")


def find_value(node: ast.expr, frame: types.FrameType) -> object:
    """Return what a name or a chain such as `ffn.up` stands for; None for anything else."""
    if isinstance(node, ast.Attribute):
        owner = find_value(node.value, frame)
        return None if owner is None else getattr(owner, node.attr, None)
    names = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    return names.get(node.id) if isinstance(node, ast.Name) else None


def find_sides(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
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
    shape = getattr(find_value(node, frame), "shape", None)
    return tuple(shape) if shape is not None and all(isinstance(size, int) for size in shape) else None


_HARMLESS = (
    *(ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.Subscript, ast.Slice, ast.UnaryOp, ast.BinOp),
    *(ast.Attribute, ast.operator, ast.unaryop),
)


def _compute(node: ast.expr, frame: types.FrameType) -> object:
    """Compute an expression again that holds only plain arrays and numbers; None if it contains anything else."""
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
    return value if is_array(value) else None


def _is_plain_tensor(value: object) -> bool:
    return is_tensor(value) and type(value).__module__ == "torch"


def _fits(left: Shape, right: Shape) -> bool:
    """Return whether a matrix product of two shapes is possible."""
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
    needs = right[0 if len(right) == 1 else -2]
    says = f"In {code}, shapes {left} and {right} do not fit: the inner sizes, {left[-1]} and {needs}, differ."
    if len(left) == 1 and len(right) == 2:
        pass  # a bias or a row: what would fit on the left of this matrix is rarely what is meant
    elif _fits(right, left):
        says += f"{THEY_FIT} in the other order."
    elif len(right) == 2 and _fits(left, right[::-1]):
        says += f"{THEY_FIT} with the second one transposed."
    elif len(left) == 2 and _fits(left[::-1], right):
        says += f"{THEY_FIT} with the first one transposed."
    elif len(left) == 2 and _fits(right, left[::-1]):
        says += f"{THEY_FIT} in the other order, with this first one transposed."
    return Finding("slip", "product-shapes", says)


def _explain_by_values(code: str, node: ast.expr, left: Shape, right: Shape) -> Finding:
    misfit = f"In {code}, shapes {left} and {right} do not fit together"
    if 0 in left + right:
        return Finding("slip", "empty", f"{misfit}: one of the two is empty. Look at how it is cut out.")
    could_be_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    could_be_product = could_be_product and len(right) == 2 and _fits(left, right)
    could_be_product = could_be_product and not any(isinstance(side, ast.Compare) for side in find_sides(node))
    if could_be_product and len(left) > 1:
        says = f"`*` multiplies value by value, but shapes {left} and {right} do not fit for that in {code}. "
        return Finding("slip", "product-by-values", says + "A matrix product is written `@`.")
    for longer, shorter in ((left, right), (right, left)):
        if len(shorter) >= 1 and shorter == longer[:-1]:
            says = f"{misfit}, because shapes are lined up from the right. One number for each row must be a "
            says += "column: use `keepdims=True` or `[..., None]`."
            or_product = " A matrix product is written `@`." if could_be_product else ""
            return Finding("slip", "column", says + or_product)
    return Finding("slip", "value-shapes", f"{misfit} value by value.")
