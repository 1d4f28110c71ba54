"""Write an nbgrader course from the lessons: their exercises, with the solutions between nbgrader's marks.

A lesson is one assignment with the exercises of its core path, and one with its optional exercises, which are a bonus.
A graded cell takes the course anew before it judges, so that what a learner did to `check` or to the course earns
nothing; one of its two draws of cases is hidden, and left out of what learners get. The kernel in which nbgrader runs
learners' code is the Python that writes the assignments, with a copy of the course that has no worked solutions.

Usage: python -m classroom.assignment [FOLDER] [LESSON ...]          (which is `make assignment`)
"""

import argparse
import ast
import json
import re
import sys
from pathlib import Path

import nbformat

from classroom import core, regrade, unsolved
from course_lib.content import Lesson
from course_lib.environment import NOTEBOOKS, ROOT
from lessons import catalogue, cells
from lessons.cells import Role

FOLDER = ROOT / "dist" / "assignment"
SHOWN_SEED, HIDDEN_SEED = 1, 2026
POINTS = 2  # for each star of an exercise
SECONDS = 20  # for one cell, when it is graded
CONFIG = f'''"""The settings of nbgrader for this course; it reads them in the folder where it is started."""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "ffn-course"
c.Execute.timeout = {SECONDS}
c.ClearSolutions.code_stub = {{"python": "raise NotImplementedError  # your code"}}

# The kernel of the course, before nbgrader's own; and alembic, which nbgrader calls by its bare name.
first = {{"JUPYTER_PATH": Path(__file__).resolve().parent / "jupyter", "PATH": Path(sys.executable).parent}}
for name, folder in first.items():
    os.environ[name] = os.pathsep.join(filter(None, [str(folder), os.environ.get(name)]))
'''
GRADED = """\
# Points for this exercise; the cell is locked.
from runpy import run_module as _run

_marked = _run("course_lib.points")["marked"]("{id}", {name}, {points}, {shown})
### BEGIN HIDDEN TESTS
_again = _run("course_lib.points")["marked"]("{id}", {name}, {points}, {hidden})
_marked = _again if _again.points < _marked.points else _marked
### END HIDDEN TESTS
assert _marked.points, _marked.message
if _marked.points < {points}:
    print(_marked.message)
_marked.points"""
OPTIONAL = "_optional"  # behind the name of a lesson
RUBRIC = """\
**How points are given.** Each exercise has {points} points for each star (★).

| your answer | points |
| --- | --- |
| right | all |
| wrong, and the check names one mistake or slip that makes it so | half |
| wrong, and some rows, values or boxes are right | their share of all, if that is more |
| anything else that is wrong, such as a shape | none |
| it ends with an error, or does not end | none |
| the same for every input, one of its inputs, or the work of the course's own function | none |

Of rows, values and boxes, those that one and the same answer everywhere gets right count for nothing. Points are
rounded down to half points, and given for the worse of two draws of random cases, always the same two: marked again, an
answer gets the same points. {bonus}"""
FROM_CORE = "An exercise below uses this answer of the core exercises: copy yours here. It gives no points again."
CORE_ONLY = "What is optional in the lesson has an assignment of its own: a bonus."
BONUS = "These points are a bonus: they make up for points lost in the lesson's core exercises, up to all of those."


def assignments(lesson: Lesson) -> dict[str, list[str]]:
    """Return the names of a lesson's assignments with the ids of their exercises: the core, and the optional ones."""
    optional = [
        f"{lesson.name}.{module}"
        for module in lesson.exercises
        if f"{lesson.name}.{module}" in core.optional(lesson.name)
    ]
    found = {lesson.name: core.core(lesson.name), lesson.name + OPTIONAL: optional}
    return {name: ids for name, ids in found.items() if ids}


