"""What ended a run, in words: a limit, a TODO, the everyday slip behind an error, or the error itself.

What an error comes from stands in `errors.toml`, one row each; here is how a row is found.
"""

import ast
import difflib
import inspect
import linecache
import math
import re
import sys
import tomllib
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from whywrong import sandbox
from whywrong.evidence import case_arguments, describe_case, find_unused_argument
from whywrong.fixes.edits import EDITS
from whywrong.fixes.source import LONGEST, find_source
from whywrong.shapes import comes_from, failed_at, learners_step, misfit
from whywrong.task import Case, Fault, Finding, Key


def in_words(outcome: sandbox.Outcome, item, answer, case: Case | None) -> Finding:
    """Return what ended a run as a Finding.

    Args:
        outcome: of the run; its error is not None.
        item, answer: the exercise and what was checked.
        case: the one that was tried, if the run came so far.
    """
    error, at = outcome.error, f" at `{outcome.line}`" if outcome.line else ""
    if isinstance(error, Fault):
        return _none_returned(error.finding, item, answer, case)
    if isinstance(error, sandbox.OutOfTime):
        seconds = getattr(item, "seconds", None) or sandbox.CPU_SECONDS
        words = f"Your code was stopped after {seconds:g} seconds of computing{at}"
        return Finding(Key.TIMEOUT, says=f"{words}: is there an endless loop?{_when_stopped(error)}")
    if isinstance(error, sandbox.OutOfMemory):
        size = f"{sandbox.EXTRA_BYTES / 2**20:.0f} megabytes"
        return Finding(Key.TIMEOUT, says=f"Your code was stopped because it asked for more than {size} of memory{at}.")
    if isinstance(error, (sandbox.Left, SystemExit)):
        did = str(error) if isinstance(error, sandbox.Left) else "tried to end the session"
        return Finding(Key.RAISES, says=f"Your code {did}{at}: an answer only computes and returns its result.")
    if isinstance(error, KeyboardInterrupt):
        return Finding(Key.RAISES, says=f"The check was interrupted{at}: run the cell again when you are ready.")
    if isinstance(error, NotImplementedError) and outcome.own:
        words = "Your function still raises NotImplementedError: write its body and run the cell again."
        return Finding(Key.TODO, says=words)
    if isinstance(error, RecursionError):
        words = f"Your code calls itself without end{at}: Python stopped it with RecursionError."
        return Finding(Key.RAISES, says=words)
    wrong_call = _wrong_call(error, outcome.line, item, answer, case)
    if wrong_call:
        return Finding(Key.RAISES, says=wrong_call)
    raised = f"Your code raised {type(error).__name__}{at}{_because(error)}.{comes_from(error)}"
    unused = "" if outcome.own else _unused(item, answer, case)
    return Finding(Key.RAISES, says=raised + unused + _given(item, case, answer))


def _unused(item, answer, case):
    unused = "" if case is None else find_unused_argument(item, answer, case)
    return unused and f" {unused}"


def _given(item, case, answer):
    inputs = "" if case is None else describe_case(item, case, answer)
    return f" The inputs were {inputs}." if inputs else ""


def _none_returned(found, item, answer, case):
    """Say that a `return` gave None, or ask whether the end was reached, where a function returned None."""
    source = find_source(answer) if found.name == "nothing-came-back" and not inspect.isclass(answer) else None
    if source is None:
        return found
    returns = [node.value for node in _own_nodes(source.definition) if isinstance(node, ast.Return)]
    values = [value for value in returns if value is not None and not isinstance(value, ast.Constant)]
    last = source.definition.body[-1]
    if len(values) < len(returns) or not values:
        return found
    if isinstance(last, ast.Return):
        quoted = f"Your function returned None: `{source.quote(last.value)}` is None there."
        return Finding(Key.NONE, says=quoted) if len(returns) == 1 else found
    words = "Your function returned None: did it reach its end without coming to a `return`?"
    return Finding(Key.NONE, says=words + _given(item, case, answer))


def _own_nodes(definition):
    """Yield the nodes of a function without those of functions inside it."""
    for node in ast.iter_child_nodes(definition):
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield node
            yield from _own_nodes(node)


def _when_stopped(error):
    """Say what the numbers in the condition of a loop were when it was stopped."""
    found = learners_step(error)
    if found is None:
        return ""
    try:
        tree = ast.parse("".join(linecache.getlines(found.tb_frame.f_code.co_filename)))
    except (SyntaxError, ValueError):
        return ""
    loops = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.While) and node.lineno <= found.tb_lineno <= node.end_lineno
    ]
    if not loops:
        return ""
    names = dict.fromkeys(node.id for node in ast.walk(loops[-1].test) if isinstance(node, ast.Name))
    known = {name: found.tb_frame.f_locals.get(name) for name in names}
    said = [f"{name} was {value:.10g}" for name, value in known.items() if type(value) in (int, float)]
    return f" When it was stopped, {' and '.join(said)}." if said else ""


