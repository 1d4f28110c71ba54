"""Why the values of an answer differ: the named mistake, the box that was misjudged, what is seen, or the numbers."""

import ast
import math
import numbers
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from course_lib.arguments import is_tensor, to_numpy
from course_lib.content import Case, Exercise, Key, Status, Verdict
from course_lib.grading import hypotheses
from course_lib.grading.compare import as_values, close, close_one, near
from course_lib.grading.evidence import case_arguments, evidence
from course_lib.grading.mending import source_of
from course_lib.grading.pairs import ENOUGH, Pair

# What is seen of an answer, and says little of what is wrong.
_VAGUE = ("one-side", "negative", "above-one", "fraction", "condition", "where", "nearly")


@dataclass(frozen=True)
class Answered:
    """An answer whose form is right, and whose values are wrong somewhere.

    answer: what the learner made; guarded: the same, as the checks call it.
    draw: () -> the cases, drawn anew and the same each time.
    given, expected: the values of each case.
    """

    item: Exercise
    answer: object
    guarded: object
    draw: Callable[[], list[Case]]
    given: list[tuple]
    expected: list[tuple]

    @property
    def wrong(self) -> list[bool]:
        """Tell of each case whether something of it is wrong."""
        return [not close(self.item, got, right) for got, right in zip(self.given, self.expected, strict=True)]

    def differing(self, number: int) -> list[str]:
        """Return the names of the values that are wrong in a case."""
        triples = zip(self.item.returns, self.given[number], self.expected[number], strict=True)
        return [one.name for one, value, right in triples if not close_one(one, value, right, self.item.tolerance)]


def explain(answered: Answered) -> Verdict:
    """Return the verdict on values that differ, by the most specific explanation."""
    item, number = answered.item, answered.wrong.index(True)
    case = answered.draw()[number]
    for mistake in item.mistakes:
        if _is_mistake(answered, mistake):
            return _verdict(f"mistake:{mistake.name}", mistake.message, _shown(answered))
    if case.box:
        return _misjudged(answered, number, case)
    seen = _in_parts(answered) or _seen(answered)
    if seen is None or seen.name in _VAGUE:
        seen = _depends(answered, number) or seen
    if seen is None or seen.name == "one-side":
        seen = _unused(answered, number, "" if seen is None else seen.says + " ") or seen
    if seen is None or seen.name in _VAGUE:
        seen = _nearly_a_mistake(answered) or growth(answered, number) or seen
    return _verdict(f"seen:{seen.name}", seen.says, _shown(answered)) if seen else different(answered)


def different(answered: Answered) -> Verdict:
    """Return the verdict that says no more than which values differ, with their numbers."""
    item, number = answered.item, answered.wrong.index(True)
    if item.kind == "value":
        way = "large" if answered.given[0][0] > float(answered.expected[0][0]) else "small"
        return _verdict(Key.VALUE, f"Your number is too {way}.")
    wrong = answered.differing(number)
    right = [one.name for one in item.returns if one.name not in wrong]
    others = f" ({' and '.join(right)} {'is' if len(right) == 1 else 'are'} right)" if right else ""
    return _verdict(
        Key.VALUE, f"The form is right, but the values of {' and '.join(wrong)} differ{others}.", _shown(answered)
    )


def _verdict(key, message, shown=""):
    return Verdict(Status.NOT_YET, key, message, shown)


def _shown(answered):
    """Return the numbers; what goes wrong in showing them is no matter for the learner."""
    try:
        return evidence(answered.item, answered.answer, answered.draw(), answered.given, answered.expected)
    except Exception:
        return ""


