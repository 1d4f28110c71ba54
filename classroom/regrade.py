"""Judge again what stands in the exercise cells of a learner's notebook, in a process that calls `work`.

A cell may use what the learner defined elsewhere, or what the lesson defined: imports, functions and classes, never
other statements. The learner's own `check` is never called; what judges is the course's `grade`.
"""

import ast
import builtins
import linecache
import re
from collections.abc import Iterator

import nbformat

from classroom.handed_in import Submission
from classroom.plan import ROOT
from course_lib import desk
from course_lib.content import Prediction
from course_lib.grading import sandbox
from course_lib.lessons import catalogue

SEED = 0  # of the cases: the same for all learners
_CHECK = re.compile(r'^check\(\s*["\']([\w.]+)["\']\s*,\s*(\w+)\s*\)', re.MULTILINE)
_published: dict[str, list[str]] = {}


def load() -> list[dict]:
    """Load every exercise and judge every worked solution, once, before processes are forked; return the verdicts.

    What a check loads on its way is then there: a process that is nobody's may find no library to load.
    """
    verdicts = []
    for lesson in catalogue.lessons():
        cells = _lesson_cells(lesson.name)
        solved = [_solved(match[1], match[2]) for source in cells for match in _CHECK.finditer(source)]
        verdicts += work({"cells": {lesson.name: [cell for cell in solved if cell]}})
    return verdicts


def _solved(id, name):
    """Return a worked cell with its check; None for a prediction, and where the solutions were left out."""
    master = catalogue.solution(id)
    return master and f'{catalogue.without_why(master).rstrip()}\n\n\ncheck("{id}", {name})'


def request(submission: Submission) -> dict:
    """Return what a process needs to judge a submission: lesson -> its code cells."""
    return {"cells": submission.cells}


def work(request: dict) -> Iterator[dict]:
    """Judge every coded exercise of a submission; yield its id, the status, the key and the sentence, one by one."""
    for lesson, cells in request["cells"].items():
        for place, source in enumerate(cells):
            for match in _CHECK.finditer(source):
                found = _judged(lesson, cells, place, match[1], match[2])
                if found:
                    yield found


def _judged(lesson, cells, place, id, name):
    """Return the verdict on one cell as data; None where the id is no coded exercise of this lesson."""
    if id not in catalogue.ids(catalogue.lesson(lesson)) or isinstance(catalogue.item(id), Prediction):
        return None
    cell, problem = cells[place], ""
    try:
        tree = ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"id": id, "status": "stopped", "key": "raises", "message": "The cell is no Python code."}
    body = [node for node in tree.body if not _is_call(node)]
    before = _definitions(cells[:place])
    space = {"__name__": "__main__", "TODO": desk.TODO}

    def make(limits):
        _run(_needed(body, [before, _definitions(_lesson_cells(lesson))]), space, f"<{lesson}, before {place}>")
        _run(body, space, f"<{lesson}, cell {place}>", cell)

    with sandbox.OwnBuiltins():
        outcome = sandbox.run(make)  # a loop around the answer costs this cell only
    if outcome.error is not None:
        problem = f"The cell raises {type(outcome.error).__name__}."
    if name not in space:
        return {"id": id, "status": "stopped", "key": "raises", "message": problem or f"The cell makes no {name}."}
    verdict = desk.grade(id, space[name], SEED)
    return {"id": id, "status": str(verdict.status), "key": str(verdict.key), "message": verdict.message}


def _is_call(node):
    """Tell whether a statement is a bare call, such as check(…), hint(…) or print(…): none of them makes the answer."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _lesson_cells(lesson):
    if lesson not in _published:
        notebook = nbformat.read(ROOT / "notebooks" / catalogue.lesson(lesson).notebook, as_version=4)
        _published[lesson] = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return _published[lesson]


def _definitions(cells):
    """Return name -> the last import, function or class that makes it."""
    found = {}
    for source in cells:
        try:
            statements = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in statements:
            if isinstance(node, ast.Try):
                continue
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    found[alias.asname or alias.name.partition(".")[0]] = node
    return found


def _needed(body, sources):
    """Return the statements that define the names which `body` uses, from the first source that has them, in order."""
    wanted, chosen, seen = list(body), [], set()
    while wanted:
        for name in sorted(_names(wanted.pop()) - seen - set(dir(builtins)) - {"TODO"}):
            seen.add(name)
            node = next((source[name] for source in sources if name in source), None)
            if node is not None and node not in chosen and node not in body:
                chosen.append(node)
                wanted.append(node)
    imports = [node for node in chosen if isinstance(node, ast.Import | ast.ImportFrom)]
    return [*imports, *reversed([node for node in chosen if node not in imports])]


def _names(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _run(statements, space, file, source=None):
    """Run statements; their source can be read again, so that everyday slips in it are recognised."""
    source = source if source is not None else "\n\n".join(ast.unparse(node) for node in statements)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    code = compile(ast.Module(list(statements), []), file, "exec")
    exec(code, space)
