"""Judge an answer in one run of the sandbox; never raises for anything that the answer is or does.

A coded exercise is checked in a fixed order, and the first check that fails gives the verdict: still a TODO; not
callable; then for every case: raised or ran away, returned None, wrong type, changed its inputs, wrong shape, wrong
dtype, NaN; then the values; and last the named mistakes, which must agree with the answer on every case.
"""

import functools
import inspect

import numpy as np

from course_lib.arguments import integer
from course_lib.content import Exercise, Fault, Inspection, Key, Prediction, Status, Verdict
from course_lib.grading import sandbox
from course_lib.grading.compare import as_values, checked, close, close_one, kind_of
from course_lib.grading.guess import judge_guess
from course_lib.grading.todo import holds_todo, uses


def grade(item: Exercise | Inspection | Prediction, answer, seed: int | None = None) -> Verdict:
    """Return the Verdict on an answer.

    Args:
        item: what was asked.
        answer: what the learner made.
        seed: of the random cases; None draws a fresh one. The verdict "value" names it.

    Raises:
        TypeError, ValueError: seed is not a whole number of at least 0.
    """
    seed = int(np.random.default_rng().integers(1_000_000)) if seed is None else integer("seed", seed, 0)
    attempt = _Attempt(item, answer, seed)
    outcome = sandbox.run(attempt.judge)
    if outcome.error is None:
        return outcome.value
    fault = attempt.fault(outcome)
    return Verdict(fault.key.status, fault.key, fault.message)


class _Attempt:
    """One answer to one exercise, on its way through the checks; it knows the case that is being tried."""

    def __init__(self, item, answer, seed):
        self.item, self.answer, self.seed = item, answer, seed
        self.case = None
        self.uses_before = None  # of TODO, when the case began

    def judge(self, limits) -> Verdict:
        """Go through all checks; `limits` are those of the sandbox."""
        if holds_todo(self.answer):
            raise Fault(Key.TODO, "Replace TODO with your answer and run the cell again.")
        if isinstance(self.item, Prediction):
            return judge_guess(self.item, self.answer)
        _check_kind(self.item, self.answer)
        if isinstance(self.item, Inspection):
            return self._inspect(limits)
        return self._compare(limits)

    def _inspect(self, limits):
        guarded = _guarded(self.item, self.answer)
        for case in self._cases():
            self._begin(case, limits)
            seen = self.item.inspect(guarded, case)
            sandbox.restore_builtins()
            self._see_todo()
            if seen is not None:
                message = next(mistake.message for mistake in self.item.mistakes if mistake.name == seen)
                return _not_yet(f"mistake:{seen}", message)
        return self._right()

    def _compare(self, limits):
        item, guarded = self.item, _guarded(self.item, self.answer)
        given, expected = [], []
        for case, original in zip(self._cases(), self._cases(), strict=True):
            wanted = as_values(item, item.oracle(*original.args))
            self._begin(case, limits)
            got = item.run(guarded, case)
            sandbox.restore_builtins()
            given.append(checked(item, got, wanted, case, original))
            expected.append(wanted)
        limits.lift()  # from here on nothing of the learner's runs
        if all(close(item, got, wanted) for got, wanted in zip(given, expected, strict=True)):
            return self._right()
        for mistake in item.mistakes:
            if self._is_mistake(mistake, given):
                return _not_yet(f"mistake:{mistake.name}", mistake.message)
        return _not_yet(Key.VALUE, self._different(given, expected))

    def _cases(self):
        return self.item.cases(np.random.default_rng(self.seed))

    def _begin(self, case, limits):
        self.case, self.uses_before = case, uses()
        limits.rewind()

    def _see_todo(self):
        if uses() > self.uses_before:
            raise Fault(Key.TODO, "There is still a TODO in your code: replace it and run the cell again.")

    def _right(self):
        return Verdict(Status.CORRECT, Key.CORRECT, self.item.right)

    def _is_mistake(self, mistake, given):
        """Tell whether the mistake gives what the learner's answer gave, on every case."""
        for case, got in zip(self._cases(), given, strict=True):
            try:
                wrong = as_values(self.item, self.item.run(mistake.answer, case))
                if not close(self.item, got, wrong):
                    return False
            except Exception:  # this mistake cannot be run on this case, so it is not the one
                return False
        return True

    def _different(self, given, expected):
        """Say which value differs, without its numbers."""
        item = self.item
        if item.kind == "value":
            return "That is not it: look again at what the cell above printed."
        for got, wanted, case in zip(given, expected, self._cases(), strict=True):
            triples = zip(item.returns, got, wanted, strict=True)
            wrong = [one.name for one, value, right in triples if not close_one(one, value, right, item.tolerance)]
            if wrong:
                right_ones = [one.name for one in item.returns if one.name not in wrong]
                others = f" ({', '.join(right_ones)} is right)" if right_ones else ""
                names = " and ".join(wrong)
                return f"The form is right, but the values of {names} differ{others}{_given(case)}, seed {self.seed}."
        raise AssertionError("no value differs")

    def fault(self, outcome) -> Fault:
        """Put what ended the run into words for the learner."""
        error = outcome.error
        if not isinstance(error, Fault):
            error = self._in_words(error, outcome.line)
        if error.key != Key.TODO and self.uses_before is not None and uses() > self.uses_before:
            return Fault(Key.TODO, "There is still a TODO in your code: replace it and run the cell again.")
        return error

    def _in_words(self, error, line):
        at = f" at `{line}`" if line else ""
        if isinstance(error, sandbox.OutOfTime):
            return Fault(
                Key.TIMEOUT,
                f"Your code was stopped after {sandbox.CPU_SECONDS:g} seconds of computing{at}: is there an endless "
                "loop?",
            )
        if isinstance(error, sandbox.OutOfMemory):
            size = f"{sandbox.EXTRA_BYTES / 2**20:.0f} megabytes"
            return Fault(Key.TIMEOUT, f"Your code was stopped because it asked for more than {size} of memory{at}.")
        if isinstance(error, (sandbox.Left, SystemExit)):
            did = str(error) if isinstance(error, sandbox.Left) else "tried to end the session"
            return Fault(Key.RAISES, f"Your code {did}{at}: an answer only computes and returns its result.")
        if isinstance(error, KeyboardInterrupt):
            return Fault(Key.RAISES, f"The check was interrupted{at}: run the cell again when you are ready.")
        if isinstance(error, NotImplementedError):
            words = "Your function still raises NotImplementedError: write its body and run the cell again."
            return Fault(Key.TODO, words)
        if isinstance(error, RecursionError):
            words = f"Your code calls itself without end{at}: Python stopped it with RecursionError."
            return Fault(Key.RAISES, words)
        return Fault(Key.RAISES, f"Your code raised {type(error).__name__}{at}{_said(error)}{_given(self.case)}.")