def about_nan(item: Exercise, answer, draw, verdict: Verdict) -> Verdict:
    """Return the verdict on NaN, or one that names a mistake which gives NaN in the same places as the answer."""
    given = _raw(item, answer, draw)
    wanted = [as_values(item, item.oracle(*case.args)) for case in draw()]
    if given is not None and _right_where_finite(given, wanted, item.tolerance):
        return replace(verdict, message=f"{verdict.message} All values that are finite are right.")
    for mistake in item.mistakes if given is not None else ():
        wrong = _raw(item, mistake.answer, draw)
        if wrong is not None and all(map(_alike, given, wrong)):
            return _verdict(f"mistake:{mistake.name}", mistake.message)
    return verdict


def _right_where_finite(given, wanted, tolerance):
    """Tell whether there are finite values, and all of them are right."""
    finite = False
    for values, rights in zip(given, wanted, strict=True):
        for value, right in zip(values, rights, strict=True):
            right, known = np.asarray(to_numpy(right), dtype=float), np.isfinite(value)
            if value.shape != right.shape or not (near(value, right, tolerance) | ~known).all():
                return False
            finite = finite or bool(known.any())
    return finite


def _raw(item, answer, draw):
    """Return the values of all cases as float arrays, NaN or not; None where there are none."""
    try:
        with np.errstate(all="ignore"):
            found = [as_values(item, item.run(answer, case)) for case in draw()]
            return [[np.asarray(to_numpy(value), dtype=float) for value in values] for values in found]
    except Exception:
        return None


def _alike(one, other):
    return len(one) == len(other) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


def _in_parts(answered):
    """Name a mistake for each of several returned values that are wrong, where none explains them all."""
    item, found, unknown = answered.item, {}, []
    if len(item.returns) == 1:
        return None
    cases = range(len(answered.given))
    wrong = [name for name in (one.name for one in item.returns) if any(name in answered.differing(n) for n in cases)]
    for mistake in item.mistakes if len(wrong) > 1 else ():
        if re.search(r"\b(is|are) (all )?(right|correct|fine)\b", mistake.message):
            continue  # it speaks of values that may be wrong here
        try:
            values = [as_values(item, item.run(mistake.answer, case)) for case in answered.draw()]
        except Exception:
            continue
        for place, one in enumerate(item.returns):
            if one.name in wrong and one.name not in found and _explained(answered, place, values):
                found[one.name] = mistake
    unknown = [name for name in wrong if name not in found]
    if not found:
        return None
    says = [f"In {_quoted(name)}: {mistake.message}" for name, mistake in found.items()]
    rest = f" {' and '.join(map(_quoted, unknown))} {'is' if len(unknown) == 1 else 'are'} wrong too."
    rest = rest[:1] + rest[1].upper() + rest[2:]
    return hypotheses.Seen("parts", " ".join(says) + (rest if unknown else ""))


def _explained(answered, place, values):
    """Tell whether a mistake gives, at one place of what is returned, what was given everywhere, and not by chance."""
    one, tolerance = answered.item.returns[place], answered.item.tolerance
    if len(np.unique(np.concatenate([np.ravel(to_numpy(got[place])) for got in answered.given]))) < ENOUGH:
        return False
    return all(
        close_one(one, got[place], value[place], tolerance) for got, value in zip(answered.given, values, strict=True)
    )


def _quoted(name):
    return name if " " in name else f"`{name}`"


def _nearly_a_mistake(answered):
    """Name the mistake that the values come near to, up to rounding, where they are far from the right ones."""
    item = answered.item
    for mistake in item.mistakes:
        try:
            wrong = [as_values(item, item.run(mistake.answer, case)) for case in answered.draw()]
            off = _farthest(answered.given, wrong)
            if off < 1e-3 and _farthest(answered.given, answered.expected) > max(100 * off, 0.01):
                says = f"{mistake.message} Your values come within 0.1 % of that: something small is off besides."
                return hypotheses.Seen("near-mistake", says)
        except Exception:  # this mistake cannot be run, or its values are words
            continue
    return None


