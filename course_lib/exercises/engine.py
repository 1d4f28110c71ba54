"""Grade an answer: an exercise is data, and `grade` compares an answer with an independent oracle, case by case.

The order of the checks is fixed, and the first one that fails gives the verdict: still a TODO; not callable; then for
every case: raised or ran away, returned None, wrong type, changed its inputs, wrong shape, wrong dtype, NaN; then the
values; and last the named mistakes, which must agree with the answer on every case.
"""

import functools
import inspect
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from course_lib.arguments import integer
from course_lib.exercises import sandbox
from course_lib.exercises.todo import holds_todo, uses

_STILL_TODO = "There is still a TODO in what your function returns: replace it and run the cell again."


@dataclass(frozen=True)
class Verdict:
    """What a check says.

    status: "correct", "not yet", "not attempted" or "stopped" (the code raised or ran away).
    key: a stable name: correct, todo, shape, dtype, none, nan, mutates, raises, timeout, value, type or mistake:<name>.
    message: one plain sentence or two for the learner; never a traceback, never the expected numbers.
    """

    status: str
    key: str
    message: str


class Fault(Exception):
    """Raised by an exercise's own `run` to give a verdict of its own: Fault(key, message)."""

    def __init__(self, key: str, message: str):
        super().__init__(message)
        self.key, self.message = key, message


@dataclass(frozen=True)
class Case:
    """One question to the answer: the arguments, and the names of the axis sizes that occur in it."""

    args: tuple = ()
    sizes: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Returns:
    """One value that an answer returns: its name, and the names of its axes (None: a number or a word)."""

    name: str
    axes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that learners give, and the sentence that explains it: feedback, and a test of the check."""

    name: str
    answer: object
    message: str


def call_with_args(answer, case: Case):
    """Call the answer with the arguments of the case: what most exercises do."""
    return answer(*case.args)


def take_value(answer, case: Case):
    """Take the answer itself as the value: for predictions."""
    return answer


@dataclass(frozen=True)
class Exercise:
    """An exercise, as data.

    id: "<topic>.<name>"; kind: "function", "class" or "value" (a number or a word that the learner predicts).
    cases: rng -> list of Case; drawn twice, so that changed inputs are seen.
    oracle: Case.args -> the right result; neither the worked solution nor the code under test.
    run: (answer, case) -> result; may raise Fault.
    returns: the value or values that come back.
    hints: three sentences: the idea, the shapes, the first line.
    right: the sentence that follows "Correct".
    tolerance: largest accepted relative and absolute difference.
    """

    id: str
    kind: str
    cases: Callable[[np.random.Generator], list[Case]]
    oracle: Callable
    returns: tuple[Returns, ...]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, str, str]
    right: str
    run: Callable = call_with_args
    tolerance: float = 1e-7


def guess(id: str, answer, wrong: dict, right: str, hints: Sequence[str], tolerance: float = 1e-7) -> Exercise:
    """Make the exercise of a prediction: a number or a word, with a reply to each common wrong guess."""
    mistakes = tuple(Mistake(str(value).replace(" ", "-"), value, message) for value, message in wrong.items())
    return Exercise(
        id=id,
        kind="value",
        cases=lambda rng: [Case()],
        oracle=lambda: answer,
        returns=(Returns("your guess"),),
        mistakes=mistakes,
        hints=tuple(hints),
        right=right,
        run=take_value,
        tolerance=tolerance,
    )


def grade_exercise(exercise: Exercise, answer, seed: int | None = None) -> Verdict:
    """Grade an answer to an exercise; never raises for anything that the answer is or does.

    Args:
        seed: of the random cases; None draws a fresh one. The verdict "value" names it.
    """
    if seed is None:
        seed = int(np.random.default_rng().integers(1_000_000))
    integer("seed", seed, 0)
    try:
        with sandbox.session_kept():
            return _grade(exercise, answer, seed)
    except Fault as fault:
        status = "stopped" if fault.key in ("raises", "timeout") else "not yet"
        if fault.key == "todo":
            status = "not attempted"
        return Verdict(status, fault.key, fault.message)


def _grade(exercise, answer, seed):
    if _guarded(lambda: holds_todo(answer)):
        raise Fault("todo", "Replace TODO with your answer and run the cell again.")
    _guarded(lambda: _check_kind(exercise, answer))
    cases, untouched = (exercise.cases(np.random.default_rng(seed)) for _ in range(2))
    given, expected = [], []
    for case, original in zip(cases, untouched, strict=True):
        wanted = _as_tuple(exercise, exercise.oracle(*original.args))
        given.append(_result(exercise, answer, wanted, case, original))
        expected.append(wanted)
    if all(_close(exercise, got, wanted) for got, wanted in zip(given, expected, strict=True)):
        return Verdict("correct", "correct", exercise.right)
    for mistake in exercise.mistakes:
        if _is_mistake(exercise, mistake, given, seed):
            return Verdict("not yet", f"mistake:{mistake.name}", mistake.message)
    return Verdict("not yet", "value", _different(exercise, given, expected, cases, seed))


def _check_kind(exercise, answer):
    name = exercise.id.rpartition(".")[2]
    if exercise.kind == "value":
        return
    if answer is None:
        raise Fault("none", f"The answer is None: pass the {exercise.kind} itself to check, without calling it.")
    if exercise.kind == "class" and not inspect.isclass(answer):
        raise Fault("type", f"Pass the class itself to check: {_kind_of(answer)} was given, which is no class.")
    if exercise.kind == "function" and (inspect.isclass(answer) or not callable(answer)):
        message = (
            f"Pass the function itself to check, as in check({exercise.id!r}, {name}): {_kind_of(answer)} was given."
        )
        raise Fault("type", message)


def _kind_of(value):
    kind = type(value).__name__
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _result(exercise, answer, wanted, case, original):
    """Run the answer on a case and return its values in plain types, or raise the Fault that describes them."""
    before = uses()

    def run_and_check():
        got = exercise.run(_watched(answer) if exercise.kind == "function" else answer, case)
        sandbox.restore_builtins()
        return _checked(exercise, got, wanted, case, original)

    try:
        return _guarded(run_and_check, case)
    except Fault as fault:
        if fault.key != "todo" and uses() > before:
            raise Fault("todo", "There is still a TODO in your code: replace it and run the cell again.") from None
        raise


def _watched(answer):
    """Let a function say at once that it returns a TODO, before an exercise's own `run` works with the result."""

    @functools.wraps(answer)
    def watched(*args, **options):
        result = answer(*args, **options)
        sandbox.restore_builtins()
        if holds_todo(result):
            raise Fault("todo", _STILL_TODO)
        return result

    return watched


