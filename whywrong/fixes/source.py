"""Read the code of a learner's function or class, and quote parts of it in sentences."""

import ast
import inspect
import linecache
import re
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from whywrong.fixes.places import Span, span

LONGEST = 60  # characters of the learner's code in a sentence

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef
Rewrite: TypeAlias = Callable[[ast.AST, "Source"], list[ast.AST | list[ast.stmt]]]
"""(node, source) -> the nodes, or lists of statements, that may replace the node; none if it does not apply."""


@dataclass(frozen=True)
class Source:
    """The code of an answer: its definition, the lines of its file, the names that it sees, and its parameters."""

    definition: Definition
    lines: list[str]
    names: dict[str, object]
    parameters: tuple[str, ...]

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the definition, the outer ones first."""
        return list(ast.walk(self.definition))

    @cached_property
    def parents(self) -> dict[int, ast.AST]:
        """The id of a node -> the node around it."""
        return {id(inner): node for node in self.nodes for inner in ast.iter_child_nodes(node)}

    @cached_property
    def counted(self) -> dict[int, ast.AST]:
        """The id of a node -> its copy that counts rounds, once there is one: see `compile_definition`."""
        return {}

    @cached_property
    def terms(self) -> set[Span]:
        """The spans of the terms of its sums and differences, and of what it computes or returns."""
        spans = set()
        for node in ast.walk(self.definition):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
                spans |= {span(node.left), span(node.right)}
            value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Return) else None
            if isinstance(value, ast.BinOp | ast.Name):
                spans.add(span(value))
        return spans

    def text_of(self, node: ast.AST) -> str:
        """Return the code of a node as the learner wrote it."""
        return ast.get_source_segment("".join(self.lines), node) or ast.unparse(node)

    def line_of(self, node: ast.AST) -> str:
        """Return the line in which a node begins."""
        return self.lines[node.lineno - 1].strip()

    def ordinal_of(self, node: ast.AST) -> str:
        """Return which of several equal pieces of code in its line a node is: "second "; "" if it is the only one.

        >>> source = parse_source("def f(x):\\n    return x + x")
        >>> source.ordinal_of(source.definition.body[0].value.right)
        'second '
        """
        line = self.lines[node.lineno - 1]
        occurrences = re.finditer(rf"(?<![\w.]){re.escape(self.text_of(node))}(?![\w.])", line)
        columns = [len(line[: match.start()].encode()) for match in occurrences]  # in bytes, as those of nodes are
        if len(columns) < 2 or node.col_offset not in columns:
            return ""
        return ("first ", "second ", "third ", "fourth ", "fifth ", "")[min(columns.index(node.col_offset), 5)]

    def describe_place(self, node: ast.AST) -> str:
        """Say where a node is: quote it, and also its line if the quote alone could mean several places.

        >>> source = parse_source("def f(x): return 2 * x + x")
        >>> source.describe_place(source.definition.body[0].value.left)
        '`2 * x`'
        >>> source.describe_place(source.definition.body[0].value.right)
        'the third `x` in `def f(x): return 2 * x + x`'
        """
        is_unique = "".join(self.lines).count(self.text_of(node)) == 1
        if is_unique and not isinstance(node, ast.Name | ast.Constant):
            return f"`{self.quote(node)}`"
        return f"the {self.ordinal_of(node)}`{self.quote(node)}` in `{self.line_of(node)}`"

    def quote(self, node: ast.AST) -> str:
        """Return the code of a node in one line, cut off if it is long."""
        code = " ".join(self.text_of(node).split())
        return code if len(code) <= LONGEST else code[: LONGEST - 1] + "…"


def find_source(answer: object) -> Source | None:
    """Return the code of a learner's function or class; None if it cannot be read, as for a lambda or a closure.

    >>> source = find_source(find_source)
    >>> source.line_of(source.definition), source.parameters
    ('def find_source(answer: object) -> Source | None:', ('answer',))
    >>> find_source(lambda x: x) is None
    True
    """
    function = _first_method(answer) if inspect.isclass(answer) else _unwrap(answer)
    if not isinstance(function, types.FunctionType) or set(function.__code__.co_freevars) - {"__class__"}:
        return None
    try:
        linecache.checkcache(function.__code__.co_filename)
        lines = linecache.getlines(function.__code__.co_filename)
        tree = ast.parse("".join(lines))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    first_line = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if inspect.isclass(answer):
            fits = isinstance(node, ast.ClassDef) and node.name == answer.__name__
            fits = fits and node.lineno <= first_line <= node.end_lineno
        else:
            fits = isinstance(node, ast.FunctionDef) and node.name == function.__name__
            fits = fits and first_line == min(part.lineno for part in (node, *node.decorator_list))
        if fits:
            return Source(node, lines, function.__globals__, _parameters_of(node))
    return None


def parse_source(code: str) -> Source:
    """Return the source of a definition given as text, which sees no names: for examples.

    >>> parse_source("def f(x, k): return x + k").parameters
    ('x', 'k')
    """
    definition = ast.parse(code).body[0]
    return Source(definition, code.splitlines(keepends=True), {}, _parameters_of(definition))


def _first_method(answer: type) -> types.FunctionType | None:
    """Return the first method that is written in a class itself."""
    methods = [value for value in vars(answer).values() if isinstance(value, types.FunctionType)]
    return next((method for method in methods if method.__qualname__.startswith(answer.__qualname__ + ".")), None)


def _unwrap(answer: object) -> object:
    """Return what decorators have wrapped."""
    try:
        return inspect.unwrap(answer)
    except Exception:  # it wraps itself, or raises on every access
        return None


def _parameters_of(definition: Definition) -> tuple[str, ...]:
    """Return the names of the parameters of a function, or of all methods of a class."""
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    names = [arg.arg for node in functions for arg in node.args.args]
    return tuple(dict.fromkeys(name for name in names if name != "self"))
