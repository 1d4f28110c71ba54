"""Every change of a right answer in one place: what a learner gets wrong with all else right.

A change is made in the text, so that the line that was changed can be shown as a learner would have written it.
"""

import ast
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

MOST = 24  # of one exercise: of more, so many are taken, evenly over its lines
MOST_OMITTED = 60  # likewise; one exercise alone has more
OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.MatMult: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
}
COMPARISONS = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
WORDS = {
    "maximum": "minimum",
    "max": "min",
    "argmax": "argmin",
    "sum": "mean",
    "mean": "sum",
    "all": "any",
    "any": "all",
    "exp": "log",
    "erf": "tanh",
    "tanh": "erf",
    "relu": "sigmoid",
    "gelu": "relu",
    "zeros": "ones",
    "stack": "concatenate",
    "concatenate": "stack",
    "cumsum": "sum",
    "sort": "abs",
}
MODULES = {"np", "torch", "nn"}

_AROUND = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Return, ast.Assign, ast.BoolOp)


@dataclass(frozen=True)
class Edit:
    """One change of a source: the text from `begin` to `end` becomes `new`.

    around: where in the changed source the change can be seen; for what was dropped, what it was dropped from.
    """

    source: str = field(repr=False)
    begin: int
    end: int
    new: str
    around: tuple[int, int]

    @property
    def changed(self) -> str:
        """The source after the change."""
        return self.source[: self.begin] + self.new + self.source[self.end :]

    @property
    def line(self) -> int:
        """The number of the line in which the change begins, counted from 1."""
        return self.source.count("\n", 0, self.begin) + 1

    @property
    def arounds(self) -> list[tuple[int, int]]:
        """Where in the changed source the change can be seen: one place."""
        return [self.around]

    @property
    def changed_lines(self) -> list[tuple[int, int]]:
        """The first and the last changed line, counted from 1."""
        return [(self.line, self.line + self.new.count("\n"))]

    def lines(self) -> tuple[list[str], list[str]]:
        """Return the lines that change, before and after."""
        first = self.source.count("\n", 0, self.begin)
        last = self.source.count("\n", 0, self.end)
        lines, others = self.source.splitlines(), self.changed.splitlines()
        return lines[first : last + 1], others[first : last + 1 + len(others) - len(lines)]


@dataclass(frozen=True)
class Two:
    """Two changes of one source, the second behind the first."""

    first: Edit
    second: Edit

    @property
    def changed(self) -> str:
        """The source after both."""
        one, source = self.first, self.second.changed
        return source[: one.begin] + one.new + source[one.end :]

    @property
    def arounds(self) -> list[tuple[int, int]]:
        """Where in the changed source each of the two can be seen."""
        one, other = self.first, self.second
        (begin, end), (start, stop) = one.around, other.around
        longer, much = len(one.new) - (one.end - one.begin), len(other.new) - (other.end - other.begin)
        return [
            (begin, end + (much if end - longer > other.begin else 0)),
            (start + (longer if start >= one.end else 0), stop + longer),
        ]

    @property
    def changed_lines(self) -> list[tuple[int, int]]:
        """The first and the last changed line of each."""
        one, ((begin, end),) = self.first, self.second.changed_lines
        more = one.new.count("\n") - one.source.count("\n", one.begin, one.end)
        return [*one.changed_lines, (begin + more, end + more)]


@dataclass(frozen=True)
class Omission(Edit):
    """Something taken out, or two names swapped: a change that can be seen in several places, or in none.

    seen: these places, in the changed source.
    """

    seen: tuple[tuple[int, int], ...] = ()

    @property
    def arounds(self) -> list[tuple[int, int]]:
        """Where in the changed source the change can be seen: for a statement, where the names that it set are read."""
        return list(self.seen)

    @property
    def changed_lines(self) -> list[tuple[int, int]]:
        """The first and the last line of each of these places."""
        return [tuple(1 + self.changed.count("\n", 0, at) for at in place) for place in self.seen]


@cache
def omissions(source: str) -> list[Omission]:
    """Return a definition without one summand, factor, argument or statement, and with two names of a line swapped.

    All that can be taken out is taken out, each in turn, up to MOST_OMITTED; of the swaps, at most MOST are taken.
    """
    text = _Text(source)
    swapped, taken_out = _evenly(_different(text, _swaps), MOST), _evenly(_different(text, _omissions), MOST_OMITTED)
    return list({edit.changed: edit for edit in [*taken_out, *swapped]}.values())