def _guarded(call, case=None):
    """Call in the sandbox whatever touches what the learner made, and put an error of it into words."""
    outcome = sandbox.run(call)
    error = outcome.error
    if error is None:
        return outcome.value
    if isinstance(error, Fault):
        raise error
    at = f" at `{outcome.line}`" if outcome.line else ""
    if isinstance(error, sandbox.OutOfTime):
        raise Fault("timeout", f"Your code was stopped after 2 seconds of computing{at}: is there an endless loop?")
    if isinstance(error, sandbox.OutOfMemory):
        raise Fault("timeout", f"Your code was stopped because it asked for more than half a gigabyte of memory{at}.")
    if isinstance(error, sandbox.Left):
        raise Fault("raises", f"Your code {error}{at}: an answer only computes and returns its result.")
    if isinstance(error, SystemExit):
        raise Fault(
            "raises", f"Your code tried to end the session{at}: an answer only computes and returns its result."
        )
    if isinstance(error, KeyboardInterrupt):
        raise Fault("raises", f"The check was interrupted{at}: run the cell again when you are ready.")
    if isinstance(error, NotImplementedError):
        raise Fault("todo", "Your function still raises NotImplementedError: write its body and run the cell again.")
    if isinstance(error, RecursionError):
        raise Fault("raises", f"Your code calls itself without end{at}: Python stopped it with RecursionError.")
    raise Fault("raises", f"Your code raised {type(error).__name__}{at}{_said(error)}{_given(case)}.")


