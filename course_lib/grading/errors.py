"""What ended a run, in words: a limit, a TODO, the everyday slip behind an error, or the error itself."""

import ast
import difflib
import inspect
import linecache
import re
import sys

import numpy as np

from course_lib.content import Case, Fault, Key
from course_lib.grading import sandbox
from course_lib.grading.advice import of_error
from course_lib.grading.compare import NOTHING_CAME_BACK
from course_lib.grading.evidence import case_arguments, describe_case
from course_lib.grading.mending import source_of
from course_lib.grading.shapes import misfit
from course_lib.grading.slips import BOOL_MEAN, CARET, MATH

_MISSES = re.compile(r"'(?:numpy\.)?(\w+)' object has no attribute '(\w+)'")


def in_words(outcome: sandbox.Outcome, item, answer, case: Case | None) -> Fault:
    """Return what ended a run as a Fault.

    Args:
        outcome: of the run; its error is not None.
        item, answer: the exercise and what was checked.
        case: the one that was tried, if the run came so far.
    """
    error, at = outcome.error, f" at `{outcome.line}`" if outcome.line else ""
    if isinstance(error, Fault):
        return _none_returned(error, item, answer, case)
    if isinstance(error, sandbox.OutOfTime):
        seconds = getattr(item, "seconds", None) or sandbox.CPU_SECONDS
        words = f"Your code was stopped after {seconds:g} seconds of computing{at}"
        return Fault(Key.TIMEOUT, f"{words}: is there an endless loop?{_when_stopped(error)}")
    if isinstance(error, sandbox.OutOfMemory):
        size = f"{sandbox.EXTRA_BYTES / 2**20:.0f} megabytes"
        return Fault(Key.TIMEOUT, f"Your code was stopped because it asked for more than {size} of memory{at}.")
    if isinstance(error, (sandbox.Left, SystemExit)):
        did = str(error) if isinstance(error, sandbox.Left) else "tried to end the session"
        return Fault(Key.RAISES, f"Your code {did}{at}: an answer only computes and returns its result.")
    if isinstance(error, KeyboardInterrupt):
        return Fault(Key.RAISES, f"The check was interrupted{at}: run the cell again when you are ready.")
    if isinstance(error, NotImplementedError) and outcome.own:
        words = "Your function still raises NotImplementedError: write its body and run the cell again."
        return Fault(Key.TODO, words)
    if isinstance(error, RecursionError):
        return Fault(Key.RAISES, f"Your code calls itself without end{at}: Python stopped it with RecursionError.")
    wrong_call = _wrong_call(error, outcome.line, item, answer, case)
    if wrong_call:
        return Fault(Key.RAISES, wrong_call)
    inputs = "" if case is None else describe_case(item, case, answer)
    given = f" The inputs were {inputs}." if inputs else ""
    return Fault(Key.RAISES, f"Your code raised {type(error).__name__}{at}{_said(error)}.{given}")


def _none_returned(fault, item, answer, case):
    """Say that a `return` gave None, or ask whether the end was reached, where a function returned None."""
    source = source_of(answer) if fault.message == NOTHING_CAME_BACK and not inspect.isclass(answer) else None
    if source is None:
        return fault
    returns = [node.value for node in _own_nodes(source.definition) if isinstance(node, ast.Return)]
    values = [value for value in returns if value is not None and not isinstance(value, ast.Constant)]
    last = source.definition.body[-1]
    if len(values) < len(returns) or not values:
        return fault
    if isinstance(last, ast.Return):
        quoted = f"Your function returned None: `{source.code(last.value)}` is None there."
        return Fault(Key.NONE, quoted) if len(returns) == 1 else fault
    inputs = "" if case is None else describe_case(item, case, answer)
    words = "Your function returned None: did it reach its end without coming to a `return`?"
    return Fault(Key.NONE, words + (f" The inputs were {inputs}." if inputs else ""))


