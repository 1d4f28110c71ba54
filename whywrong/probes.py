"""Learn about a wrong answer by running it: compare it with mistakes of its exercise, and try other inputs."""

import ast
import functools
import math
import numbers
import re
from collections import Counter
from functools import partial

import numpy as np

from whywrong import traits
from whywrong.answer import Answer
from whywrong.boxes import find_recipe
from whywrong.evidence import case_arguments, find_unused_argument
from whywrong.form import as_values, close, close_one, is_array, is_tensor, near, to_numpy
from whywrong.task import Case, Finding, Mistake
from whywrong.traits import ENOUGH, Pair

# ---- the named mistakes of the exercise


def _once(find):
    """Run a probe only once for each answer, although several stages need it."""

    @functools.wraps(find)
    def found(answer):
        if find not in answer.probed:
            answer.probed[find] = find(answer)
        return answer.probed[find]

    return found


@_once
def mistake(answer: Answer) -> Mistake | None:
    """Return the mistake that gives what the answer gave, in every case of five seeds."""
    return find_mistake_of(answer, answer.guarded)


def find_mistake_of(answer: Answer, code: object) -> Mistake | None:
    """Return the mistake that gives what some code gives, in every case of five seeds.

    Args:
        answer: to the same exercise.
        code: the answer itself, or with one change.
    """
    given = answer.given if code is answer.guarded else None
    alike = [one for one in answer.item.mistakes if _gives_the_same(one, answer, code, answer.seed, given)]
    alike = [one for one in alike if all(_gives_the_same(one, answer, code, seed) for seed in answer.seeds[1:])]
    if len(alike) > 1:  # weights, for example, that compute the same
        alike.sort(key=lambda one: not _returns_the_same(one, answer, code))
    return alike[0] if alike else None


def _returns_the_same(mistake, answer, code):
    """Return whether a mistake returns the very parts that some code returns, before the check computes with them."""
    try:
        both = [[one(*case.args) for case in answer.cases()] for one in (code, mistake.answer)]
        parts = (zip(*pair, strict=True) for pair in zip(*both, strict=True))
        return all(np.allclose(to_numpy(one), to_numpy(other)) for pair in parts for one, other in pair)
    except Exception:  # no such parts
        return False


def _gives_the_same(mistake, answer, code, seed, given=None):
    try:
        given = _run_all(answer, code, seed) if given is None else given
        return all(map(partial(close, answer.item), given, _values_of(answer, mistake, seed)))
    except Exception:  # one of them cannot be run on these cases, so it is not this mistake
        return False


def _values_of(answer, mistake, seed):
    """Return what a mistake gives in each case of a seed; computed once for each answer, because several stages ask."""
    key = mistake.name, seed
    if key not in answer.probed:
        answer.probed[key] = None
        answer.probed[key] = _run_all(answer, mistake.answer, seed)
    if answer.probed[key] is None:
        raise ValueError(f"The mistake {mistake.name!r} cannot be run on the cases of seed {seed}.")
    return answer.probed[key]


def _run_all(answer, code, seed):
    """Return what some code gives, as a tuple of values for each case of a seed."""
    return [as_values(answer.item, answer.item.run(code, case)) for case in answer.cases(seed)]


@_once
def finite_is_right(answer: Answer) -> bool:
    """Return whether values that are NaN are all that is wrong."""
    given = _raw(answer, answer.handed_in)
    if given is None:
        return False
    wanted = [as_values(answer.item, answer.item.oracle(*case.args)) for case in answer.cases()]
    finite = False
    for values, rights in zip(given, wanted, strict=True):
        for value, right in zip(values, rights, strict=True):
            right, known = np.asarray(to_numpy(right), dtype=float), np.isfinite(value)
            if value.shape != right.shape or not (near(value, right, answer.item.tolerance) | ~known).all():
                return False
            finite = finite or bool(known.any())
    return finite


def mistake_with_nan(answer: Answer) -> Mistake | None:
    """Return the mistake that gives NaN in the same places as the answer."""
    given = _raw(answer, answer.handed_in)
    for one in answer.item.mistakes if given is not None else ():
        wrong = _raw(answer, one.answer)
        if wrong is not None and all(map(_alike, given, wrong)):
            return one
    return None


def _raw(answer, code):
    """Return the values of all cases as float arrays, NaN or not; None where there are none."""
    try:
        with np.errstate(all="ignore"):
            found = [as_values(answer.item, answer.item.run(code, case)) for case in answer.cases()]
            return [[np.asarray(to_numpy(value), dtype=float) for value in values] for values in found]
    except Exception:
        return None


def _alike(one, other):
    return len(one) == len(other) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


_RIGHT_BUT = re.compile(r"^[^.:]*? (?:is|are) right, but (?:in \w+, )?")  # what a sentence says of other parts


