"""What every reply keeps to: it points at no right code and at none that is not there, and makes no two faults of one.

A reply points at code where it quotes, in backticks, what stands in the learner's own code. Of an answer that is wrong
in one place, each such quotation must touch that place or, where something was dropped, what it was dropped from.
What words such as "look at" or "in your code" place there must stand there; other quotations may be advice.
Where Python stops, and the reply tells where the values there come from, one of these places must be it.
What a reply says to be set nowhere, or used nowhere, is so.
"""

import ast
import re

from tests.golden.edits import Edit, Two

_QUOTED = re.compile(r"`([^`]+)`")
_OF_A_VALUE = re.compile(r"\b(?:In|Your) `(\w+)`(?::| is\b)")  # the value of a name, wherever it comes from
_TWO = re.compile(r"^(?:Two things are|More than one thing is) wrong\.|something small is off besides")
_UNUSED = re.compile(r"computes `(\w+)`, but never uses it")
_UNSET = re.compile(r"`(self\.\w+)` has no value there yet")
_COMES_FROM = re.compile(r" `([^`]+)` comes from `([^`]+)`")
# Quotations that say what stands in an answer: of one place, or of several; not "as in", which begins an example.
_WHICH = r"(?:the )?(?:first |second |third |\w+th |last )?`[^`]+`"
_PLACED = re.compile(
    rf"(?:\b[Ii]n your code:|\b[Ll]ook at|(?<!\bas )\b[Ii]n|\bat|\bcomes from|\bnever uses|\bYour|\bThe loop) {_WHICH}"
    rf"(?:(?:,| and|, and)(?: at| in)? {_WHICH})*"
)
# Code that sentences write down to explain something, and that stands in an answer by chance.
GENERAL = {"return", "TODO"}


def broken(message: str, edit: Edit | Two) -> str | None:
    """Tell how a reply to an answer with one change or two breaks the law; None where it keeps to it."""
    if _TWO.search(message) and isinstance(edit, Edit):
        return "speaks of two faults"
    absent = [quoted for quoted in placed(message) if not stands(quoted, edit.changed)]
    if absent:
        return f"places `{absent[0]}`, which is not in the code"
    for name, line in _COMES_FROM.findall(message):
        target = line[4:].partition(" in ")[0] if line.startswith("for ") else line.partition("=")[0]
        if name not in re.findall(r"[\w.]+", re.sub(r"\[.*?\]", "", target)):
            return f"takes `{name}` from `{line}`, which does not set it"
    spoiled = _spoiled(edit) & set(_OF_A_VALUE.findall(message))
    for name in _UNUSED.findall(message):
        if len(places(name, edit.changed)) > 1:
            return f"says that `{name}` is not used"
    for name in _UNSET.findall(message):
        if re.search(rf"{re.escape(name)}(?:,[^=\n]*)? *=[^=]", edit.changed):
            return f"says that `{name}` is not set"
    quoted_all = pointed_at(_UNSET.sub("", _UNUSED.sub("", message)), edit.changed)
    wrong = [quoted for quoted in quoted_all if not touches(quoted, edit)]
    if _COMES_FROM.search(message) and len(wrong) < len(quoted_all):
        return None
    if "when the function returns nothing" in message:  # it speaks of what was called there, which may be spoiled
        wrong = [quoted for quoted in wrong if not any(f"{name}(" in quoted for name in _inner_functions(edit))]
    wrong = [quoted for quoted in wrong if quoted not in spoiled]
    return f"points at `{wrong[0]}`" if wrong else None


def placed(message: str) -> list[str]:
    """Return what a message says to stand in the answer; what it tells the learner to write is not among it.

    >>> placed("Look at the second `a` in `a + a`: write `b`, as in `a + b`.")
    ['a', 'a + a']
    """
    return [quoted for found in _PLACED.finditer(message) for quoted in _QUOTED.findall(found[0])]


def stands(quoted, source):
    """Tell whether a quotation stands in a source, its docstrings left aside."""
    return re.search(_pattern(quoted), re.sub('(?s)""".*?"""', "", source)) is not None


def _pattern(quoted):
    """Return a pattern of code that finds it however it is broken into lines, and no part of a longer name."""
    pattern = r"\s+".join(re.escape(word) for word in quoted.removesuffix("…").split())
    begins = r"(?<![\w.])" if re.match(r"\w", quoted) else ""
    return begins + pattern + (".*" if quoted.endswith("…") else r"(?!\w)" if re.search(r"\w$", quoted) else "")


def pointed_at(message: str, source: str) -> list[str]:
    """Return what a message quotes of a source: expressions and statements, and no single signs."""
    found = [quoted for quoted in _QUOTED.findall(message) if quoted not in GENERAL and _is_code(quoted)]
    return [quoted for quoted in found if places(quoted, source)]


def places(quoted: str, source: str) -> list[tuple[int, int]]:
    """Return where a quotation stands in the body of a source; the head of a loop stands for the whole loop."""
    begin = _body(source)
    found = [(one.start(), one.end()) for one in re.finditer(_pattern(quoted), source) if one.start() >= begin]
    return [(start, max(end, _loop_end(start, source))) for start, end in found]


def _loop_end(start: int, source: str) -> int:
    """Return where the loop ends that begins in a place of a source; 0 if none does."""
    lines = source.splitlines(keepends=True)
    loops = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.For | ast.While))
    ends = {sum(map(len, lines[: node.lineno - 1])) + node.col_offset: node.end_lineno for node in loops}
    return sum(map(len, lines[: ends[start]])) if start in ends else 0


def touches(quoted: str, edit: Edit | Two) -> bool:
    """Tell whether one of the places where a quotation stands overlaps something that was changed."""
    found = places(quoted, edit.changed)
    return any(begin < max(last, first + 1) and end > first for begin, end in found for first, last in edit.arounds)


def _spoiled(edit):
    """Return the names whose values the change can reach: what a changed line sets, and what is made from that."""
    found = set()
    for node in ast.walk(ast.parse(edit.changed)):  # statements in a row are walked in their order
        if isinstance(node, ast.Assign | ast.AugAssign):
            reads = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
            is_changed = any(node.lineno <= last and node.end_lineno >= first for first, last in edit.changed_lines)
            if is_changed or reads & found:
                found |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and _is_set(one)}
    return found


def _inner_functions(edit):
    """Return the names of the functions inside of the answer in which something was changed."""
    answer = ast.parse(edit.changed).body[-1]
    inner = (node for node in ast.walk(answer) if isinstance(node, ast.FunctionDef) and node is not answer)
    lines = edit.changed_lines
    return {one.name for one in inner if any(one.lineno <= last and one.end_lineno >= first for first, last in lines)}


def _is_set(name):
    return isinstance(name.ctx, ast.Store)


def _body(source):
    """Return where the first statement behind the docstring begins."""
    definition = ast.parse(source).body[-1]
    begins = [node.end_lineno for node in ast.walk(definition) if _is_docstring(node)]
    return sum(len(line) for line in source.splitlines(keepends=True)[: max(begins, default=definition.lineno)])


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_code(quoted):
    try:
        ast.parse(quoted.removesuffix("…") + (" pass" if quoted.startswith(("if ", "for ")) else ""))
    except SyntaxError:
        return quoted.endswith("…")
    return True
