"""All that a notebook calls, and what tools need: grade and catalogue.

Exercises are loaded by their id when they are first needed, each with its own lesson only.
"""

import pathlib
import re
import sys

from course_lib import grading
from course_lib import warm_up as warming
from course_lib.grading import grade
from courseware import __version__
from courseware.arguments import choice
from courseware.content import Prediction
from courseware.guess import plain, shown
from courseware.page import help as helping
from courseware.page import medium, output, overview
from courseware.page.components import Component
from courseware.page.display import in_code, show, table
from courseware.page.interactive import Choice, Explorer, Interactive, Range
from courseware.page.verdict import boxed
from courseware.progress import Progress
from lessons import catalogue as _lessons
from lessons.catalogue import catalogue, item
from lessons.cells import ON_MODEL
from whywrong import errors
from whywrong.task import Status
from whywrong.todo import TODO

__all__ = [
    "TODO",
    "Choice",
    "Range",
    "catalogue",
    "check",
    "explore",
    "grade",
    "guesses",
    "half",
    "hand_in",
    "help_with",
    "hint",
    "needs_model",
    "progress",
    "quiz",
    "show",
    "show_case",
    "solution",
    "table",
    "warm_up",
    "which_bank",
]

_NOTHING = object()
_progress = None
_hints_shown: dict[str, int] = {}
_halves_shown: set[str] = set()


def check(id: str, answer=_NOTHING, *, arrays: bool = False) -> None:
    """Grade an answer, show the verdict and remember it in the progress file.

    Below the verdict stand the numbers of the first case that differs, and what the code printed on the first case.

    Args:
        id: the exercise, such as "linear_limits.collapse".
        answer: what you made.
        arrays: ask an exercise of torch with NumPy arrays.

    Raises:
        TypeError: as `grade` does.
    """
    if answer is _NOTHING:
        output.text('check needs the exercise and your answer: check("linear_limits.collapse", collapse).')
        return
    try:
        verdict = grade(id, answer, arrays=arrays)
    except ValueError as unknown:  # no error, so that Run All goes on below what only a former version asked
        output.text(f"{unknown} What only another version of the course asks is not checked, and your code stays.")
        return
    sentences = [verdict.message]
    if verdict.status == Status.GUESSED:
        sentences += [_first_guess(id, plain(answer)), _record(id, verdict, plain(answer))]
    elif verdict.status != Status.NOT_ATTEMPTED:
        sentences.append(_record(id, verdict))
    imported = sys._getframe(1).f_globals.get("show_case") is show_case
    blocks = {"evidence": grading.evidence(id, verdict, imported), "printed": verdict.printed}
    if verdict.status in (Status.NOT_YET, Status.STOPPED):
        blocks["for_help"] = _for_help(id, "".join(output.ran()[-1:]))
    output.text(*boxed(verdict.status, " ".join(filter(None, sentences)), **blocks))


def _for_help(id, code):
    """Return what a coded exercise asked, in which version, and the code; nothing of a guess."""
    lesson, name = _lessons.lesson(id.partition(".")[0]), id.partition(".")[2]
    if name not in lesson.exercises:
        return ""
    return f"{lesson.headline}, version {__version__}\n\n{lesson.exercises[name].title} ({id})\n\n{code}"


def _failed(source):
    """Reply to a cell of an exercise or a guess that Python cannot read, as pages do; return whether it is one."""
    coded = {f"{lesson.name}.{name}" for lesson in _lessons.lessons() for name in lesson.exercises}
    guesses = {one.name for lesson in _lessons.lessons() for one in _lessons.predictions(lesson.name)}
    named = re.search(r"^\s*check\s*\(\s*[\"']([\w.]+)", source, re.MULTILINE)
    raised, says = sys.exc_info()[1], ""
    try:
        compile(source, "", "exec")  # for Python's own message: IPython's on a missing bracket is "incomplete input"
    except SyntaxError as error:
        found = errors.describe_unreadable(error, source)
        if named and named[1] in coded:
            _store().record(named[1], found.status, key=found.key)
            says = f"{found.says} {_store().problem}".rstrip()
            output.text(*boxed(found.status, says, for_help=_for_help(named[1], source)))
            return True
        says = f'{found.says} A guess is one number, or text in quotes: `"A"`.'
    else:
        if isinstance(raised, NameError) and raised.name != "TODO":
            name = raised.name
            says = f'`{name}` is a name that Python does not know: text needs quotes on both sides, `"{name}"`.'
    if not says or guesses.isdisjoint(re.findall(r"^(\w+) *=", source, re.MULTILINE)):
        return False
    output.text(*boxed(Status.NOT_ATTEMPTED, says))
    return True


output.before_errors(_failed)