def _wrong_call(error, line, item, answer, case):
    """Say how many arguments a function must take, when it cannot even be called."""
    if not isinstance(error, TypeError) or line or case is None or item.kind != "function":
        return ""
    try:
        inspect.signature(answer).bind(*case.args)
    except TypeError:
        count = len(case.args)
        names = ", ".join(case_arguments(item, case, None))
        known = f" ({names})" if "argument" not in names else ""
        return f"Your function must take {count} argument{'s' if count > 1 else ''}{known}: look at its `def` line."
    except ValueError:
        return ""
    return ""


def _because(error):
    """Return what an error says, in plainer words where they are known."""
    try:
        words = re.sub(r" at 0x[0-9A-Fa-f]+", "", " ".join(str(error).split()))
    except BaseException:
        return ""
    for row in _table()["plainer"]:
        found = re.search(row["words"], words)
        if found is not None:
            return f", because {row['says'].format(found[0], *found.groups())}"
    return f", saying “{words[:160].rstrip('.')}”" if words else ""


# ---- the table -------------------------------------------------------------------------------------------------------


def of_unpacking(answer) -> Finding | None:
    """Return the slip behind a shape that is taken apart into the wrong number of sizes, or None."""
    return _slip("first", answer)


def slip_of(answer) -> Finding | None:
    """Return the slip that the error of an Answer can only come from, or None."""
    return _slip("errors", answer)


def _slip(rows, answer):
    outcome, error = answer.outcome, answer.outcome.error
    if not isinstance(error, Exception) or isinstance(error, Fault):
        return None
    try:
        words = str(error)
    except Exception:
        return None
    raised = _Raised(outcome, words, answer.handed_in)
    found = misfit(error, words) if rows == "errors" else None
    found = found or next(filter(None, (_told(row, raised) for row in _table()[rows])), None)
    if found is None or found.name not in _FROM_BEFORE:
        return found
    why = comes_from(error) + _unused(answer.item, answer.handed_in, answer.case)
    return replace(found, says=found.says + why)


@cache
def _table():
    return tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))


_FROM_BEFORE = ("value-shapes", "column", "layer-width", "number-for-array", "out-of-bounds", "called-module", "empty")
_FROM_BEFORE += ("truths-shape",)


def reports() -> dict[str, str]:
    """Return what a slip of the table is called where nobody's own code is quoted, by its name."""
    rows = [*_table()["first"], *_table()["errors"]]
    return {row["name"]: row["report"] for row in rows if "report" in row}


class _Raised:
    """An error of an answer: its words, and the line and the code that raised it."""

    def __init__(self, outcome, words, answer):
        self.error, self.line, self.own = outcome.error, outcome.line, outcome.own
        self.words, self.answer = words, answer
        self.kinds = {kind.__name__ for kind in type(self.error).__mro__}

    @cached_property
    def place(self):
        """The expression that raised it, its text and the frame it ran in."""
        return failed_at(self.error) or (None, "", None)

    def code(self, unknown="this line"):
        node, text, _ = self.place
        return f"`{text}`" if node is not None and len(text) <= LONGEST else unknown

    @cached_property
    def methods(self):
        """The methods of a class that has no forward, by name; None of all else."""
        found = None if self.own else _methods(self.answer)
        return None if found is None or "forward" in found else found


def _methods(answer):
    """Return the methods of a class, by name; None where it is no class, or its code cannot be had."""
    source = find_source(answer)
    if source is None or not isinstance(source.definition, ast.ClassDef):
        return None
    return {node.name: node for node in source.definition.body if isinstance(node, ast.FunctionDef)}


def _told(row, raised):
    """Return the finding of a row of the table, or None where it does not fit."""
    found = re.search(row.get("words", ""), raised.words) if raised.kinds & set(row["kinds"]) else None
    if found is None or not re.search(row.get("line", ""), raised.line):
        return None
    if "code" in row and not re.search(row["code"], raised.code()):
        return None
    it = _WHEN[row["when"]](raised, row, *found.groups()) if "when" in row else ""
    of = next((row["of"][one] for one in (it, *found.groups()) if one in row["of"]), None) if "of" in row else ""
    called = row["called"].get(found[1]) if "called" in row else ""
    if None in (it, of, called):
        return None
    says = row.get("says") or next(edit.says for edit in EDITS if edit.name == row["name"])
    parts = {"it": it, "of": of, "called": called, "line": raised.line, "text": raised.place[1]}
    parts |= {"code": raised.code(), "operation": raised.code("an operation")}
    return Finding("slip", row["name"], says.format(found[0], *found.groups(), **parts))


# ---- what a row asks besides: (raised, row, the groups of its pattern) -> what it finds, or None --------------------


def _module_class(kind):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(kind, type) and issubclass(kind, torch.nn.Module)


def _black_box(raised, *_):
    """The value is one of the course's own functions in disguise, as exercises hand them out."""
    thing = getattr(raised.error, "obj", None)
    ours = sandbox.is_ours(str(getattr(type(thing), "__module__", "")))
    return "" if ours and callable(thing) and not _module_class(type(thing)) else None


