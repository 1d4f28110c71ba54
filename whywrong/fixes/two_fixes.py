"""Search for two small edits that make a wrong answer right together.

One copy of the code contains all edits of an answer, each behind a switch, so trying a pair means setting two switches.
"""

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from whywrong.fixes.copies import Budget, compile_definition
from whywrong.fixes.places import Span, covers, span
from whywrong.fixes.search import Edit, find_smallest_around
from whywrong.fixes.source import LONGEST, Source
from whywrong.task import Finding

MOST_NODES = 300  # in the code: each of its places is switched in hundreds of copies of the answer
MOST_ROUNDS = 1_000, 40_000  # of the loops of one copy, and of all: each round reads every switch inside
MOST_RIGHT = 12  # pairs that make an answer right: if there are more, it is not clear which one is meant
_LATER = {"number": 1, "name": 1, "factor-missing": 2, "square-missing": 2, "minus-missing": 2, "function": 3}
_ALONE = ("last-added",)  # it changes too much to be one of a pair
_OFTEN_MEANT = {"erf", "tanh"}, {"exp", "log"}
_NO_PLACES = (ast.FunctionDef, ast.ClassDef, ast.Starred, ast.expr_context)
_NO_VALUES = (ast.Slice, ast.Starred)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPAQUE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_DEFINES, _SETS = (ast.FunctionDef, ast.ClassDef, ast.AnnAssign), (ast.Store, ast.Del)

IsRight: TypeAlias = Callable[[object], bool]
Build: TypeAlias = Callable[[ast.AST, dict[int, str]], ast.AST]


class Fix(NamedTuple):
    """One edit of one node: it is made while its switch is set to its position."""

    edit: Edit
    node: ast.AST
    switch: int
    position: int


class _Place(NamedTuple):
    """Where some code is, and the words for it in a sentence."""

    span: Span
    node: ast.AST
    words: str


