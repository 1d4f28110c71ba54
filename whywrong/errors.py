"""Explain what ended a run: a limit, a TODO, the everyday slip behind an error, or the error itself.

The table `errors.toml` has one row for each cause of an error; this module finds the row.
"""

import ast
import builtins
import difflib
import inspect
import itertools
import linecache
import math
import re
import sys
import tomllib
import traceback
import types
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from whywrong import sandbox
from whywrong.evidence import case_arguments, describe_case, find_unused_argument
from whywrong.fixes.edits import EDITS
from whywrong.fixes.source import LONGEST, find_source
from whywrong.shapes import (
    THEY_FIT,
    describe_origins,
    find_failing_code,
    find_learners_step,
    find_misfit,
    find_value,
    quote_line,
)
from whywrong.task import Case, Fault, Finding, Key

Row: TypeAlias = dict[str, object]


def describe_unreadable(error: SyntaxError, source: str) -> Finding:
    """Return what keeps Python from reading a source as a Finding."""
    lines = source.split("\n")
    at = min(error.lineno or len(lines), len(lines))
    reason = _describe_sign(error.msg) or _describe_line(lines, at) or f"{error.msg}."
    says = f"Python cannot read line {at} of your code, {quote_line(lines[at - 1])}: {reason}"
    return Finding(Key.RAISES, says=says.replace("?.", "?"))


def _describe_sign(message: str) -> str:
    """Name the sign that Python refuses, and what to type in its place."""
    refused = re.search(r"^invalid .*character .*U\+(\w+)", message)
    if refused is None:
        return ""
    sign = chr(int(refused[1], 16))
    instead = "" if _straight(sign) is None else f" Put {_in_words(_straight(sign))} in its place."
    return f"it contains a sign that Python does not know, U+{refused[1]} ({_name(sign)}).{instead}"


def _describe_line(lines: list[str], at: int) -> str:
    """Say why a line is no Python, if Python reads on where that is put right."""
    for row in _read_table()["elsewhere"]:
        line = lines[at - 1]
        fixed = re.sub(row["line"], row["put"], line) if "put" in row else line.lower()
        try:
            compile("\n".join([*lines[: at - 1], fixed, *lines[at:]]), "", "exec")
        except SyntaxError as error:
            if error.lineno <= at:
                continue
        return row["says"]
    return ""


def _name(sign: str) -> str:
    return unicodedata.name(sign, "a sign without a name").lower()


def _in_words(typed: str) -> str:
    return {"": "nothing", " ": "a space", "\n": "a new line"}.get(typed, f"`{typed}`")


def _straight(sign: str) -> str | None:
    """Return what Python reads in place of a typographic sign: "" if it is not seen, None if there is nothing."""
    if unicodedata.east_asian_width(sign) == "F":  # full width
        return unicodedata.normalize("NFKC", sign)
    kind = unicodedata.category(sign)
    return next((typed for typed, signs in _read_table()["signs"] if sign in signs or kind in signs), None)


def straighten(source: str, pasted: set[int]) -> tuple[str, str]:
    """Straighten typographic signs where Python's reading of the whole source ends in an error at them.

    >>> straighten("x = “it’s”", {4, 7, 9})
    ('x = "it’s"', 'Changed in what you pasted: left double quotation mark to `"`, right double quotation mark to `"`.')

    Args:
        source: that Python may be unable to read.
        pasted: the places of the signs that may be changed.

    Returns:
        The source, and a sentence that says what was changed: "" where nothing was, as Python cannot read the result.
    """
    signs, left, changed = list(source), {*pasted}, {}
    while True:
        text = "".join(signs)
        try:
            ast.parse(text)
        except SyntaxError as error:
            above = text.split("\n")[: error.lineno - 1]
            place = len("\n".join([*above, ""])) + error.offset - 1
            at = sum(end <= place for end in itertools.accumulate(map(len, signs)))
            if "unterminated" in error.msg:  # a letter or two may stand before the quote
                begun = max((pasted - left) & {at, at + 1, at + 2}, default=math.inf)
                after = (one for one in left if one > begun and _straight(source[one]) == signs[begun])
                at = min((one for one in after if not source[one + 1 : one + 2].isalnum()), default=-1)
            typed = _straight(source[at]) if at in left else None
            if typed is None:
                return source, ""
            left.remove(at)
            signs[at] = typed
            changed[f"{_name(source[at])} to {_in_words(typed)}"] = True
        except Exception:
            return source, ""
        else:
            return text, f"Changed in what you pasted: {', '.join(changed)}." if changed else ""


