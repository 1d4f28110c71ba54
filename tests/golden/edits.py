"""Every change of a right answer in one place: what a learner gets wrong with all else right.

A change is made in the text, so that the line that was changed can be shown as a learner would have written it.
"""

import ast
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST = 24  # of one exercise: of more, so many are taken, evenly over its lines
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


def pairs(source: str, most: int) -> list[Two]:
    """Return so many pairs of changes of a definition at most, the same each time, that do not touch each other."""
    found = [Two(*both) for both in itertools.combinations(edits(source), 2)]
    found = [both for both in found if both.first.end < both.second.begin and _runs(both.changed)]
    return random.Random(source).sample(found, min(most, len(found)))


def edits(source: str) -> list[Edit]:
    """Return the changes of a definition in one place, each written once, in the order of the places."""
    found = {}
    for edit in _edits(_Text(source)):
        if _runs(edit.changed) and ast.dump(ast.parse(edit.changed)) != ast.dump(ast.parse(source)):
            found.setdefault(edit.changed, edit)
    in_order = sorted(found.values(), key=lambda edit: (edit.begin, edit.end, edit.new))
    step = max(1, len(in_order) / MOST)
    return [in_order[int(number * step)] for number in range(min(MOST, len(in_order)))]


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

    def replaced(self, begin, end, new, around=None) -> Edit:
        """Make an edit; it is seen where the new text stands, or in a wider place, given in the old source."""
        first, last = (begin, end) if around is None else around
        return Edit(self.source, begin, end, new, (first, last + len(new) - (end - begin)))


def _edits(text) -> Iterator[Edit]:
    for definition in ast.walk(text.tree):
        if not isinstance(definition, ast.FunctionDef):
            continue
        statements = definition.body[1:] if ast.get_docstring(definition) else definition.body
        for statement in statements:
            yield from _of_statement(text, definition, statement)
            for node in ast.walk(statement):
                if not isinstance(node, ast.expr_context):
                    yield from _of_node(text, node)
        yield from _other_names(text, definition)


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
    for kept, of in ((node.left, (left, after)), (node.right, (before, right))):
        negative = kept is node.right and isinstance(node.op, ast.Sub)
        yield text.replaced(begin, end, ("-" if negative else "") + text.source[slice(*of)], around=None)
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield text.replaced(begin, end, text.source[before:right] + sign + text.source[left:after])
    if isinstance(node.op, ast.MatMult):
        for side in (node.left, node.right):
            if isinstance(side, ast.Name):
                yield text.replaced(text.place(side)[1], text.place(side)[1], ".T", around=text.place(side))
    if whole != (begin, end):
        around = text.place(text.parent[id(node)])
        yield text.replaced(*whole, text.source[begin:end], around=around)


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
    module = of_module and node.func.value.id in ("np", "torch", "nn", "self", "rng")
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
        called = isinstance(text.parent.get(id(node)), ast.Call) and text.parent[id(node)].func is node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and not called:
            other = names[(names.index(node.id) + 1) % len(names)]
            yield text.replaced(*text.place(node), other)