def _said(error):
    try:
        words = " ".join(str(error).split())
    except BaseException:
        return ""
    if "core dimension" in words:  # NumPy's words for it speak of signatures
        return ", because the shapes in a product do not fit together"
    return f", saying “{words[:160].rstrip('.')}”" if words else ""


def _given(case):
    args = () if case is None else case.args
    shapes = [str(tuple(arg.shape)) for arg in args if hasattr(arg, "shape")]
    return f" (the inputs had shapes {', '.join(shapes)})" if shapes else ""


def _as_tuple(exercise, value):
    return tuple(value) if len(exercise.returns) > 1 else (value,)


def _checked(exercise, got, wanted, case, original):
    """Return what came back as a tuple of plain values, or raise the Fault that describes its form."""
    if got is None and exercise.kind == "value":
        raise Fault("none", "Your answer is None: write it down where TODO stood.")
    if got is None:
        raise Fault("none", "Your function returned None: is the return statement missing?")
    if holds_todo(got):
        raise Fault("todo", _STILL_TODO)
    names = ", ".join(item.name for item in exercise.returns)
    if len(exercise.returns) > 1:
        if not isinstance(got, (tuple, list)) or len(got) != len(exercise.returns):
            count = f" of {len(got)}" if isinstance(got, (tuple, list)) else ""
            message = (
                f"Return {len(exercise.returns)} values, ({names}): your function returned {_kind_of(got)}{count}."
            )
            raise Fault("type", message)
        got = tuple(got)
    else:
        got = (got,)
    for item, value, right in zip(exercise.returns, got, wanted, strict=True):
        _check_type(item, value, right)
    for position, (arg, before) in enumerate(zip(case.args, original.args, strict=True)):
        if not _same(arg, before):
            message = (
                f"Your code changed its argument number {position + 1}: compute on a copy and leave the inputs alone."
            )
            raise Fault("mutates", message)
    for item, value, right in zip(exercise.returns, got, wanted, strict=True):
        _check_array(item, value, right, case.sizes)
    return tuple(_plain(item, value, right) for item, value, right in zip(exercise.returns, got, wanted, strict=True))


def _plain(item, value, right):
    """Copy a value into a plain type of its kind, which runs no code of the learner's any more."""
    if item.axes is not None:
        return np.array(to_numpy(value))
    if isinstance(right, str):
        return str.__str__(value)
    return bool(value) if isinstance(right, (bool, np.bool_)) else float(value)


def is_tensor(value) -> bool:
    """Recognise a tensor by its own methods, so that torch need not be loaded."""
    return hasattr(value, "detach") and hasattr(value, "numpy") and not inspect.isclass(value)


def to_numpy(value):
    """Return a tensor or an array as a NumPy array."""
    return value.detach().cpu().numpy() if is_tensor(value) else np.asarray(value)


def _check_type(item, value, right):
    if value is None:
        raise Fault("none", f"{_start(item)} is None: is an assignment missing?")
    if item.axes is None:
        if isinstance(right, str):
            fits, wanted = isinstance(value, str), "a word in quotes"
        elif isinstance(right, (bool, np.bool_)):
            fits, wanted = isinstance(value, (bool, np.bool_)), "True or False"
        else:
            fits, wanted = _is_number(value), "a number"
    elif is_tensor(right):
        fits, wanted = is_tensor(value), "a torch tensor"
    else:
        fits, wanted = isinstance(value, np.ndarray) or (right.ndim == 0 and _is_number(value)), "a NumPy array"
    if not fits:
        raise Fault("type", f"{_start(item)} must be {wanted}, but it is {_kind_of(value)}.")


def _start(item):
    return item.name[0].upper() + item.name[1:] if " " in item.name else item.name


def _is_number(value):
    if isinstance(value, (bool, np.bool_)):
        return False
    zero_d = getattr(value, "ndim", None) == 0 and (is_tensor(value) or isinstance(value, np.ndarray))
    return isinstance(value, numbers.Real) or (zero_d and to_numpy(value).dtype.kind in "fiu")