def in_parts(answer: Answer) -> Finding | None:
    """Name a mistake for each of several returned values that are wrong, if no mistake explains them all."""
    item, found, fitting = answer.item, {}, []
    cases = range(len(answer.given))
    wrong = [one.name for one in item.returns if any(one.name in answer.differing(number) for number in cases)]
    for one in item.mistakes if len(wrong) > 1 else ():
        message = _RIGHT_BUT.sub("", one.message)
        if one.says_right and message == one.message:
            continue
        try:
            values = [as_values(item, item.run(one.answer, case)) for case in answer.cases()]
        except Exception:
            continue
        places = [
            place
            for place, returned in enumerate(item.returns)
            if not all(
                close_one(returned, value[place], right[place], item.tolerance)
                for value, right in zip(values, answer.expected, strict=True)
            )
        ]
        if all(_explained(answer, place, values) for place in places):
            fitting.append(([item.returns[place].name for place in places], message))
    for names, message in sorted(fitting, key=lambda one: -len(one[0])):  # what several parts share comes first
        if found.keys().isdisjoint(names):
            found |= dict.fromkeys(names, message)
    if not found:
        return None
    found = {name: found[name] for name in wrong if name in found}
    says = [
        f"In {' and '.join(_quoted(name) for name, one in found.items() if one == message)}: {message}"
        for message in dict.fromkeys(found.values())
    ]
    unknown = [_quoted(name) for name in wrong if name not in found]
    rest = f"{' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} wrong too."
    says += [rest[0].upper() + rest[1:]] if unknown else []
    return Finding("seen", "parts", " ".join(says), about=tuple(found))


_CHANGES = {  # in words -> a value of a mistake -> what the answer gave
    "its sign": lambda value: -value,
    "a factor of 2": lambda value: 2 * value,
    "a factor of ½": lambda value: value / 2,
    "a factor of 100, as in a percentage": lambda value: 100 * value,
    "the order of its rows, which is reversed": lambda value: value[::-1] if value.ndim else None,
}


def mistake_and_more(answer: Answer) -> Finding | None:
    """Name the mistake that gives the same values except for one simple change, at five seeds.

    The change need not be wrong: F1 without its denominator is twice the hits, and the 2 belongs there.
    """
    words, mistake = _find_changed_mistake(answer, _CHANGES)
    if mistake is None:
        return None
    says = f"Apart from {words}, {answer.item.returns[0].name} is what a known mistake gives: {mistake.message}"
    return Finding("seen", "mistake-and-more", says)


def _find_changed_mistake(answer, changes):
    """Return the words of a change and the mistake whose values it makes the answer's, at five seeds; or two Nones."""
    item, given = answer.item, {answer.seed: answer.given}
    single = len(item.returns) == 1 and not isinstance(answer.expected[0][0], str)
    for one in item.mistakes if single else ():
        left = {} if one.two or one.says_right else changes
        for seed in answer.seeds if left else ():
            try:
                given[seed] = given.get(seed) or _run_all(answer, answer.guarded, seed)
                values = _values_of(answer, one, seed)
            except Exception:  # one of them cannot be run on these cases
                left = {}
            left = {words: change for words, change in left.items() if _is_changed(change, given[seed], values, item)}
            if not left:
                break
        if left:
            return next(iter(left)), one
    return None, None


def _is_changed(change, given, values, item):
    """Return whether the values that were given are those of a mistake, changed; and not one number everywhere."""
    numbers = set()
    for (got,), (value,) in zip(given, values, strict=True):
        got, changed = np.asarray(to_numpy(got), dtype=float), change(np.asarray(to_numpy(value), dtype=float))
        if changed is None or got.shape != changed.shape or not near(got, changed, item.tolerance).all():
            return False
        numbers |= {*np.round(got, 9).ravel().tolist()}
    return len(numbers) >= (ENOUGH if numbers - {0.0, 1.0} else 2)


def swapped_truths(answer: Answer) -> Finding | None:
    """See whether flipping every True and False would be closer to the right answer."""
    if len(answer.item.returns) > 1 or to_numpy(answer.expected[0][0]).dtype != bool:
        return None
    _, mistake = _find_changed_mistake(answer, {"": lambda value: 1 - value})
    if mistake is not None:
        says = f"True and False are swapped: return the opposite. One mistake is then left: {mistake.message}"
        return Finding("seen", "swapped", says)
    given, wanted = (
        np.concatenate([np.ravel(to_numpy(one[0])) for one in all_]) for all_ in (answer.given, answer.expected)
    )
    what = "boxes" if find_recipe(answer.case) is not None else "values"
    count, opposite = len(given), int((given != wanted).sum())
    if count // 2 < opposite < count and (count - opposite) * 10 <= count:
        says = f"True and False are swapped: if you return the opposite, {opposite} of {count} {what} are right."
        return Finding("seen", "swapped", says)
    trues, missed = int(wanted.sum()), int((wanted & ~given).sum())
    if trues == missed >= ENOUGH and 4 * int(given.sum()) >= count - trues:
        says = f"True and False seem to be swapped: {trues} {what} should be True, but you said False for all of them, "
        return Finding(
            "seen", "swapped", f"{says}and True for {int(given.sum())} others. Start by returning the opposite."
        )
    return None


