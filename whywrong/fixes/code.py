"""The code of an answer, changed copies of it that can be run, and the search for the one that is right."""

import ast
import copy
import inspect
import linecache
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from whywrong.fixes.helpers import HELPERS
from whywrong.fixes.places import covers, span
from whywrong.task import MOST_TRIES, Finding

MOST_NODES = 800, 70_000  # of the code of an answer, and of all copies of it that are mended in one place each
MOST_ROUNDS = 20_000, 500_000  # of the loops of one mended answer, and of all together
LONGEST = 60  # characters of the learner's code in a sentence


@dataclass(frozen=True)
class Source:
    """The code of an answer: its definition, the lines of its file, the names that it sees, and its parameters."""

    definition: ast.FunctionDef | ast.ClassDef
    lines: list[str]
    names: dict
    parameters: tuple[str, ...]

    @cached_property
    def terms(self) -> set:
        """Where the terms of its sums and differences stand, and what it computes or gives back."""
        found = set()
        for node in ast.walk(self.definition):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
                found |= {span(node.left), span(node.right)}
            value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Return) else None
            if isinstance(value, ast.BinOp | ast.Name):
                found.add(span(value))
        return found

    def text(self, node) -> str:
        """Return the code of a node as it was written."""
        return ast.get_source_segment("".join(self.lines), node) or ast.unparse(node)

    def line(self, node) -> str:
        """Return the line in which a node begins."""
        return self.lines[node.lineno - 1].strip()

    def which(self, node) -> str:
        """Say which one a node is where its code stands several times in its line: "second "; else nothing."""
        word = re.compile(rf"(?<![\w.]){re.escape(self.text(node))}(?![\w.])")
        starts = [len(one.string[: one.start()].encode()) for one in word.finditer(self.lines[node.lineno - 1])]
        if len(starts) < 2 or node.col_offset not in starts:
            return ""
        return ("first ", "second ", "third ", "fourth ", "fifth ", "")[min(starts.index(node.col_offset), 5)]

    def place(self, node) -> str:
        """Say where a node stands: its code, and its line where that alone does not tell."""
        code, alone = self.code(node), "".join(self.lines).count(self.text(node)) == 1
        if alone and not isinstance(node, ast.Name | ast.Constant):
            return f"`{code}`"
        return f"the {self.which(node)}`{code}` in `{self.line(node)}`"

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
        if inspect.isclass(answer):
            fits = isinstance(node, ast.ClassDef) and node.name == answer.__name__
            fits = fits and node.lineno <= first <= node.end_lineno
        else:
            fits = isinstance(node, ast.FunctionDef) and node.name == function.__name__
            fits = fits and first == min(one.lineno for one in (node, *node.decorator_list))
        if fits:
            return Source(node, lines, function.__globals__, _parameters(node))
    return None


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


# ---- copies of it, mended


