"""Run the exercise cells of a learner's notebook, and judge the answers again, in a process that calls `work`.

A cell may use what the learner defined elsewhere, or what the lesson defined: imports, functions, classes and values,
never other statements. The learner's own `check` is never called: `course_lib.points` judges, with a course of its own
that was loaded before any learner's code and that no import reaches.
"""

import ast
import contextlib
import functools
import importlib
import linecache
import re
import runpy
import sys
from collections.abc import Iterator

from course_lib import desk  # noqa: F401 (what it loads takes more memory and time than a cell is given)
from lessons.cells import Check, checks
from whywrong import guard, sandbox
from whywrong.todo import TODO

_marked = runpy.run_module("course_lib.points")["marked"]
_MAGIC = re.compile(r"^([ \t]*)(?:%%(?:time|timeit|capture)\b.*|(?:%(?!%)|!).*|\??[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_published: dict[str, list[str]] = {}  # lesson -> the code cells of the course's own notebook


def load(request: dict) -> None:
    """Judge a request, such as one with all worked solutions, before processes are forked, and forget its code.

    What a check loads on its way is then there: a process that is a stranger's may find no library to load.
    """
    importlib.import_module("torch")  # first, for its CUDA build takes more memory than a cell is given
    for _ in work(request):
        pass
    package, _, name = __name__.rpartition(".")  # a learner who imports this module gets another copy of it
    sys.modules.pop(__name__, None)
    vars(sys.modules[package]).pop(name, None)
    parsed.cache_clear()
    linecache.clearcache()


def work(request: dict) -> Iterator[dict]:
    """Judge every coded exercise of a submission; yield its id, status, key, sentence and points, one by one.

    Before each stands a line that says with which cell it begins, so that one that never ends can be named.

    Args:
        request: "cells" and "published": lesson -> code cells, handed in and as the course has them; "worth": exercise
            -> points for a right answer; "done": places of cells, lesson and number, that need no judging any more.
    """
    worth, done = request["worth"], [tuple(one) for one in request.get("done", ())]
    _published.update(request["published"])
    for (lesson, place, number), check in places(request["cells"], worth):
        if (lesson, place, number) not in done:
            yield {"begins": [lesson, place, number]}
            yield _verdict(lesson, request["cells"][lesson], place, check, worth[check.id])


def places(cells: dict[str, list[str]], worth: dict[str, int]) -> Iterator[tuple[tuple[str, int, int], Check]]:
    """Yield where answers to coded exercises are checked (lesson, cell, number of the check), each with that check."""
    for lesson, sources in cells.items():
        for place, source in enumerate(sources):
            for number, check in enumerate(checks(source)):
                if check.id in worth and check.id.partition(".")[0] == lesson:
                    yield (lesson, place, number), check


def _verdict(lesson, cells, place, check, worth):
    """Return the verdict on one cell as data, with its points."""
    id, name, arrays = check
    tree, cell = parsed(cells[place])
    if tree is None:
        return stopped(id, "The cell is not valid Python code.")
    body = [node for node in tree.body if not is_call(node)]
    space, problem = {"__name__": "__main__", "TODO": TODO}, ""

    def prepare(limits):
        wanted, before, after = body, definitions(cells[:place]), definitions(cells[place + 1 :])
        if name not in definitions([cell]):  # it is made in another cell
            wanted = [*body, ast.Name(name, ast.Load())]
            before |= {name: after[name]} if name in after and name not in before else {}
        for number, node in enumerate(needed(wanted, [before, definitions(_published[lesson]), after])):
            with contextlib.suppress(Exception):  # who uses it will miss it
                _run([node], space, f"<{lesson}, before {place}, {number}>")

    with sandbox.OwnBuiltins():
        sandbox.run(prepare)
        # a loop around the answer costs this cell only
        outcome = sandbox.run(lambda limits: _run(body, space, f"<{lesson}, cell {place}>", cell))
        changed = guard.find_overridden()
    if changed:
        message = f"The notebook replaces {changed} with code of its own, so this answer cannot be judged."
        return stopped(id, message)
    if outcome.error is not None:
        problem = f"The cell raises {type(outcome.error).__name__}."
    if name not in space:
        return stopped(id, problem or f"The cell does not define {name}.")
    try:
        return {"id": id, **_marked(id, space[name], worth, arrays=arrays)._asdict()}
    except ValueError as error:  # the exercise has no cases of arrays
        return stopped(id, str(error))


def stopped(id: str, message: str, key: str = "raises") -> dict:
    """Return the verdict on an answer that could not be judged to the end."""
    return {"id": id, "status": "stopped", "key": key, "message": message, "points": 0.0, "rule": "stopped"}


def is_call(node) -> bool:
    """Tell whether a statement is a bare call, such as check(…), hint(…) or print(…): none of them makes the answer."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


@functools.lru_cache(maxsize=1000)
def parsed(source: str):
    """Return a cell's syntax tree and its source, without IPython's magics; no tree where it is no code."""
    for one in (source, _MAGIC.sub(r"\1pass", source)):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse(one), one
    return None, source


def definitions(cells, values=True):
    """Return name -> the last import, function, class or assignment that makes it."""
    found = {}
    for source in cells:
        tree, _ = parsed(source)
        for node in tree.body if tree else ():
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    made = f"* of {node.module}" if alias.name == "*" else alias.name.partition(".")[0]
                    found[alias.asname or made] = node
            elif values and isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                    found |= {part.id: node for part in parts if isinstance(part, ast.Name)}
    return found


def needed(body, sources):
    """Return what defines the names that `body` uses, from the first source that has them, each after what it uses."""
    chosen = [node for source in sources for name, node in source.items() if name.startswith("* of ")]
    seen = {"TODO"}

    def take(node, bound=frozenset()):
        for name in sorted(_names(node) - bound):
            if name in seen:
                continue
            seen.add(name)
            made = next((source[name] for source in sources if name in source), None)
            if made is not None and made not in body:
                take(made)
                if made not in chosen:
                    chosen.append(made)

    made_before = set()
    for node in body:
        take(node, made_before)
        made_before |= {getattr(node, "name", None)} | _stored(node)
    imports = [node for node in chosen if isinstance(node, ast.Import | ast.ImportFrom)]
    return [*imports, *(node for node in chosen if node not in imports)]


def _names(node):
    """Return the names that a statement reads and does not bind itself, as a function binds its arguments."""
    parts = list(ast.walk(node))
    bound = {part.arg for part in parts if isinstance(part, ast.arg)}
    for part in parts:
        if isinstance(part, ast.FunctionDef | ast.comprehension):
            bound |= _stored(part)
    return {one.id for one in parts if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)} - bound


def _stored(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _run(statements, space, file, source=None):
    """Run statements; their source can be read again, so that everyday slips in it are recognised."""
    source = source if source is not None else "\n\n".join(ast.unparse(node) for node in statements)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    code = compile(ast.Module(list(statements), []), file, "exec")
    exec(code, space)
