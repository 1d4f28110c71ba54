"""Explain what ended a run: a limit, a TODO, the everyday slip behind an error, or the error itself.

The table `errors.toml` has one row for each cause of an error; this module finds the row, and asks `conditions.py`.
"""

import ast
import inspect
import itertools
import linecache
import math
import re
import tomllib
import traceback
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np

from whywrong import sandbox
from whywrong.conditions import Raised, find_kind, meet
from whywrong.evidence import case_arguments, describe_case, find_unused_argument
from whywrong.fixes.edits import EDITS
from whywrong.fixes.source import find_source
from whywrong.shapes import (
    THEY_FIT,
    describe_origins,
    find_learners_step,
    find_misfit,
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
            if find_kind(value) == "function of the exercise":
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
    raised = Raised(outcome, words, answer.handed_in)
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


def _match_row(row: Row, raised: Raised) -> Finding | None:
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
    it = meet(row["when"], raised, *match.groups()) if "when" in row else ""
    of = next((of for words, of in row.get("of", {}).items() if {*words.split("|")} & {*match.groups()}), None)
    called = row["called"].get(match[1]) if "called" in row else ""
    if None in (it, called) or (of is None and "of" in row):
        return None
    says = row.get("says") or next(edit.says for edit in EDITS if edit.name == row["name"])
    parts = {"it": it, "of": of, "called": called, "line": raised.line, "text": raised.place[1]}
    parts |= {"code": raised.quote(), **found["code"].groupdict(), **found["has"].groupdict()}
    return Finding("slip", row["name"], says.format(match[0], *match.groups(), **parts))