def _explained(answer, place, values):
    """Return whether a mistake gives the same value as the answer at one place in every case, and not by chance."""
    one, tolerance = answer.item.returns[place], answer.item.tolerance
    if len(np.unique(np.concatenate([np.ravel(to_numpy(got[place])) for got in answer.given]))) < ENOUGH:
        return False
    return all(
        close_one(one, got[place], value[place], tolerance) for got, value in zip(answer.given, values, strict=True)
    )


def _quoted(name):
    return name if " " in name else f"`{name}`"


# ---- what its values show


@_once
def trait(answer: Answer) -> Finding | None:
    """Return what the values show, for the first returned value about which something can be said."""
    item = answer.item
    for place, one in enumerate(item.returns):
        values = [(got[place], right[place]) for got, right in zip(answer.given, answer.expected, strict=True)]
        if isinstance(values[0][1], str) or all(close_one(one, *pair, item.tolerance) for pair in values):
            continue
        pairs = [_pair(answer, place, number, case, *values[number]) for number, case in enumerate(answer.cases())]
        found = traits.find_trait(pairs, one.name)
        if found is not None:
            return found
    return None


def _pair(answer, place, number, case, value, right):
    item = answer.item
    inputs, sizes, flags = {}, {}, {}
    for name, arg in case_arguments(item, case, answer.handed_in).items():
        if is_array(arg):
            if to_numpy(arg).dtype.kind in "fiu":
                inputs[name] = to_numpy(arg).astype(float)
        elif isinstance(arg, (bool, str)):
            flags[name] = f"is {arg!r}"
        elif isinstance(arg, numbers.Integral):
            sizes[name] = int(arg)
        elif isinstance(arg, numbers.Real):
            inputs[name] = np.asarray(float(arg))
    others = {
        one.name: np.asarray(to_numpy(answer.expected[number][other]), dtype=float)
        for other, one in enumerate(item.returns)
        if other != place and not isinstance(answer.expected[number][other], str)
    }
    return Pair(
        given=np.asarray(to_numpy(value), dtype=float),
        wanted=np.asarray(to_numpy(right), dtype=float),
        axes=item.returns[place].axes or (),
        is_boolean=to_numpy(right).dtype == bool,
        inputs=inputs,
        others=others,
        sizes={**sizes, **{name: size for name, size in case.sizes.items() if name not in sizes}},
        flags=flags,
        tolerance=item.tolerance,
    )


# ---- what other inputs show


def unused(answer: Answer) -> Finding | None:
    """See whether the code never uses an argument that the result depends on."""
    says = find_unused_argument(answer.item, answer.handed_in, answer.case)
    return Finding("seen", "unused", says) if says else None


def computed_in_vain(answer: Answer) -> Finding | None:
    """See whether the code computes something that it never uses; where the values show more, that may be left over."""
    says = describe_unused_name(answer)
    return Finding("seen", "computed-in-vain", says) if says else None


def describe_unused_name(answer: Answer) -> str:
    """Say which name the code computes and never uses; "" if there is none."""
    source = answer.fix_search.source if answer.is_code else None
    nodes = [*ast.walk(source.definition)] if source is not None else []
    count = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    attributes = [part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body]  # read with a dot
    for node in nodes:
        if isinstance(node, ast.Assign) and node not in attributes and not isinstance(node.value, ast.Constant):
            target = node.targets[0]
            if isinstance(target, ast.Name) and count[target.id] == 1 and not target.id.startswith("_"):
                return f"Your code computes `{target.id}`, but never uses it."
    return ""


def depends(answer: Answer) -> Finding | None:
    """See whether the result is random, or a row depends on other rows although it must not."""
    item, number = answer.item, answer.number
    if item.kind != "function":
        return None
    once, *again = (as_values(item, item.run(answer.guarded, answer.case)) for _ in range(5))
    if not all(close(item, once, other) for other in again):
        names = " and ".join(answer.differing(number))
        return Finding(
            "seen", "random", f"Calling your function again with the same inputs gives different values of {names}."
        )
    for place, one in enumerate(item.returns):
        if one.axes is None or one.name not in answer.differing(number):
            continue
        found = _row_depends(answer, place, to_numpy(once[place]))
        if found is not None:
            return found
    return None