def describe_error(outcome: sandbox.Outcome, item: object, answer: object, case: Case | None) -> Finding:
    """Return what ended a run as a Finding.

    >>> outcome = sandbox.Outcome(error=ZeroDivisionError("division by zero"), line="y = 1 / 0")
    >>> describe_error(outcome, None, None, None).says
    'Your code raised ZeroDivisionError at `y = 1 / 0`, saying “division by zero”.'

    Args:
        outcome: of the run; its error is not None.
        item, answer: the exercise, and what was checked.
        case: the case that was tried, if the run got that far.
    """
    error, at = outcome.error, f" at `{outcome.line}`" if outcome.line else ""
    if isinstance(error, Fault):
        return _explain_none(error.finding, item, answer, case)
    if isinstance(error, sandbox.OutOfTime):
        seconds = getattr(item, "seconds", None) or sandbox.CPU_SECONDS
        words = f"Your code was stopped after {seconds:g} seconds of computing{at}"
        return Finding(Key.TIMEOUT, says=f"{words}. Is there an endless loop?{_describe_loop(error)}")
    if isinstance(error, sandbox.OutOfMemory):
        size = f"{sandbox.EXTRA_BYTES / 2**20:.0f} megabytes"
        return Finding(Key.TIMEOUT, says=f"Your code was stopped because it asked for more than {size} of memory{at}.")
    if isinstance(error, (sandbox.Left, SystemExit)):
        did = str(error) if isinstance(error, sandbox.Left) else "tried to end the session"
        return Finding(Key.RAISES, says=f"Your code {did}{at}: an answer must only compute and return its result.")
    if isinstance(error, KeyboardInterrupt):
        return Finding(Key.RAISES, says=f"The check was interrupted{at}: check again when you are ready.")
    if isinstance(error, NotImplementedError) and outcome.own:
        words = "Your function still raises NotImplementedError: write its body and check again."
        return Finding(Key.TODO, says=words)
    if isinstance(error, RecursionError):
        words = f"Your code calls itself without end{at}, so Python stopped it with RecursionError."
        return Finding(Key.RAISES, says=words)
    wrong_call = _explain_wrong_call(error, outcome.line, item, answer, case)
    if wrong_call:
        return Finding(Key.RAISES, says=wrong_call)
    raised = f"Your code raised {type(error).__name__}{at}{_give_reason(error)}.{describe_origins(error)}"
    unused = "" if outcome.own else _describe_unused(item, answer, case)
    return Finding(Key.RAISES, says=raised + unused + _describe_inputs(item, case, answer))


def _describe_unused(item: object, answer: object, case: Case | None) -> str:
    unused = "" if case is None else find_unused_argument(item, answer, case)
    return unused and f" {unused}"


def _describe_inputs(item: object, case: Case | None, answer: object) -> str:
    count = answer.__code__.co_argcount if inspect.isfunction(answer) else not inspect.isclass(answer)
    inputs = describe_case(item, case, answer) if case is not None and count else ""
    return f" The inputs were {inputs}." if inputs else ""


