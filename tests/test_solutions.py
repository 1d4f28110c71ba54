"""Starter cells are derived from the worked solutions, and with these filled in every check says Correct."""

import ast
import os
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib.exercises.api import catalogue, lessons, solution_cell, starter_cell

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
LESSONS = lessons()
IDS = list(catalogue())
SOLUTIONS = sorted((ROOT / "course_lib" / "solutions").glob("l*.py"))


def is_prediction(id):
    return id.partition(".")[2].startswith("predict")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def calls(source, name):
    """Return the first arguments of all calls of a function in a cell."""
    return [
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name
    ]


def starters(notebook, ids) -> tuple[dict, list[str]]:
    """Find the starter cell of each exercise; return id -> position among the code cells, and the problems.

    A prediction's cell stands before the cell that checks it, and the same line may stand in several such cells.
    """
    sources = [cell.source for cell in code_cells(notebook)]
    found, problems = {}, []
    for id in ids:
        checks = [position for position, source in enumerate(sources) if id in calls(source, "check")]
        if len(checks) != 1 or calls(sources[checks[0]], "check").count(id) != 1:
            problems.append(f'{id}: there must be exactly one check("{id}", …)')
            continue
        starter = starter_cell(solution_cell(id)).strip()
        places = [position for position in range(checks[0] + 1) if sources[position].strip() == starter]
        places = [position for position in places if position not in found.values()]
        if not places or (checks[0] not in places and id in calls(starter, "check")):
            problems.append(f"{id}: no cell equals its starter\n{starter}")
            continue
        found[id] = places[-1]
    return found, problems


def help_problems(notebook, ids) -> list[str]:
    sources = [cell.source.strip() for cell in code_cells(notebook)]
    wanted = {id: f'# hint("{id}")\n# solution("{id}")' for id in ids if not is_prediction(id)}
    return [f"{id}: no cell with its hint and solution" for id, lines in wanted.items() if sources.count(lines) != 1]


def quizzed(notebook, lesson) -> list[int]:
    """Return the numbers of the questions that the quiz cells show, in order; a quiz may come in parts."""
    numbers = []
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "quiz":
                values = [arg.value for arg in node.args]
                topic, first, last = values + [1, len(lesson.questions)][len(values) - 1 :]
                assert topic == lesson.topic
                numbers += range(first, last + 1)
    return numbers


def read(lesson):
    path = NOTEBOOKS.get(f"{lesson.number:02d}")
    assert path, f"lesson {lesson.number} has no notebook"
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.topic)
def test_starters(lesson):
    notebook = read(lesson)
    ids = [exercise.id for exercise in lesson.exercises]
    found, problems = starters(notebook, ids)
    assert not problems, "\n".join(problems)
    assert len(set(found.values())) == len(ids)
    assert help_problems(notebook, ids) == []
    checked = [id for cell in code_cells(notebook) for id in calls(cell.source, "check")]
    assert sorted(checked) == sorted(ids)
    assert quizzed(notebook, lesson) == list(range(1, len(lesson.questions) + 1))
    todo = [position for position, cell in enumerate(code_cells(notebook)) if re.search(r"\bTODO$", cell.source, re.M)]
    assert set(todo) <= set(found.values())


def test_starters_reports():
    lesson = LESSONS[0]
    ids = [exercise.id for exercise in lesson.exercises]

    def broken(change):
        notebook = read(lesson)
        for cell in code_cells(notebook):
            cell.source = change(cell.source)
        return starters(notebook, ids)[1] + help_problems(notebook, ids)

    assert broken(lambda source: source) == []
    assert broken(lambda source: source.replace("my_guess = TODO", "my_guess = 6"))
    assert broken(lambda source: source.replace('"""Return x', '"""Give x'))
    assert broken(lambda source: source.replace("my_guess)", "my_guess)\ncheck('start.predict_shape', 1)"))
    assert broken(lambda source: source.replace('check("start.double"', 'check("start.triple"'))
    assert broken(lambda source: source.replace('# hint("start.double")\n', ""))


# ---- the worked solutions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_solutions_file(path):
    source = path.read_text(encoding="utf-8")
    ast.parse(source)
    number = int(path.stem[1:])
    ids = re.findall(r"(?m)^# %% (.*)$", source)
    assert ids == [exercise.id for lesson in LESSONS if lesson.number == number for exercise in lesson.exercises]
    assert (
        source.count("### BEGIN SOLUTION: ") == source.count("### BEGIN SOLUTION") == source.count("### END SOLUTION")
    )


@pytest.mark.parametrize("id", IDS)
def test_solution_of_every_exercise(id):
    master = solution_cell(id)
    assert master, f"solutions/ holds no cell for {id}"
    starter = starter_cell(master)
    assert starter != master and "SOLUTION" not in starter and "TODO" in starter
    assert not re.search(r"(?<!: )\bTODO", re.sub(r"### BEGIN.*", "", master)), "a worked solution still has a TODO"
    for source in (master, starter):
        ast.parse(source)


def test_nothing_but_the_exercises_is_in_solutions():
    ids = [id for path in SOLUTIONS for id in re.findall(r"(?m)^# %% (.*)$", path.read_text(encoding="utf-8"))]
    assert sorted(ids) == sorted(IDS)


FIGURES_WATCHED = """
import sys
sys.path.insert(0, {tests!r})
import figure_rules
figure_problems = []
figure_rules.watch(figure_problems)
"""


@pytest.mark.parametrize("number", NOTEBOOKS)
def test_solved_notebook_is_correct_everywhere(number, tmp_path):
    notebook = nbformat.read(NOTEBOOKS[number], as_version=4)
    cells = code_cells(notebook)
    ids = [exercise.id for lesson in LESSONS if lesson.number == int(number) for exercise in lesson.exercises]
    for id, position in starters(notebook, ids)[0].items():
        cells[position].source = solution_cell(id)
    for cell in cells:
        cell.source = re.sub(r"(?m)^# ((hint|solution)\()", r"\1", cell.source)
    first = nbformat.v4.new_code_cell(FIGURES_WATCHED.format(tests=str(Path(__file__).parent)))
    last = nbformat.v4.new_code_cell("print(*figure_problems, sep='\\n')")
    notebook.cells = [first, *notebook.cells, last]
    environment = {**os.environ, "COURSE_STATIC": "1", "COURSE_PROGRESS": str(tmp_path / "progress.json")}
    client = NotebookClient(
        notebook, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env=environment, stderr=subprocess.DEVNULL)

    verdicts = {}
    for cell in cells:
        texts = [output["data"]["text/plain"] for output in cell.outputs if output.output_type == "display_data"]
        for id in calls(cell.source, "check"):
            verdicts[id] = next(words for words in texts if re.match(r"[✓✗○■] ", words))
    assert {id: words for id, words in verdicts.items() if not words.startswith("✓ Correct.")} == {}
    assert sorted(verdicts) == sorted(ids)
    shown = "".join(output.get("text", "") for output in last.outputs)
    assert shown.strip() == "", shown