def notebook(lesson: Lesson, name: str):
    """Return an assignment of a lesson: its set-up, what its exercises need, and each exercise with its graded cell.

    Args:
        lesson: of which it is.
        name: one of its assignments.

    Raises:
        LookupError: the solutions are not part of this copy of the course.
    """
    published = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    ids, optional = assignments(lesson)[name], name.endswith(OPTIONAL)
    of_exercises = [cell for cell in published.cells if cells.in_exercises(cell) and cells.role(cell) != Role.HELP]
    taken = [cell for cell in of_exercises if cells.optional(cell) == optional]
    setup = next(cell for cell in published.cells if cells.role(cell) == Role.SETUP)
    kind = "optional exercises" if optional else "exercises"
    title = nbformat.v4.new_markdown_cell(f"# {lesson.heading}: {kind} to hand in\n\n{_how(ids)}", id="title")
    bonus = BONUS if optional else CORE_ONLY * (len(assignments(lesson)) > 1)
    rubric = nbformat.v4.new_markdown_cell(RUBRIC.format(points=POINTS, bonus=bonus).strip(), id="points")
    parts = [title, rubric, nbformat.v4.new_code_cell(setup.source, id="setup")]
    before = _before(of_exercises, taken)
    given = _given(published, setup, [*before, *taken])
    if given:
        parts.append(nbformat.v4.new_code_cell(given, id="given"))
    for cell in before:
        parts.append(nbformat.v4.new_markdown_cell(FROM_CORE, id=f"{cell.id}-again"))
        parts += _exercise(lesson, cell)[:1]
    for cell in taken:
        if cells.role(cell) == Role.EXERCISE:
            parts += _exercise(lesson, cell)
        else:
            kind = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
            parts.append(kind(cell.source, id=cell.id))
    made = nbformat.v4.new_notebook(cells=parts)
    made.metadata = nbformat.from_dict(
        {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    )
    return made


def _before(exercises, taken):
    """Return the cells of other exercises whose answers those that are taken use."""
    code = [ast.parse(source) for cell in taken for source in _sources(cell)]
    used = {node.id for tree in code for node in ast.walk(tree) if isinstance(node, ast.Name)}
    others = [cell for cell in exercises if cells.role(cell) == Role.EXERCISE and cell not in taken]
    return [cell for cell in others if cells.checks(cell.source)[0].name in used]


def _sources(cell):
    """Return the code of a cell, and that of the worked answers that it checks."""
    if cell.cell_type != "code":
        return []
    return [cell.source, *filter(None, (catalogue.solution(check.id) for check in cells.checks(cell.source)))]


def _how(ids):
    count = len(ids)
    return (
        f"{count} exercise{'' if count == 1 else 's'}. Fill in your code, run the cell, and read the verdict below it. "
        "Leave the locked cells as they are, and copy no cell as a whole. Keep the file's name and save before you "
        "hand in."
    )


def _given(published, setup, taken):
    """Return the imports, functions and classes of the lesson that the exercises use and do not make themselves."""
    code = [ast.parse(source) for cell in taken for source in _sources(cell)]
    own = regrade.definitions([cell.source for cell in taken if cell.cell_type == "code"] + [setup.source], False)
    others = [cell for cell in published.cells if cell.cell_type == "code" and cell not in taken and cell != setup]
    sources = [{name: None for name in own}, regrade.definitions([cell.source for cell in others], False)]
    needed = regrade.needed([node for tree in code for node in tree.body], sources)
    return "\n\n".join(ast.unparse(node) for node in needed)


def _exercise(lesson, cell):
    """Return the cell that takes the answer, and the cell that earns the points."""
    check = cells.checks(cell.source)[0]
    id, master = check.id, catalogue.solution(check.id)
    if master is None:
        raise LookupError(f"The worked solution of {id} is not part of this copy of the course.")
    short = id.partition(".")[2]
    code = catalogue.without_why(master).rstrip()
    code = re.sub(r"### BEGIN SOLUTION:.*", "### BEGIN SOLUTION", code)
    answer = nbformat.v4.new_code_cell(f"{code}\n\n\n{check.line}", id=cell.id)
    answer.metadata["nbgrader"] = _marks(short, solution=True)
    worth = POINTS * lesson.exercises[short].stars
    graded = GRADED.format(id=id, name=check.name, points=worth, shown=SHOWN_SEED, hidden=HIDDEN_SEED)
    points = nbformat.v4.new_code_cell(graded, id=f"{cell.id}-points")
    points.metadata["nbgrader"] = _marks(f"{short}-points", points=worth)
    return [answer, points]


def _marks(grade_id, *, solution=False, points=None):
    marks = {"grade": points is not None, "grade_id": grade_id, "locked": points is not None, "solution": solution}
    marks |= {"schema_version": 3, "task": False}
    return marks | ({"points": points} if points is not None else {})


def problems(path: Path) -> list[str]:
    """Say what in a handed-in notebook would make nbgrader fail or give nothing: run it before you grade.

    Reported are cells that were copied as a whole (two with one name), graded cells that are missing, and a notebook
    that another program saved without nbgrader's marks.
    """
    try:
        found = nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises many kinds
        return [f"{path} cannot be read as a notebook ({type(error).__name__})."]
    ids = next(
        (ids for one in catalogue.lessons() for name, ids in assignments(one).items() if name == path.stem), None
    )
    if ids is None:
        return [f"{path}: no assignment has this name."]
    marks = [cell.metadata.get("nbgrader") for cell in found.cells if isinstance(cell.get("metadata"), dict)]
    found_ids = [str(one.get("grade_id")) for one in marks if isinstance(one, dict)]
    if not found_ids:
        return [f"{path}: the marks of nbgrader are gone; the file was saved by a program that drops them."]
    wanted = [f"{id.partition('.')[2]}{end}" for id in ids for end in ("", "-points")]
    twice = sorted({id for id in found_ids if found_ids.count(id) > 1})
    return [f"{path}: the cell {id} is there twice; delete the copy." for id in twice] + [
        f"{path}: the cell {id} is missing." for id in wanted if id not in found_ids
    ]


def write(folder: Path = FOLDER, names=()) -> list[Path]:
    """Write the source tree of nbgrader, with the assignments of each lesson, and return what was written."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    _write_kernel(folder)
    for lesson in catalogue.lessons():
        if not lesson.exercises or (names and lesson.name not in names):
            continue
        for name in assignments(lesson):
            path = folder / "source" / name / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook(lesson, name), path)
            written.append(path)
    return written


def _write_kernel(folder):
    """Write the course without its solutions, and the kernel that runs learners' code with it."""
    unsolved.write(folder / "course")
    # what lies beside a notebook that was handed in is not taken for a module
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    argv.append("--InteractiveShellApp.ignore_cwd=True")
    kernel = {"argv": argv, "display_name": "Python 3 (ipykernel)", "language": "python"}
    path = folder / "jupyter" / "kernels" / "python3" / "kernel.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kernel | {"env": unsolved.environment(folder / "course")}, indent=1), encoding="utf-8")


def main(arguments=None) -> int:
    """Write the assignments, or with --check say what is wrong in notebooks that were handed in."""
    parser = argparse.ArgumentParser(description="Write the exercises as assignments for nbgrader.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where the source tree is written")
    parser.add_argument("lesson", nargs="*", help="such as start_here; by default every lesson with exercises")
    parser.add_argument(
        "--check", nargs="+", type=Path, metavar="NOTEBOOK", help="look at notebooks that were handed in"
    )
    given = parser.parse_args(arguments)
    if given.check:
        found = [problem for path in given.check for problem in problems(path)]
        print("\n".join(found) or "Nothing is wrong with them.")
        return int(bool(found))
    known = [lesson.name for lesson in catalogue.lessons() if lesson.exercises]
    unknown = [name for name in given.lesson if name not in known]
    if unknown:
        parser.error(f"there is no lesson {', '.join(unknown)} with exercises; there are: {', '.join(known)}")
    try:
        written = write(given.folder, given.lesson)
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or given.folder} cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    count = f"{len(written)} assignment{'' if len(written) == 1 else 's'}"
    print(f"{count} in {given.folder}. Go on in that folder: nbgrader generate_assignment LESSON")
    return 0


if __name__ == "__main__":
    sys.exit(main())
