"""Read the hand-written half of a teacher's page, `plan.toml` of the lesson, and hold it against the lesson.

A plan names cells of the notebook and predictions of the lesson; whatever it names must exist.
"""

import builtins
import itertools
import re
import symtable
import tomllib
from dataclasses import dataclass

import nbformat

from courseware.content import Lesson, Prediction, Task
from courseware.environment import NOTEBOOKS
from lessons import catalogue, cells, plans
from lessons.cells import Role
from lessons.plans import Step

LONG, SHORT = 45, 25  # minutes
VOTE = 2  # minutes that one takes at least, with its count of hands
MOST, READING = 2, 3  # of an exercise's minutes, and minutes to read its task: no lab hour gives it more
_FIRST = "setup"  # the cell that every lesson runs, named or not
_CELL = re.compile(r"`([a-z][a-z0-9]*(?:-[a-z0-9]+)+)`")  # `run-1`; cells of one word are not told from other code

_QUESTIONS = re.compile(r"\bQuestions? \d(?:(?:, | and )\d)*")


class Faulty(ValueError):
    """A plan that is not as it must be: what is wrong with it, in a sentence for whoever writes it."""


@dataclass(frozen=True)
class Misconception:
    """What a teacher may hear, the question that separates it from the right idea, and a reply."""

    says: str
    probe: str
    reply: str


@dataclass(frozen=True)
class Lab:
    """A lesson at the keyboard that follows the lesson of votes: exercises in order, and help for each."""

    steps: list[Step]
    quick: str
    exit: str
    answer: str  # to it
    home: str
    stuck: dict[str, str]  # by the cell of the exercise


@dataclass(frozen=True)
class Plan:
    """The hand-written half of a teacher's page."""

    question: str
    goals: list[str]
    before_class: str
    board: str
    plan45: list[Step]
    plan25: list[Step]
    cut: str
    homework: str
    quick: str
    lost: str
    expect: str
    offline: str
    lab: Lab
    misconceptions: list[Misconception]
    split: dict[str, str]
    paper: dict  # what the worksheet holds, as `lessons.plans.paper` says
    drawing: str = ""  # for the board, line by line


def read(lesson: Lesson) -> Plan:
    """Return the plan of a lesson.

    Raises:
        ValueError: it is not as it must be; the message says what is wrong.
    """
    path = catalogue.FOLDER / lesson.name / "plan.toml"
    try:
        if not path.is_file():
            raise ValueError("there is no such plan; begin with a copy of another lesson's")
        data = plans.data(lesson.name)
        for key in ("plan45", "plan25"):
            data[key] = plans.read(data[key])
        data["lab"] = Lab(**data["lab"] | {"steps": plans.read(data["lab"]["steps"])})
        data["misconceptions"] = [Misconception(**one) for one in data["misconceptions"]]
        plan = Plan(**data)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        why = error if isinstance(error, ValueError) else f"its keys are not those of a plan: {error}"
        raise Faulty(f"{lesson.name}, plan.toml: {why}") from None
    found = problems(plan, lesson, notebook(lesson))
    if found:
        raise Faulty(f"{lesson.name}, plan.toml: " + "; ".join(found) + ".")
    return plan


def notebook(lesson: Lesson):
    """Return the published notebook of a lesson."""
    return nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)


def problems(plan: Plan, lesson: Lesson, its_notebook) -> list[str]:
    """Report what is wrong with a plan: minutes, unknown cells, cells that need others, predictions without advice."""
    found = []
    by_id = {cell.id: cell for cell in its_notebook.cells}
    optional = {id for id, cell in by_id.items() if cells.optional(cell)}
    for steps, total in ((plan.plan45, LONG), (plan.plan25, SHORT)):
        name = f"the plan for {total} minutes"
        found += _of_steps(steps, total, name, its_notebook)
        named = [cell for step in steps for cell in step.cells]
        found += _out_of_order(named, list(by_id), name)
        found += [f"{name} shows {cell}, which is optional" for cell in named if cell in optional]
        if not steps or _FIRST not in steps[0].cells:
            found.append(f"{name} does not begin with {_FIRST}")
        found += [
            f"{name} gives {step.minutes} minutes to {votes} votes: {step.what}"
            for step in steps
            if step.minutes < VOTE * (votes := _votes(step, by_id))
        ]
    found += _of_steps(plan.lab.steps, LONG, "the lab hour", its_notebook) + _of_lab(plan.lab, lesson, by_id)
    found += [f"there is no cell {cell}" for text in _texts(plan) for cell in _CELL.findall(text) if cell not in by_id]
    core = [_short(one) for one, cell in asked(lesson, its_notebook) if cell not in optional]
    found += [f"no advice for a split vote on {name}" for name in core if name not in plan.split]
    every = {_short(one) for one in catalogue.predictions(lesson.name)}
    found += [f"there is no prediction {name}" for name in plan.split if name not in every]
    if len(plan.misconceptions) < 3:
        found.append("fewer than three misconceptions")
    return found