def mended(source: Source, mend: Callable, together: bool) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Yield copies of the definition that are mended in one place each, with the nodes of the original that were.

    Args:
        mend: (node, source) -> the nodes, or lists of statements, that may stand in its place; none where it fits not.
        together: whether copies that are mended in all places at once come first.
    """
    places = [
        (number, len(mends), node)
        for number, node in enumerate(ast.walk(source.definition))
        if (mends := mend(node, source))
    ]
    if together and len(places) > 1:
        for choice in range(max(count for _, count, _ in places)):
            choices = {number: choice for number, count, _ in places if choice < count}
            yield _with_mends(source, mend, choices), [node for *_, node in places]
    for number, count, node in places:
        for choice in range(count):
            yield _with_mends(source, mend, {number: choice}), [node]


def _with_mends(source, mend, choices):
    """Return a copy of the definition with some nodes mended, by their number in `ast.walk`."""
    definition = copy.deepcopy(source.definition)
    wanted = {id(node): choices[number] for number, node in enumerate(ast.walk(definition)) if number in choices}

    class Mend(ast.NodeTransformer):
        def visit(self, node):
            chosen = wanted.get(id(node))
            node = self.generic_visit(node)  # what stands inside is mended first
            if chosen is None:
                return node
            mends = mend(node, source)
            return mends[chosen] if chosen < len(mends) else node

    return Mend().visit(definition)


# ---- running a copy


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


def made(definition: ast.FunctionDef | ast.ClassDef, source: Source, budget: Budget):
    """Run a definition beside a copy of the names of a source, and return what it defines; None where that fails."""
    code = compiled(definition, budget)
    return code and code(dict(source.names))


def compiled(definition: ast.FunctionDef | ast.ClassDef, budget: Budget) -> Callable | None:
    """Return names -> what the definition defines beside them, or None where that fails; None where it is no code.

    Without its decorators, and with the rounds of its loops and comprehensions counted.
    """
    definition.decorator_list = []
    counted = ast.Call(ast.Name("_slip_round", ast.Load()), [], [])
    for node in ast.walk(definition):
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, ast.Expr(counted))
        elif isinstance(node, ast.comprehension):
            node.ifs.insert(0, counted)
    try:
        code = compile(ast.Module([ast.fix_missing_locations(definition)], []), "<mended>", "exec")
    except Exception:
        return None

    def defined(names):
        names |= HELPERS | {"_slip_round": budget.round}
        try:
            exec(code, names)
        except Exception:
            return None
        return names.get(definition.name)

    return defined


# ---- the search


@dataclass(frozen=True)
class Edit:
    """A small edit of a learner's code, and all that is said of it.

    name: of what it mends; a stable word, which progress files remember. Edits of one kind share it.
    mend: (node, source) -> the nodes that may stand in its place, none where there is nothing to mend.
    says: to the learner; {code} is their code in that place, and {line} the line it stands in.
    report: to the teacher of a class, with nobody's code; "" where `says` quotes none, or an edit of that name has it.
    together: whether all places are mended at once first.
    everyday: whether it is what Python does otherwise than it looks, and told before any mistake in the subject.
    without_inputs: whether it is looked for where nothing goes in: many edits make a single right number by chance.
    """

    name: str
    mend: Callable[[ast.AST, Source], list[ast.AST | list[ast.stmt]]]
    says: str
    report: str = ""
    together: bool = True
    everyday: bool = False
    without_inputs: bool = False


PLACE = Edit(
    "place",
    lambda node, source: [],
    "All is right but for one small thing: look at `{code}`.",
    report="All is right but for one small thing.",
)


class Mending:
    """The search for the one place in which an answer is wrong: each copy, mended in one place, is tried once.

    source: of the answer, or None; budget: how far all calls together may go; right: the edits that made it right.
    """

    def __init__(self, answer, is_right: Callable[[object], bool], budget: Budget):
        self.source, self._is_right, self.budget = source_of(answer), is_right, budget
        self._seen, self._size, self.right, self._general = set(), 0, [], {PLACE.name: PLACE.report}
        if self.source is not None:
            self._seen.add(ast.dump(self.source.definition))
            self._size = sum(1 for _ in ast.walk(self.source.definition))
            budget.may_copy(self._size)

    def first(self, edits: Iterable[Edit], others: Iterable[Edit] = ()) -> Finding | None:
        """Return what is said of the first edit that makes the answer right; None where none does.

        It points at a place only if all edits that do so lie there.

        Args:
            edits: what is looked for.
            others: what is tried as well once one of them is found: another place may be meant.
        """
        self.right += self._that_mend(edits)
        if self.right:
            self.right += self._that_mend(others)
        return self._told() if self.right else None

    def _that_mend(self, edits):
        edits = list(edits)
        self._general |= {edit.name: edit.report or edit.says for edit in edits if edit.report or "{" not in edit.says}
        for edit, places, definition in self._copies(edits):
            answer = made(definition, self.source, self.budget)
            if answer is not None and self._is_right(answer):
                yield edit, places

    def _told(self):
        edit, places = self.right[0]
        place, small = places[0], [(one, where[0]) for one, where in self.right if not _is_large(where)]
        if edit.name == "brackets":  # they add less than a factor that is written somewhere else
            small = [one for one in small if one[0].name != "factor-missing"]
        says = edit.says
        if small and not (edit.everyday and isinstance(place, ast.FunctionDef | ast.ClassDef)):
            (edit, place), names = small[0], {one.name for one, _ in small}
            says = edit.says
            if not all(covers(place, where) for _, where in small):
                place = smallest_around(self.source, [where for _, where in small])
                turned = names <= {"direction", "branches"}
                edit = edit if len(names) == 1 else small[-1][0] if turned else PLACE
                says = edit.says.replace(": look at the {which}`{code}` in `{line}`", " in `{code}`")
            if place is None or (edit is PLACE and len(self.source.text(place)) > LONGEST):
                return Finding("slip", edit.name, self._general[edit.name]) if edit is not PLACE else None
        code, line, which = (say(place) for say in (self.source.code, self.source.line, self.source.which))
        says = says.format(code=code, line=line, which=which)
        return Finding("slip", edit.name, says, at=place, sure=True)

    def _copies(self, edits):
        for edit in () if self.source is None or self.budget.ended else edits:
            for definition, places in mended(self.source, edit.mend, edit.together):
                if not self.budget.may_copy(self._size):
                    return
                written = ast.dump(definition)
                if written in self._seen:
                    continue
                self._seen.add(written)
                if not self.budget.may_try():
                    return
                yield edit, places, definition


def smallest_around(source: Source, places: list[ast.AST]) -> ast.expr | None:
    """Return the smallest expression that covers some places, or None."""
    over = [node for node in ast.walk(source.definition) if isinstance(node, ast.expr)]
    over = [node for node in over if all(covers(node, place) for place in places)]
    return over[-1] if over else None  # what stands inside is walked later


def _is_large(places):
    """Tell whether a mend changed several places, or a whole definition."""
    return len(places) > 1 or isinstance(places[0], ast.FunctionDef | ast.ClassDef)