def _farthest(given, others):
    """Return the largest difference of two lists of values, relative to the largest of the second in its case."""
    far = 0.0
    for got, other in zip(given, others, strict=True):
        for value, one in zip(got, other, strict=True):
            value, one = (np.asarray(to_numpy(side), dtype=float) for side in (value, one))
            far = max(far, float(np.abs(value - one).max() / max(np.abs(one).max(), 1.0)))
            if not np.isfinite(one).all():
                return np.inf
    return far


def growth(answered: Answered, number: int) -> hypotheses.Seen | None:
    """See whether the result grows otherwise than it should when all whole numbers that go in are doubled."""
    item = answered.item
    if item.kind != "function" or not item.fresh or any(one.axes is not None for one in item.returns):
        return None
    case = answered.draw()[number]
    whole = [isinstance(arg, numbers.Integral) and not isinstance(arg, bool) for arg in case.args]
    if sum(whole) < 2 or not all(isinstance(arg, numbers.Real) for arg in case.args):
        return None
    doubled = tuple(2 * arg if is_whole else arg for arg, is_whole in zip(case.args, whole, strict=True))
    try:
        wanted = as_values(item, item.oracle(*doubled))
        given = as_values(item, item.run(answered.guarded, Case(doubled, case.sizes)))
    except Exception:  # no such case can be asked for
        return None
    for place, one in enumerate(item.returns):
        before = float(answered.given[number][place]), float(answered.expected[number][place])
        after = float(given[place]), float(wanted[place])
        if min(*before, *after) <= 0:
            continue
        yours, right = (late / early for late, early in zip(after, before, strict=True))
        if abs(math.log2(yours / right)) > 0.6:
            asks = (
                "a sum where a product is meant, or a quotient too many"
                if yours < right
                else "a factor or a power too many"
            )
            says = f"When all sizes are doubled, {one.name} becomes {yours:.3g} times as large in your code, and "
            return hypotheses.Seen("growth", f"{says}{right:.3g} times as it should: is there {asks}?")
    return None


def _is_mistake(answered, mistake):
    """Tell whether the mistake gives what the learner's answer gave, on every case."""
    item = answered.item
    for case, got in zip(answered.draw(), answered.given, strict=True):
        try:
            wrong = as_values(item, item.run(mistake.answer, case))
            if not close(item, got, wrong):
                return False
        except Exception:  # this mistake cannot be run on this case, so it is not the one
            return False
    return True


def _misjudged(answered, number, case):
    """Name the first box that is misjudged, and the experiment that shows it."""
    judged, count = answered.given[number][0], sum(answered.wrong)
    counted = f"{count} of {len(answered.wrong)} boxes {'is' if count == 1 else 'are'} misjudged."
    if answered.item.returns[0].axes is None:
        says = f"You said {judged!r} of {case.box}: {case.experiment}"
        return _verdict("seen:box", says, counted)
    says = f"The first box that you misjudge is {case.box}: {case.experiment}"
    return _verdict("seen:box", says, f"{counted}\n{_shown(answered)}")


def _seen(answered):
    """Return what can be seen of the first returned value of which something can be said."""
    item = answered.item
    for place, one in enumerate(item.returns):
        values = [(got[place], right[place]) for got, right in zip(answered.given, answered.expected, strict=True)]
        if isinstance(values[0][1], str) or all(close_one(one, *pair, item.tolerance) for pair in values):
            continue
        pairs = [_pair(answered, place, number, case, *values[number]) for number, case in enumerate(answered.draw())]
        found = hypotheses.seen(pairs, one.name)
        if found is not None:
            return found
    return None


