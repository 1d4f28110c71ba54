"""All small edits of an answer in one copy of its code, each behind a switch: so that pairs of them can be tried."""

import ast
import itertools
from collections.abc import Callable, Iterable

from whywrong.fixes.code import LONGEST, Budget, Edit, Source, compiled, smallest_around
from whywrong.fixes.places import span
from whywrong.task import Finding

MOST_NODES = 300  # of code: each place in it is switched in hundreds of copies of the answer
MOST_ROUNDS = 1_000, 40_000  # of the loops of one copy, and of all: each round asks every switch inside
MOST_RIGHT = 12  # pairs that make an answer right: of more none can be meant
_LATER = {"number": 1, "name": 1, "factor-missing": 2, "square-missing": 2, "minus-missing": 2, "function": 3}
_ALONE = ("last-added",)  # it changes too much to be one of two
_OFTEN_MEANT = {"erf", "tanh"}, {"exp", "log"}
_NO_PLACES = (ast.FunctionDef, ast.ClassDef, ast.Starred, ast.expr_context)
_NO_VALUES = (ast.Slice, ast.Starred)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_OPAQUE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_DEFINES, _SETS = (ast.FunctionDef, ast.ClassDef, ast.AnnAssign), (ast.Store, ast.Del)


class Switches:
    """A copy of an answer in which every place that an edit mends can be switched.

    mends: (edit, place, switch, position) of each, the likeliest first; those of `put_back` are made alone.
    """

    def __init__(self, source: Source, edits: Iterable[Edit], put_back: Iterable[Edit], budget: Budget):
        self._edits, self._put_back = [*(edit for edit in edits if edit.name not in _ALONE), *put_back], put_back
        self.mends, self._source, self._budget = [], source, budget
        self._state, self._count, self._of, self._defined = {}, 0, {}, None
        walked = list(ast.walk(source.definition))
        if len(walked) <= MOST_NODES and not any(isinstance(node, _OPAQUE) for node in walked):
            budget.rounds = min(budget.rounds, MOST_ROUNDS[1])
            self._of = {id(node): found for node in walked if (found := self._alternatives(node))}
            self._defined = compiled(self._built(source.definition, {}), budget)
        self.mends.sort(key=self._unlikely)

    def _unlikely(self, mend):
        edit, node, _, position = mend
        if edit.name == "function" and {node.attr, self._of[id(node)][position - 1][1].attr} in _OFTEN_MEANT:
            return 0
        return _LATER.get(edit.name, 0)

    def told(self, most: int, may_be_right: Callable, is_right: Callable) -> Finding | None:
        """Return what is said of the two places that make the answer right when they are mended together.

        Args:
            most: how many pairs are tried.
            may_be_right, is_right: answer -> whether it is right: asked quickly, and thoroughly.
        """
        alone = [mend for mend in self.mends if self._makes_right((mend,), may_be_right, is_right)]
        if alone:
            place, says = self._place(alone), alone[0][0].says
            return (
                Finding("slip", alone[0][0].name, says.format(place=place[2])) if place and "{place}" in says else None
            )
        several = [mend for mend in self.mends if mend[0] not in self._put_back]
        pairs = sorted(itertools.combinations(range(len(several)), 2), key=sum)
        found = [
            pair for pair in pairs[:most] if self._makes_right([several[one] for one in pair], may_be_right, is_right)
        ]
        known = set(itertools.chain.from_iterable(found[: MOST_RIGHT + 1]))  # with these all others are tried, too
        others = (pair for pair in pairs[most:] if known & set(pair))
        found += [pair for pair in others if self._makes_right([several[one] for one in pair], may_be_right, is_right)]
        if not 0 < len(found) <= MOST_RIGHT or self._budget.rounds <= 0:
            return None
        return self._of_pairs(
            [sorted((several[one] for one in pair), key=lambda mend: span(mend[1])) for pair in found]
        )

    def _makes_right(self, mends, may_be_right, is_right):
        switches = {switch for _, _, switch, _ in mends}
        if len(switches) < len(mends) or self._budget.rounds <= 0:
            return False
        self._budget.left = MOST_ROUNDS[0]
        return may_be_right(self._answer(*mends)) and is_right(self._answer(*mends))

    def _of_pairs(self, pairs):
        """Name a place that all pairs have in common, and one around all others; or one around each of their sides."""
        first, second = ([pair[side] for pair in pairs] for side in (0, 1))
        for mend in pairs[0]:
            if all(mend[1] in (one[1], other[1]) for one, other in pairs):
                first, second = [mend], [one if other[1] is mend[1] else other for one, other in pairs]
                break
        places = sorted(filter(None, map(self._place, (first, second))), key=lambda place: place[0])
        says, sure = [place[2] for place in places], {"at": places[0][1], "sure": True} if places else {}
        pairs = itertools.permutations(places)
        around = [one for one, other in pairs if other[1] in (one[1], *ast.iter_child_nodes(one[1]))]
        if len(places) == 2 and around:  # one change of the whole may do
            says = f"All is right but for {around[0][2]}: two changes are needed there."
            return Finding("slip", "two-places", says, at=around[0][1], sure=True)
        if len(places) == 2:
            return Finding("slip", "two-places", f"Two things are wrong: look at {says[0]}, and at {says[1]}.", **sure)
        return None

    def _place(self, mends):
        """Return where the smallest code around some mends stands, and its words; None where it is long."""
        nodes = list({id(node): node for _, node, *_ in mends}.values())
        node = nodes[0] if len(nodes) == 1 else smallest_around(self._source, nodes)
        if node is None or (len(nodes) > 1 and len(self._source.text(node)) > LONGEST):
            return None
        return span(node), node, self._source.place(node)

    def _answer(self, *mends):
        """Return the answer with these mends made and no others; None where it cannot be defined."""
        self._state.clear()
        self._state.update({switch: position for *_, switch, position in mends})
        return self._defined and self._defined(
            {**self._source.names, "_slip_at": self._state.get, "_slip_slice": slice}
        )

    def _alternatives(self, node):
        """Return the nodes that may stand in the place of one, each with its edit, and each once."""
        found, seen = [], {ast.dump(node)}
        if isinstance(node, _NO_PLACES) or isinstance(getattr(node, "ctx", None), _SETS):
            return found
        for edit in self._edits:
            for other in edit.mend(node, self._source):
                written = ast.dump(other) if isinstance(other, ast.expr | ast.stmt) else None
                if written is not None and written not in seen:
                    seen.add(written)
                    found.append((edit, other))
        return found

    # ---- the copy; `names` are those of the functions that compute some nodes, which stand in several alternatives

    def _built(self, node, names):
        """Build a node anew, with switches wherever there are alternatives."""
        alternatives = self._of.get(id(node)) if id(node) not in names else None
        if alternatives and isinstance(node, ast.stmt):
            is_at, found = self._switch(node, alternatives), [self._rebuilt(node, names, self._built)]
            for position, (_, other) in enumerate(alternatives, 1):
                found = [ast.If(is_at(position), [self._copied(other, names)], found)]
            return found[0]
        if alternatives and not any(isinstance(one, ast.Name) and one.id == "super" for one in ast.walk(node)):
            return self._switched(node, alternatives, names)
        return self._rebuilt(node, names, self._built)

    def _copied(self, node, names):
        return self._rebuilt(node, names, self._copied)

    def _rebuilt(self, node, names, of_part):
        """Build a node anew, and its parts by `of_part`."""
        if isinstance(node, list):
            return [of_part(one, names) for one in node]
        if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
            return node
        if id(node) in names:
            return ast.Call(ast.Name(names[id(node)], ast.Load()), [], [])
        if isinstance(node, ast.Slice):
            bounds = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
            return ast.Call(ast.Name("_slip_slice", ast.Load()), of_part(bounds, names), [])
        kept = ("args", "decorator_list", "annotation", "returns") if isinstance(node, _DEFINES) else ()
        fields = ast.iter_fields(node)
        return type(node)(**{name: value if name in kept else of_part(value, names) for name, value in fields})

    def _switch(self, node, alternatives):
        self._count += 1
        at = ast.Call(ast.Name("_slip_at", ast.Load()), [ast.Constant(self._count)], [])
        for position, (edit, _) in enumerate(alternatives, 1):
            self.mends.append((edit, node, self._count, position))
        return lambda position: ast.Compare(at, [ast.Eq()], [ast.Constant(position)])

    def _switched(self, node, alternatives, names):
        inside = {id(one): one for one in _within(node) if id(one) not in names}
        used = {id(one) for _, other in alternatives for one in _outermost(other, inside)}
        shared = [one for place, one in inside.items() if place in used]  # the outer ones come first
        self._count += 1
        names = names | {id(one): f"_slip_{self._count}_{number}" for number, one in enumerate(shared)}
        is_at, value = self._switch(node, alternatives), self._rebuilt(node, names, self._built)
        for position, (_, other) in enumerate(alternatives, 1):
            value = ast.IfExp(is_at(position), self._copied(other, names), value)
        for one in shared:
            name = names.pop(id(one))
            body = self._rebuilt(one, names, self._built) if one is node else self._built(one, names)
            value = ast.Call(ast.Lambda(_takes(name), value), [ast.Lambda(_takes(), body)], [])
        return value


def _within(node):
    """Yield the values inside an expression, itself first, that are computed in its own scope."""
    if (
        isinstance(node, ast.expr)
        and not isinstance(node, _NO_VALUES)
        and not isinstance(getattr(node, "ctx", None), _SETS)
    ):
        yield node
    if not isinstance(node, _SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from _within(part)


def _outermost(node, known):
    """Yield the known nodes in a tree that stand inside no other known one."""
    if id(node) in known:
        yield node
        return
    for part in ast.iter_child_nodes(node):
        yield from _outermost(part, known)


def _takes(*names):
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
