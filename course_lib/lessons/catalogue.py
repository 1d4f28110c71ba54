"""Find the lessons, and load what an id names: its own lesson and no other.

A lesson is a folder beside this file: `__init__.py` with its LESSON, `predictions.toml`, `quiz.toml`, a module for each
coded exercise with its EXERCISE, `figures.py` and `solutions.py`.
"""

import difflib
import importlib
import pathlib
import re
import tomllib
from functools import cache

from course_lib.arguments import described
from course_lib.content import JUDGEMENTS, Claim, Exercise, Inspection, Lesson, Option, Prediction, Question, Reply

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = ("number", "word", "shape", "choice", "claims")
_WHY = "### WHY:"
Item = Exercise | Inspection | Prediction


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in order; neither their texts nor their exercises are loaded."""
    names = [path.parent.name for path in FOLDER.glob("*/__init__.py")]
    return tuple(sorted((_module(name).LESSON for name in names), key=lambda lesson: lesson.number))


def lesson(name: str) -> Lesson:
    """Return a lesson by its name.

    Raises:
        TypeError: name is not a string.
        ValueError: there is no such lesson.
    """
    known = {one.name: one for one in lessons()}
    return known[_known("lesson", name, known)]


def ids(one: Lesson) -> dict[str, str]:
    """Return id -> title of everything that is checked in a lesson: predictions, then coded exercises."""
    found = {prediction.id: prediction.title for prediction in predictions(one.name)}
    return found | {f"{one.name}.{module}": task.title for module, task in one.exercises.items()}


def item(id: str) -> Item:
    """Return the prediction or the coded exercise that an id names.

    Raises:
        TypeError: id is not a string.
        ValueError: there is no such exercise.
    """
    name = id.partition(".")[0] if isinstance(id, str) else ""
    if not any(name == one.name for one in lessons()):
        _known("exercise", id, [id for one in lessons() for id in ids(one)])
    _known("exercise", id, ids(lesson(name)))
    for prediction in predictions(name):
        if prediction.id == id:
            return prediction
    return _module(id).EXERCISE


def catalogue() -> dict[str, Item]:
    """Return every prediction and exercise of the course by its id, in the order of the lessons."""
    return {id: item(id) for one in lessons() for id in ids(one)}


@cache
def predictions(name: str) -> tuple[Prediction, ...]:
    """Return the predictions of a lesson, in order.

    Raises:
        ValueError: its predictions.toml is not as it must be; the message says where.
    """
    return tuple(_prediction(f"{name}.{key}", entry) for key, entry in _read(name, "predictions.toml").items())


@cache
def questions(name: str) -> tuple[Question, ...]:
    """Return the questions of a lesson's quiz, in order.

    Raises:
        ValueError: its quiz.toml is not as it must be; the message says where.
    """
    entries = _take(f"{name}, quiz.toml", _read(name, "quiz.toml"), "questions", list, [])
    return tuple(_question(f"{name}.quiz-{number}", entry) for number, entry in enumerate(entries, 1))


def solution(id: str) -> str | None:
    """Return the master of an exercise's cell, solution marks included; None when solutions.py was left out."""
    name, _, short = id.partition(".")
    path = FOLDER / name / "solutions.py"
    if path.is_file():
        for cell in re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, source = cell.partition("\n")
            if title.strip() == short:
                return source.strip() + "\n"
    return None


def why(master: str) -> str:
    """Return the words on why a worked solution is as it is: the lines of its master that begin with `### WHY:`."""
    return " ".join(line.strip().removeprefix(_WHY).strip() for line in master.splitlines() if _is_why(line))


def without_why(master: str) -> str:
    """Return a master without the lines that say why."""
    return "\n".join(line for line in master.splitlines() if not _is_why(line)) + "\n"


def _is_why(line):
    return line.strip().startswith(_WHY)


def _module(path):
    return importlib.import_module(f"course_lib.lessons.{path}")


def _known(what, name, known):
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a string such as {next(iter(known))!r}, but {described(name)} was given.")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        ask = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"There is no {what} {name!r}.{ask} Known are: {', '.join(known)}.")
    return name


def _read(name, file):
    try:
        return tomllib.loads((FOLDER / name / file).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}, {file}: {error}.") from None