def _torch_module(raised, *_):
    """The value is a torch module: its parts."""
    module = getattr(raised.error, "obj", None)
    if not _module_class(type(module)):
        return None
    own = [name for name in vars(module) if not name.startswith("_") and name != "training"]
    parts = [f"`{name}`" for name in dict.fromkeys([*dict(module.named_children()), *module._parameters, *own])]
    return ", ".join(parts[:8])


def _arrays_have_it(raised, row, *groups):
    """NumPy's arrays have a method of the name in the last group."""
    return "" if hasattr(np.ndarray, groups[-1]) else None


def _tensors_have_it(raised, row, *groups):
    """torch's tensors have a method of the name in the last group."""
    torch = sys.modules.get("torch")
    return "" if torch is not None and hasattr(torch.Tensor, groups[-1]) else None


def _another_library_has_it(raised, row, module, name):
    """Another of the three libraries has what a module lacks: how it is written."""
    libraries = {"numpy": ("np", np), "torch": ("torch", sys.modules.get("torch")), "math": ("math", math)}
    others = (known for full, known in libraries.items() if full != module)
    return next((short for short, other in others if hasattr(other, name)), None)


def _a_layer(raised, row, *kinds):
    """One of the kinds is a layer of torch.nn: its name."""
    layers = getattr(sys.modules.get("torch"), "nn", None)
    return next((kind for kind in kinds if _module_class(getattr(layers, str(kind), None))), None)


def _not_to_compute_with(raised, row, *kinds):
    """One of the kinds is known to the row, or is that of something that the failing line could call."""
    frame = raised.place[2]
    known = [] if frame is None else list(frame.f_locals.values())
    known += [one for several in known if isinstance(several, (list, tuple)) for one in several]
    called = {type(one).__name__ for one in known if callable(one)}
    for kind in filter(None, kinds):  # a minus has one side
        if kind in row["of"] or kind.rpartition(".")[2] in called:
            return kind if kind in row["of"] else "function"
    return None


def _function_handed_on(raised, *_):
    """A function was handed to one of the functions of the exercise, where values are wanted: its name."""
    node, _, frame = raised.place
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    handed_in = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    functions = [name for name in handed_in if callable(frame.f_locals.get(name))]
    if node.func.id not in functions:
        return None
    return next((arg.id for arg in node.args if isinstance(arg, ast.Name) and arg.id in functions), None)


def _black_box_called(raised, *_):
    """The code that failed uses one of the course's own functions that the exercise hands out: its name."""
    node, _, frame = raised.place
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)] if node is not None else []
    known = ((name, frame.f_locals.get(name)) for name in names)
    return next((name for name, one in known if callable(one) and sandbox.is_ours(str(type(one).__module__))), None)


def _a_call(raised, *_):
    """The code that failed is a call: what is called."""
    node = raised.place[0]
    return ast.unparse(node.func) if isinstance(node, ast.Call) else None


def _part_of_the_class(raised, *_):
    """The code that failed calls by itself what is a part of the class: its name."""
    name, frame = _a_call(raised), raised.place[2]
    return name if name is not None and hasattr(frame.f_locals.get("self"), name) else None


def _without_self(raised, row, name, *_):
    """A method of a class has no argument `self`: its name."""
    method = (_methods(raised.answer) or {}).get(name.rpartition(".")[2])
    return None if method is None or [arg.arg for arg in method.args.args[:1]] == ["self"] else method.name


def _part_of_self(raised, row, name):
    """A name that the class knows as a part of `self`: that name."""
    source = find_source(raised.answer)
    parts = ast.walk(source.definition) if source is not None else ()
    return name if any(isinstance(one, ast.Attribute) and ast.unparse(one) == f"self.{name}" for one in parts) else None


def _layer_in_forward(raised, *_):
    """The forward of a class makes a layer of torch.nn: how that is called."""
    layers, method = getattr(sys.modules.get("torch"), "nn", None), (_methods(raised.answer) or {}).get("forward")
    calls = (node.func for node in ast.walk(method) if isinstance(node, ast.Call)) if method is not None else ()
    made = (ast.unparse(of) for of in calls)
    return next((name for name in made if _module_class(getattr(layers, name.rpartition(".")[2], None))), None)


def _forward_inside_a_method(raised, *_):
    """The forward of a class stands inside another method: the name of that."""
    for name, method in (raised.methods or {}).items():
        if any(isinstance(node, ast.FunctionDef) and node.name == "forward" for node in ast.walk(method)):
            return name
    return None


def _forward_misspelled(raised, *_):
    """A class has a method with a name near to forward: that name."""
    return next(iter(difflib.get_close_matches("forward", raised.methods or (), n=1, cutoff=0.6)), None)


def _no_forward(raised, *_):
    """A class has no forward."""
    return None if raised.methods is None else ""


_WHEN = {
    when.__name__.removeprefix("_"): when
    for when in (
        *(_black_box, _black_box_called, _torch_module, _arrays_have_it, _tensors_have_it, _another_library_has_it),
        *(_a_layer, _not_to_compute_with, _function_handed_on, _a_call, _part_of_the_class),
        *(_layer_in_forward, _forward_inside_a_method, _forward_misspelled, _no_forward, _without_self, _part_of_self),
    )
}