def _texts(plan):
    texts = [plan.before_class, plan.board, plan.cut, plan.homework, plan.quick, plan.lost, plan.expect, plan.offline]
    texts += [plan.lab.quick, plan.lab.exit, plan.lab.answer, plan.lab.home, *plan.lab.stuck.values()]
    return texts + [step.how for step in [*plan.plan45, *plan.plan25, *plan.lab.steps]]


def _votes(step, by_id):
    """Return how many votes a row holds: its guesses, and the questions of the quiz that it names by number."""
    shown = [cells.role(by_id[cell]) for cell in step.cells if cell in by_id]
    numbers = _QUESTIONS.search(step.how) if Role.QUIZ in shown else None
    return shown.count(Role.GUESS) + (len(re.findall(r"\d", numbers[0])) if numbers else 0)


def _of_steps(steps, total, name, its_notebook):
    """Report what is wrong with a table: its minutes, cells that do not exist, and cells that need others."""
    found, by_id = [], {cell.id for cell in its_notebook.cells}
    minutes = sum(step.minutes for step in steps)
    if minutes != total:
        found.append(f"{name} takes {minutes}")
    named = [cell for step in steps for cell in step.cells]
    found += [f"there is no cell {cell}" for cell in named if cell not in by_id]
    found += [f"a step has no cell: {step.what}" for step in steps if not step.cells]
    known = [cell for cell in named if cell in by_id]
    return found + [f"in {name} {fault}" for fault in _left_out(known, its_notebook)]


def _out_of_order(named, order, name):
    """Report a section that a plan takes before one that stands above it in the notebook."""
    sections = [order.index(cell) for cell in named if cell.startswith("idea-") and cell in order]
    return [
        f"{name} goes from {order[one]} back to {order[other]}"
        for one, other in itertools.pairwise(sections)
        if other < one
    ]


def _of_lab(lab, lesson, by_id):
    """Report core exercises that a lab hour forgets, minutes that do not fit theirs, and help that is not there."""
    tasks = exercises(lesson, by_id.values())
    found, home = [], set(_CELL.findall(lab.home))
    shown = {cell for step in lab.steps for cell in step.cells if cell in tasks}
    for step in lab.steps:
        stated = sum(tasks[cell].minutes for cell in step.cells if cell in tasks)
        if stated and not stated <= step.minutes <= MOST * stated + READING:
            found.append(f"the lab hour gives {step.minutes} minutes to {step.what}, but the notebook says {stated}")
    core = (cell for cell in tasks if not cells.optional(by_id[cell]))
    found += [f"the lab hour forgets {cell}" for cell in core if cell not in shown | home]
    found += [f"no help for {cell} in the lab hour" for cell in shown if cell not in lab.stuck]
    for cell, help in lab.stuck.items():
        if cell not in shown:
            found.append(f"the lab hour has no exercise {cell}")
        elif ("half" in help.lower()) != (half := catalogue.half(cells.checked(by_id[cell])) is not None):
            why = "the exercise offers it" if half else "an exercise with one star has none"
            found.append(f"the help for {cell} must {'' if half else 'not '}mention Start from half, because {why}")
    return found


def exercises(lesson: Lesson, its_cells) -> dict[str, Task]:
    """Return the tasks of a lesson by the cell that checks them, in the notebook's order."""
    checked = {cell.id: cells.checked(cell) for cell in its_cells if cells.role(cell) == Role.EXERCISE}
    return {cell: lesson.exercises[id.partition(".")[2]] for cell, id in checked.items()}


def _left_out(named, its_notebook):
    """Report cells of a plan that cannot run, or make no sense, without a cell that the plan leaves out."""
    found, above = [], None
    for cell in its_notebook.cells:
        if cell.cell_type == "markdown":
            above = cell.id
        elif cells.role(cell) == Role.GUESS and cell.id in named and above not in named:
            found.append(f"{cell.id} lacks its question, {above}")
    code = {cell.id: cell.source for cell in its_notebook.cells if cell.cell_type == "code"}
    order = list(code)
    have = set(dir(builtins))
    for id in dict.fromkeys([_FIRST, *named]):
        if id not in code:
            continue
        read, made = _names(code[id])
        makers = {
            name: [one for one in order[: order.index(id)] if name in _names(code[one])[1]] for name in read - have
        }
        lacking = {ones[-1] for ones in makers.values() if ones}
        found += [f"{id} needs {one}" for one in sorted(lacking, key=order.index)]
        have |= made
    return found


def _names(source):
    """Return the names that a cell reads and does not make, and those that it makes."""
    top = symtable.symtable(source, "cell", "exec")
    made = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()}
    read, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        read |= {one.get_name() for one in table.get_symbols() if one.is_referenced() and one.is_global()}
    read |= {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    return read - made, made


def asked(lesson: Lesson, its_notebook) -> list[tuple[Prediction, str]]:
    """Return every prediction of a lesson with the id of the cell that takes the guess, in the notebook's order."""
    guesses = {cells.checked(cell): cells.guess_of(cell.id) for cell in its_notebook.cells}
    found = [(one, guesses[one.id]) for one in catalogue.predictions(lesson.name)]
    order = [cell.id for cell in its_notebook.cells]
    return sorted(found, key=lambda pair: order.index(pair[1]))


def _short(prediction):
    return prediction.id.partition(".")[2]