def pairs(source: str, most: int) -> list[Two]:
    """Return so many pairs of changes of a definition at most, the same each time, that do not touch each other."""
    both = itertools.combinations(edits(source), 2)
    found = [Two(one, other) for one, other in both if one.end < other.begin]
    return random.Random(source).sample(found, min(most, len(found)))


@cache
def edits(source: str) -> list[Edit]:
    """Return the changes of a definition in one place, each written once, in the order of the places."""
    return _evenly(_different(_Text(source), _edits), MOST)


def _evenly(changes, most):
    """Return so many changes at most, in the order of the places, evenly over the lines."""
    in_order = sorted(changes, key=lambda edit: (edit.begin, edit.end, edit.new))
    step = max(1, len(in_order) / most)
    return [in_order[int(number * step)] for number in range(min(most, len(in_order)))]


def _different(text, changes):
    """Return the changes of a text that leave valid code, and other code, each once."""
    found, whole = {}, ast.dump(text.tree)
    for edit in changes(text):
        changed = edit.changed
        if changed not in found and _runs(changed) and ast.dump(ast.parse(changed)) != whole:
            found[changed] = edit
    return found.values()


def _runs(source):
    try:
        compile(source, "<edit>", "exec")
    except SyntaxError:
        return False
    return True


class _Text:
    """A source, and where its nodes stand in it."""

    def __init__(self, source):
        self.source, self.tree = source, ast.parse(source)
        self.starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.parent = {id(child): node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def place(self, node) -> tuple[int, int]:
        """Return where a node begins and ends, with the brackets that stand around it alone."""
        begin = len(self.source.encode()[: self.starts[node.lineno - 1] + node.col_offset].decode())
        end = len(self.source.encode()[: self.starts[node.end_lineno - 1] + node.end_col_offset].decode())
        return begin, end

    def bracketed(self, node) -> tuple[int, int]:
        """Return the place of a node with brackets around it that belong to it, and to no call."""
        begin, end = self.place(node)
        own = isinstance(self.parent.get(id(node)), _AROUND) and self.source[begin - 1 : begin] == "("
        return (begin - 1, end + 1) if own and self.source[end : end + 1] == ")" else (begin, end)

    def text(self, node) -> str:
        begin, end = self.bracketed(node)
        return self.source[begin:end]

    def definitions_around(self, node) -> set[str]:
        """Return the names of the functions that a node stands in."""
        parent = self.parent.get(id(node))
        if parent is None:
            return set()
        return self.definitions_around(parent) | ({parent.name} if isinstance(parent, ast.FunctionDef) else set())

    def statement(self, node) -> ast.stmt:
        """Return the innermost statement that a node belongs to."""
        return node if isinstance(node, ast.stmt) else self.statement(self.parent[id(node)])

    def is_called(self, node) -> bool:
        """Tell whether a node is the function of a call."""
        parent = self.parent.get(id(node))
        return isinstance(parent, ast.Call) and parent.func is node

    def replaced(self, begin, end, new, around=None) -> Edit:
        """Make an edit; it is seen where the new text stands, or in a wider place, given in the old source."""
        first, last = (begin, end) if around is None else around
        return Edit(self.source, begin, end, new, (first, last + len(new) - (end - begin)))


def _edits(text) -> Iterator[Edit]:
    for definition, statements in _functions(text):
        for statement in statements:
            yield from _of_statement(text, definition, statement)
            for node in ast.walk(statement):
                if not isinstance(node, ast.expr_context):
                    yield from _of_node(text, node)
        yield from _other_names(text, definition)


def _functions(text):
    """Yield each function of a text, with its statements without the docstring."""
    for definition in ast.walk(text.tree):
        if isinstance(definition, ast.FunctionDef):
            yield definition, definition.body[1:] if ast.get_docstring(definition) else definition.body


def _of_statement(text, definition, statement):
    """Leave a line out, or the word `return`."""
    for node in ast.walk(statement):
        begin, end = text.place(node) if isinstance(node, ast.stmt) else (0, 0)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
            yield text.replaced(begin, end, "pass", around=text.place(definition))
        if isinstance(node, ast.Return) and node.value is not None:
            yield text.replaced(begin, text.bracketed(node.value)[0], "", around=(begin, end))
        if isinstance(node, ast.AugAssign):
            sign = text.source.index("=", text.place(node.target)[1])
            yield text.replaced(sign - 1, sign + 1, "=", around=(begin, end))


def _of_node(text, node):
    yield from _of_operation(text, node)
    yield from _of_call(text, node)
    begin, end = text.place(node) if hasattr(node, "lineno") else (0, 0)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = text.bracketed(node.left)[1], text.bracketed(node.comparators[0])[0]
        for new in COMPARISONS.get(type(node.ops[0]), ()):
            yield text.replaced(left, right, f" {new} ", around=(begin, end))
    if isinstance(node, ast.UnaryOp):
        yield text.replaced(begin, text.bracketed(node.operand)[0], "", around=(begin, end))
    if isinstance(node, ast.If):
        yield text.replaced(*text.bracketed(node.test), f"not ({text.text(node.test)})")
    if isinstance(node, ast.IfExp):
        new = f"{text.text(node.orelse)} if {text.text(node.test)} else {text.text(node.body)}"
        yield text.replaced(begin, end, new)
        yield text.replaced(begin, end, text.text(node.body))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield from _other_numbers(text, node)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield text.replaced(begin, end, str(not node.value))
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield text.replaced(text.bracketed(node.value)[1], end, "", around=(begin, end))
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield text.replaced(text.bracketed(node.value)[1], end, "", around=(begin, end))


def _of_operation(text, node):
    """Write another operator, leave one side out, swap them, turn a factor, or leave brackets out."""
    if not isinstance(node, ast.BinOp):
        return
    begin, end = text.place(node)
    (left, after), (before, right) = text.bracketed(node.left), text.bracketed(node.right)
    sign = text.source[after:before]
    if type(node.op) in OPERATORS:
        new = OPERATORS[type(node.op)]
        yield text.replaced(after, before, f" {new} " if sign.startswith(" ") else new, around=(begin, end))
    whole = text.bracketed(node)
    for kept in (node.left, node.right):
        yield text.replaced(begin, end, _one_side(text, node, kept))
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield text.replaced(begin, end, text.source[before:right] + sign + text.source[left:after])
    if isinstance(node.op, ast.MatMult):
        for side in (node.left, node.right):
            if isinstance(side, ast.Name):
                yield text.replaced(text.place(side)[1], text.place(side)[1], ".T", around=text.place(side))
    if whole != (begin, end):
        around = text.place(text.parent[id(node)])
        yield text.replaced(*whole, text.source[begin:end], around=around)


def _one_side(text, node, kept):
    """Return what is left of an operation where the other side is left out."""
    return ("-" if kept is node.right and isinstance(node.op, ast.Sub) else "") + text.text(kept)


def _of_call(text, node):
    """Write another function, leave it or its axis out."""
    if not isinstance(node, ast.Call):
        return
    begin, end = text.place(node)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in WORDS:
        stop = text.place(node.func)[1]
        yield text.replaced(stop - len(name), stop, WORDS[name], around=(begin, end))
    of_module = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    module = of_module and node.func.value.id in MODULES | {"self", "rng"}
    if node.args and not isinstance(node.args[0], ast.GeneratorExp) and (module or isinstance(node.func, ast.Name)):
        yield text.replaced(begin, end, text.source[slice(*text.place(node.args[0]))])
    if isinstance(node.func, ast.Attribute) and not module:
        yield text.replaced(text.bracketed(node.func.value)[1], end, "", around=(begin, end))
    for keyword in node.keywords:
        start, stop = text.place(keyword)
        comma = text.source.rfind(",", begin, start)
        yield text.replaced(comma if comma > text.place(node.func)[1] else start, stop, "", around=(begin, end))


def _other_numbers(text, node):
    """Write a number that is one larger, or half of it where it is no whole one; of an axis, the other one."""
    begin, end = text.place(node)
    parent = text.parent.get(id(node))
    if isinstance(parent, ast.keyword) and parent.arg in ("axis", "dim"):
        new = 1 - node.value
    else:
        new = node.value + 1 if isinstance(node.value, int) or node.value in (0, 1) else node.value / 2
    return [text.replaced(begin, end, repr(new))]


def _other_names(text, definition):
    """Write the next parameter in the place of a parameter."""
    names = [arg.arg for arg in definition.args.args if arg.arg != "self"]
    for node in ast.walk(definition):
        is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not text.is_called(node)
        if is_read and node.id in names:
            other = names[(names.index(node.id) + 1) % len(names)]
            yield text.replaced(*text.place(node), other)


# ---- what is taken out, and names that are swapped


def _omissions(text) -> Iterator[Omission]:
    """Take out one side of an operation, an argument of a call, or a statement."""
    for _, statements in _functions(text):
        for node in (node for statement in statements for node in ast.walk(statement)):
            if isinstance(node, ast.BinOp):
                around = text.place(_chain(text, node))
                for kept in (node.left, node.right):
                    yield _seen(text, *text.place(node), _one_side(text, node, kept), [around])
            elif isinstance(node, ast.BoolOp):
                for kept in node.values:
                    yield _seen(text, *text.place(node), text.text(kept), [text.place(node)])
            elif isinstance(node, ast.Call):
                for place in _arguments(text, node):
                    yield _seen(text, *place, "", [text.place(node)])
            elif isinstance(node, ast.stmt):
                begin, end = text.place(node)
                readers = [text.place(one) for one in _readers(text, node)]
                line = _seen(text, text.source.rindex("\n", 0, begin), end, "", readers)
                yield line if _runs(line.changed) else _seen(text, begin, end, "pass", readers)


def _swaps(text) -> Iterator[Omission]:
    """Swap two names in a statement, or two parameters that stand side by side."""
    for definition, statements in _functions(text):
        for statement in (node for one in statements for node in ast.walk(one) if isinstance(node, ast.stmt)):
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            names = [name for name in names if text.statement(name) is statement and name.id in _local(definition)]
            for one, other in itertools.combinations(sorted(names, key=text.place), 2):
                alike = type(one.ctx) is type(other.ctx) and text.is_called(one) is text.is_called(other)
                if alike and one.id != other.id:
                    yield _swapped(text, one, other)
        parameters = [arg for arg in definition.args.args if arg.arg != "self"]
        for one, other in itertools.pairwise(parameters):
            names = (node for node in ast.walk(definition) if isinstance(node, ast.Name))
            yield _swapped(text, one, other, [name for name in names if name.id in (one.arg, other.arg)])


def _swapped(text, one, other, seen=()):
    """Swap two names; it is seen where they stand or, for parameters, where they are read."""
    (begin, middle), (start, end) = text.place(one), text.place(other)
    new = text.source[start:end] + text.source[middle:start] + text.source[begin:middle]
    places = [text.place(name) for name in seen] or [(begin, begin + end - start), (end - (middle - begin), end)]
    return Omission(text.source, begin, end, new, (begin, end), tuple(places))


def _seen(text, begin, end, new, places):
    """Make an omission that is seen in some places of the old source: each stays, or is what the omission leaves."""
    longer = len(new) - (end - begin)
    seen = tuple((first + longer * (first >= end), last + longer * (last >= end)) for first, last in places)
    return Omission(text.source, begin, end, new, (begin, begin + len(new)), seen)


def _chain(text, node):
    """Return the sum or the product that an operation is part of."""
    sums, products = (ast.Add, ast.Sub), (ast.Mult, ast.Div, ast.FloorDiv, ast.MatMult)
    kind = next((kind for kind in (sums, products) if isinstance(node.op, kind)), ())
    parent = text.parent[id(node)]
    is_part = isinstance(parent, ast.BinOp) and isinstance(parent.op, kind)
    return _chain(text, parent) if is_part else node


def _arguments(text, call):
    """Yield the place of each argument of a call, with the comma that goes with it."""
    places = [text.place(one) for one in (*call.args, *call.keywords)]
    for number, (begin, end) in enumerate(places):
        if number > 0:
            yield places[number - 1][1], end
        else:
            yield begin, places[1][0] if len(places) > 1 else end


def _readers(text, statement):
    """Return where what a statement sets, defines, works on or returns is read elsewhere: names and attributes."""
    inside, changed = set(), set()
    for node in ast.walk(statement):
        inside.add(id(node))
        if isinstance(node, ast.FunctionDef):
            changed.add(node.name)
        if isinstance(node, ast.Return):
            changed |= text.definitions_around(node)  # what is inside of another is read where that one calls it
        if isinstance(getattr(node, "ctx", None), ast.Store):
            changed.add(ast.unparse(node.value if isinstance(node, ast.Subscript) else node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # result.append(…), np.put_along_axis(y, …)
            worked_on = (*ast.walk(node.value.func), *node.value.args[:1])
            changed |= {one.id for one in worked_on if isinstance(one, ast.Name)}
    changed = {"self" if name == "super" else name for name in changed} - MODULES
    nodes = (node for node in ast.walk(text.tree) if isinstance(node, ast.Name | ast.Attribute))
    return [node for node in nodes if id(node) not in inside and ast.unparse(node) in changed]


def _local(definition):
    """Return the names of a function: its parameters, and what it sets."""
    names = (node for node in ast.walk(definition) if isinstance(node, ast.Name))
    set_here = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    return set_here | {arg.arg for arg in definition.args.args} - {"self"}
