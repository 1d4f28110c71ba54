"""Two faults at once: mend one place, and see what is left.

What is left is a named mistake, one other place to mend, or fewer values that differ. Only what was tried is told.
"""

import ast
import re
from dataclasses import dataclass, field, replace

import numpy as np

from course_lib.arguments import to_numpy
from course_lib.content import Exercise
from course_lib.grading.compare import as_values, checked, close, near
from course_lib.grading.guard import guarded
from course_lib.grading.mending import Budget, Slip, Source, mended_answers, source_of

BEST = 6  # mended answers that are mended a second time
# The first speaks of all that is written, and not of one place; the others can let a part vanish.
NOT_TOGETHER = ("names-swapped", "true-division", "power", "function")


def _number_dropped(node, source):
    """a + 1  ->  a, 1 + a  ->  a, and a - 1  ->  a: what is dropped is a number alone"""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)):
        return []
    if isinstance(node.right, ast.Constant):
        return [node.left]
    return [node.right] if isinstance(node.left, ast.Constant) and isinstance(node.op, ast.Add) else []


def _other_number(node, source):
    """2  ->  1, 3, 4 or 1/2"""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return []
    old = node.value
    return [ast.Constant(new) for new in (old + 1, old - 1, 2 * old, old / 2) if new not in (old, 0)]


_MENDS = {"too-much": _number_dropped, "number": _other_number}  # so that no large part is dropped, or becomes 0


@dataclass(frozen=True)
class _Tried:
    """An answer mended in one place: the mended code, what is said of the place, and the values, if it has any.

    right: how many values are right; off: the largest error; spread: how much the factor differs by which the numbers
    are off, from case to case.
    """

    source: Source
    says: str
    given: list[tuple] | None = field(repr=False)
    right: int
    off: float
    spread: float

    def nearer_than(self, other: "_Tried") -> bool:
        """Tell whether more values are right, or as many, and the others are not farther off."""
        no_farther = self.off <= other.off and self.spread <= other.spread
        return self.right > other.right or (self.right == other.right and no_farther)


