"""Find the lessons, and load what an id names: its own lesson and no other.

A lesson is a folder beside this file: `__init__.py` with its LESSON, `predictions.toml`, `quiz.toml`, a module for each
coded exercise with its EXERCISE, `figures.py` and `solutions.py`. The student edition has `halves.toml` in its place.
What the TOML may hold is held by the tests.
"""

import difflib
import importlib
import pathlib
import re
import tomllib
from functools import cache

from courseware.arguments import described
from courseware.content import Claim, Drawn, Lesson, Option, Prediction, Question, Reply
from lessons import halves
from lessons.in_numpy import in_numpy
from whywrong import kinds
from whywrong.task import Exercise, Inspection

FOLDER = pathlib.Path(__file__).resolve().parent
_WHY = "### WHY:"
Item = Exercise | Inspection | Prediction


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in order, then the builds; neither their texts nor their exercises are loaded."""
    names = [path.parent.name for path in FOLDER.glob("*/__init__.py")]
    return tuple(sorted((_module(name).LESSON for name in names), key=lambda lesson: lesson.number))


def series() -> tuple[Lesson, ...]:
    """Return the lessons that follow one another; the optional builds are left out."""
    return tuple(one for one in lessons() if not one.build)


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


def item(id: str, *, arrays: bool = False) -> Item:
    """Return the prediction or the coded exercise that an id names.

    Args:
        id: such as "linear_limits.collapse".
        arrays: whether an exercise on tensors is asked with NumPy arrays.

    Raises:
        TypeError: id is not a string.
        ValueError: there is no such exercise, or it cannot be asked with arrays.
    """
    name = id.partition(".")[0] if isinstance(id, str) else ""
    if not any(name == one.name for one in lessons()):
        _known("exercise", id, [id for one in lessons() for id in ids(one)])
    _known("exercise", id, ids(lesson(name)))
    found = next((one for one in predictions(name) if one.id == id), None) or _exercise(id, arrays)
    if arrays and getattr(found, "tensor", None) is None:
        raise ValueError(f"arrays must be False for {id}, which has no cases of NumPy arrays in place of tensors.")
    return found


def takes_arrays(id: str) -> bool:
    """Tell whether an exercise on tensors can be asked with NumPy arrays, too.

    Raises:
        TypeError, ValueError: as for `item`.
        ModuleNotFoundError: it needs torch, and there is none.
    """
    return getattr(item(id), "tensor", None) is not None


def catalogue() -> dict[str, Item]:
    """Return every prediction and exercise of the course by its id, in the order of the lessons."""
    return {id: item(id) for one in lessons() for id in ids(one)}


@cache
def predictions(name: str) -> tuple[Prediction, ...]:
    """Return the predictions of a lesson, in order.

    Raises:
        ValueError: its predictions.toml is no TOML; the message says where.
    """
    return tuple(_prediction(f"{name}.{key}", entry) for key, entry in _read(name, "predictions.toml").items())


@cache
def questions(name: str) -> tuple[Question, ...]:
    """Return the questions of a lesson's quiz, in order.

    Raises:
        ValueError: its quiz.toml is no TOML; the message says where.
    """
    return tuple(_question(f"{name}.{one.pop('id')}", one) for one in _read(name, "quiz.toml").get("questions", []))


def asked(name: str, cell: str) -> list[tuple[int, Question]]:
    """Return the questions that a cell of a lesson asks, with their numbers; one that stands alone has the number 0."""
    found = [(number, one) for number, one in enumerate(questions(name), 1) if one.cell == cell]
    return found if len(found) > 1 else [(0, one) for _, one in found]


@cache
def numbered() -> dict[str, str]:
    """Return the ids of questions in version 1.0.0, which had numbers, and those of today."""
    lessons = _read("", "numbers.toml").items()
    return {
        f"{lesson}.quiz-{number}": f"{lesson}.{name}" for lesson, named in lessons for number, name in named.items()
    }


def id_today(id: str) -> str:
    """Return today's id of what is stored under an id; "" for a question with a number that nothing asks any more."""
    return numbered().get(id, "" if re.search(r"\.quiz-\d+[a-z]?$", id) else id)


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


def worked(id: str) -> tuple[str, str] | None:
    """Return the worked solution of an exercise, and why it is so or ""; None when solutions.py was left out."""
    master = solution(id)
    if master is None:
        return None
    why = " ".join(line.strip().removeprefix(_WHY).strip() for line in master.splitlines() if _is_why(line))
    return unmarked(master), why


def half(id: str) -> str | None:
    """Return the worked cell of an exercise with TODO at its heart; None where there is none, as of a short one.

    Raises:
        ValueError: the student edition's halves.toml is no TOML; the message says where.
    """
    name, _, short = id.partition(".")
    if (FOLDER / name / "halves.toml").is_file():
        return _read(name, "halves.toml").get(short)
    task, master = lesson(name).exercises.get(short), solution(id)
    if task is None or master is None or task.stars < halves.STARS:
        return None
    return unmarked(halves.half(master)[0])


def unmarked(master: str) -> str:
    """Return a master without its marks and without what says why."""
    return re.sub(r"^ *### (BEGIN|END) SOLUTION.*\n", "", without_why(master), flags=re.MULTILINE).strip()


def without_why(master: str) -> str:
    """Return a master without the lines that say why, which begin with `### WHY:`."""
    return "\n".join(line for line in master.splitlines() if not _is_why(line)) + "\n"


def _is_why(line):
    return line.strip().startswith(_WHY)


@cache
def _exercise(id, arrays):
    """Return a coded exercise, as it is asked; one that is asked in one kind only is the same in both."""
    found = _module(id).EXERCISE
    if getattr(found, "tensor", None) is None:
        return found
    return kinds.on_arrays(found, in_numpy) if arrays else kinds.on_tensors(found)


def _module(path):
    return importlib.import_module(f"lessons.{path}")


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
    replies = tuple(Reply(**_with_tuples(one)) for one in entry.pop("replies", []))
    claims = {letter: _claim(one) for letter, one in entry.pop("claims", {}).items()}
    if claims:
        entry["answer"] = {letter: claim.answer for letter, claim in claims.items()}
    drawn = Drawn(**_with_tuples(entry.pop("drawn"))) if "drawn" in entry else None
    return Prediction(id=id, replies=replies, claims=claims, drawn=drawn, **_with_tuples(entry))


def _claim(entry):
    return Claim(entry.pop("text"), entry.pop("answer"), replies=entry)


def _question(id, entry):
    options = tuple(Option(**one) for one in entry.pop("options"))
    again = _question(f"again.{id}", entry.pop("again")) if "again" in entry else None
    return Question(id, options=options, again=again, **entry)


def _with_tuples(entry):
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
