"""Right answers to every coded exercise, how they are spoiled, and what every verdict must keep to."""

import importlib
import re
from functools import cache, partial
from pathlib import Path

import numpy as np

from course_lib.desk import catalogue, grade
from course_lib.model.one_thread import torch
from courseware.content import Prediction
from lessons.catalogue import lessons
from publish.author import derived
from whywrong.task import Exercise, call_with_args

FOLDER = Path(__file__).resolve().parent
CATALOGUE = catalogue()
PREDICTIONS = [id for id, item in CATALOGUE.items() if isinstance(item, Prediction)]
CODED = [id for id in CATALOGUE if id not in PREDICTIONS]
CALLED = [id for id in CODED if CATALOGUE[id].kind != "value"]  # what is handed to check is called
# One exercise for each kind of answer, called plainly or in a way of its own.
_KINDS = {(CATALOGUE[id].kind, getattr(CATALOGUE[id], "run", None) is call_with_args): id for id in reversed(CALLED)}
FIRST_OF_KIND = list(_KINDS.values())
STATUS = {"correct": "correct", "todo": "not attempted", "raises": "stopped", "timeout": "stopped"}
KEYS = {*STATUS, "guessed", "shape", "dtype", "none", "nan", "mutates", "value", "type"}


def _of_all_lessons(name):
    """Return what the right_styles of all lessons hold under a name, in one dict; test_exercises misses what is not."""
    names = [lesson.name for lesson in lessons() if (FOLDER / lesson.name / "right_styles.py").is_file()]
    modules = [importlib.import_module(f"tests.lessons.{name}.right_styles") for name in names]
    return {id: value for module in modules for id, value in getattr(module, name, {}).items()}


STYLES = _of_all_lessons("STYLES")  # id -> right answers that are not the worked one
BORROWED = _of_all_lessons("BORROWED")  # id -> answers that leave the work to the course's own functions
ACCEPTS = _of_all_lessons("ACCEPTS")  # id -> names of faults that the exercise takes as right on purpose


@cache
def worked(id: str):
    """Return what the worked solution hands to check."""
    name = re.search(r"check\(.*, (\w+)\)$", derived.starter(id))[1]
    return getattr(importlib.import_module(f"lessons.{id.partition('.')[0]}.solutions"), name)


def spoiled(right, spoil):
    """Make a learner's answer of a right one: spoil(compute, *args) stands in for its body."""
    if not isinstance(right, type):
        return lambda *args: spoil(right, *args)
    name = "forward" if hasattr(right, "forward") else "__call__"

    def method(self, *args):
        return spoil(partial(getattr(right, name), self), *args)

    return type(right.__name__, (right,), {name: method})


def first_call(id: str, answer) -> tuple:
    """Return the arguments and the result of the first call of a right answer."""
    calls = []

    def spoil(compute, *args):
        calls.append((args, compute(*args)))
        return calls[-1][1]

    assert grade(id, spoiled(answer, spoil), 0).key == "correct"
    return calls[0]


@cache
def typical(id: str) -> tuple:
    """Return a right answer to spoil, with the arguments and the result of its first call.

    It is the worked one, or another that returns an array of floats where the worked one returns a list or truths.
    """
    for answer in (worked(id), *STYLES.get(id, ())):
        args, result = first_call(id, answer)
        first = result[0] if isinstance(result, tuple) else result
        if not isinstance(first, list) and "bool" not in str(getattr(first, "dtype", "")):
            return answer, args, result
    return worked(id), *first_call(id, worked(id))


def assert_documented(id: str, verdict, seed: int = 0) -> None:
    """Hold a verdict against what is promised: a known key, its status, and one plain line without the answer."""
    item = CATALOGUE[id]
    kind = verdict.key.partition(":")[0]
    if isinstance(item, Prediction):
        assert verdict.key in KEYS
        assert verdict.status == ("guessed" if verdict.key == "guessed" else "not attempted")
    elif kind == "slip":
        assert verdict.status in ("not yet", "stopped")
    else:
        assert verdict.key in KEYS or kind in ("mistake", "seen")
        assert verdict.status == STATUS.get(verdict.key, "not yet")
        assert kind != "mistake" or verdict.key in {f"mistake:{mistake.name}" for mistake in item.mistakes}
    message = verdict.message
    assert message.strip() == message and "\n" not in message and "Traceback" not in message
    assert message[0].isupper() or message[0].isdigit() or of_the_code(message.split()[0], item), message
    assert message.removesuffix(")")[-1] in ".?!" and len(message) < 1600, message
    if isinstance(item, Exercise) and kind != "seen":  # "1.001 times" may look like a value by chance
        shown = message if item.fresh else f"{message} {verdict.evidence}"
        written = set(re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", shown.replace("−", "-")))
        assert not expected_numbers(id, seed) & written


def of_the_code(word: str, item) -> bool:
    """Tell whether a word is a name of the code, which keeps its small letter where a sentence begins with it."""
    returned = {one.name for one in item.returns} if isinstance(item, Exercise) else set()
    return word in returned or len(word) == 1 or "_" in word or hasattr(torch.Tensor, word)


@cache
def expected_numbers(id: str, seed: int) -> set[str]:
    """Return the expected results of an exercise as they could be printed; whole numbers are too common to look for."""
    exercise, found = CATALOGUE[id], set()
    for case in exercise.cases(np.random.default_rng(seed)):
        right = exercise.oracle(*case.args)
        for part in right if isinstance(right, tuple) else (right,):
            if not isinstance(part, str):
                values = np.asarray(part.detach() if hasattr(part, "detach") else part, dtype=float).ravel()
                found |= {form(value) for value in values if value % 1 for form in (repr, "{:.4g}".format, str)}
    return {number for number in found if not number.lstrip("-").isdigit()}  # such as 0.99999 with four digits
