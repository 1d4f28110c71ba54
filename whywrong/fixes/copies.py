"""Make rewritten copies of a learner's code, and run them within a budget."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from whywrong.fixes.helpers import HELPERS
from whywrong.fixes.source import Definition, Rewrite, Source, parse_source
from whywrong.task import MOST_TRIES

MOST_NODES = 800, 70_000  # in the code of an answer, and in all rewritten copies of it together
MOST_ROUNDS = 20_000, 500_000  # in the loops of one copy, and of all copies together


# ---- rewritten copies


def rewrite_copies(source: Source, rewrite: Rewrite, together: bool) -> Iterator[tuple[Definition, list[ast.AST]]]:
    """Yield copies of the definition, each rewritten in one place, with the nodes of the original that were replaced.

    >>> from whywrong.fixes.rules import parse_rules
    >>> source = parse_source("def f(a, b): return a // b + b // a")
    >>> for definition, places in rewrite_copies(source, parse_rules("a // b -> a / b"), together=True):
    ...     print(ast.unparse(definition.body), [ast.unparse(node) for node in places])
    return a / b + b / a ['a // b', 'b // a']
    return a / b + b // a ['a // b']
    return a // b + b / a ['b // a']

    Args:
        together: whether copies that are rewritten in all places at once come first.
    """
    found = [(node, replacements) for node in source.nodes if (replacements := rewrite(node, source))]
    if together and len(found) > 1:
        for choice in range(max(len(replacements) for _, replacements in found)):
            chosen = {id(node): replacements for node, replacements in found if choice < len(replacements)}
            yield _rewrite_at(source, rewrite, chosen, choice), [node for node, _ in found if id(node) in chosen]
    for node, replacements in found:
        for choice in range(len(replacements)):
            yield _rewrite_at(source, rewrite, {id(node): replacements}, choice), [node]


def _rewrite_at(source: Source, rewrite: Rewrite, chosen: dict[int, list], choice: int) -> Definition:
    """Return the definition with some nodes replaced; nodes with nothing replaced inside them are those of the source.

    Args:
        chosen: the id of a node -> what may replace it; choice: which of these is taken.
    """
    around, outer = set(), set(chosen)
    while outer := {id(source.parents[one]) for one in outer if one in source.parents} - around:
        around |= outer

    def rewritten(node: object) -> object:
        if isinstance(node, list):
            parts = map(rewritten, node)
            return [one for part in parts for one in (part if isinstance(part, list) else (part,))]
        new = node
        if id(node) in around:  # inner nodes are replaced first
            new = type(node)(**{name: rewritten(value) for name, value in vars(node).items()})
        if id(node) not in chosen:
            return new
        replacements = chosen[id(node)] if new is node else rewrite(new, source)
        return replacements[choice] if choice < len(replacements) else new

    return rewritten(source.definition)


def preview(rewrite: Rewrite, code: str) -> list[str]:
    """Return what a rewrite turns an expression or a definition into, one place at a time: to try a new edit.

    >>> from whywrong.fixes.rules import parse_rules
    >>> preview(parse_rules("a * b -> a / b | a + b"), "x * y")
    ['x / y', 'x + y']
    """
    if code.startswith(("def ", "class ")):
        source = parse_source(code)
        copies = rewrite_copies(source, rewrite, together=False)
        return [ast.unparse(ast.fix_missing_locations(definition)) for definition, _ in copies]
    names = [node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    parameters = dict.fromkeys(name for name in sorted(names, key=code.index) if name not in ("np", "math", "torch"))
    source = parse_source(f"def f({', '.join(parameters)}): return {code}")
    copies = rewrite_copies(source, rewrite, together=False)
    return [ast.unparse(definition.body[0].value) for definition, _ in copies]


# ---- running a copy


class TooManyRounds(Exception):
    """Raised inside a rewritten answer whose loops run too long."""


@dataclass
class Budget:
    """How far a search may go. Counts limit it, not time, so a slow machine gets as far as a fast one.

    tries: how many rewritten answers may still run.
    nodes: how many nodes all further copies may have; rounds: how many rounds all their loops may take.
    ended: whether one of these limits ended the search.
    rounds_left: how many rounds the answer that runs now may still take.
    """

    tries: int = MOST_TRIES
    nodes: int = MOST_NODES[1]
    rounds: int = MOST_ROUNDS[1]
    ended: bool = False
    rounds_left: int = field(default=0, init=False)

    def may_copy(self, size: int) -> bool:
        """Count one more copy, of an answer with so many nodes; return whether the search may go on."""
        self.ended = self.ended or self.nodes <= 0 or size > MOST_NODES[0]
        self.nodes -= size
        return not self.ended

    def may_try(self) -> bool:
        """Count one more answer that is run; return whether the search may go on.

        >>> budget = Budget(tries=2)
        >>> [budget.may_try() for _ in range(3)]
        [True, True, False]
        """
        self.ended = self.ended or self.tries <= 0 or self.rounds <= 0
        self.tries, self.rounds_left = self.tries - 1, MOST_ROUNDS[0]
        return not self.ended

    def count_round(self) -> bool:
        """Count one more round of a loop; True, so that it can be a condition of a comprehension."""
        self.rounds_left, self.rounds = self.rounds_left - 1, self.rounds - 1
        if self.rounds_left < 0 or self.rounds < 0:
            raise TooManyRounds
        return True


def run_definition(definition: Definition, source: Source, budget: Budget) -> object | None:
    """Run a definition with a copy of the names that the source sees, and return what it defines; None if that fails.

    >>> source = parse_source("def double(x): return 2 * x")
    >>> double = run_definition(source.definition, source, Budget())
    >>> double(4)
    8
    """
    define = compile_definition(definition, source, budget)
    return define and define(dict(source.names))


def compile_definition(
    definition: Definition, source: Source, budget: Budget
) -> Callable[[dict[str, object]], object | None] | None:
    """Return names -> what the definition defines with them, None if that fails; or None if it does not compile.

    Drops the decorators, and counts the rounds of loops and comprehensions.
    """
    try:
        counted = _counted(definition, source)
        counted.decorator_list = []
        code = compile(ast.Module([counted], []), "<fixed>", "exec")
    except Exception:
        return None

    def define(names: dict[str, object]) -> object | None:
        names |= HELPERS | {"_slip_round": budget.count_round}
        try:
            exec(code, names)
        except Exception:
            return None
        return names.get(definition.name)

    return define


_COUNT = ast.Call(ast.Name("_slip_round", ast.Load()), [], [])


def _counted(node: ast.AST, source: Source, line: int = 1, column: int = 0) -> ast.AST:
    """Return a copy of some code that counts its rounds; what has no place gets that of what is around it."""
    if id(node) in source.counted:
        return source.counted[id(node)]
    own = (*node._fields, *node._attributes)  # a traceback in IPython leaves `parent` in nodes that all trees share
    fields = {name: value for name, value in vars(node).items() if name in own}
    if "lineno" in node._attributes:
        line, column = fields.setdefault("lineno", line), fields.setdefault("col_offset", column)
    if isinstance(node, (ast.For, ast.While)):
        fields["body"] = [ast.Expr(_COUNT), *node.body]
    elif isinstance(node, ast.comprehension):
        fields["ifs"] = [_COUNT, *node.ifs]
    for name, value in fields.items():
        if isinstance(value, ast.AST):
            fields[name] = _counted(value, source, line, column)
        elif isinstance(value, list):
            parts = (_counted(one, source, line, column) if isinstance(one, ast.AST) else one for one in value)
            fields[name] = list(parts)
    counted = type(node)(**fields)
    if id(node) in source.parents:
        source.counted[id(node)] = counted
    return counted