def _explain_none(finding: Finding, item: object, answer: object, case: Case | None) -> Finding:
    """Say that a `return` gave None, or ask whether the end was reached, if a function returned None."""
    source = find_source(answer) if finding.name == "nothing-came-back" and not inspect.isclass(answer) else None
    if source is None:
        return finding
    returns = [node.value for node in _walk_own_nodes(source.definition) if isinstance(node, ast.Return)]
    values = [value for value in returns if value is not None and not isinstance(value, ast.Constant)]
    last = source.definition.body[-1]
    if len(values) < len(returns) or not values:
        return finding
    if isinstance(last, ast.Return):
        quoted = f"Your function returned None, because `{source.quote(last.value)}` is None there."
        return Finding(Key.NONE, says=quoted) if len(returns) == 1 else finding
    words = "Your function returned None: did it reach its end without a `return`?"
    return Finding(Key.NONE, says=words + _describe_inputs(item, case, answer))


def _walk_own_nodes(definition: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of functions inside it."""
    for node in ast.iter_child_nodes(definition):
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield node
            yield from _walk_own_nodes(node)


def _describe_loop(error: BaseException) -> str:
    """Say what the numbers in the condition of a loop were when it was stopped."""
    step = find_learners_step(error)
    if step is None:
        return ""
    try:
        tree = ast.parse("".join(linecache.getlines(step.tb_frame.f_code.co_filename)))
    except (SyntaxError, ValueError):
        return ""
    loops = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.While) and node.lineno <= step.tb_lineno <= node.end_lineno
    ]
    if not loops:
        return ""
    names = dict.fromkeys(node.id for node in ast.walk(loops[-1].test) if isinstance(node, ast.Name))
    values = {name: step.tb_frame.f_locals.get(name) for name in names}
    numbers = [f"{name} was {value:.10g}" for name, value in values.items() if type(value) in (int, float)]
    return f" When it was stopped, {' and '.join(numbers)}." if numbers else ""


def _explain_wrong_call(error: BaseException, line: str, item: object, answer: object, case: Case | None) -> str:
    """Say how many arguments a function must take, if it cannot even be called."""
    if not isinstance(error, TypeError) or line or case is None or item.kind != "function":
        return ""
    try:
        inspect.signature(answer).bind(*case.args)
    except TypeError:
        count = len(case.args)
        names = ", ".join(case_arguments(item, case, None))
        known = f" ({names})" if names else ""
        return f"Your function must take {count} argument{'s' if count > 1 else ''}{known}: look at its `def` line."
    except ValueError:
        return ""
    return ""


def _give_reason(error: BaseException) -> str:
    """Return the message of an error, in plainer words if the table has some."""
    try:
        words = re.sub(r" at 0x[0-9A-Fa-f]+", "", " ".join(_read_words(error).split()))
    except BaseException:
        return ""
    for row in _read_table()["plainer"]:
        match = re.search(row["words"], words)
        if match is not None:
            return f", because {row['says'].format(match[0], *match.groups())}"
    return f", saying “{words[:160].rstrip('.')}”" if words else ""


def _read_words(error: BaseException) -> str:
    """Return the message of an error, in which what an exercise hands out to be called is a function."""
    words = _name_kinds(str(error))
    for frame, _ in traceback.walk_tb(error.__traceback__):
        values = list(frame.f_locals.values())
        for value in values + [one for several in values if isinstance(several, (list, tuple)) for one in several]:
            if _find_kind(value) == "function of the exercise":
                words = words.replace(f"'{type(value).__name__}'", "'function'")
    return words


def _name_kinds(words: str) -> str:
    """Name NumPy's numbers by their kind in a message: their sizes differ from one computer to another.

    >>> _name_kinds("object of type 'numpy.int32' has no len()")
    "object of type 'NumPy integer' has no len()"
    """
    words = re.sub(r"\bnumpy\.u?(?:int|long)\w*", "NumPy integer", words)
    words = re.sub(r"\bnumpy\.ufunc\b|\bbuiltin_function_or_method\b", "function", words).replace("torch.Size", "tuple")
    words = re.sub(r"\bnumpy\.(?:float\d+|longdouble)", "NumPy float", words)
    return re.sub(r"\bnp\.(?:u?int|float)\d+\(([^()]*)\)", r"\1", words)


# ---- the table -------------------------------------------------------------------------------------------------------


def find_slip(answer: object, part: str) -> Finding | None:
    """Return the slip that the error of an Answer comes from, or None.

    part: of the table: "first", whatever fixes there are, or "errors".
    """
    outcome, error = answer.outcome, answer.outcome.error
    if not isinstance(error, Exception) or isinstance(error, Fault):
        return None
    try:
        words = _read_words(error)
    except Exception:
        return None
    raised = _Raised(outcome, words, answer.handed_in)
    finding = find_misfit(error, words) if part == "errors" else None
    finding = finding or next(filter(None, (_match_row(row, raised) for row in _read_table()[part])), None)
    if finding is None or finding.name not in (*_WITH_ORIGINS, *_WITH_INPUTS):
        return finding
    if finding.name in _WITH_INPUTS:
        return replace(finding, says=finding.says + _describe_inputs(answer.item, answer.case, answer.handed_in))
    unused = _describe_unused(answer.item, answer.handed_in, answer.case)
    called = raised.place[0].func if finding.name == "called-value" else None
    origins = describe_origins(error, called) if isinstance(called, ast.Name | None) else ""
    says, fits, _ = finding.says.partition(THEY_FIT)
    if fits and not (origins and unused):  # else by chance: something is missing in what was computed above
        return finding
    return replace(finding, says=says + origins + unused)


@cache
def _read_table() -> dict[str, list[Row]]:
    return tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))


# Slips whose cause may be in an earlier line, so the reply says where the values come from.
_WITH_ORIGINS = ("value-shapes", "column", "layer-width", "number-for-array", "out-of-bounds", "called-module", "empty")
_WITH_ORIGINS += ("truths-shape", "float-count", "number-for-tensor", "function-for-values", "product-shapes")
_WITH_ORIGINS += ("called-value", "array-for-number", "no-axis", "no-part")
_WITH_INPUTS = ("heads",)  # slips that occur only with some inputs


def read_reports() -> dict[str, str]:
    """Return the sentence for each slip of the table that quotes nobody's code, by the name of the slip.

    >>> read_reports()["zero-division"]
    'Something is divided by 0.'
    """
    rows = [*_read_table()["first"], *_read_table()["errors"]]
    return {row["name"]: row["report"] for row in rows if "report" in row}


class _Raised:
    """An error of an answer: its words, and the line and the code that raised it."""

    def __init__(self, outcome: sandbox.Outcome, words: str, answer: object):
        self.error, self.line, self.own = outcome.error, outcome.line, outcome.own
        self.words, self.answer = words, answer
        self.kinds = {kind.__name__ for kind in type(self.error).__mro__}

    @cached_property
    def frames(self) -> list[types.FrameType]:
        """The learner's frame that was running, and the one around it if it is that of a comprehension or a lambda."""
        steps = [frame for frame, _ in traceback.walk_tb(self.error.__traceback__)]
        outermost_first = [frame for frame in steps if sandbox.is_learners(frame.f_code.co_filename)]
        frames = []
        for frame in reversed(outermost_first):
            frames.append(frame)
            if not frame.f_code.co_name.startswith("<"):
                break
        return frames

    @cached_property
    def innermost(self) -> types.FrameType | None:
        """The frame that raised it, the learner's or a library's; None if nothing ran."""
        return next((frame for frame, _ in reversed([*traceback.walk_tb(self.error.__traceback__)])), None)

    @cached_property
    def place(self) -> tuple[ast.expr | None, str, types.FrameType | None]:
        """The expression that raised it, its text and the frame it ran in."""
        return find_failing_code(self.error) or (None, "", None)

    @cached_property
    def parts(self) -> str:
        """What the code that failed is made of, one part in a line: its text and the kind of its value, if known.

        What is called comes first, as in "call np.sum: function". What a library's own code had in its variables comes
        last, as in "tensor in numpy".
        """
        node, _, frame = self.place
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)] if node is not None else []
        call = getattr(node, "func", None)
        lines = [f"{'call ' * (part is call)}{ast.unparse(part)}: {_find_kind_at(part, frame)}" for part in parts]
        inner = self.innermost
        if inner is not None and not sandbox.is_learners(inner.f_code.co_filename):
            lines += [f"{_find_kind(one)} in {inner.f_globals.get('__name__')}" for one in inner.f_locals.values()]
        return "\n".join(lines)

    def quote(self) -> str:
        """Return the code that raised it in backticks; if it is unknown or long, its line."""
        node, text, _ = self.place
        return f"`{text}`" if node is not None and len(text) <= LONGEST else quote_line(self.line)

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef] | None:
        """The methods of a class that has no forward, by name; None for anything else."""
        is_its = f"[{getattr(self.answer, '__name__', '')}]" in self.words and not self.own
        methods = _read_methods(self.answer) if is_its else None
        return None if methods is None or "forward" in methods else methods


