"""Wrong answers to the coded exercises, each with its diagnosis: a data set as JSON Lines, with its datasheet."""

import ast
import json
from collections import Counter
from functools import cache
from pathlib import Path

import nbformat

from lessons import catalogue
from tests.conftest import ROOT
from tests.golden.edits import Edit
from tests.golden.rows import Row, changed, omitted, rows, twice_changed
from tests.lessons.answers import CATALOGUE, CODED
from whywrong.task import Mistake, Status

SEED = 0
NAMED, WRITTEN, CHANGED = "named mistake", "written for a test", "generated change"
SHEET = Path(__file__).with_name("data_sheet.md")  # with places for numbers


def write(folder: Path) -> Counter:
    """Write the data set and its datasheet into a folder; return how many answers arose in each way."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = Counter()
    with (folder / "wrong_answers.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for exercise in CODED:
            for entry in entries(exercise):
                counts[entry["arose"]] += 1
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    arose = "\n".join(f"- {kind}: {count:,}" for kind, count in counts.most_common())
    sheet = SHEET.read_text(encoding="utf-8").format(
        count=f"{counts.total():,}", tasks=len(CODED), arose=arose, seed=SEED
    )
    (folder / "wrong_answers.md").write_text(sheet, encoding="utf-8", newline="\n")
    return counts


def entries(exercise: str) -> list[dict[str, str]]:
    """Return the wrong answers to an exercise, each with its diagnosis."""
    codes, found = _mistakes(exercise), []
    for mistake in CATALOGUE[exercise].mistakes:
        if mistake.name in codes:
            row = Row(exercise, mistake.name, lambda mistake=mistake: mistake.answer)
            found.append((NAMED, mistake.name, codes[mistake.name], row))
    found += [
        (WRITTEN, row.name.removeprefix("answer: "), row.code, row)
        for row in rows(exercise)
        if not row.edit and row.code
    ]
    for row in (*changed(exercise), *omitted(exercise), *twice_changed(exercise)):
        found.append((CHANGED, _changes(row.edit), row.code, row))
    common = {"task": exercise, "asked": _asked(exercise), "solution": catalogue.solution(exercise)}
    verdicts = [(arose, name, code, row.verdict(SEED)) for arose, name, code, row in found]
    return [
        {**common, "code": code.strip(), "arose": arose, "name": name, "key": verdict.key, "says": verdict.message}
        for arose, name, code, verdict in verdicts
        if verdict.status != Status.CORRECT
    ]


def _mistakes(exercise) -> dict[str, str]:
    """Return the code of each named mistake that is written out in the module of its exercise."""
    source = Path(catalogue.FOLDER, *exercise.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == Mistake.__name__ and len(node.args) > 1:
            name, answer = node.args[:2]
            if isinstance(name, ast.Constant):
                definition = defined.get(answer.id) if isinstance(answer, ast.Name) else None
                found[name.value] = ast.get_source_segment(source, definition or answer)
    return found


def _changes(edit) -> str:
    """Return the lines that a change, or each of two, has made."""
    edits = [edit] if isinstance(edit, Edit) else [edit.first, edit.second]
    return "\n".join(line.strip() for one in edits for line in one.lines()[1])


@cache
def _notebook(lesson):
    return nbformat.read(ROOT / "notebooks" / catalogue.lesson(lesson).notebook, as_version=4).cells


def _asked(exercise) -> str:
    """Return the text that stands before the cell of an exercise."""
    cells = _notebook(exercise.partition(".")[0])
    place = next(n for n, cell in enumerate(cells) if f'check("{exercise}"' in cell.source)
    return next(cell.source for cell in reversed(cells[:place]) if cell.cell_type == "markdown")