class TwoFaults:
    """The search for two faults of one answer; `found` is the best sentence so far, or None.

    Args:
        item: the exercise; answer: what the learner made.
        draw: () -> the cases, drawn anew and the same each time.
        slips, helpers, budget: as for `found_by_mending`.
    """

    def __init__(self, item: Exercise, answer, draw, slips: tuple[Slip, ...], helpers: dict, budget: Budget):
        self.item, self.answer, self.draw, self.helpers, self.budget = item, answer, draw, helpers, budget
        self.slips = tuple(
            replace(slip, mend=_MENDS.get(slip.name, slip.mend)) for slip in slips if slip.name not in NOT_TOGETHER
        )
        self.found: str | None = None
        self.wanted = [as_values(item, item.oracle(*case.args)) for case in draw()]

    def search(self) -> None:
        """Look for a mend that leaves a named mistake, then for a second mend, then for one that helps."""
        source = source_of(self.answer)
        if source is None:
            return
        before = self._tried(source, "", self.answer)
        usable = [mistake for mistake in self.item.mistakes if not _UNUSED.search(mistake.message)]
        mistakes = [(mistake, self._values(mistake.answer)) for mistake in usable]
        mistakes = [(mistake, values) for mistake, values in mistakes if values is not None and _varies(values)]
        helped = []
        for slip, says, mended, made in mended_answers(source, self.slips, self.helpers, self.budget):
            tried = self._tried(mended, says, made)
            if tried.given is None:
                continue
            for mistake, values in mistakes if tried.nearer_than(before) and _uses_as_much(mended, source) else ():
                if slip.name == "axis" and _OF_AXES.search(mistake.message):
                    continue  # the axis was turned, and what is left says so: it was right before
                if _alike(self.item, tried.given, values) and self._needs_as_much(made):
                    self.found = (
                        f"Two things are wrong. {_as_one(says)} With that mended, this is left: {mistake.message}"
                    )
                    return
            if tried.right > before.right or tried.off < before.off:
                helped.append(tried)
        helped.sort(key=lambda one: (-one.right, one.off))
        self._say_what_helps(before, helped)
        self._mend_again(helped[:BEST])

    def _needs_as_much(self, mended):
        """Tell whether every input that changes the learner's values changes those of the mended answer too."""
        return self._needed(self.answer) <= self._needed(mended)

    def _needed(self, answer):
        """Return the places of the numbers and arrays on which the values of an answer depend in some case."""
        found = set()
        for number, case in enumerate(self.draw()):
            before = self._given(answer, number, case.args)
            for place, arg in enumerate(case.args):
                if before is None or place in found:
                    continue
                args = list(self.draw()[number].args)
                if isinstance(arg, (bool, str)) or not isinstance(getattr(arg, "ndim", arg), (int, float)):
                    continue
                args[place] = arg + 1
                after = self._given(answer, number, args)
                if after is None or any(not np.array_equal(a, b) for a, b in zip(before, after, strict=True)):
                    found.add(place)
        return found

    def _given(self, answer, number, args):
        """Return the values for other arguments as plain arrays, or None where there are none."""
        case = self.draw()[number]
        try:
            with np.errstate(all="ignore"):
                values = as_values(self.item, self.item.run(answer, replace(case, args=tuple(args))))
            return [np.asarray(to_numpy(value), dtype=float) for value in values]
        except Exception:
            return None

    def _say_what_helps(self, before, helped):
        count = sum(np.size(value) for values in self.wanted for value in values)
        if before.given is None:
            return  # how many of its values are right was not counted
        if not helped or any(np.asarray(value).dtype.kind in "bU" for values in self.wanted for value in values):
            return
        best, numbers = helped[0], np.concatenate([np.ravel(value) for values in self.wanted for value in values])
        if count < 8 and (numbers == np.round(numbers)).all():
            return  # a few whole numbers come right by chance
        if best.right >= 0.5 * count and best.right >= before.right + max(2, 0.3 * count):
            now = f"{before.right} of {count} values are right, and with it mended {best.right}."
            self.found = f"More than one thing is wrong. {_as_one(best.says)} As it is, {now}"

    def _mend_again(self, helped):
        for first in helped:
            for _, says, _, made in mended_answers(first.source, self.slips, self.helpers, self.budget):
                values = self._values(made)
                if values is not None and all(map(self._is_right, values, self.wanted)):
                    self.found = f"Two things are wrong. {_as_one(first.says)} {_as_other(says)}"
                    return

    def _is_right(self, got, wanted):
        return close(self.item, got, wanted)

    def _tried(self, source, says, made):
        given = self._values(made)
        if given is None:
            return _Tried(source, says, None, 0, np.inf, np.inf)
        right, off, factors = 0, 0.0, []
        for got, wanted in zip(given, self.wanted, strict=True):
            for value, one in zip(got, wanted, strict=True):
                if isinstance(one, str):
                    right += value == one
                    continue
                value, one = np.asarray(value, dtype=float), np.asarray(one, dtype=float)
                right += int(near(value, one, self.item.tolerance).sum())
                if one.ndim == 0 and one != 0:
                    factors.append(np.log(value / one) if value * one > 0 else np.inf)
                off = max(off, float(np.abs(value - one).max() / max(np.abs(one).max(), 1e-12)))
        return _Tried(source, says, given, right, off, _spread(factors))

    def _values(self, made):
        """Return the values of every case, or None where the answer has not the form that is asked for."""
        item, found = self.item, []
        try:
            called = guarded(item, made)
            for case, original, wanted in zip(self.draw(), self.draw(), self.wanted, strict=True):
                with np.errstate(all="ignore"):
                    found.append(checked(item, item.run(called, case), wanted, case, original))
        except Exception:
            return None
        return found


def _spread(factors):
    """Return how much factors differ, given their logarithms; infinite where one is none."""
    return 0.0 if not factors else round(float(np.std(factors)), 9) if np.isfinite(factors).all() else np.inf


def _varies(values):
    """Tell whether not all values are the same: an answer that is spoiled may give such ones too."""
    numbers = [np.asarray(value).ravel() for case in values for value in case if not isinstance(value, str)]
    if not numbers:
        return True
    together = np.concatenate(numbers).astype(float)
    return bool(np.ptp(together) > 1e-6 * np.abs(together).max())


def _uses_as_much(mended, source):
    """Tell whether the mended code still reads every parameter that the learner's code reads."""
    return _reads(source) <= _reads(mended)


def _reads(source):
    names = {node.id for node in ast.walk(source.definition) if isinstance(node, ast.Name)}
    return names & set(source.parameters)


def _alike(item, given, values):
    return all(close(item, got, wrong) for got, wrong in zip(given, values, strict=True))


_OF_AXES = re.compile(r"\b(axis|axes|dim)\b")
_UNUSED = re.compile(r"\bnot used\b")  # a mend can spoil an answer so that it looks like that
_ONE = re.compile(r"^All is right but for (one|the|a) ")


def _as_one(says):
    """Return the sentence on one place as one of two."""
    return _ONE.sub(lambda found: f"One is {'a' if found[1] == 'one' else found[1]} ", says)


def _as_other(says):
    changed = _ONE.sub(lambda found: f"The other is {'a' if found[1] == 'one' else found[1]} ", says)
    return changed if changed != says else f"The other: {says}"