def _read_methods(answer: object) -> dict[str, ast.FunctionDef] | None:
    """Return the methods of a class, by name; None if it is no class, or its code cannot be read."""
    source = find_source(answer)
    if source is None or not isinstance(source.definition, ast.ClassDef):
        return None
    return {node.name: node for node in source.definition.body if isinstance(node, ast.FunctionDef)}


def _match_row(row: Row, raised: _Raised) -> Finding | None:
    """Return the finding of a row of the table, or None if the row does not fit the error."""
    match = re.search(row.get("words", ""), raised.words) if raised.kinds & set(row["kinds"]) else None
    if match is None or (
        "direct" in row and not (raised.innermost and sandbox.is_learners(raised.innermost.f_code.co_filename))
    ):
        return None
    texts = {"line": raised.line, "code": f"`{raised.place[1]}`", "has": raised.parts}
    found = {key: re.search(row.get(key, ""), text, re.MULTILINE) for key, text in texts.items()}
    if None in found.values():
        return None
    it = globals()["_find_" + row["when"]](raised, *match.groups()) if "when" in row else ""
    of = next((of for words, of in row.get("of", {}).items() if {*words.split("|")} & {*match.groups()}), None)
    called = row["called"].get(match[1]) if "called" in row else ""
    if None in (it, called) or (of is None and "of" in row):
        return None
    says = row.get("says") or next(edit.says for edit in EDITS if edit.name == row["name"])
    parts = {"it": it, "of": of, "called": called, "line": raised.line, "text": raised.place[1]}
    parts |= {"code": raised.quote(), **found["code"].groupdict(), **found["has"].groupdict()}
    return Finding("slip", row["name"], says.format(match[0], *match.groups(), **parts))


