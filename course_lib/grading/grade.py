"""Judge an answer in the sandbox; never raises for anything that the answer is or does.

A coded exercise is checked in a fixed order, and the first check that fails gives the verdict: still a TODO; not
callable; then for every case: raised or ran away, returned None, wrong type, changed its inputs, wrong shape, wrong
dtype (of whole numbers only where they are right), NaN; then the values. What is wrong is told by the everyday slip
that the code contains, else by the named mistake that it equals in every case, else by the one word that is wrong in
it, else by what can be seen of its values; and last by the numbers of the first case that differs. Of two faults at
once only a named mistake speaks: two mends that make an answer right need not be its two faults.
"""

import copy
import inspect
from dataclasses import replace

import numpy as np

from course_lib.arguments import integer, is_tensor
from course_lib.content import Case, Exercise, Fault, Inspection, Key, Prediction, Status, Verdict
from course_lib.grading import errors, sandbox
from course_lib.grading.compare import as_values, checked, close, kind_of
from course_lib.grading.evidence import case_arguments
from course_lib.grading.explain import Answered, about_nan, different, explain
from course_lib.grading.guard import borrowed, guarded
from course_lib.grading.guess import reply_to
from course_lib.grading.mending import Budget, found_by_mending
from course_lib.grading.places import PLACE_HELPERS, PLACES
from course_lib.grading.repairs import REPAIRS
from course_lib.grading.slips import CARET, HELPERS, SLIPS, holds_caret
from course_lib.grading.todo import holds_todo, uses

WITHOUT_INPUTS = ("caret", "floor-division", "no-return", "number")  # slips that are looked for where nothing goes in
# Of CPU time for each search for what is wrong. No more than a fuse: counts limit the searches (`Budget`, and `tries`
# of an exercise), so that a verdict is the same on a slow machine.
FUSE_SECONDS = 30.0
ALL_SLIPS, ALL_HELPERS = SLIPS + PLACES + REPAIRS, HELPERS | PLACE_HELPERS
_last_case: dict[str, dict[str, object]] = {}


def grade(item: Exercise | Inspection | Prediction, answer, seed: int | None = None) -> Verdict:
    """Return the Verdict on an answer.

    Args:
        item: what was asked.
        answer: what the learner made.
        seed: of the random cases; None draws a fresh one.

    Raises:
        TypeError, ValueError: seed is not a whole number of at least 0.
    """
    seed = int(np.random.default_rng().integers(1_000_000)) if seed is None else integer("seed", seed, 0)
    attempt = _Attempt(item, answer, seed)
    outcome = sandbox.run(attempt.judge, getattr(item, "seconds", None))
    if isinstance(item, Prediction):
        return outcome.value or _unread(errors.in_words(outcome, item, answer, None))
    verdict = attempt.verdict(outcome)
    attempt.remember(verdict)
    return replace(verdict, printed=_first_lines(outcome.printed))


def last_case(id: str) -> dict[str, object] | None:
    """Return copies of the arguments of the case that failed last, by name; None when none has failed."""
    found = _last_case.get(id)
    return None if found is None else {name: _copied(arg) for name, arg in found.items()}


def _copied(arg):
    if is_tensor(arg):
        return arg.detach().clone()
    try:
        return copy.deepcopy(arg)
    except Exception:  # a black box that holds what cannot be copied
        return arg


