"""Find the one place in which an answer is wrong: mend it there, and see whether the mended code passes all checks."""

import ast
import copy
import inspect
import linecache
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from course_lib.content import MOST_TRIES

MOST_NODES = 800, 70_000  # of the code of an answer, and of all copies of it that are mended in one place each
MOST_ROUNDS = 20_000, 500_000  # of the loops of one mended answer, and of all together
PRODUCTS = (ast.Mult, ast.Div, ast.FloorDiv, ast.MatMult)
LONGEST = 60  # characters of the learner's code in a sentence


@dataclass(frozen=True)
class Slip:
    """A small fault: its name, its mend and its sentence.

    mend: (node, source) -> the mended nodes that may stand in its place, none where the slip is not.
    says: the sentence; {code} is the learner's code in that place, and {line} the line it stands in.
    together: whether all places are mended at once first.
    """

    name: str
    mend: Callable[[ast.AST, "Source"], list[ast.AST]]
    says: str
    together: bool = True


class TooManyRounds(Exception):
    """Raised inside a mended answer whose loops go on and on."""


@dataclass
class Budget:
    """How far a search may go, by counts, so that it goes as far on a slow machine as on a fast one.

    tries: how many mended answers there may still be; nodes: how much code of all copies; rounds: of all their loops.
    ended: whether the search was ended by one of them.
    """

    tries: int = MOST_TRIES
    nodes: int = MOST_NODES[1]
    rounds: int = MOST_ROUNDS[1]
    ended: bool = False
    left: int = field(default=0, init=False)  # rounds of the mended answer that runs

    def may_copy(self, size: int) -> bool:
        """Count one more copy of an answer of so many nodes; tell whether the search goes on."""
        self.ended = self.ended or self.nodes <= 0 or size > MOST_NODES[0]
        self.nodes -= size
        return not self.ended

    def may_try(self) -> bool:
        """Count one more mended answer; tell whether the search goes on."""
        self.ended = self.ended or self.tries <= 0 or self.rounds <= 0
        self.tries, self.left = self.tries - 1, MOST_ROUNDS[0]
        return not self.ended

    def round(self) -> bool:
        """Count one more round of a loop; a comprehension asks whether it holds."""
        self.left, self.rounds = self.left - 1, self.rounds - 1
        if self.left < 0 or self.rounds < 0:
            raise TooManyRounds
        return True


@dataclass(frozen=True)
class Source:
    """The code of an answer: its definition, the lines of its file, the names that it sees, and its parameters."""

    definition: ast.FunctionDef | ast.ClassDef
    lines: list[str]
    names: dict
    parameters: tuple[str, ...]

    def text(self, node) -> str:
        """Return the code of a node as it was written."""
        return ast.get_source_segment("".join(self.lines), node) or ast.unparse(node)

    def line(self, node) -> str:
        """Return the line in which a node begins."""
        return self.lines[node.lineno - 1].strip()

    def code(self, node) -> str:
        """Return the code of a node in one line, cut where it is long."""
        written = " ".join(self.text(node).split())
        return written if len(written) <= LONGEST else written[: LONGEST - 1] + "…"


def source_of(answer) -> Source | None:
    """Return the code of a learner's function or class; None where it cannot be had, as for a lambda or a closure."""
    function = _first_method(answer) if inspect.isclass(answer) else _unwrapped(answer)
    if not isinstance(function, types.FunctionType) or set(function.__code__.co_freevars) - {"__class__"}:
        return None
    try:
        linecache.checkcache(function.__code__.co_filename)
        lines = linecache.getlines(function.__code__.co_filename)
        tree = ast.parse("".join(lines))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    first = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            fits = inspect.isclass(answer) and node.name == answer.__name__ and node.lineno <= first <= node.end_lineno
        elif isinstance(node, ast.FunctionDef):
            begins = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            fits = not inspect.isclass(answer) and node.name == function.__name__ and begins == first
        else:
            fits = False
        if fits:
            return Source(node, lines, function.__globals__, _parameters(node))
    return None


class Mending:
    """TEMPORARY"""

    def __init__(self, answer, is_right, budget):
        self.source, self.is_right, self.budget, self.seen = source_of(answer), is_right, budget, None

    def first(self, slips):
        from course_lib.content import Finding
        from course_lib.grading.places import PLACE_HELPERS
        from course_lib.grading.slips import HELPERS

        if self.source is None:
            return None
        size = sum(1 for _ in ast.walk(self.source.definition))
        if self.seen is None:
            self.seen = {ast.dump(self.source.definition)}
            if not self.budget.may_copy(size):
                return None
        if self.budget.ended:
            return None
        for slip in slips:
            for mended, place in _mended(self.source, slip):
                if not self.budget.may_copy(size):
                    return None
                written = ast.dump(mended)
                if written in self.seen:
                    continue
                self.seen.add(written)
                if not self.budget.may_try():
                    return None
                made = _made(
                    mended, {**self.source.names, **HELPERS, **PLACE_HELPERS, "_slip_round": self.budget.round}
                )
                if made is not None and self.is_right(made):
                    says = slip.says.format(code=self.source.code(place), line=self.source.line(place))
                    return Finding("slip", slip.name, says, at=place, sure=True)
        return None