# ---- conditions of rows: (raised, row, the groups of its pattern) -> a word for the sentence, or None ----------------


_DISPLAYS = {ast.List: "list", ast.ListComp: "list", ast.Tuple: "tuple", ast.Dict: "dict", ast.Lambda: "function"}


def _find_kind_at(node: ast.expr, frame: types.FrameType) -> str:
    """Return the kind of the value of a part of some code, without running anything of it; "" if it is not known."""
    if isinstance(node, ast.Call):  # of a class
        made = find_value(node.func, frame)
        return ("layer" if _is_module_class(made) else made.__name__) if isinstance(made, type) else ""
    value = node.value if isinstance(node, ast.Constant) else find_value(node, frame)
    return _DISPLAYS.get(type(node), "") if value is None else _find_kind(value)


def _find_kind(value: object) -> str:
    """Return the kind of a value, such as "array", "class", "layer", "list of layers" or "function of the exercise"."""
    if isinstance(value, type):
        return "class"
    if isinstance(value, (list, tuple)):
        kinds = {"list" if isinstance(one, list) else _find_kind(one) for one in value}
        kind = type(value).__name__
        return f"{kind} of {kinds.pop()}s" if len(kinds) == 1 else kind
    if _is_module_class(type(value)):
        return "layer"
    kinds = {"ndarray": "array", "Tensor": "tensor", "Parameter": "tensor"}
    kind = kinds.get(type(value).__name__) or ("function" if callable(value) else type(value).__name__)
    if kind == "function" and sandbox.is_ours(str(type(value).__module__)):
        return "function of the exercise"
    owner = _find_kind(getattr(value, "__self__", None)) if inspect.isroutine(value) else ""
    return f"method of {owner}" if owner in kinds.values() else kind