def show_case(id: str) -> dict[str, object]:
    """Return the arguments of the case on which your last answer failed, by name; an empty dict when none has failed.

    Arrays and tensors are copies to look at and to try code on: `x = show_case("…")["x"]`.
    """
    found = grading.failed_case(id)
    if found is None:
        output.text(grading.NO_CASE)
    return found or {}


def help_with(id: str) -> None:
    """Show buttons for an exercise: Hint gives the next of three hints, Solution the worked cell.

    A longer exercise has a third, Start from half: the worked cell with TODO in place of what is at its heart.
    """
    item = _lessons.item(id)
    halved = (lambda: _half(id)) if _lessons.half(id) else None
    medium.current().help(item.hints, halved, lambda: _solution(id), lambda number: _count_hint(id, number))


def hint(id: str) -> None:
    """Show the next hint of an exercise: the idea, then the shapes, then the first line."""
    hints = _lessons.item(id).hints
    number = min(_hints_shown.get(id, 0) + 1, len(hints))
    _count_hint(id, number)
    markdown, plain = helping.hint(hints, number)
    more = " Run the cell again for the next one." if number < len(hints) else ""
    output.text(markdown + more, plain + more)


def _count_hint(id, number):
    _store().record_hint(id)
    _hints_shown[id] = max(number, _hints_shown.get(id, 0))


def half(id: str) -> None:
    """Show half of the worked solution of an exercise, to copy and to finish; it counts as a hint."""
    _lessons.item(id)
    output.text(*_half(id))


def _half(id):
    """Return half of the solution of an exercise as (Markdown, plain text)."""
    code = _lessons.half(id)
    if code is None:
        return ("There is no half of this one: ask for a hint.",) * 2
    if id not in _halves_shown:
        _halves_shown.add(id)
        _store().record_hint(id)
    markdown, plain = in_code(code)
    return f"{helping.HOW}\n\n{markdown}", f"{helping.HOW}\n\n{plain}"


def solution(id: str) -> None:
    """Show the worked solution of an exercise; of a prediction, once you have guessed, the answer."""
    output.text(*_solution(id))


def _solution(id):
    """Return the solution of an exercise as (Markdown, plain text)."""
    item = _lessons.item(id)
    if isinstance(item, Prediction):
        if id in _done():
            return in_code(f"{item.name} = {item.answer!r}")
        first = f"Your guess comes first: put it where TODO stands, in {item.name}, and run its check."
        return (f"{first} Then run this again.",) * 2
    worked = _lessons.worked(id)
    if worked is None:
        words = "The solutions are not part of this copy of the course: ask your teacher."
        return words, words
    code, why = worked
    markdown, plain = in_code(code)
    return (f"{markdown}\n\n**Why:** {why}", f"{plain}\n\nWhy: {why}") if why else (markdown, plain)


def progress(lesson: str | None = None) -> None:
    """Show where you stand and where to go on: of the whole course, or in one line at the end of a lesson.

    Args:
        lesson: its name, such as "linear_limits"; by default all lessons.

    Raises:
        TypeError, ValueError: there is no such lesson.
    """
    place = None if lesson is None else _lessons.lessons().index(_lessons.lesson(lesson))
    stages = _stages()
    words = overview.whole_course(stages) if place is None else overview.one_lesson(stages[place], stages)
    problem = _store().problem
    output.text(*("\n\n".join(filter(None, [form, problem])) for form in words))


def hand_in(lesson: str, name: str = "") -> None:
    """Pack this lesson into one file beside its notebook, to be handed in, and say what is in it; nothing is sent.

    Args:
        lesson: its name, such as "linear_limits".
        name: yours, as your teacher knows it.
    """
    from course_lib import handing_in  # here, since it reads progress: what is missing is named before that

    try:
        one = _lessons.lesson(lesson)
        path, notebook = handing_in.pack(one, name, pathlib.Path.cwd(), _store().entries(), output.ran())
    except (TypeError, ValueError) as refused:
        output.text(str(refused))
    except OSError as error:
        output.text(f"The file to hand in could not be written: {error.strerror or error}.")
    else:
        output.text(handing_in.says(notebook, path, _store().path))
        if "google.colab" in sys.modules:
            sys.modules["google.colab"].files.download(str(path))


def notebook_ahead() -> str | None:
    """Return the notebook where `progress` says to go on; None when every lesson is done."""
    ahead = overview.ahead(_stages())
    return None if ahead is None else ahead.notebook


def _stages():
    done = _done()
    return [_stage(one, done) for one in _lessons.lessons()]


def _stage(lesson, done):
    parts = tuple((title, id in done) for id, title in _lessons.ids(lesson).items())
    answered = tuple(question.id in done for question in _lessons.questions(lesson.name))
    return overview.Stage(lesson.heading, lesson.notebook, lesson.minutes[1], parts, answered, lesson.build)


