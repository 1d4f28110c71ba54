"""Keep what a learner has built in a file beside their progress, and hand it to later notebooks.

A file holds answers that the checks found right, and nothing else gets into it. What it held before is kept under
another name as soon as something else is written.
"""

import ast
import builtins
import functools
import linecache
import textwrap
import types
from pathlib import Path

from course_lib import grading
from courseware.environment import progress_path
from courseware.page import output
from courseware.progress import write_whole
from whywrong.fixes.source import find_source
from whywrong.task import Status

_PLAIN = (bool, int, float, complex, str, tuple, frozenset)


def keep(file: str, answers: dict[str, object]) -> types.ModuleType | None:
    """Write right answers into a file beside your progress, say so, and return it as a module.

    They are checked again, also as they stand in the file: with their imports and with the helpers that they call, and
    without the rest of the notebook. Nothing is written as long as one of them is not right.

    Args:
        file: its name, such as "my_ffn.py".
        answers: id of an exercise -> your function or class, or an object or a `functools.partial` that can be called.

    Returns:
        The module, or None when nothing was kept.

    Raises:
        ValueError: there is no such exercise.
    """
    open_yet = [id for id, answer in answers.items() if grading.grade(id, answer).status != Status.CORRECT]
    if open_yet:
        return _refused(
            file, f"{_listed(map(_name, open_yet))} {'is' if len(open_yet) == 1 else 'are'} not right so far"
        )
    text, unread = _written(answers)
    if unread:
        return _refused(file, f"the code of {_listed(unread)} cannot be read: write it as a function, with `def`")
    module = _module(file, text)
    if module is None or not all(_stands_alone(id, answer, module) for id, answer in answers.items()):
        why = "your code needs something from another cell that cannot be written into a file"
        return _refused(file, f"{why}: move it into the function")
    path = progress_path().with_name(file)
    try:
        before = _replaced(path, text)
    except OSError as error:
        return _refused(file, f"the file could not be written ({(error.strerror or type(error).__name__).lower()})")
    was = f" What it held before is in `{before.name}` now." if before else ""
    _say("✓", "Kept:", f"{_listed(map(_name, answers))}, in `{path}`.{was}")
    return module


def kept(file: str) -> types.ModuleType | None:
    """Return the module that `keep` has written, or None where there is none; one that cannot be read is named."""
    path = progress_path().with_name(file)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        text = "("
    module = _module(file, text)
    if module is None:
        output.text(f"Your `{path}` cannot be used: keep it again, in the notebook where you built it.")
    return module


def _refused(file, why):
    _say("○", f"Nothing is kept in {file} yet:", f"{why}.")


def _say(sign, what, rest):
    output.text(f"{sign} **{what}** {rest}", f"{sign} {what} {rest.replace('`', '')}")


def _name(id):
    return f"`{id.partition('.')[2]}`"


def _listed(words):
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _stands_alone(id, answer, module):
    name, *_ = _parts(id, answer)
    return grading.grade(id, getattr(module, name, None)).status == Status.CORRECT


def _parts(id, answer):
    """Return the name of an answer in a file, the function or class that defines it, and the line that then makes it.

    What is neither gets the name of its exercise.
    """
    name = id.partition(".")[2]
    if isinstance(answer, functools.partial):
        given = [*map(repr, answer.args), *(f"{key}={value!r}" for key, value in answer.keywords.items())]
        inner, thing, line = _parts(id, answer.func)
        return name, thing, f"{line}\n{name} = functools.partial({', '.join([inner, *given])})".lstrip()
    if hasattr(answer, "__name__"):
        return answer.__name__, answer, ""
    return name, type(answer), f"{name} = {type(answer).__name__}()"


def _module(file, text):
    """Run the text of a file as a module, whose functions show their code; None where it ends in an error."""
    module = types.ModuleType(file.removesuffix(".py"))
    module.__file__ = shown = f"<{file}>"
    linecache.cache[shown] = (len(text), None, text.splitlines(keepends=True), shown)
    try:
        exec(compile(text, shown, "exec"), module.__dict__)
    except Exception:
        return None
    return module


def _written(answers):
    """Return the text of a file with the answers and with all that they need, and the names that cannot be read."""
    parts = [_parts(id, answer) for id, answer in answers.items()]
    made = [line for *_, line in parts if line]
    imports = {"functools": "import functools"} if any("functools.partial(" in line for line in made) else {}
    definitions, unread, queue = {}, [], [(thing.__name__, thing) for _, thing, _ in parts]
    while queue:
        name, thing = queue.pop()
        definitions.pop(name, None)  # what is needed comes before what needs it
        source = find_source(thing)
        if source is None:
            unread.append(f"`{name}`")
            continue
        definitions[name] = _code(source)
        for used in _used(source):
            value = source.names.get(used, builtins)
            if used in imports or value is builtins or used in (one for one, _ in queue):
                continue
            line = _import(used, value, thing)
            if line:
                imports[used] = line
            elif isinstance(value, types.FunctionType | type) and used not in definitions:
                queue.insert(0, (used, value))
    head = f"# Built in the course, and found right there: {', '.join(answers)}."
    found = sorted(imports.values(), key=lambda line: (not line.startswith(("import", "from")), line))
    top = "\n".join([head, "", *found]).rstrip()
    return "\n\n\n".join([top, *reversed(definitions.values()), *made]) + "\n", unread


def _code(source):
    """Return the lines of a definition, with its decorators."""
    first = min([source.definition.lineno, *(one.lineno for one in source.definition.decorator_list)])
    return textwrap.dedent("".join(source.lines[first - 1 : source.definition.end_lineno])).rstrip()


def _used(source):
    """Return the names that a definition reads, in the order in which they come."""
    names = (node.id for node in ast.walk(source.definition) if isinstance(node, ast.Name))
    return dict.fromkeys(name for name in names if name not in source.parameters)


def _import(name, value, user):
    """Return the line that brings a name into a file; "" for what was defined beside its user, and what is no name."""
    if isinstance(value, types.ModuleType):
        path, _, last = value.__name__.rpartition(".")
        if last == name:
            return f"from {path} import {name}" if path else f"import {name}"
        return f"import {value.__name__} as {name}"
    if isinstance(value, _PLAIN):
        return f"{name} = {value!r}"
    home = getattr(value, "__module__", None)
    if isinstance(value, types.FunctionType | types.BuiltinFunctionType | type) and home != user.__module__:
        its = getattr(value, "__qualname__", name)
        return f"from {home} import {its}" + (f" as {name}" if its != name else "")
    return ""


def _replaced(path: Path, text: str) -> Path | None:
    """Write a file whole; what it held before gets another name, which is returned where there was something else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = None
    if path.exists() and path.read_bytes() != text.encode():
        number = 1
        while (before := path.with_name(f"{path.stem}_before_{number}.py")).exists():
            number += 1
        write_whole(before, path.read_bytes())
    write_whole(path, text.encode())
    return before