class TwoFixSearch:
    """A copy of an answer in which every place that an edit rewrites has a switch.

    fixes: all that can be switched on, the likeliest first; those of `put_back` are tried alone and never in pairs.
    """

    def __init__(self, source: Source, edits: Iterable[Edit], put_back: Iterable[Edit], budget: Budget):
        self._edits, self._put_back = [*(edit for edit in edits if edit.name not in _ALONE), *put_back], put_back
        self.fixes: list[Fix] = []
        self._source, self._budget = source, budget
        self._positions: dict[int, int] = {}  # of the switches that are set
        self._count = 0  # of switches
        self._alternatives: dict[int, list[tuple[Edit, ast.AST]]] = {}  # by the id of the node that they may replace
        self._define = None
        nodes = list(ast.walk(source.definition))
        if len(nodes) <= MOST_NODES and not any(isinstance(node, _OPAQUE) for node in nodes):
            budget.rounds = min(budget.rounds, MOST_ROUNDS[1])
            self._alternatives = {id(node): others for node in nodes if (others := self._find_alternatives(node))}
            self._define = compile_definition(self._build(source.definition, {}), source, budget)
        self.fixes.sort(key=self._rank)

    def _rank(self, fix: Fix) -> int:
        """Return how late a fix is tried."""
        if fix.edit.name == "function":
            _, other = self._alternatives[id(fix.node)][fix.position - 1]
            if {fix.node.attr, other.attr} in _OFTEN_MEANT:
                return 0
        return _LATER.get(fix.edit.name, 0)

    def find_fixes(self, most: int, may_be_right: IsRight, is_right: IsRight) -> Finding | None:
        """Return what to say about the two places that make the answer right when both are fixed; or None.

        >>> from whywrong.fixes.edits import EDITS
        >>> from whywrong.fixes.source import parse_source
        >>> source = parse_source("def f(x, a, b): return (a + x) * (x - b)")
        >>> search = TwoFixSearch(source, [edit for edit in EDITS if edit.name == "sign"], [], Budget())
        >>> is_right = lambda fixed: fixed(2, 3, 5) == (3 - 2) * (2 + 5)
        >>> search.find_fixes(2000, is_right, is_right).says
        'Two things are wrong: look at `a + x`, and at `x - b`.'

        Args:
            most: how many pairs to try.
            may_be_right, is_right: answer -> whether it is right: a quick check, and a thorough one.
        """

        def works(*fixes: Fix) -> bool:
            return self._makes_right(fixes, may_be_right, is_right)

        alone = [fix for fix in self.fixes if works(fix)]
        if alone:
            return self._describe_alone(alone)
        candidates = [fix for fix in self.fixes if fix.edit not in self._put_back]
        pairs = sorted(itertools.combinations(range(len(candidates)), 2), key=sum)
        working = []
        for first, second in pairs[:most]:
            if works(candidates[first], candidates[second]):
                working.append((first, second))
        known = set(itertools.chain.from_iterable(working[: MOST_RIGHT + 1]))
        for first, second in pairs[most:]:  # each fix of a pair that works is tried with all others
            if known & {first, second} and works(candidates[first], candidates[second]):
                working.append((first, second))
        if not 0 < len(working) <= MOST_RIGHT or self._budget.rounds <= 0:
            return None
        in_order = []
        for pair in working:
            in_order.append(sorted((candidates[number] for number in pair), key=lambda fix: span(fix.node)))
        return self._describe_pairs(in_order)

    def _makes_right(self, fixes: Sequence[Fix], may_be_right: IsRight, is_right: IsRight) -> bool:
        switches = {fix.switch for fix in fixes}
        if len(switches) < len(fixes) or self._budget.rounds <= 0:
            return False
        self._budget.rounds_left = MOST_ROUNDS[0]
        return may_be_right(self._answer_with(*fixes)) and is_right(self._answer_with(*fixes))

    def _describe_alone(self, fixes: list[Fix]) -> Finding | None:
        """Say where the one fix is needed, if its edit has a sentence for that."""
        edit, place = fixes[0].edit, self._place_of(fixes)
        if place is None or "{place}" not in edit.says:
            return None
        return Finding("slip", edit.name, edit.says.format(place=place.words))

    def _describe_pairs(self, pairs: list[list[Fix]]) -> Finding | None:
        """Name two places that every pair fixes, or one around both; None if the places would be too wide.

        If the one place is all that a `return` gives back, the finding points at no place: naming it would say nothing.
        """
        swap = self._describe_swap(pairs)
        if swap is not None:
            return swap
        sides = self._common_sides(pairs) or ([first for first, _ in pairs], [second for _, second in pairs])
        places = [place for place in map(self._place_of, sides) if place is not None]
        if len(places) < 2:
            return None
        places.sort(key=lambda place: place.span)
        for outer, inner in (places, places[::-1]):
            if covers(outer.node, inner.node):  # a single change of the whole may be enough, too
                if self._is_returned(outer.node):
                    message = "Almost right: two changes are needed in what you return."
                    return Finding("slip", "two-places", message, sure=True)
                message = f"Almost right: two changes are needed in {outer.words}."
                return Finding("slip", "two-places", message, at=outer.node, sure=True)
        first, second = places
        message = f"Two things are wrong: look at {first.words}, and at {second.words}."
        return Finding("slip", "two-places", message, at=first.node, sure=True)

    def _is_returned(self, node: ast.AST) -> bool:
        """Return whether a node is the whole value of a `return`."""
        return any(isinstance(one, ast.Return) and one.value is node for one in ast.walk(self._source.definition))

    def _describe_swap(self, pairs: list[list[Fix]]) -> Finding | None:
        """Name the code in which two names must be swapped, if every pair swaps the same two."""
        swapped = set()
        for pair in pairs:
            if any(fix.edit.name != "name" for fix in pair):
                return None
            first, second = ((fix.node.id, self._alternatives[id(fix.node)][fix.position - 1][1].id) for fix in pair)
            swapped.add(frozenset(first) if first == second[::-1] else None)
        place = self._place_of([fix for pair in pairs for fix in pair])
        if len(swapped) > 1 or None in swapped or place is None:
            return None
        names = " and one ".join(f"`{name}`" for name in sorted(swapped.pop()))
        message = f"Almost right: one {names} are swapped. Look at {place.words}."
        return Finding("slip", "two-places", message, at=place.node, sure=True)

    def _common_sides(self, pairs: list[list[Fix]]) -> tuple[list[Fix], list[Fix]] | None:
        """Return a fix whose node all pairs have in common, and the other fix of each pair; or None."""
        for fix in pairs[0]:
            if all(fix.node in (first.node, second.node) for first, second in pairs):
                return [fix], [first if second.node is fix.node else second for first, second in pairs]
        return None

    def _place_of(self, fixes: list[Fix]) -> _Place | None:
        """Return the smallest code around some fixes; None where it is long."""
        nodes = list({id(fix.node): fix.node for fix in fixes}.values())
        node = nodes[0] if len(nodes) == 1 else find_smallest_around(self._source, nodes)
        if node is None or (len(nodes) > 1 and len(self._source.text_of(node)) > LONGEST):
            return None
        return _Place(span(node), node, self._source.describe_place(node))

    def _answer_with(self, *fixes: Fix) -> object | None:
        """Return the answer with these fixes and no others; None where it cannot be defined."""
        self._positions.clear()
        self._positions.update({fix.switch: fix.position for fix in fixes})
        names = {**self._source.names, "_slip_at": self._positions.get, "_slip_slice": slice}
        return self._define and self._define(names)

    def _find_alternatives(self, node: ast.AST) -> list[tuple[Edit, ast.AST]]:
        """Return the nodes that may replace one, each with its edit, and each once."""
        if isinstance(node, _NO_PLACES) or isinstance(getattr(node, "ctx", None), _SETS):
            return []
        alternatives, dumps = [], {ast.dump(node)}
        for edit in self._edits:
            for other in edit.rewrite(node, self._source):
                dumped = ast.dump(other) if isinstance(other, ast.expr | ast.stmt) else None
                if dumped is not None and dumped not in dumps:
                    dumps.add(dumped)
                    alternatives.append((edit, other))
        return alternatives

    # ---- the copy. A node that several alternatives contain is computed by one function, which each of them calls;
    # `names` has the names of these functions, by the id of the node.

    def _build(self, node: ast.AST, names: dict[int, str]) -> ast.AST:
        """Build a node anew, with switches wherever there are alternatives."""
        alternatives = self._alternatives.get(id(node)) if id(node) not in names else None
        if alternatives and isinstance(node, ast.stmt):
            is_at, lines = self._add_switch(node, alternatives), [self._rebuild(node, names, self._build)]
            for position, (_, other) in enumerate(alternatives, 1):
                lines = [ast.If(is_at(position), [self._copy(other, names)], lines)]
            return lines[0]
        if alternatives and not any(isinstance(part, ast.Name) and part.id == "super" for part in ast.walk(node)):
            return self._build_switched(node, alternatives, names)
        return self._rebuild(node, names, self._build)

    def _copy(self, node: ast.AST, names: dict[int, str]) -> ast.AST:
        """Build a node anew, without switches."""
        return self._rebuild(node, names, self._copy)

    def _rebuild(self, node: object, names: dict[int, str], build_part: Build) -> object:
        """Build a node anew, and its parts by `build_part`."""
        if isinstance(node, list):
            return [build_part(part, names) for part in node]
        if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
            return node
        if id(node) in names:
            return ast.Call(ast.Name(names[id(node)], ast.Load()), [], [])
        if isinstance(node, ast.Slice):
            bounds = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
            return ast.Call(ast.Name("_slip_slice", ast.Load()), build_part(bounds, names), [])
        kept = ("args", "decorator_list", "annotation", "returns") if isinstance(node, _DEFINES) else ()
        fields = ast.iter_fields(node)
        return type(node)(**{name: value if name in kept else build_part(value, names) for name, value in fields})

    def _add_switch(self, node: ast.AST, alternatives: list[tuple[Edit, ast.AST]]) -> Callable[[int], ast.Compare]:
        """Add a switch and the fixes that it makes; return position -> the code that asks whether it is set to that."""
        self._count += 1
        position_now = ast.Call(ast.Name("_slip_at", ast.Load()), [ast.Constant(self._count)], [])
        for position, (edit, _) in enumerate(alternatives, 1):
            self.fixes.append(Fix(edit, node, self._count, position))
        return lambda position: ast.Compare(position_now, [ast.Eq()], [ast.Constant(position)])

    def _build_switched(
        self, node: ast.AST, alternatives: list[tuple[Edit, ast.AST]], names: dict[int, str]
    ) -> ast.expr:
        """Build an expression that a switch chooses: itself, or one of its alternatives."""
        inside = {id(part): part for part in _values_within(node) if id(part) not in names}
        used = {id(part) for _, other in alternatives for part in _outermost(other, inside)}
        shared = [part for key, part in inside.items() if key in used]  # the outer ones come first
        self._count += 1
        names = names | {id(part): f"_slip_{self._count}_{number}" for number, part in enumerate(shared)}
        is_at, value = self._add_switch(node, alternatives), self._rebuild(node, names, self._build)
        for position, (_, other) in enumerate(alternatives, 1):
            value = ast.IfExp(is_at(position), self._copy(other, names), value)
        for part in shared:
            name = names.pop(id(part))
            body = self._rebuild(part, names, self._build) if part is node else self._build(part, names)
            value = ast.Call(ast.Lambda(_make_arguments(name), value), [ast.Lambda(_make_arguments(), body)], [])
        return value


def _values_within(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the values inside an expression, itself first, that are computed in its own scope."""
    is_value = isinstance(node, ast.expr) and not isinstance(node, _NO_VALUES)
    if is_value and not isinstance(getattr(node, "ctx", None), _SETS):
        yield node
    if not isinstance(node, _SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from _values_within(part)


def _outermost(node: ast.AST, known: dict[int, ast.AST]) -> Iterator[ast.AST]:
    """Yield the known nodes in a tree that stand inside no other known one."""
    if id(node) in known:
        yield node
        return
    for part in ast.iter_child_nodes(node):
        yield from _outermost(part, known)


def _make_arguments(*names: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