def _not_yet(key, message):
    return Verdict(Status.NOT_YET, key, message)


def _check_kind(item, answer):
    name = item.id.rpartition(".")[2]
    if item.kind == "value":
        return
    if answer is None:
        raise Fault(Key.NONE, f"The answer is None: pass the {item.kind} itself to check, without calling it.")
    if item.kind == "class" and not inspect.isclass(answer):
        raise Fault(Key.TYPE, f"Pass the class itself to check: {kind_of(answer)} was given, which is no class.")
    if item.kind == "function" and (inspect.isclass(answer) or not callable(answer)):
        example = f"check({item.id!r}, {name})"
        raise Fault(Key.TYPE, f"Pass the function itself to check, as in {example}: {kind_of(answer)} was given.")


def _guarded(item, answer):
    """Wrap an answer, so that a TODO is known at once and the course's code runs with the original builtins again."""
    if item.kind == "function":
        return _guarded_function(answer)
    return _guarded_class(answer) if item.kind == "class" else answer


def _guarded_function(answer):
    @functools.wraps(answer)
    def guarded(*args, **options):
        result = answer(*args, **options)
        sandbox.restore_builtins()
        if holds_todo(result):
            raise Fault(
                Key.TODO, "There is still a TODO in what your function returns: replace it and run the cell again."
            )
        return result

    return guarded


def _guarded_class(answer):
    """Return a subclass whose objects, when they are made or called, give the builtins back."""

    def made(self, *args, **options):
        answer.__init__(self, *args, **options)
        sandbox.restore_builtins()

    def called(self, *args, **options):
        result = answer.__call__(self, *args, **options)
        sandbox.restore_builtins()
        return result

    methods = {"__init__": made, "__module__": answer.__module__, "__qualname__": answer.__qualname__}
    if "__call__" in dir(answer):
        methods["__call__"] = called
    try:
        return type(answer)(answer.__name__, (answer,), methods)
    except TypeError:  # a class that allows no subclass, such as bool
        return answer


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