def _own_nodes(definition):
    """Yield the nodes of a function without those of functions inside it."""
    for node in ast.iter_child_nodes(definition):
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield node
            yield from _own_nodes(node)


def _when_stopped(error):
    """Say what the numbers in the condition of a loop were when it was stopped."""
    step, found = error.__traceback__, None
    while step is not None:
        if sandbox.is_learners(step.tb_frame.f_code.co_filename):
            found = step
        step = step.tb_next
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


def _said(error):
    try:
        words = re.sub(r" at 0x[0-9A-Fa-f]+", "", " ".join(str(error).split()))
    except BaseException:
        return ""
    for pattern, plain in _PLAINER:
        found = re.search(pattern, words)
        if found is not None:
            return f", because {plain.format(*found.groups())}"
    return f", saying “{words[:160].rstrip('.')}”" if words else ""


# What Python, NumPy and torch say, in plainer words.
_SHAPE = r"(\([\d, ]*\))"
_PLAINER = (
    ("mismatch in its core dimension", "the shapes in a product do not fit together"),
    ("matmul.* does not have enough dimensions", "a product got a single number where an array is needed"),
    (rf"shapes {_SHAPE} and {_SHAPE} not aligned", "shapes {} and {} do not fit together in a product"),
    (r"shapes cannot be multiplied \((\w+) and (\w+)\)", "sizes {} and {} do not fit together in a product"),
    (
        rf"operands could not be broadcast together with shapes {_SHAPE} {_SHAPE}",
        "arrays of shapes {} and {} do not fit together value by value",
    ),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", "sizes {} and {} meet, value by value"),
    (
        rf"could not broadcast input array from shape {_SHAPE} into shape {_SHAPE}",
        "an array of shape {} does not fit into a place of shape {}",
    ),
    (r"^name '(\w+)' is not defined", "no `{}` has been defined or imported"),
    (r"^cannot access local variable '(\w+)'", "`{}` is used before it is set"),
    (r"'(?:numpy\.)?ndarray' object has no attribute '(\w+)'", "a NumPy array has no `{}`"),
    (r"'Tensor' object has no attribute '(\w+)'", "a torch tensor has no `{}`"),
)


def of_unpacking(outcome: sandbox.Outcome) -> tuple[str, str] | None:
    """Return the slip behind a shape that is taken apart into the wrong number of sizes, or None."""
    if not isinstance(outcome.error, ValueError) or ".shape" not in outcome.line:
        return None
    found = re.match(r"(?:too many|not enough) values to unpack \(expected (\d+)", str(outcome.error))
    if found is None:
        return None
    says = f"`{outcome.line}` takes a shape apart into {found[1]} sizes, and this array has another number of axes: "
    return "shape-unpacked", says + "`.shape[-1]` is the last size, however many there are."


def slip_of(outcome: sandbox.Outcome, answer) -> tuple[str, str] | None:
    """Return the name and the sentence of the slip that an error can only come from, or None."""
    error = outcome.error
    if not isinstance(error, Exception) or isinstance(error, Fault):
        return None
    try:
        words = str(error)
    except Exception:
        return None
    if isinstance(error, NotImplementedError) and not outcome.own and "forward" in words:
        return _forward(answer)
    if "bitwise_xor" in words or "for ^" in words:
        return CARET.name, CARET.says
    if isinstance(error, TypeError) and not outcome.line and "required positional" in words:
        return None  # it is the answer itself that cannot be called: in_words says how many arguments it must take
    found = misfit(error, words) or of_error(error, words)
    if found is not None:
        return found
    for kind, said, name, says in _SAID:
        if isinstance(error, kind) and re.search(said, words):
            return name, says
    if isinstance(error, TypeError) and re.search(
        "only (0-dimensional|length-1|size-1) arrays|only one element", words
    ):
        return (MATH.name, MATH.says) if "math." in outcome.line else None
    missed = _MISSES.fullmatch(words.split(". Did you mean")[0]) if isinstance(error, AttributeError) else None
    return _of_the_other_kind(*missed.groups()) if missed else None