class _Attempt:
    """One answer to one exercise, on its way through the checks; it knows the case that is being tried."""

    def __init__(self, item, answer, seed):
        self.item, self.answer, self.seed = item, answer, seed
        self.number = None  # of the case that is being tried
        self.uses_before = None  # of TODO, when the case began

    def judge(self, limits) -> Verdict | Answered:
        """Go through all checks; values that differ are left to be explained. `limits` are those of the sandbox."""
        if holds_todo(self.answer):
            raise Fault(Key.TODO, "Replace TODO with your answer and run the cell again.")
        if isinstance(self.item, Prediction):
            return reply_to(self.item, self.answer)
        _check_kind(self.item, self.answer)
        found = self._inspect(limits) if isinstance(self.item, Inspection) else self._compare(limits)
        if found is not None:
            return found
        name = borrowed(self.answer, self.item.may_use)
        if name is None:
            return Verdict(Status.CORRECT, Key.CORRECT, self.item.right)
        words = (
            f"This is right, but the work is done by the course's own `{name}`: write it yourself, from the formula."
        )
        return Verdict(Status.NOT_YET, "slip:borrowed", words)

    def _inspect(self, limits):
        guarded_answer = guarded(self.item, self.answer)
        for number, case in enumerate(self.cases()):
            self._begin(number, limits)
            seen = self.item.inspect(guarded_answer, case)
            sandbox.restore_builtins()
            if uses() > self.uses_before:
                raise _still_todo()
            if seen is not None:
                message = next(mistake.message for mistake in self.item.mistakes if mistake.name == seen)
                return Verdict(Status.NOT_YET, f"mistake:{seen}", message)
        return None

    def _compare(self, limits):
        item, guarded_answer = self.item, guarded(self.item, self.answer)
        given, expected, at_first = [], [], uses()
        for number, (case, original) in enumerate(zip(self.cases(), self.cases(), strict=True)):
            wanted = as_values(item, item.oracle(*original.args))
            self._begin(number, limits)
            got = item.run(guarded_answer, case)
            sandbox.restore_builtins()
            given.append(checked(item, got, wanted, case, original, values_first=True))
            expected.append(wanted)
        answered = Answered(item, self.answer, guarded_answer, self.cases, given, expected)
        if not any(answered.wrong):
            self._ask_afterwards(guarded_answer, limits)
            return None
        limits.lift()
        if uses() > at_first:
            raise _still_todo()
        self.number = answered.wrong.index(True)
        return answered

    def _ask_afterwards(self, guarded_answer, limits):
        if self.item.afterwards is not None:
            self.number = None
            limits.stop_listening()
            limits.rewind()
            self.item.afterwards(guarded_answer)
            sandbox.restore_builtins()

    def cases(self) -> list[Case]:
        """Draw the cases anew; the same each time."""
        return self.item.cases(np.random.default_rng(self.seed))

    def _begin(self, number, limits):
        if number == 1:
            limits.stop_listening()
        self.number, self.uses_before = number, uses()
        limits.rewind()

    # ---- what is wrong

    def verdict(self, outcome) -> Verdict:
        """Put what the checks came to into words for the learner."""
        if outcome.error is not None:
            fault = errors.in_words(outcome, self.item, self.answer, self._case())
            if fault.key != Key.TODO and self.uses_before is not None and uses() > self.uses_before:
                fault = _still_todo()
            verdict = Verdict(fault.key.status, fault.key, fault.message)
            if fault.key == Key.NAN and isinstance(self.item, Exercise):
                known = _searched(lambda limits: about_nan(self.item, self.answer, self.cases, verdict)).value
                verdict = known or verdict
        elif isinstance(outcome.value, Answered):
            answered = outcome.value
            verdict = _searched(lambda limits: explain(answered)).value or different(answered)
        else:
            verdict = outcome.value
        if verdict.key in (Key.CORRECT, Key.TODO, Key.TIMEOUT, "slip:borrowed"):
            return verdict
        slip = self._slip(verdict, outcome)
        if slip is None:
            return verdict
        name, says = slip
        told = verdict.key in (Key.SHAPE, Key.DTYPE, Key.TYPE) and len(verdict.message) < 160
        form = verdict.message + " " if told else ""
        raised = isinstance(outcome.error, Exception) and not isinstance(outcome.error, Fault)
        status = Status.STOPPED if raised else Status.NOT_YET
        return Verdict(status, f"slip:{name}", form + says, verdict.evidence)

    def _case(self):
        return None if self.number is None else self.cases()[self.number]

    def _slip(self, verdict, outcome):
        """Return the name and the sentence of the slip behind a wrong answer, or None."""
        if not callable(self.answer) or str(getattr(self.answer, "__module__", "")).startswith("course_lib."):
            return None
        unpacked = errors.of_unpacking(outcome)
        if unpacked is not None:
            return unpacked
        told = verdict.key.startswith("mistake:") or verdict.key == Key.MUTATES
        slips = SLIPS + PLACES[:1] if told else ALL_SLIPS
        if not self.cases()[0].args:  # of a single number many mends make the right one by chance
            slips = tuple(slip for slip in slips if slip.name in WITHOUT_INPUTS)
        budget = Budget(self.item.tries)
        mending = _searched(lambda limits: found_by_mending(self.answer, slips, ALL_HELPERS, self._passes, budget))
        if mending.value is not None:
            return mending.value
        if verdict.key == Key.VALUE and holds_caret(self.answer):
            return CARET.name, CARET.says
        return errors.slip_of(outcome, self.answer)

    def _passes(self, mended) -> bool:
        """Tell whether a mended answer passes all checks; the case that failed is tried first."""
        item = self.item
        try:
            _check_kind(item, mended)
            guarded_answer = guarded(item, mended)
            pairs = list(zip(self.cases(), self.cases(), strict=True))
            if self.number is not None:
                pairs.insert(0, pairs.pop(self.number))
            for case, original in pairs:
                if isinstance(item, Inspection):
                    if item.inspect(guarded_answer, case) is not None:
                        return False
                    continue
                wanted = as_values(item, item.oracle(*original.args))
                if not close(item, checked(item, item.run(guarded_answer, case), wanted, case, original), wanted):
                    return False
            if isinstance(item, Exercise) and item.afterwards is not None:
                item.afterwards(guarded_answer)
        except Exception:
            return False
        return True

    def remember(self, verdict):
        """Keep the case that failed, for `show_case`."""
        if verdict.key == Key.CORRECT or self.number is None:
            _last_case.pop(self.item.id, None)
        elif verdict.status in (Status.NOT_YET, Status.STOPPED):
            _last_case[self.item.id] = case_arguments(self.item, self._case(), self.answer)


def _searched(search):
    """Search for what is wrong with an answer, in the sandbox, and return the outcome."""
    return sandbox.run(search, FUSE_SECONDS)


def _unread(fault):
    """Return the verdict on a guess that cannot be read: nothing has been guessed yet."""
    stopped = fault.key.status == Status.STOPPED
    return Verdict(Status.STOPPED if stopped else Status.NOT_ATTEMPTED, fault.key, fault.message)


def _still_todo():
    return Fault(Key.TODO, "There is still a TODO in your code: replace it and run the cell again.")


def _check_kind(item, answer):
    if item.kind == "value":
        return
    if answer is None:
        raise Fault(Key.NONE, f"The answer is None: pass the {item.kind} itself to check, without calling it.")
    if item.kind == "class" and not inspect.isclass(answer):
        raise Fault(Key.TYPE, f"Pass the class itself to check: {kind_of(answer)} was given, which is no class.")
    if item.kind == "function" and (inspect.isclass(answer) or not callable(answer)):
        given = kind_of(answer)
        raise Fault(Key.TYPE, f"Pass the function itself to check, its name without brackets: {given} was given.")


def _first_lines(printed, most=10):
    lines = printed.rstrip().splitlines()
    return "\n".join([*lines[:most], "…"] if len(lines) > most else lines)