def _is_module_class(kind: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(kind, type) and issubclass(kind, torch.nn.Module)


def _known_names(raised: _Raised, name: str) -> dict[str, object]:
    """Return the known names that an unknown one may stand for, with their values: those that fit how it is used."""
    functions = {known: value for known, value in vars(builtins).items() if callable(value)}
    other_names = {**functions, **(raised.frames[0].f_globals if raised.frames else {})}
    use = _find_use(raised, name)
    fits = callable if isinstance(use, ast.Call) else _is_plain_value
    if isinstance(use, ast.Attribute):
        fits = lambda value: hasattr(value, use.attr)  # noqa: E731
    fitting = {known: value for known, value in other_names.items() if fits(value) and not known.startswith("_")}
    local_names = [one for frame in reversed(raised.frames) for one in frame.f_locals.items()]
    return fitting | {known: value for known, value in local_names if use is None or fits(value)}


def _is_plain_value(value: object) -> bool:
    return not callable(value) and not isinstance(value, types.ModuleType)


def _find_use(raised: _Raised, name: str) -> ast.AST | None:
    """Return the call or the attribute that the unknown name is part of: `name(…)` or `name.part`; None if neither."""
    try:
        tree = ast.parse(raised.line)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        inner = getattr(node, "func", None) or (node.value if isinstance(node, ast.Attribute) else None)
        if isinstance(inner, ast.Name) and inner.id == name:
            return node
    return None


def _find_name_in_other_case(raised: _Raised, name: str) -> str | None:
    """Return a known name that differs from an unknown one in capital letters only."""
    for known, value in reversed(_known_names(raised, name).items()):
        if known.lower() == name.lower() and not isinstance(value, types.ModuleType):
            return known
    return None


def _find_asked_name(raised: _Raised, name: str) -> str | None:
    """Return "" if the docstring of the answer has an unknown name: then it is not misspelled."""
    source = find_source(raised.answer)
    docstring = ast.get_docstring(source.definition) if source is not None else None
    return "" if re.search(rf"\b{name}\b", docstring or "") else None


def _find_similar_name(raised: _Raised, name: str) -> str | None:
    """Return a known name with a spelling close to an unknown one, or the short name of a module."""
    known_names = _known_names(raised, name)
    for known, value in known_names.items():
        if isinstance(value, types.ModuleType) and value.__name__ == name:
            return known
    one_letter_off = [known for known in known_names if abs(len(known) - len(name)) <= 1]  # `bias` is not `biases`
    return _find_closest(name, one_letter_off, cutoff=0.75)


def _find_closest(name: str, known_names: Iterable[str], cutoff: float = 0.8) -> str | None:
    return next(iter(difflib.get_close_matches(name, known_names, n=1, cutoff=cutoff)), None)


def _find_parameters(raised: _Raised, *groups: str) -> str | None:
    """Return the names of the arguments of the function that failed, if there are several."""
    source = find_source(raised.answer)
    names = source.parameters if source is not None else []
    return ", ".join(names) if len(names) > 1 else None


def _find_similar_method(raised: _Raised, *groups: str) -> str | None:
    """Return a method or attribute of the value with a spelling close to the one that it was asked for."""
    value = getattr(raised.error, "obj", None)
    return _find_closest(groups[-1], [name for name in dir(type(value)) if not name.startswith("_")])


def _find_numpy_function(raised: _Raised, name: str) -> str | None:
    """Return "" if NumPy has a function with this name; a number type, such as np.double, does not count."""
    known = getattr(np, name, None)
    return "" if callable(known) and not isinstance(known, type) else None


def _find_similar_function(raised: _Raised, module: str, name: str) -> str | None:
    """Return a function of a library with a spelling close to the one that it was asked for."""
    names = [known for known in dir(sys.modules.get(module)) if not known.startswith("_")]
    in_other_case = (known for known in names if known.lower() == name.lower())
    return next(in_other_case, None) or _find_closest(name, names)


def _describe_call(raised: _Raised) -> str:
    """Say how what was called is called, as far as its documentation or its code tells; "" if that is not known."""
    name = _find_call(raised)
    called = find_value(raised.place[0].func, raised.place[2]) if name else None
    try:
        called = called if isinstance(called, type) else getattr(called, "forward", called)
        text = (getattr(called, "__doc__", None) or "").strip().partition("\n")[0]
        text = text if re.match(r"[\w.]+\(", text) else str(inspect.signature(called))
    except Exception:
        return ""
    found = re.findall(r"[(,*] *\[?([^\W_]\w*)(?:: [^,=)]*)? *(=?)", text.partition(" -> ")[0])
    names = [known + "=…" * bool(sign) for known, sign in found]
    return f" The call is {name}({', '.join(names[:6] + ['…'] * (len(names) > 6))})."


def _find_unknown_argument(raised: _Raised, *groups: str) -> str | None:
    """Say which keyword of a call is unknown to what is called, or to a message about it, and how it is called."""
    keywords = [one.arg for one in getattr(raised.place[0], "keywords", ())]
    call = _describe_call(raised)
    unknown = [name for name in keywords if (name not in re.findall(r"\w+", call) if call else name in groups)]
    return f"`{_find_call(raised)}` has no argument `{unknown[-1]}`.{call}" if unknown else None


def _find_count(raised: _Raised, name: str) -> str | None:
    """Say what was called with a different number of arguments than it takes, and how it is called."""
    called = _find_callee(raised, name)
    says = f"`{called}` is called with a different number of arguments than it takes."
    return called and says + _describe_call(raised)


def _find_callee(raised: _Raised, name: str, *groups: str) -> str | None:
    """Return the function that got the wrong arguments: as the code that failed calls it, or by its own name."""
    called = _find_call(raised)
    value = find_value(raised.place[0].func, raised.place[2]) if called else None
    own = ((called or "").rpartition(".")[2], getattr(value, "__name__", "<lambda>"), "__call__")
    own += ("__init__",) * isinstance(value, type) + ("forward",) * _is_module_class(type(value))
    return called if called is None or name in own else None if name.startswith(("_", "<")) else name


def _find_misspelled_init(raised: _Raised, name: str, *groups: str) -> str | None:
    """Return the name of a method that is close to "__init__", if a class has no method of this name."""
    methods = _read_methods_of(raised, name) or ()
    return None if "__init__" in methods else _find_closest("__init__", methods, cutoff=0.6)


def _find_no_init(raised: _Raised, name: str, *groups: str) -> str | None:
    """Return "" if a class has no `__init__`."""
    methods = _read_methods_of(raised, name)
    return None if methods is None or "__init__" in methods else ""


def _find_init_parameters(raised: _Raised, name: str, *groups: str) -> str | None:
    """Return the parameters of the `__init__` of a class, as they are written."""
    method = (_read_methods_of(raised, name) or {}).get("__init__")
    return ast.unparse(method.args) if method is not None else None


def _read_methods_of(raised: _Raised, name: str) -> dict[str, ast.FunctionDef] | None:
    """Return the methods of the class that was handed in, by name; None if the class has a different name.

    Inside its own `__init__`, an error of this name comes from `super().__init__(…)`, which is another function.
    """
    is_inside = any(frame.f_code.co_name == "__init__" for frame in raised.frames)
    return _read_methods(raised.answer) if getattr(raised.answer, "__name__", "") == name and not is_inside else None


def _find_parts_of_module(raised: _Raised, *groups: str) -> str | None:
    """Return the names of the parts of the torch module that was asked for an attribute."""
    module = getattr(raised.error, "obj", None)
    if not _is_module_class(type(module)):
        return None
    own = [name for name in vars(module) if not name.startswith("_") and name != "training"]
    parts = [f"`{name}`" for name in dict.fromkeys([*dict(module.named_children()), *module._parameters, *own])]
    return ", ".join(parts[:8]) or "none"


def _find_array_method(raised: _Raised, *groups: str) -> str | None:
    """Return "" if NumPy's arrays have a method with the name in the last group."""
    return "" if hasattr(np.ndarray, groups[-1]) else None


def _find_tensor_method(raised: _Raised, *groups: str) -> str | None:
    """Return "" if torch's tensors have a method with the name in the last group."""
    torch, name = sys.modules.get("torch"), groups[-1]
    known = hasattr(torch.Tensor, name) if torch is not None else name in _read_table()["torch"]["methods"].split()
    return "" if known else None


def _find_in_another_library(raised: _Raised, module: str, name: str) -> str | None:
    """Return the full name, in another library, of what a module lacks, and what it is for."""
    known = {"np": "numpy", **{one: one for one in ("torch", "torch.nn", "torch.nn.functional", "math")}}
    told = {} if "torch" in sys.modules else {"torch": _read_table()["torch"]["functions"].split()}
    short = next((one for one, full in known.items() if name in told.get(one, ()) or _has(full, name)), None)
    return short and f"`{short}.{name}`, for {dict(n='arrays', t='tensors', m='single numbers')[short[0]]}"


def _has(module: str, name: str) -> bool:
    return callable(getattr(sys.modules.get(module), name, None))


def _find_call(raised: _Raised, *groups: str) -> str | None:
    """Return what is called, if the code that failed is a call."""
    node = raised.place[0]
    return ast.unparse(node.func) if isinstance(node, ast.Call) else None


def _find_call_without_self(raised: _Raised, *groups: str) -> str | None:
    """Return the name of a part of the class that the code that failed calls without `self.`."""
    name, frame = _find_call(raised), raised.place[2]
    return name if name is not None and hasattr(frame.f_locals.get("self"), name) else None


def _find_method_without_self(raised: _Raised, name: str, *groups: str) -> str | None:
    """Return the name of a method that has no argument `self`."""
    method = (_read_methods(raised.answer) or {}).get(name.rpartition(".")[2])
    is_plain = method is not None and not method.decorator_list
    return method.name if is_plain and [arg.arg for arg in method.args.args[:1]] != ["self"] else None


def _find_part_of_self(raised: _Raised, name: str) -> str | None:
    """Return a name if the class uses it as a part of `self`."""
    source = find_source(raised.answer)
    nodes = ast.walk(source.definition) if source is not None else ()
    is_part = any(isinstance(node, ast.Attribute) and ast.unparse(node) == f"self.{name}" for node in nodes)
    return name if is_part else None


def _find_argument_of_init(raised: _Raised, name: str) -> str | None:
    """Return a name if it is an argument of the `__init__` of the class."""
    method = (_read_methods(raised.answer) or {}).get("__init__")
    return name if method is not None and name in [one.arg for one in method.args.args] else None


def _find_layer_in_forward(raised: _Raised, *groups: str) -> str | None:
    """Return the name of a layer of torch.nn, with weights, that the forward of a class makes."""
    layers, method = getattr(sys.modules.get("torch"), "nn", None), (_read_methods(raised.answer) or {}).get("forward")
    calls = (node.func for node in ast.walk(method) if isinstance(node, ast.Call)) if method is not None else ()
    names = (ast.unparse(called) for called in calls)
    return next(
        (name for name in names if hasattr(getattr(layers, name.rpartition(".")[2], None), "reset_parameters")), None
    )


def _find_forward_in_method(raised: _Raised, *groups: str) -> str | None:
    """Return the name of the method inside which the forward of a class stands."""
    for name, method in (raised.methods or {}).items():
        if any(isinstance(node, ast.FunctionDef) and node.name == "forward" for node in ast.walk(method)):
            return name
    return None


def _find_misspelled_forward(raised: _Raised, *groups: str) -> str | None:
    """Return the name of a method that is close to "forward"."""
    return _find_closest("forward", raised.methods or (), cutoff=0.6)


def _find_no_forward(raised: _Raised, *groups: str) -> str | None:
    """Return "" if a class has no forward."""
    return None if raised.methods is None else ""