def found_by_mending(
    answer, slips: tuple[Slip, ...], helpers: dict, is_right: Callable, budget: Budget | None = None
) -> tuple[str, str] | None:
    """Return the name and the sentence of the first slip whose mending makes a learner's answer right, or None.

    The learner's own names stay as they are: the mended code runs beside a copy of them.

    Args:
        answer: a function or a class.
        slips: in the order in which they are tried.
        helpers: what mended code may call beside the learner's own names.
        is_right: mended answer -> whether it passes all checks.
        budget: how far the search may go.
    """
    source = source_of(answer)
    if source is None:
        return None
    for name, says, made in _mended_answers(source, slips, helpers, budget or Budget()):
        if is_right(made):
            return name, says
    return None


def _mended_answers(source, slips, helpers, budget) -> Iterator[tuple[str, str, object]]:
    """Yield the name, the sentence and the answer for every slip mended in one place, as far as the budget goes."""
    seen, size = {ast.dump(source.definition)}, sum(1 for _ in ast.walk(source.definition))
    if not budget.may_copy(size):
        return
    for slip in slips:
        for mended, place in _mended(source, slip):
            if not budget.may_copy(size):
                return
            written = ast.dump(mended)
            if written in seen:
                continue
            seen.add(written)
            if not budget.may_try():
                return
            made = _made(mended, {**source.names, **helpers, "_slip_round": budget.round})
            if made is not None:
                says = slip.says.format(code=source.code(place), line=source.line(place))
                yield slip.name, says, made


def _first_method(answer):
    """Return the first method that is written in a class itself."""
    methods = [value for value in vars(answer).values() if isinstance(value, types.FunctionType)]
    return next((one for one in methods if one.__qualname__.startswith(answer.__qualname__ + ".")), None)


def _unwrapped(answer):
    try:
        return inspect.unwrap(answer)
    except ValueError:  # it wraps itself
        return None


def _parameters(definition):
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    names = [arg.arg for node in functions for arg in node.args.args]
    return tuple(dict.fromkeys(name for name in names if name != "self"))


def _mended(source, slip) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the definition mended in all places at once, and then in each place alone, with the (first) place."""
    places = [
        (number, len(mends), node)
        for number, node in enumerate(ast.walk(source.definition))
        if (mends := slip.mend(node, source))
    ]
    if slip.together and len(places) > 1:
        for choice in range(max(count for _, count, _ in places)):
            yield (
                _with_mends(source, slip, {number: choice for number, count, _ in places if choice < count}),
                places[0][2],
            )
    for number, count, node in places:
        for choice in range(count):
            yield _with_mends(source, slip, {number: choice}), node


def _with_mends(source, slip, choices):
    """Return a copy of the definition with some nodes mended, by their number in `ast.walk`."""
    definition = copy.deepcopy(source.definition)
    wanted = {id(node): choices[number] for number, node in enumerate(ast.walk(definition)) if number in choices}

    class Mend(ast.NodeTransformer):
        def visit(self, node):
            chosen = wanted.get(id(node))
            node = self.generic_visit(node)  # what stands inside is mended first
            if chosen is None:
                return node
            mends = slip.mend(node, source)
            return _in_place_of(node, mends[chosen]) if chosen < len(mends) else node

    return ast.fix_missing_locations(Mend().visit(definition))


def _in_place_of(node, mended):
    """Give what is new the place of what it replaces, so that the learner's code can still be quoted there."""
    for new in mended if isinstance(mended, list) else [mended]:
        if "lineno" in node._attributes and not hasattr(new, "lineno"):
            ast.copy_location(new, node)
    return mended


def _made(definition, names):
    """Run the mended definition among these names, with the rounds of its loops counted; return what it defines."""
    definition.decorator_list = []
    definition = _counted(definition)
    try:
        exec(compile(ast.Module([definition], []), "<mended>", "exec"), names)
    except Exception:
        return None
    return names.get(definition.name)


def _counted(definition):
    """Return the definition with `_slip_round()` in every round of its loops and comprehensions."""
    if not any(isinstance(node, _LOOPS) for node in ast.walk(definition)):
        return definition
    definition = copy.deepcopy(definition)
    for node in ast.walk(definition):
        counted = ast.Call(ast.Name("_slip_round", ast.Load()), [], [])
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, ast.Expr(counted))
        elif isinstance(node, ast.comprehension):
            node.ifs.insert(0, counted)
    return ast.fix_missing_locations(definition)


_LOOPS = (ast.For, ast.While, ast.comprehension)


def binary(node, *operators) -> bool:
    """Tell whether a node is an operation with one of these operators between its two values."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, operators)


def other_operator(old, *new) -> Callable:
    """Return the mend that puts another operator between two values, or into an assignment such as `x += 1`."""

    def mend(node, source):
        if binary(node, old):
            return [ast.BinOp(node.left, operator(), node.right) for operator in new]
        if isinstance(node, ast.AugAssign) and isinstance(node.op, old):
            return [ast.AugAssign(node.target, operator(), node.value) for operator in new]
        return []

    return mend