def _prediction(id, entry):
    entry = _table(id, entry)
    kind = _take(id, entry, "kind", str)
    _hold(id, kind in KINDS, f"kind must be one of {', '.join(KINDS)}, but {kind!r} was given")
    tables = _take(id, entry, "claims", dict, {})
    claims = {letter: _claim(f"{id}, claim {letter}", one) for letter, one in tables.items()}
    _hold(id, bool(claims) == (kind == "claims"), "claims belong to the kind 'claims', and to no other")
    if claims:
        entry["answer"] = {letter: claim.answer for letter, claim in claims.items()}
    answer = _answer(id, kind, entry)
    replies = tuple(_reply(id, kind, one) for one in _take(id, entry, "replies", list, []))
    choices = tuple(_take(id, entry, "choices", list, []))
    _hold(id, bool(choices) == (kind == "choice"), "choices belong to the kind 'choice', and to no other")
    if choices:
        _hold(id, answer in choices, "the answer must be among the choices")
    hints = tuple(_take(id, entry, "hints", list))
    _hold(id, len(hints) == 3 and all(isinstance(hint, str) for hint in hints), "there must be three hints")
    made = Prediction(
        id=id,
        title=_take(id, entry, "title", str),
        name=_take(id, entry, "name", str),
        kind=kind,
        answer=answer,
        right=_take(id, entry, "right", str),
        hints=hints,
        replies=replies,
        choices=choices,
        printed=tuple(_take(id, entry, "printed", list, [])),
        claims=claims,
        low=_number(id, entry, "low"),
        high=_number(id, entry, "high"),
        close=_number(id, entry, "close", 0.15),
    )
    _hold(id, not entry, f"unknown: {', '.join(entry)}")
    return made


def _answer(id, kind, entry):
    answer = _take(id, entry, "answer", object)
    _hold(id, _fits(kind, answer), f"the answer {answer!r} is no {kind}")
    return tuple(answer) if kind == "shape" else answer


def _fits(kind, value):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "number":
        return number
    if kind == "word":
        return isinstance(value, str)
    if kind == "shape":
        return isinstance(value, list) and all(isinstance(size, int) for size in value)
    return number or isinstance(value, str) if kind == "choice" else isinstance(value, dict)


def _reply(id, kind, entry):
    entry = _table(id, entry)
    guess, says = _take(id, entry, "guess", object), _take(id, entry, "says", str)
    _hold(id, _fits(kind, guess), f"the guess {guess!r} is no {kind}")
    _hold(id, not entry, f"unknown in a reply: {', '.join(entry)}")
    return Reply(tuple(guess) if kind == "shape" else guess, says)


def _claim(where, entry):
    entry = _table(where, entry)
    text, answer = _take(where, entry, "text", str), _take(where, entry, "answer", str)
    others = [word for word in JUDGEMENTS if word != answer]
    _hold(where, len(others) == len(JUDGEMENTS) - 1, f"the answer must be one of {', '.join(JUDGEMENTS)}")
    replies = {word: _take(where, entry, word, str) for word in others}
    _hold(where, not entry, f"unknown: {', '.join(entry)}")
    return Claim(text, answer, replies)


def _question(id, entry):
    entry = _table(id, entry)
    prompt, options = _take(id, entry, "prompt", str), []
    for one in _take(id, entry, "options", list):
        one = _table(id, one)
        text, reason = _take(id, one, "text", str), _take(id, one, "reason", str)
        options.append(Option(text, reason, _take(id, one, "right", bool, False)))
        _hold(id, not one, f"unknown in an option: {', '.join(one)}")
    _hold(id, sum(option.right for option in options) == 1, "exactly one option must be right")
    _hold(id, not entry, f"unknown: {', '.join(entry)}")
    return Question(id, prompt, tuple(options))


def _table(where, value):
    """Return a copy of a table, to take from it what is known."""
    _hold(where, isinstance(value, dict), f"a table is needed, but {value!r} was given")
    return dict(value)


def _number(where, entry, key, default=None):
    value = entry.pop(key, default)
    _hold(where, value is None or _fits("number", value), f"{key} must be a number, but {value!r} was given")
    return value


def _take(where, entry, key, kind, default=None):
    value = entry.pop(key, default)
    _hold(where, value is not None, f"{key} is missing")
    _hold(where, isinstance(value, kind), f"{key} must be of type {kind.__name__}, but {value!r} was given")
    return value


def _hold(where, condition, complaint):
    if not condition:
        raise ValueError(f"{where}: {complaint}.")
