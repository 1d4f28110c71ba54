"""Search for the one small edit that makes a wrong answer right, and say what it is."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from whywrong.fixes.copies import Budget, rewrite_copies, run_definition
from whywrong.fixes.places import covers
from whywrong.fixes.source import LONGEST, Definition, Rewrite, Source, find_source
from whywrong.task import Finding


@dataclass(frozen=True)
class Edit:
    """A small edit of a learner's code, and what is said about it.

    name: of what it fixes; a stable word, which progress files remember. Edits of one kind share it.
    rewrite: (node, source) -> the nodes that may replace it; none if there is nothing to fix.
    says: to the learner; {code} is their code in that place, and {line} its line.
    report: to the teacher of a class, without quoting code; "" if `says` quotes none, or an edit of that name has it.
    together: whether fixing all places at once is tried first.
    everyday: whether it is about a surprise in Python itself; reported before any mistake in the subject.
    without_inputs: whether it is tried for answers without inputs: there many edits give the right number by chance.
    """

    name: str
    rewrite: Rewrite
    says: str
    report: str = ""
    together: bool = True
    everyday: bool = False
    without_inputs: bool = False


PLACE = Edit(
    "place",
    lambda node, source: [],
    "Almost right: one small thing is wrong. Look at `{code}`.",
    report="Almost right: one small thing is wrong.",
)


class FixSearch:
    """The search for the one place where an answer is wrong; it tries each copy, rewritten in one place, only once.

    source: the code of the answer, or None.
    budget: how far all calls of `find_fix` together may go.
    fixes: the edits that made the answer right, each with the places that it rewrote.
    """

    def __init__(self, answer: object, is_right: Callable[[object], bool], budget: Budget):
        self.source, self.budget = find_source(answer), budget
        self.fixes: list[tuple[Edit, list[ast.AST]]] = []
        self._is_right = is_right
        self._tried: set[str] = set()  # copies, as `_write` writes them
        self._written: dict[int, str] = {}  # the nodes of the source, by their ids
        self._size = 0  # of the answer, in nodes
        self._reports = {PLACE.name: PLACE.report}  # the sentence without a quote, by the name of the edit
        if self.source is not None:
            for node in reversed(self.source.nodes):
                self._written[id(node)] = self._write(node)
            self._tried.add(self._write(self.source.definition))
            self._size = len(self.source.nodes)
            budget.may_copy(self._size)

    def find_fix(self, edits: Iterable[Edit], others: Iterable[Edit] = ()) -> Finding | None:
        """Return what to say about the first edit that makes the answer right; None if none does.

        It points at a place only if all edits that make the answer right rewrite that place.

        >>> from whywrong.fixes.edits import EDITS
        >>> def area(a, b):
        ...     return a + b
        >>> search = FixSearch(area, lambda fixed: fixed(3, 4) == 12, Budget())
        >>> search.find_fix([edit for edit in EDITS if edit.name == "added"]).says
        'Almost right: one sum should be a different operation. Look at `a + b`.'

        Args:
            edits: the edits to look for.
            others: edits to try as well once one of `edits` is found, because another place may be meant.
        """
        self.fixes += self._find_fixes(edits)
        if self.fixes:
            self.fixes += self._find_fixes(others)
        return self._describe() if self.fixes else None

    def _find_fixes(self, edits: Iterable[Edit]) -> Iterator[tuple[Edit, list[ast.AST]]]:
        """Yield each edit that makes the answer right, with the places that it rewrites."""
        edits = list(edits)
        self._reports |= {edit.name: edit.report or edit.says for edit in edits if edit.report or "{" not in edit.says}
        for edit, places, definition in self._untried_copies(edits):
            answer = run_definition(definition, self.source, self.budget)
            if answer is not None and self._is_right(answer):
                yield edit, places

    def _untried_copies(self, edits: list[Edit]) -> Iterator[tuple[Edit, list[ast.AST], Definition]]:
        """Yield copies that no edit has made before, as far as the budget goes."""
        for edit in () if self.source is None or self.budget.ended else edits:
            for definition, places in rewrite_copies(self.source, edit.rewrite, edit.together):
                if not self.budget.may_copy(self._size):
                    return
                written = self._write(definition)
                if written in self._tried:
                    continue
                self._tried.add(written)
                if not self.budget.may_try():
                    return
                yield edit, places, definition

    def _write(self, node: object) -> str:
        """Write some code as ast.dump does, where what is the source's own need not be written again."""
        if isinstance(node, list):
            return f"[{', '.join(map(self._write, node))}]"
        if not isinstance(node, ast.AST):
            return repr(node)
        if id(node) in self._written:
            return self._written[id(node)]
        return f"{type(node).__name__}({', '.join(self._write(getattr(node, name, None)) for name in node._fields)})"

    def _describe(self) -> Finding | None:
        """Say what the fixes show: the edit and its place, or a wider place if they do not agree."""
        edit, places = self.fixes[0]
        place, message = places[0], edit.says
        small = self._small_fixes()
        if small and not (edit.everyday and _is_definition(place)):
            edit, place = small[0]
            message = edit.says
            if not all(covers(place, other) for _, other in small):
                place = find_smallest_around(self.source, [other for _, other in small])
                edit = _agree_on(small)
                message = edit.says.replace("the {which}`{code}` in `{line}`", "`{code}`")
            if edit is PLACE and (place is None or len(self.source.text_of(place)) > LONGEST):
                return None
            if place is None:
                return Finding("slip", edit.name, self._reports[edit.name])
        message = message.format(
            code=self.source.quote(place), line=self.source.line_of(place), which=self.source.ordinal_of(place)
        )
        return Finding("slip", edit.name, message, at=place, sure=True)

    def _small_fixes(self) -> list[tuple[Edit, ast.AST]]:
        """Return the fixes that rewrite a single place, smaller than a whole definition."""
        small = [(edit, places[0]) for edit, places in self.fixes if len(places) == 1 and not _is_definition(places[0])]
        if self.fixes[0][0].name == "brackets":  # brackets change less than a factor that is added somewhere else
            small = [(edit, place) for edit, place in small if edit.name != "factor-missing"]
        return small


def _agree_on(fixes: list[tuple[Edit, ast.AST]]) -> Edit:
    """Return the edit to name for fixes in several places: the one that all share, or else PLACE."""
    names = {edit.name for edit, _ in fixes}
    if len(names) == 1:
        return fixes[0][0]
    return fixes[-1][0] if names <= {"direction", "branches"} else PLACE  # reversing either one has the same effect


def _is_definition(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def find_smallest_around(source: Source, places: list[ast.AST]) -> ast.expr | None:
    """Return the smallest expression that covers all of some places, or None.

    >>> from whywrong.fixes.source import parse_source
    >>> source = parse_source("def f(a, b, c): return a + b * (c - 1)")
    >>> b, c = (node for node in ast.walk(source.definition) if getattr(node, "id", "") in ("b", "c"))
    >>> source.quote(find_smallest_around(source, [b, c]))
    'b * (c - 1)'
    """
    expressions = [node for node in ast.walk(source.definition) if isinstance(node, ast.expr)]
    around = [node for node in expressions if all(covers(node, place) for place in places)]
    return around[-1] if around else None  # ast.walk visits inner nodes later