def _row_depends(answer, place, whole):
    """See whether the first row of a result changes when the other rows of an input are left out, and must not."""
    item = answer.item
    right = to_numpy(answer.expected[answer.number][place])
    for position, (name, arg) in enumerate(answer.arguments().items()):
        if (
            getattr(arg, "ndim", 0) < 2
            or right.ndim != arg.ndim
            or arg.shape[-2] != right.shape[-2]
            or right.shape[-2] < 2
        ):
            continue

        def run_with(function, change, position=position):
            case = answer.case
            args = list(case.args)
            args[position] = change(args[position])
            return to_numpy(as_values(item, function(Case(tuple(args), case.sizes)))[place])

        try:
            wanted = run_with(lambda case: item.oracle(*case.args), _first_row)
            given = run_with(partial(item.run, answer.guarded), _first_row)
            independent = wanted.shape == _first_row(right).shape and np.allclose(wanted, _first_row(right))
            if not independent or given.shape != wanted.shape or np.allclose(given, _first_row(whole)):
                continue
            changes = [partial(_change_row, row=row) for row in range(arg.shape[-2])]
            runs = [run_with(partial(item.run, answer.guarded), change) for change in changes]
        except Exception:  # one of them cannot run without the other rows, or with a different row
            continue
        uses = np.stack([_differing_rows(run, whole) for run in runs], axis=1)
        return _explain_rows(uses, item.returns[place].name, name)
    return None


def _explain_rows(uses, result, name):
    """Say which rows of an input the rows of a result come from: uses[i, j] says whether row i changes with row j."""
    says = f"The first row of {result} changes when the other rows of {name} are left out, but "
    one_each = (uses.sum(axis=0) == 1).all() and (uses.sum(axis=1) == 1).all()
    if not one_each:
        is_mixed = (uses & ~np.eye(len(uses), dtype=bool)).any()
        return Finding("seen", "depends", says + "each row must depend only on its own row.") if is_mixed else None
    order, in_order = uses.argmax(axis=1), np.arange(len(uses))
    if (order == in_order).all():
        return Finding("seen", "depends", says + "it must depend only on its own row, however many rows there are.")
    says = f"Row 0 of {result} is computed from row {order[0]} of {name}, and row 1 from row {order[1]}"
    says = f"{says}, but the rows must keep their order."
    if (order == in_order[::-1]).all():
        says = f"The rows of {result} are in reverse order: the first one is computed from the last row of {name}."
    return Finding("seen", "rows-moved", f"{says} Other things may be wrong too.")


def _first_row(array):
    return array[..., :1, :]


def _change_row(arg, row):
    """Return a copy of an array in which each number of one row is another, and their order is reversed."""
    changed = arg.clone() if is_tensor(arg) else arg.copy()
    changed[..., row, :] = 0.4 - 1.3 * changed[..., row, :]
    return changed


def _differing_rows(given, whole):
    """Return for each row whether it differs."""
    differing = (np.abs(given - whole) > 1e-9).any(axis=-1)
    return differing.reshape(-1, differing.shape[-1]).any(axis=0)


def growth(answer: Answer) -> Finding | None:
    """See whether the result grows at the wrong rate when all whole numbers that go in are doubled."""
    item, case = answer.item, answer.case
    if item.kind != "function" or not item.fresh or any(one.axes is not None for one in item.returns):
        return None
    whole = [isinstance(arg, numbers.Integral) and not isinstance(arg, bool) for arg in case.args]
    if sum(whole) < 2 or not all(isinstance(arg, numbers.Real) for arg in case.args):
        return None
    doubled = tuple(2 * arg if is_whole else arg for arg, is_whole in zip(case.args, whole, strict=True))
    try:
        wanted = as_values(item, item.oracle(*doubled))
        given = as_values(item, item.run(answer.guarded, Case(doubled, case.sizes)))
    except Exception:  # such a case is not possible
        return None
    for place, one in enumerate(item.returns):
        before = float(answer.given[answer.number][place]), float(answer.expected[answer.number][place])
        after = float(given[place]), float(wanted[place])
        if min(*before, *after) <= 0:
            continue
        yours, right = (late / early for late, early in zip(after, before, strict=True))
        apart, own = math.log2(yours / right), math.log2(yours)
        plain = min(abs(apart - round(apart)), abs(own - round(own))) < 0.05  # several terms say nothing about a factor
        if plain and abs(apart) > 0.6:
            few = "a sum where you meant a product, or one quotient too many"
            asks = few if yours < right else "one factor or power too many"
            says = (
                f"When all sizes double, {one.name} becomes {yours:.3g} times as large in your code, but should become "
            )
            return Finding("seen", "growth", f"{says}{right:.3g} times as large. Is there {asks}?")
    return None