def _pair(answered, place, number, case, value, right):
    item = answered.item
    inputs, sizes, flags = {}, {}, {}
    for name, arg in case_arguments(item, case, answered.answer).items():
        if is_tensor(arg) or isinstance(arg, np.ndarray):
            if to_numpy(arg).dtype.kind in "fiu":
                inputs[name] = to_numpy(arg).astype(float)
        elif isinstance(arg, (bool, str)):
            flags[name] = f"is {arg!r}"
        elif isinstance(arg, numbers.Integral):
            sizes[name] = int(arg)
        elif isinstance(arg, numbers.Real):
            inputs[name] = np.asarray(float(arg))
    others = {
        one.name: np.asarray(to_numpy(answered.expected[number][other]), dtype=float)
        for other, one in enumerate(item.returns)
        if other != place and not isinstance(answered.expected[number][other], str)
    }
    return Pair(
        given=np.asarray(to_numpy(value), dtype=float),
        wanted=np.asarray(to_numpy(right), dtype=float),
        axes=item.returns[place].axes or (),
        truths=to_numpy(right).dtype == bool,
        inputs=inputs,
        others=others,
        sizes={**sizes, **{name: size for name, size in case.sizes.items() if name not in sizes}},
        flags=flags,
        tolerance=item.tolerance,
    )


def _unused(answered, number, lead):
    """See whether the code never uses a number, a True or a False that it is given, and that the result depends on."""
    item, source = answered.item, source_of(answered.answer)
    if item.kind != "function" or source is None:
        return None
    used = {node.id for node in ast.walk(source.definition) if isinstance(node, ast.Name)}
    case = answered.draw()[number]
    names = case_arguments(item, case, answered.answer)
    if set(names) != set(source.parameters):
        return None
    for place, (name, arg) in enumerate(names.items()):
        if name in used or not isinstance(arg, (bool, int, float)):
            continue
        args = list(case.args)
        args[place] = not arg if isinstance(arg, bool) else arg + 1
        try:
            other = as_values(item, item.oracle(*args))
        except Exception:  # no such case can be asked for
            continue
        if not close(item, other, answered.expected[number]):
            return hypotheses.Seen("unused", f"{lead}Your code never uses `{name}`, and the result depends on it.")
    return None


def _depends(answered, number):
    """See whether the result depends on chance, or a row on other rows where it must not."""
    item = answered.item
    if item.kind != "function":
        return None
    once, *again = (as_values(item, item.run(answered.guarded, answered.draw()[number])) for _ in range(5))
    if not all(close(item, once, other) for other in again):
        names = " and ".join(answered.differing(number))
        return hypotheses.Seen("random", f"Calls with the same inputs give different values of {names}.")
    for place, one in enumerate(item.returns):
        if one.axes is None or one.name not in answered.differing(number):
            continue
        found = _row_depends(answered, number, place, to_numpy(once[place]))
        if found is not None:
            return found
    return None


def _row_depends(answered, number, place, whole):
    """See whether the first row of a result changes when the other rows of an input are left out, and must not."""
    item, answer = answered.item, answered.answer
    right = to_numpy(answered.expected[number][place])
    for position, (name, arg) in enumerate(case_arguments(item, answered.draw()[number], answer).items()):
        if (
            getattr(arg, "ndim", 0) < 2
            or right.ndim != arg.ndim
            or arg.shape[-2] != right.shape[-2]
            or right.shape[-2] < 2
        ):
            continue

        def of_first_row(function, position=position):
            case = answered.draw()[number]
            args = list(case.args)
            args[position] = args[position][..., :1, :]
            result = function(Case(tuple(args), case.sizes))
            return to_numpy(as_values(item, result)[place])

        first = (..., slice(1), slice(None))
        try:
            wanted = of_first_row(lambda case: item.oracle(*case.args))
            given = of_first_row(lambda case: item.run(answered.guarded, case))
        except Exception:  # one of them cannot do without the other rows
            continue
        independent = wanted.shape == right[first].shape and np.allclose(wanted, right[first])
        if independent and given.shape == wanted.shape and not np.allclose(given, whole[first]):
            says = f"The first row of {item.returns[place].name} changes when the other rows of {name} are left out: "
            return hypotheses.Seen("depends", says + "each row must come from its own row alone.")
    return None