_SAID = (
    (
        AttributeError,
        r"Module\.__init__\(\) call",
        "super-init",
        "A module cannot take in layers yet: the first line of `__init__` must be `super().__init__()`.",
    ),
    (RuntimeError, r"^mean\(\): could not infer output dtype", BOOL_MEAN.name, BOOL_MEAN.says),
    (
        (ValueError, RuntimeError),
        "(truth value of an array|Boolean value of Tensor) .*is ambiguous",
        "truth-of-array",
        "Python asks for one True or False here (`if`, `and`, `or`, `not`, `max`, `min` or `0 < x < 1`), and got a "
        "whole array of them: go value by value, with `np.where` and `np.maximum`, or those of `torch`.",
    ),
    (
        RuntimeError,
        "(same dtype|expected scalar type|must have the same type)",
        "two-dtypes",
        "Two tensors of different dtypes meet: torch makes float32 of plain numbers, and the inputs here are float64. "
        "Give new tensors `dtype=x.dtype`.",
    ),
    (
        RuntimeError,
        "does not require grad",
        "no-gradient",
        "torch computes gradients only for tensors that ask for it: `x.clone().requires_grad_()` makes such a copy.",
    ),
    (
        TypeError,
        "must be Tensor, not (float|int)",
        "number-for-tensor",
        "A function of torch got a plain number, and takes tensors: use `math` for numbers, or `** 0.5` for a root.",
    ),
    (
        TypeError,
        r"must be Tensor, not (numpy\.)?ndarray",
        "array-for-tensor",
        "A function of torch got a NumPy array: this exercise hands out NumPy arrays, so use the functions of `np`.",
    ),
    (
        TypeError,
        "'(ndarray|numpy.ndarray|Tensor|int|float|tuple|list)' object is not callable",
        "called-value",
        "Round brackets behind a value call it like a function: write `*` to multiply, and `[ ]` to take a part out.",
    ),
    (
        TypeError,
        "'(function|builtin_function_or_method|method|numpy.ufunc)' object is not subscriptable",
        "indexed-function",
        "Square brackets stand behind the name of a function: it is called with round ones.",
    ),
    (
        TypeError,
        "can't multiply sequence by non-int",
        "list-product",
        "A list cannot be multiplied by a float: make an array of it first.",
    ),
)


def _of_the_other_kind(kind, name):
    """Say that a method belongs to tensors, or to arrays, where it was called on the other kind."""
    torch = sys.modules.get("torch")
    if kind == "ndarray" and torch is not None and hasattr(torch.Tensor, name):
        return (
            "array-for-tensor",
            f"`{name}` is a method of torch tensors, and this is a NumPy array: look for NumPy's way.",
        )
    if kind == "Tensor" and hasattr(np.ndarray, name):
        return (
            "tensor-for-array",
            f"`{name}` is a method of NumPy arrays, and this is a torch tensor: look for torch's way.",
        )
    return None


def _forward(answer):
    """Say why a module has no forward: its name is misspelled, or it stands inside another method."""
    source = source_of(answer)
    if source is None or not isinstance(source.definition, ast.ClassDef):
        return None
    methods = {node.name: node for node in source.definition.body if isinstance(node, ast.FunctionDef)}
    if "forward" in methods:
        return None
    for name, method in methods.items():
        if any(isinstance(node, ast.FunctionDef) and node.name == "forward" for node in ast.walk(method)):
            says = f"`forward` stands inside `{name}`: move it to the left, until it is level with `def {name}`."
            return "forward-indented", says
    near = difflib.get_close_matches("forward", methods, n=1, cutoff=0.6)
    if near:
        return "forward-misspelled", f"The class has a method `{near[0]}`; torch looks for one called `forward`."
    return "no-forward", "The class has no method `forward`: that is what runs when the module is called."
