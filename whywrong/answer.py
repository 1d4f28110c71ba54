"""Check an answer to an exercise, and keep what the checks found out about it."""

import contextlib
import inspect
import io
import itertools
import math
import numbers
from functools import cached_property, partial

import numpy as np

from whywrong import errors, sandbox
from whywrong.evidence import case_arguments
from whywrong.fixes.copies import Budget
from whywrong.fixes.search import FixSearch
from whywrong.form import (
    as_values,
    check_form,
    close,
    close_one,
    describe_other_package,
    find_misfit,
    is_tensor,
    join_rows,
    kind_of,
    unchanged,
)
from whywrong.guard import find_borrowed, find_replaced, guard_answer
from whywrong.task import BrokenTask, Case, Exercise, Fault, Finding, Inspection, Key
from whywrong.todo import count_uses, holds_todo

FRESH_SEEDS = 5  # at which a fix must make an answer right before its place is named
REPLACED = "replaced"  # the name of a finding: something that the session replaced kept the author's code from running
STILL_TODO = Finding(Key.TODO, says="There is still a TODO in your code: replace it and check again.")


class Answer:
    """One answer to one exercise, and what the checks found: make one with `Answer.run`, which runs the learner's code.

    item: what was asked. handed_in: what the learner made; guarded: the same, as the checks call it.
    number: of the first case that is wrong, or None; `show_smallest` makes it the smallest one.
    outcome: of the checks, in the sandbox.
    finding: the Finding of the checks; None if shape and type are right and only values differ.
    differs: whether that is so; only then do the stages search for a reason.
    fix_search: the search for the one change to the learner's code that makes the answer right; it runs fixed copies.
    other_package: how to convert arrays that stand for tensors, or tensors for arrays.
    given, expected: the values of each case, if the checks got that far.
    probed: what each probe found, by the probe.
    """

    def __init__(self, item, handed_in, seed):
        self.item, self.handed_in, self.seed = item, handed_in, seed
        self.guarded = self.number = None
        self.given, self.expected, self.probed = [], [], {}
        self.other_package, self._gives_rows = "", False
        self._uses_before = math.inf  # of TODO, when the case began; no case has
        self._authors = None  # the part of the author's code that is running now: "`cases`", "The oracle"

    @classmethod
    def run(cls, item: Exercise | Inspection, handed_in, seed: int) -> "Answer":
        """Run what was handed in through all checks, in the sandbox, and return the answer with what they found.

        Raises:
            BrokenTask: the author's code is wrong, so nothing can be said about the answer.
        """
        self = cls(item, handed_in, seed)
        self.outcome = outcome = sandbox.run(self._checked, item.seconds)
        self.finding = outcome.value
        if self._authors is not None and not isinstance(outcome.error, KeyboardInterrupt):
            self.finding = self._replaced_or_broken()
        elif outcome.error is not None:
            found = errors.describe_error(outcome, item, handed_in, self.case)
            self.finding = STILL_TODO if found.kind != Key.TODO and count_uses() > self._uses_before else found
        return self

    # ---- the checks

    def _checked(self, limits):
        """Go through all checks, and return what they find; `limits` are those of the sandbox."""
        if holds_todo(self.handed_in):
            raise Fault(Key.TODO, "Replace TODO with your answer and check again.")
        _check_kind(self.item, self.handed_in)
        self.guarded = guard_answer(self.item, self.handed_in)
        if isinstance(self.item, Inspection):
            found = self._inspected(limits)
            if found is not None:
                return found
        elif self._differs(limits):
            return None
        name = find_borrowed(self.handed_in, self.item.may_use)
        if name is None:
            return Finding(Key.CORRECT, says=" ".join(filter(None, [self.item.right, self.other_package])))
        words = f"This is right, but `{name}` does the work: write it yourself, from the formula."
        return Finding("slip", "borrowed", words, sure=True)

    def _replaced_or_broken(self):
        """Say what this session replaced, which may have broken the author's code; else raise BrokenTask."""
        name, error = find_replaced(), self.outcome.error
        if name is not None:
            says = f"`{name}` has been replaced in this session, but the check needs the original: start a new session."
            return Finding(Key.RAISES, REPLACED, says)
        if isinstance(error, BrokenTask):
            raise error
        limits = {sandbox.OutOfTime: "takes too much time", sandbox.OutOfMemory: "takes too much memory"}
        text = " ".join(str(error).split())
        did = limits.get(type(error)) or f"raised {type(error).__name__}{text and f': {text}'}"
        raise BrokenTask(self.item.id, f"{self._authors} {did.rstrip('.')}.") from error

    def _ask_author(self, authors, call, limits):
        """Return what code of the task gives; whatever goes wrong until then is an error of the task."""
        self._authors = authors
        limits.rewind()
        with contextlib.redirect_stdout(io.StringIO()):
            found = call()
        self._authors = None
        return found

    def _draw(self, limits, times=1):
        """Draw the cases several times."""
        drawn = [self._ask_author("`cases`", self._draw_checked, limits) for _ in range(times)]
        if len({*map(len, drawn)}) > 1:
            self._authors = "`cases`"
            raise BrokenTask(self.item.id, "`cases` did not return the same cases for the same seed.")
        return drawn

    def _draw_checked(self):
        cases, wanted = self.cases(), "`cases` must return a list of Case"
        if not isinstance(cases, list):
            raise BrokenTask(self.item.id, f"{wanted}, but it returned {kind_of(cases)}.")
        if not cases:
            raise BrokenTask(self.item.id, "`cases` returned no cases.")
        for one in cases:
            if not isinstance(one, Case):
                raise BrokenTask(self.item.id, f"{wanted}, but the list holds {kind_of(one)}.")
        return cases

    def _ask_oracle(self, case):
        right = self.item.oracle(*case.args)
        if says := find_misfit(self.item, right):
            raise BrokenTask(self.item.id, says)
        return as_values(self.item, right)

    def _inspected(self, limits):
        (cases,) = self._draw(limits)
        for number, case in enumerate(cases):
            self._begin(number, limits)
            seen = self.item.inspect(self.guarded, case)
            sandbox.restore_builtins()
            if count_uses() > self._uses_before:
                raise Fault(Key.TODO, STILL_TODO.says)
            if seen is not None:
                says = {one.name: one.message for one in self.item.mistakes}
                if not isinstance(seen, str) or seen not in says:
                    self._authors = "`inspect`"
                    raise BrokenTask(self.item.id, f"`inspect` returned {seen!r}, and no Mistake has that name.")
                return Finding("mistake", seen, says[seen])
        return None

    def _differs(self, limits):
        """Fill in what was given and expected; return whether a value differs."""
        item, at_first = self.item, count_uses()
        cases, originals, own = self._draw(limits, 3)  # the oracle has cases of its own, and comes first
        right = [self._ask_author("The oracle", partial(self._ask_oracle, case), limits) for case in own]
        for number, (case, original, wanted) in enumerate(zip(cases, originals, right, strict=True)):
            self._begin(number, limits)
            got = item.run(self.guarded, case)
            sandbox.restore_builtins()
            self._gives_rows = item.takes_rows and isinstance(got, (list, tuple))
            got = self._join_rows(got)
            self.given.append(check_form(item, got, wanted, case, original, values_first=True))
            self.expected.append(wanted)
            self.other_package = describe_other_package(item, got, wanted)
        if not any(self.wrong):
            self._ask_afterwards(limits)
            return False
        limits.lift()
        if count_uses() > at_first:
            raise Fault(Key.TODO, STILL_TODO.says)
        self.number = self.wrong.index(True)
        return True

    def _join_rows(self, got):
        """Return a list of rows as an array, if the exercise takes one and the learner's own code returns one."""
        return join_rows(got) if self._gives_rows and isinstance(got, (list, tuple)) else got

    def _ask_afterwards(self, limits):
        if self.item.afterwards is not None:
            self.number = None
            limits.stop_listening()
            limits.rewind()
            self.item.afterwards(self.guarded)
            sandbox.restore_builtins()

    def _begin(self, number, limits):
        if number == 1:
            limits.stop_listening()
        self.number, self._uses_before = number, count_uses()
        limits.rewind()

    # ---- the cases

    def cases(self, seed: int | None = None) -> list[Case]:
        """Draw the cases anew, the same each time; or those of another seed."""
        return self.item.cases(np.random.default_rng(self.seed if seed is None else seed))

    @property
    def case(self) -> Case | None:
        """The case that is wrong, drawn anew."""
        return None if self.number is None else self.cases()[self.number]

    def show_smallest(self) -> None:
        """Make the smallest case with wrong values the one that is shown; the first of several that are as small."""
        cases = self.cases()
        self.number = min((number for number, wrong in enumerate(self.wrong) if wrong), key=lambda n: _size(cases[n]))

    # ---- what is known about it

    @property
    def differs(self) -> bool:
        """Return whether shape and type are right, and some values are wrong."""
        return self.finding is None

    @cached_property
    def wrong(self) -> list[bool]:
        """Return for each case whether something in it is wrong."""
        return [not close(self.item, got, right) for got, right in zip(self.given, self.expected, strict=True)]

    def differing(self, number: int) -> list[str]:
        """Return the names of the values that are wrong in a case."""
        triples = zip(self.item.returns, self.given[number], self.expected[number], strict=True)
        return [one.name for one, value, right in triples if not close_one(one, value, right, self.item.tolerance)]

    @property
    def is_code(self) -> bool:
        """Return whether it is a learner's own code, which can be searched for a slip."""
        return callable(self.handed_in) and not sandbox.is_ours(str(getattr(self.handed_in, "__module__", "")))

    @cached_property
    def fix_search(self) -> FixSearch:
        """The search for the one place in which it is wrong."""
        return FixSearch(self.handed_in, self.passes, Budget(self.item.tries))

    # ---- fixed answers

    def passes(self, fixed) -> bool:
        """Return whether a fixed answer passes all checks, at further seeds, too; the case that failed comes first.

        One that divides by zero on the way does not pass: it is right by accident, as with erf(z / 0) for a step.
        """
        with np.errstate(divide="raise"):
            return self._passes(fixed)

    def _passes(self, fixed):
        try:
            _check_kind(self.item, fixed)
            made = guard_answer(self.item, fixed)
            if isinstance(self.item, Inspection):
                return all(
                    self.item.inspect(made, case) is None
                    for seed in self.seeds
                    for case in self._failed_first(self.cases(seed))
                )
            if not self._right_to_try(made):
                return False
            if self.item.afterwards is not None:
                self.item.afterwards(made)
            return all(self._right_in(made, self._drawn(seed)) for seed in self.seeds[1:])
        except Exception:
            return False

    def passes_first(self, fixed) -> bool:
        """Return whether a fixed answer is right in the case that failed first."""
        try:
            with np.errstate(all="ignore"):
                return self._right_to_try(fixed, 1)
        except Exception:
            return False

    def _right_to_try(self, made, most=None):
        """Return whether a fixed answer is right in the cases to try, or in the first of them."""
        for case, known in zip(self._to_try[:most], self._originals[:most], strict=True):
            try:
                if not self._right_in(made, [(case, known)]):
                    return False
            finally:
                self._draw_again_if_changed(case, known[0])
        return True

    def _right_in(self, made, cases):
        item = self.item
        return all(
            close(item, check_form(item, self._join_rows(item.run(made, case)), wanted, case, original), wanted)
            for case, (original, wanted) in cases
        )

    @property
    def seeds(self):
        """The seed of the answer, and further ones at which a fix must hold."""
        return [self.seed + more for more in range(FRESH_SEEDS)]

    def _drawn(self, seed):
        """Yield the cases of a seed, each with its original and what is wanted."""
        for case, original, again in zip(self.cases(seed), self.cases(seed), self.cases(seed), strict=True):
            yield case, (original, as_values(self.item, self.item.oracle(*again.args)))

    def _failed_first(self, cases):
        return cases if self.number is None else [cases.pop(self.number), *cases]

    @cached_property
    def _originals(self):
        """The cases before any answer has run on them, and what is wanted in each."""
        originals = self._failed_first(self.cases())
        again = self._failed_first(self.cases())
        return [
            (original, as_values(self.item, self.item.oracle(*one.args)))
            for original, one in zip(originals, again, strict=True)
        ]

    @cached_property
    def _to_try(self):
        return self._failed_first(self.cases())

    def _draw_again_if_changed(self, case, original):
        """Keep the cases for the next fixed answer, if this one holds plain values that have not been changed."""
        for arg, before in itertools.zip_longest(case.args, original.args):
            if not is_plain(before) or not unchanged(arg, before) or getattr(arg, "requires_grad", False):
                self.__dict__.pop("_to_try", None)
                return

    def arguments(self) -> dict[str, object]:
        """Return the arguments of the case that failed, by name."""
        return case_arguments(self.item, self.case, self.handed_in)


def is_plain(value) -> bool:
    """Return whether a value is an array, a tensor, a number or a word, which can be used again if it is unchanged."""
    return isinstance(value, (np.ndarray, numbers.Number, str)) or is_tensor(value)


def _size(case):
    """Return how many values the arrays of a case hold, and how large its numbers are together."""
    shapes = [tuple(arg.shape) for arg in case.args if hasattr(arg, "shape")]
    plain = [abs(arg) for arg in case.args if isinstance(arg, numbers.Real)]
    return sum(map(math.prod, shapes)), sum(plain)


def _check_kind(item, handed_in):
    if item.kind == "value":
        return
    if handed_in is None:
        raise Fault(Key.NONE, f"The answer is None: pass the {item.kind} itself to check, without calling it.")
    if item.kind == "class" and not inspect.isclass(handed_in):
        raise Fault(Key.TYPE, f"Pass the class itself to check: you passed {kind_of(handed_in)}, which is not a class.")
    if item.kind == "function" and (inspect.isclass(handed_in) or not callable(handed_in)):
        given = kind_of(handed_in)
        raise Fault(Key.TYPE, f"Pass the function itself to check, by its name without brackets: you passed {given}.")