def quiz(lesson: str, cell: str = "quiz") -> None:
    """Show the questions that a cell of a lesson asks; one alone, beside its experiment, has no number and no score.

    Args:
        lesson: its name, such as "linear_limits".
        cell: the id of the cell in the lesson's notebook, as `quiz.toml` has it; by default the quiz at the end.

    Raises:
        TypeError: lesson or cell is not a string.
        ValueError: there is no such lesson, or the cell asks no question.
    """
    name = _lessons.lesson(lesson).name
    questions = _lessons.asked(name, choice("cell", cell, dict.fromkeys(one.cell for one in _lessons.questions(name))))
    answered = {question.id for _, question in questions} & _done()
    medium.current().quiz(questions, answered, _record_answer, scored=len(questions) > 1)


def warm_up(lesson: str) -> None:
    """Ask three questions of earlier lessons, from memory: those that you answered wrongly at first come first.

    They ask the ideas of these lessons' quizzes with other numbers or in another situation. An answer changes nothing
    in the quiz; what was wrong at first, there or here, may come again in the next lesson.

    Args:
        lesson: the name of the lesson that begins, such as "relu_vs_gelu".

    Raises:
        TypeError, ValueError: there is no such lesson, or none before it.
    """
    missed = {id for id, entry in _store().entries().items() if entry.wrong_at_first}
    questions = warming.asked(lesson, missed)
    output.text(f"**{warming.SAYS}**", warming.SAYS)
    medium.current().quiz(questions, set(), _record_answer, scored=False)


def explore(figure: Interactive | Component, **controls: Range | Choice) -> None:
    """Show a figure with its controls; where no kernel runs, its state at the start with its caption.

    Args:
        figure: made by a lesson's `figures`; a Component brings its own controls.
        controls: a Range or Choice for every keyword of the update function of an Interactive.

    Raises:
        TypeError: figure is neither Interactive nor Component, a control is neither Range nor Choice, or a Component
            is given controls.
        ValueError: there is no control.
    """
    if isinstance(figure, Component):
        if controls:
            raise TypeError(f"{figure.name} brings its own controls: call explore without {', '.join(controls)}.")
        medium.current().component(figure)
        return
    medium.current().explorer(Explorer(figure, **controls))


def needs_model() -> None:
    """Let a notebook run without the part *model*: a cell that needs it says how to get it in place of its result."""
    from course_lib.model import real  # here, since it brings torch

    if real.find() is None:
        output.replace_cells(ON_MODEL, f"This cell needs the part “model”, which is not installed: {real.HOW}.")


def which_bank(lifted: int = 0) -> None:
    """Show how one layer finds out which bank a sentence speaks of; lifted: how much of it is let in.

    Raises:
        TypeError, ValueError: lifted is no whole number from 0 to 2.
    """
    from course_lib import story  # here, since it brings Matplotlib

    explore(story.which_bank(lifted, None if lifted else item("start_here.predict_bank")))


def _done() -> set[str]:
    """Return the ids of everything that counts as done."""
    return {id for id, entry in _store().entries().items() if entry.done}


def guesses() -> None:
    """Show your first guesses beside what was found, and how many of them came near."""
    found, rows, near = _store().entries(), [], 0
    for lesson in _lessons.lessons():
        for prediction in _lessons.predictions(lesson.name):
            entry = found.get(prediction.id)
            if entry is None or entry.guess is None:
                continue
            near += bool(entry.near)
            rows.append(
                [
                    lesson.heading,
                    prediction.title,
                    _shown(entry.guess),
                    _shown(prediction.answer),
                    "yes" if entry.near else "no",
                ]
            )
    if not rows:
        output.text("No guess has been made yet: they appear here as you go through the lessons.")
        return
    caption = f"Your first guesses: {near} of {len(rows)} came near"
    table(rows, ["lesson", "question", "your guess", "it is", "near?"], caption)


def _shown(guess):
    if isinstance(guess, dict):
        return ", ".join(f"{letter} {judgement}" for letter, judgement in guess.items())
    return shown(guess).strip("“”")


def _first_guess(id, guess):
    entry = _store().entries().get(id)
    if entry is None or entry.guess is None or entry.guess == guess:
        return ""
    return f"(Your first guess, {_shown(entry.guess)}, is the one that is kept.)"


def _store() -> Progress:
    global _progress
    if _progress is None:
        _progress = Progress(id_today=_lessons.id_today)
    return _progress


def _record(id, verdict, guess=None) -> str:
    _store().record(id, verdict.status, key=verdict.key, guess=guess, near=verdict.near)
    return _store().problem


def _record_answer(id, status) -> str:
    """Remember an answer to a question; who has found the right one and reads the other replies answers no more."""
    if id in _done():
        return ""
    _store().record(id, status)
    return _store().problem
