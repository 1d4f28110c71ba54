"""Python in a lesson's web page: check and run what stands in the editor of an exercise. Everything replies in JSON.

A worker of the page calls this where NumPy is there and nothing else, and no thread: the page ends it when it is asked
to, or when code runs too long. What a cell defines can be used by those after it in its lesson, as in the notebook.
"""

import base64
import json
import math
import sys
import types

import numpy as np

from course_lib import grading, handing_in
from course_lib.model import accounting, numpy_ffn
from courseware import progress as progress_file
from courseware.page.verdict import SIGNS, WORDS
from lessons import catalogue, cells
from whywrong import errors, sandbox
from whywrong.task import Finding, Key, Status, Verdict
from whywrong.todo import TODO

_made: dict[str, dict[str, object]] = {}  # lesson -> what its cells have defined


listen = sandbox.listen  # for the page, which ends what runs too long


def show_case(id: str) -> dict[str, object]:
    """Return the arguments of the case on which the last answer failed, by name; an empty dict when none has failed."""
    found = grading.failed_case(id)
    if found is None:
        print(grading.NO_CASE)
    return found or {}


def _nothing(*given, **more):
    """Take the place of what a notebook's cell calls and a page shows by itself."""


# What every cell can use.
NAMES = {
    "TODO": TODO,
    "check": _nothing,
    "accounting": accounting,
    "math": math,
    "np": np,
    "numpy_ffn": numpy_ffn,
    "show_case": show_case,
}
if sys.platform == "emscripten":  # what a cell of a notebook imports needs more than there is here
    _desk = sys.modules["course_lib.desk"] = types.ModuleType("course_lib.desk")
    vars(_desk).update(NAMES, __getattr__=lambda name: _nothing)


def straighten(source: str, pasted: str) -> str:
    """Return the source that is to run, and what was changed in it; pasted: JSON, the places of signs that may be."""
    source, changed = errors.straighten(source, {*json.loads(pasted)})
    return _as_json(source=source, changed=changed)


def check(id: str, source: str, arrays: bool = False) -> str:
    """Grade what a source defines.

    Args:
        id: the exercise, such as "linear_limits.collapse".
        source: what stands in the editor; a call of `check`, as the notebook has one, is left out.
        arrays: whether an exercise on tensors is asked with arrays.

    Returns:
        A dict with status, key, sign, word, message, evidence, printed and stopped, which is empty.

    Raises:
        ValueError: there is no such exercise, or it cannot be asked with arrays.
    """
    lesson, _, module = id.partition(".")
    name = catalogue.lesson(lesson).exercises[module].name or module
    outcome = _loaded(id, source, without=name)
    if outcome.error is not None:
        found = _in_words(outcome, id, source)
        verdict = Verdict(found.status, found.key, found.says)
    elif name not in outcome.value.names:
        says = f"Your code does not define `{name}`. Keep the name from the starter, because the check looks for it."
        verdict = Verdict(Status.NOT_ATTEMPTED, Key.NONE, says)
    else:
        verdict = grading.grade(id, outcome.value.names[name], arrays=arrays)
    return _as_json(
        status=verdict.status,
        key=verdict.key,
        sign=SIGNS[verdict.status],
        word=WORDS[verdict.status],
        message=verdict.message,
        evidence=grading.evidence(id, verdict, imported=True),
        printed=verdict.printed,
        stopped="",
    )


def run(id: str, source: str) -> str:
    """Run a source as a cell of its lesson.

    Returns:
        A dict with what it printed, the value of its last line, and the error that ended it, in a sentence.
    """
    outcome = _loaded(id, source)
    if outcome.error is not None:
        return _as_json(printed=outcome.printed, value="", error=_in_words(outcome, id, source).says)
    return _as_json(printed=outcome.printed, value=outcome.value.shown, error="")


def hand_in(lesson: str, name: str, notebook: str, answers: str, progress: str) -> str:
    """Pack what a learner wrote on a lesson's page, as `hand_in` does in its notebook.

    Args:
        lesson: its name, such as "linear_limits".
        name: the learner's.
        notebook: the lesson's, as JSON.
        answers: JSON, exercise -> what stands in its editor.
        progress: the text of a progress file.

    Returns:
        A dict with the name of the file and its bytes in base64; or with the sentence that refuses the name.
    """
    try:
        typed = {id: handing_in.Typed(code, catalogue.takes_arrays(id)) for id, code in json.loads(answers).items()}
        entries = progress_file.read(progress)
        file, packed = handing_in.pack_answers(catalogue.lesson(lesson), name, notebook, typed, entries)
    except ValueError as error:
        return _as_json(refused=str(error))
    return _as_json(file=file, bytes=base64.b64encode(packed).decode())


class _Ran:
    """A cell that has run: the names after it, and the value of its last line as it is shown."""

    def __init__(self, cell):
        self.names = cell.names
        self.shown = "" if cell.value is None else repr(cell.value)[: sandbox.MOST_PRINTED]


def _loaded(id, source, without=""):
    """Run a source in the sandbox, without one of the names, and keep what it defines."""
    made = _made.setdefault(id.partition(".")[0], {})
    names = {name: value for name, value in (made | NAMES).items() if name != without}
    source = cells.CHECK.sub("", source)
    outcome = sandbox.run(lambda limits: _Ran(sandbox.load(source, names)))
    if outcome.error is None:
        made |= outcome.value.names
    return outcome


def _in_words(outcome, id, source):
    """Say what ended a cell before anything of it could be checked; a notebook shows a traceback there."""
    error = outcome.error
    if isinstance(error, SyntaxError):
        return errors.describe_unreadable(error, source)
    if isinstance(error, ModuleNotFoundError):
        says = f"There is no `{error.name}` in a web page, only NumPy and what comes with Python."
        return Finding(Key.RAISES, says=f"{says} Leave out `{outcome.line}`.")
    return errors.describe_error(outcome, catalogue.item(id), None, None)


def _as_json(**reply):
    return json.dumps(reply, ensure_ascii=False)