def _check_array(item, value, right, sizes):
    if item.axes is None:
        if not isinstance(right, str) and not _is_finite(value):
            raise Fault("nan", f"{_start(item)} is not a finite number.")
        return
    shape, wanted = tuple(value.shape) if hasattr(value, "shape") else (), tuple(right.shape)
    if shape != wanted:
        axes = ", ".join(item.axes) + ("," if len(item.axes) == 1 else "")
        message = f"{_start(item)} has shape {shape}{_in_names(shape, sizes)}; expected is ({axes}) = {wanted}."
        raise Fault("shape", message)
    if str(getattr(value, "dtype", right.dtype)) != str(right.dtype):
        message = (
            f"{_start(item)} has dtype {_short(value.dtype)}; expected is {_short(right.dtype)}, as in the inputs."
        )
        raise Fault("dtype", message)
    if not np.isfinite(to_numpy(value)).all():
        raise Fault(
            "nan", f"{_start(item)} holds NaN or infinity: look for a division by zero, a log of 0 or an overflow."
        )


def _is_finite(number):
    try:
        return bool(np.isfinite(float(number)))
    except OverflowError:  # an integer beyond the largest float
        return False


def _short(dtype):
    return str(dtype).removeprefix("torch.")


def _in_names(shape, sizes):
    """Name the axes of a shape by their sizes, where every size is known: " = (d_hidden, d_in)"."""
    names = {size: name for name, size in sizes.items()}
    if shape and len(names) == len(sizes) and all(size in names for size in shape):
        return " = (" + ", ".join(names[size] for size in shape) + ("," if len(shape) == 1 else "") + ")"
    return ""


def _same(value, before):
    if is_tensor(before) or isinstance(before, np.ndarray):
        a, b = to_numpy(value), to_numpy(before)
        return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    if isinstance(before, (list, tuple)):
        return len(value) == len(before) and all(_same(a, b) for a, b in zip(value, before, strict=True))
    if isinstance(before, (numbers.Number, str, type(None))):
        return value == before
    return True  # callables and modules: their own exercise compares what matters


def _close_one(item, value, right, tolerance):
    if isinstance(right, str):
        return value.strip().casefold() == right.strip().casefold()
    if isinstance(right, (bool, np.bool_)):
        return bool(value) == bool(right)
    if item.axes is None:
        return abs(float(value) - float(right)) <= tolerance * max(1.0, abs(float(right)))
    return np.allclose(to_numpy(value), to_numpy(right), rtol=tolerance, atol=tolerance * 1e-2)


def _close(exercise, got, wanted):
    triples = zip(exercise.returns, got, wanted, strict=True)
    return all(_close_one(item, value, right, exercise.tolerance) for item, value, right in triples)


def _is_mistake(exercise, mistake, given, seed):
    """Tell whether the mistake gives what the learner's answer gave, on every case."""
    for case, got in zip(exercise.cases(np.random.default_rng(seed)), given, strict=True):
        try:
            wrong = _as_tuple(exercise, exercise.run(mistake.answer, case))
        except Exception:  # this mistake cannot be run on this case, so it is not the one
            return False
        for value, other in zip(got, wrong, strict=True):
            if isinstance(value, str) != isinstance(other, str):
                return False
            if not isinstance(value, str) and np.shape(to_numpy(value)) != np.shape(to_numpy(other)):
                return False
        if not _close(exercise, got, wrong):
            return False
    return True


def _different(exercise, given, expected, cases, seed):
    """Say which value differs, without its numbers."""
    if exercise.kind == "value":
        return "That is not it: look again at what the cell above printed."
    for got, wanted, case in zip(given, expected, cases, strict=True):
        triples = zip(exercise.returns, got, wanted, strict=True)
        wrong = [item.name for item, value, right in triples if not _close_one(item, value, right, exercise.tolerance)]
        if wrong:
            right_ones = [item.name for item in exercise.returns if item.name not in wrong]
            others = f" ({', '.join(right_ones)} is right)" if right_ones else ""
            return (
                f"The form is right, but the values of {' and '.join(wrong)} differ{others}{_given(case)}, seed {seed}."
            )
    return f"The values differ, seed {seed}."
