"""Describe what wrong values show, whatever the task was.

A trait says what is true of every case that is wrong, not what the learner thought. It is reported only if it explains
enough of the values that differ. Each function in TRAITS yields candidates, the likeliest first: what to say, and the
values that each case must have given for it to be true, or None if the function has already compared them.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from whywrong.evidence import format_value
from whywrong.form import near, sentence_start
from whywrong.pair import Pair, between
from whywrong.task import Finding

ENOUGH = 3  # values that differ, which a trait must explain
EXACT = 1e-9  # how well it must explain them
ALIKE = 1e-7  # how well numbers that are estimated from the values must agree
MOST_TIMES = 8  # how many times a term can be counted wrongly
Seen = partial(Finding, "seen")

Pairs: TypeAlias = list[Pair]
Candidates: TypeAlias = Iterator[tuple[Finding, Iterable[np.ndarray | float | None] | None]]
Trait: TypeAlias = Callable[[Pairs], Candidates]


def find_trait(pairs: Pairs, name: str) -> Finding | None:
    """Return the first of the TRAITS that all wrong cases have, with its whole sentence; or None.

    >>> wanted = np.array([[1.0, 2.0], [3.0, 5.0]])
    >>> find_trait([Pair(2 * wanted, wanted)], "the output").says
    'The output is twice what it should be everywhere.'

    Args:
        pairs: one for each case, for one returned value that is wrong in some of them.
        name: of that value, for the sentence: "the output".
    """
    wrong = [pair for pair in pairs if pair.wrong.any()]
    lead, count_right = sentence_start(name), len(pairs) - len(wrong)
    if not wrong:
        return None
    finding = _find_first(pairs, (is_constant, is_rounded)) if count_right else None
    if finding is not None:
        return replace(finding, says=f"{lead} {finding.says}")
    is_one_bool = count_right and pairs[0].is_boolean and _least_ndim(pairs) == 0  # if wrong, it is the opposite
    finding, condition = _find_first(wrong, (errs_to_one_side,) if is_one_bool else TRAITS), _find_condition(pairs)
    if condition and finding is None:
        when_right, when_wrong = condition
        return Seen("condition", f"{lead} is right {when_right}, and wrong {when_wrong}.", vague=True)
    if count_right:
        where = "; ".join(condition) if condition else f"in {count_right} of {len(pairs)} cases; in the others"
        lead = f"{lead} is right {where} it"
    return finding and replace(finding, says=f"{lead} {finding.says}")


def _find_first(pairs: Pairs, traits: Iterable[Trait]) -> Finding | None:
    """Return the first candidate that predicts what every case gave."""
    given = [pair.given for pair in pairs]
    with np.errstate(all="ignore"):
        for finding, predicted in itertools.chain.from_iterable(trait(pairs) for trait in traits):
            if predicted is None or (all(map(_equal, given, predicted)) and _has_enough(pairs)):
                return finding
    return None


def _equal(given: np.ndarray, predicted: np.ndarray | float | None) -> bool:
    """Return whether two arrays are the same up to rounding; an infinite number equals none."""
    predicted = np.asarray(np.nan if predicted is None else predicted, dtype=float)
    return given.shape == predicted.shape and bool((np.isfinite(predicted) & near(given, predicted, EXACT)).all())


def _has_enough(pairs: Pairs) -> bool:
    return sum(int(pair.wrong.sum()) for pair in pairs) >= ENOUGH


def _find_condition(pairs: Pairs) -> tuple[str, str] | None:
    """Return when cases are right and when they are wrong, if a flag decides it; needs two cases of each at least."""
    right = [pair.flags for pair in pairs if not pair.wrong.any()]
    wrong = [pair.flags for pair in pairs if pair.wrong.any()]
    if min(len(right), len(wrong)) < 2:
        return None
    for flag in pairs[0].flags:
        when_right = {str(flags.get(flag)) for flags in right}
        when_wrong = {str(flags.get(flag)) for flags in wrong}
        decides = len(when_right) == len(when_wrong) == 1 and when_right != when_wrong
        if decides and all(flag in pair.flags for pair in pairs):
            return f"when {flag} {when_right.pop()}", f"when {flag} {when_wrong.pop()}"
    return None


def _least_ndim(pairs: Pairs) -> int:
    return min(pair.wanted.ndim for pair in pairs)


def _everywhere(pairs: Pairs) -> str:
    return " everywhere" if any(pair.wanted.ndim for pair in pairs) else ""


def _name_axes(pairs: Pairs) -> Iterator[tuple[int, str]]:
    """Yield all axes, counted from the end, with their names."""
    names = pairs[0].axes
    for axis in range(-1, -_least_ndim(pairs) - 1, -1):
        name = names[axis] if len(names) >= -axis else "..."
        yield axis, f"the axis {name}" if name != "..." else f"axis {axis}"


def _join(arrays: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([array.ravel() for array in arrays])


# ---- what the values are


def equals_another(pairs: Pairs) -> Candidates:
    """The result is one of the inputs, another of the wanted values, or True for False and False for True.

    >>> X = np.arange(4.0)
    >>> find_trait([Pair(X, X**2 + 1, inputs={"X": X})], "the output").says
    'The output equals the input X, unchanged.'
    """
    for key in pairs[0].inputs:
        yield Seen("equals", f"equals the input {key}, unchanged."), (pair.inputs.get(key) for pair in pairs)
    for key in pairs[0].others:
        yield Seen("equals", f"equals what {key} should be."), (pair.others.get(key) for pair in pairs)
    message = f"is the opposite of what it should be{_everywhere(pairs)}: True and False are swapped."
    yield Seen("swapped", message), (1 - pair.wanted if pair.is_boolean else None for pair in pairs)


def is_constant(pairs: Pairs) -> Candidates:
    """The result is the same number in every case.

    >>> find_trait([Pair(np.zeros(4), np.arange(4.0))], "the output").says
    'The output is 0 everywhere, whatever the inputs are.'
    """
    given, wanted = _join(pair.given for pair in pairs), _join(pair.wanted for pair in pairs)
    enough = ENOUGH if _everywhere(pairs) or given[0] % 1 else 6  # a count may be the same by chance
    if len(given) >= enough and np.ptp(given) == 0 and np.ptp(wanted) != 0:
        value = str(bool(given[0])) if pairs[0].is_boolean else format_value(given[0])
        yield Seen("same", f"is {value}{_everywhere(pairs)}, whatever the inputs are."), None


def equals_a_size(pairs: Pairs) -> Candidates:
    """The result is one of the sizes, whatever the values are.

    >>> pairs = [Pair(np.array(float(n)), np.array(n / 7), sizes={"n": n}) for n in (3, 4, 6)]
    >>> find_trait(pairs, "the loss").says
    'The loss equals the size n in every case, whatever the other inputs are.'
    """
    for name in pairs[0].sizes:
        values = [float(pair.sizes.get(name, -1)) for pair in pairs]
        if len(set(values)) > 1:
            yield Seen("equals", f"equals the size {name} in every case, whatever the other inputs are."), values


SIMPLE_FUNCTIONS = (
    ("sign", "has the opposite sign{}", np.negative),
    ("absolute", "is right except for the sign: negative values have become positive", np.abs),
    ("cut", "is right where it is positive, and 0 where it should be negative", lambda wanted: np.maximum(wanted, 0)),
    ("cut", "is right where it is negative, and 0 where it should be positive", lambda wanted: np.minimum(wanted, 0)),
    ("square", "is the square of what it should be", np.square),
    ("root", "is the square root of what it should be", np.sqrt),
    ("reciprocal", "is 1 divided by what it should be", lambda wanted: 1 / wanted),
    ("complement", "is 1 minus what it should be", lambda wanted: 1 - wanted),
    ("exponential", "is the exponential of what it should be", np.exp),
    ("logarithm", "is the logarithm of what it should be", np.log),
    ("rounded", "is right, but rounded to whole numbers", np.round),
    ("rounded", "has lost everything after the decimal point", np.trunc),
    ("rounded", "is rounded down to whole numbers", np.floor),
    ("rounded", "is rounded up to whole numbers", np.ceil),
)


def is_rounded(pairs: Pairs) -> Candidates:
    """All values are right up to a few decimals; two that differ are enough, as no other number would agree so far.

    >>> wanted = np.array([0.5, 0.333333, 0.666666])
    >>> find_trait([Pair(np.round(wanted, 2), wanted)], "the share").says
    'The share is right, but rounded to 2 decimals: return it as it is.'
    """
    given, wanted = _join(pair.given for pair in pairs), _join(pair.wanted for pair in pairs)
    for n in range(1, 6):
        if sum(pair.wrong.sum() for pair in pairs) > 1 and _equal(given, np.round(wanted, n)):
            says = f"is right, but rounded to {n} decimal{'s' * (n > 1)}: return it as it is."
            yield Seen("rounded", says), None


def is_simple_function(pairs: Pairs) -> Candidates:
    """Every value is the same simple function of the expected one.

    >>> wanted = np.array([0.5, 2.0, 3.0])
    >>> find_trait([Pair(wanted**2, wanted)], "the output").says
    'The output is the square of what it should be.'
    """
    for name, message, function in SIMPLE_FUNCTIONS:
        message = f"{message.format(_everywhere(pairs))}."
        yield Seen(name, message), (function(pair.wanted) for pair in pairs)


# ---- how far they are off


def _shared_numbers(pairs: Pairs, measure: np.ufunc) -> np.ndarray | None:
    """Return for each case the one ratio or difference that all its values share; None if they do not share one.

    Args:
        measure: np.divide or np.subtract, of the given and the wanted values.
    """
    shared = []
    for pair in pairs:
        values = measure(pair.given, pair.wanted).ravel()
        is_telling = np.isfinite(values)
        if measure is np.divide:
            is_telling &= np.abs(pair.wanted).ravel() > 1e-6
        values = values[is_telling]
        if len(values) == 0 or not near(values, values[0], ALIKE).all():
            return None
        shared.append(values[0])
    return np.array(shared)


_TIMES = {2: "twice", 0.5: "half of", 3: "three times", 1 / 3: "a third of", 4: "four times", 0.25: "a quarter of"}


def is_scaled_or_shifted(pairs: Pairs) -> Candidates:
    """Every value is the same multiple of the expected one, or off by the same number.

    >>> wanted = np.array([1.0, 4.0, 9.0])
    >>> find_trait([Pair(wanted / 2, wanted)], "the output").says
    'The output is half of what it should be everywhere.'
    >>> find_trait([Pair(wanted + 0.25, wanted)], "the output").says
    'The output is too large by 0.25 everywhere.'
    """
    ratios, shifts = _shared_numbers(pairs, np.divide), _shared_numbers(pairs, np.subtract)
    if ratios is not None and near(ratios, ratios[0], ALIKE).all() and abs(ratios[0]) >= 1e-9:
        ratio = float(ratios[0])
        words = next(
            (word for number, word in _TIMES.items() if abs(ratio - number) < 1e-6), f"{format_value(ratio)} times"
        )
        finding = Seen("times", f"is {words} what it should be{_everywhere(pairs)}.")
        if abs(ratio - 1) < 0.05:
            asks = "Is something computed in float32?" if abs(ratio - 1) < 1e-6 else "Is a constant rounded?"
            message = f"is {ratio:.6g} times what it should be{_everywhere(pairs)}. {asks}"
            finding = Seen("nearly", message, vague=True)
        yield finding, (ratio * pair.wanted for pair in pairs)
    if shifts is not None and near(shifts, shifts[0], ALIKE).all():
        message = f"is too {_large_or_small(shifts[0])} by {format_value(abs(shifts[0]))}{_everywhere(pairs)}."
        yield Seen("constant", message), (pair.wanted + float(shifts[0]) for pair in pairs)


def _large_or_small(off: float) -> str:
    return "large" if off > 0 else "small"


def _sizes_and_products(pairs: Pairs) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the sizes that vary, in words -> one value for each case, each set of values once; and their products."""
    names = {}
    for name in pairs[0].sizes:
        values = tuple(float(pair.sizes.get(name, 0)) for pair in pairs)
        if min(values) > 0 and len(set(values)) > 1:
            names.setdefault(values, name)
    sizes = {name: np.array(values) for values, name in names.items()}
    products = {}
    for (first, values), (second, others) in itertools.combinations_with_replacement(sizes.items(), 2):
        products[f"{first}²" if first == second else f"{first} · {second}"] = values * others
    return sizes, products


def differs_by_sizes(pairs: Pairs) -> Candidates:
    """Every value is off by a factor, or by a number, computed from the sizes of the case.

    >>> sizes = [{"d": 3, "f": 12}, {"d": 4, "f": 20}, {"d": 6, "f": 8}]
    >>> pairs = [Pair(np.array(100.0 + case["f"]), np.array(100.0), sizes=case) for case in sizes]
    >>> find_trait(pairs, "the count").says
    'The count is too large by f.'
    """
    ratios, shifts = _shared_numbers(pairs, np.divide), _shared_numbers(pairs, np.subtract)
    wanted = [pair.wanted for pair in pairs]
    sizes, products = _sizes_and_products(pairs)
    sums, quotients = {}, {}
    for (first, values), (second, others) in itertools.combinations(sizes.items(), 2):
        sums[f"({first} + {second})"] = values + others
        quotients[f"{first} / {second}"] = values / others
    for words, values in (sizes | products | sums | quotients).items():
        if ratios is not None and (ratios > 0).all():
            yield from _by_a_factor(words, values, ratios, wanted)
        if shifts is not None:
            yield from _by_a_multiple(words, values, shifts, wanted)


def _by_a_factor(words: str, values: np.ndarray, ratios: np.ndarray, wanted: list[np.ndarray]) -> Candidates:
    """Every value is multiplied or divided by a size, or by its square root."""
    for power in (1, -1, 0.5, -0.5):
        if near(ratios, values**power, ALIKE).all():
            factor = words if abs(power) == 1 else f"the square root of {words}"
            message = (
                f"is {factor} times what it should be" if power > 0 else f"is what it should be, divided by {factor}"
            )
            yield Seen("size-factor", f"{message}."), map(np.multiply, wanted, values**power)


def _by_a_multiple(words: str, values: np.ndarray, shifts: np.ndarray, wanted: list[np.ndarray]) -> Candidates:
    """Every value is off by half of a size, by the size, or by up to 12 times the size."""
    count = shifts[0] / values[0]
    is_simple = abs(count) == 0.5 or (abs(count) <= 12 and count == round(count) != 0)
    if is_simple and near(shifts, count * values, ALIKE).all():
        times = {1: "", 0.5: "half of "}.get(abs(count), f"{format_value(abs(count))} · ")
        message = f"is too {_large_or_small(count)} by {times}{words}."
        yield Seen("size-off", message), map(np.add, wanted, count * values)


def differs_by_two_terms(pairs: Pairs) -> Candidates:
    """Every number is off by a sum or a difference of two terms computed from the sizes of the case.

    Solves for two whole numbers, which is fewer unknowns than cases, so the sentence says what was seen.

    >>> sizes = [{"d": 3, "f": 12}, {"d": 4, "f": 20}, {"d": 6, "f": 9}, {"d": 5, "f": 25}]
    >>> pairs = [Pair(np.array(100.0 + 2 * s["f"] - s["d"]), np.array(100.0), sizes=s) for s in sizes]
    >>> find_trait(pairs, "the count").says
    'The count is off by 2 · f − d.'
    """
    off = None if len(pairs) < 4 or _everywhere(pairs) else _shared_numbers(pairs, np.subtract)
    if off is None or not (off == np.round(off)).all():
        return
    sizes, products = _sizes_and_products(pairs)
    terms = sizes | products | {"1": np.ones(len(pairs))}
    wanted = [pair.wanted for pair in pairs]
    for (first, values), (second, others) in itertools.combinations(terms.items(), 2):
        matrix = np.stack([values, others], axis=1)
        solution, _, rank, _ = np.linalg.lstsq(matrix, off, rcond=None)
        counts = np.round(solution)
        is_whole = rank == 2 and near(solution, counts, 1e-6).all()
        if is_whole and counts.all() and np.abs(counts).max() <= MOST_TIMES:
            words = [_multiply_in_words(counts[0], first), _multiply_in_words(counts[1], second)]
            message = f"is too {_large_or_small(counts[0])} by {' + '.join(words)}."
            if counts[0] * counts[1] < 0:
                message = f"is off by {' − '.join(words if counts[0] > 0 else words[::-1])}."
            yield Seen("size-off", message), map(np.add, wanted, matrix @ counts)


def _multiply_in_words(count: float, term: str) -> str:
    return f"{format_value(abs(count))} · {term}".removeprefix("1 · ").removesuffix(" · 1")


# ---- where they are wrong


def is_moved_along_an_axis(pairs: Pairs) -> Candidates:
    """The right values are transposed, or reversed, shifted by one, averaged or summed along an axis.

    >>> wanted = np.array([[1.0, 2.0, 4.0], [7.0, 11.0, 16.0]])
    >>> find_trait([Pair(wanted[:, ::-1], wanted, axes=("n", "d"))], "the output").says
    'The output holds the right values in reverse order along the axis d.'
    """
    if _least_ndim(pairs) >= 2:
        message = "is the transpose of what it should be: rows and columns are swapped."
        yield Seen("transposed", message), (np.swapaxes(pair.wanted, -1, -2) for pair in pairs)
    for axis, name in _name_axes(pairs):
        message = f"holds the right values in reverse order along {name}."
        yield Seen("reversed", message), (np.flip(pair.wanted, axis) for pair in pairs)
        for word, to, source in (("late", slice(1, None), slice(-1)), ("early", slice(-1), slice(1, None))):
            if _is_shifted(pairs, axis, to, source):
                yield Seen("shifted", f"holds the right values one position too {word} along {name}."), None
        for word, reduce in (("mean", np.mean), ("sum", np.sum)):
            message = f"holds the {word} of the right values along {name}, instead of the values themselves."
            predicted = (reduce(pair.wanted, axis, keepdims=True) + 0 * pair.wanted for pair in pairs)
            yield Seen("reduced", message), predicted


def _is_shifted(pairs: Pairs, axis: int, to: slice, source: slice) -> bool:
    """Return whether the given values in one part of an axis are the wanted ones of another part."""
    count_wrong = 0
    for pair in pairs:
        given, wanted, wrong = (array.swapaxes(axis, 0) for array in (pair.given, pair.wanted, pair.wrong))
        if len(wanted) < 3 or not _equal(given[to], wanted[source]):
            return False
        count_wrong += int(wrong[to].sum())
    return count_wrong >= ENOUGH


def is_reordered(pairs: Pairs) -> Candidates:
    """All the right values, in a different order.

    >>> wanted = np.array([1.0, 2.0, 4.0, 7.0])
    >>> find_trait([Pair(wanted[[1, 3, 0, 2]], wanted)], "the output").says
    'The output holds all the right values, but in a different order.'
    """
    if pairs[0].is_boolean:
        return
    for pair in pairs:
        given, wanted = np.sort(pair.given, axis=None), np.sort(pair.wanted, axis=None)
        if len(np.unique(wanted)) < ENOUGH or not _equal(given, wanted):
            return
    yield Seen("order", "holds all the right values, but in a different order."), None


def is_wrong_at_one_end(pairs: Pairs) -> Candidates:
    """Only the first or the last position of an axis is wrong, or only that is right.

    >>> wanted = np.arange(12.0).reshape(4, 3)
    >>> given = np.vstack([wanted[0] ** 2 + 5, wanted[1:]])
    >>> find_trait([Pair(given, wanted, axes=("n", "d"))], "the output").says
    'The output is wrong only at the first position along the axis n.'
    """
    for axis, name in _name_axes(pairs):
        wrong = [pair.wrong.swapaxes(axis, 0).reshape(pair.wanted.shape[axis], -1).any(axis=1) for pair in pairs]
        if min(map(len, wrong)) < 3:
            continue
        for place, word in ((0, "first"), (-1, "last")):
            ends = [places[place] for places in wrong]
            rest = [np.delete(places, place) for places in wrong]
            if not any(places.any() for places in rest):
                yield Seen("one-end", f"is wrong only at the {word} position along {name}."), None
            if all(places.all() for places in rest) and not any(ends):
                yield Seen("one-end", f"is right only at the {word} position along {name}."), None


def depends_on_an_input(pairs: Pairs) -> Candidates:
    """Right where an input is large and wrong where it is small, or the other way round; also by its absolute value.

    >>> x = np.arange(-4.0, 5.0)
    >>> find_trait([Pair(np.where(x < 0, np.sin(x), x), x, inputs={"x": x})], "the output").says
    'The output is wrong where x is below −0.5, and right above that.'
    """
    wrong = _join(pair.wrong for pair in pairs)
    for key in pairs[0].inputs:
        if any(getattr(pair.inputs.get(key), "shape", None) != pair.wanted.shape for pair in pairs):
            continue
        inputs = _join(pair.inputs[key] for pair in pairs)
        if min(wrong.sum(), (inputs[~wrong] != 0).sum()) < ENOUGH:  # at 0 it may be right by chance
            continue
        for values, below, above in (
            (inputs, f"where {key} is below {{}}", "above that"),
            (np.abs(inputs), f"where {key} lies between −{{0}} and {{0}}", "outside that range"),
        ):
            for is_low, first, second in ((wrong, "wrong", "right"), (~wrong, "right", "wrong")):
                border = between(values[is_low].max(), values[~is_low].min())
                if border is not None:
                    message = f"is {first} {below.format(format_value(border))}, and {second} {above}."
                    yield Seen("where", message, vague=True), None


# ---- traits that say little


def is_near_or_out_of_range(pairs: Pairs) -> Candidates:
    """The values are off by less than one part in a hundred, or of a kind that is never expected.

    >>> find_trait([Pair(np.array([0.3, -0.2, 0.4, 0.1]), np.array([0.2, 0.9, 0.5, 0.7]))], "the output").says
    'The output falls below 0, but no value here should.'
    """
    given, wanted = _join(pair.given for pair in pairs), _join(pair.wanted for pair in pairs)
    if pairs[0].is_boolean or len(wanted) < ENOUGH:
        return
    is_whole = (wanted == np.round(wanted)).all()
    if not is_whole:
        yield from _is_nearly_right(pairs)
    if wanted.min() >= 0 > given.min():
        yield Seen("negative", "falls below 0, but no value here should.", vague=True), None
    if wanted.min() >= 0 and wanted.max() <= 1 < given.max():
        message = f"reaches {format_value(given.max())}, but every value here should lie between 0 and 1."
        yield Seen("above-one", message, vague=True), None
    is_rounded_right = any((rounding(given) == wanted).all() for rounding in (np.round, np.floor, np.ceil))
    if is_whole and (given != np.round(given)).any() and is_rounded_right:
        yield Seen("fraction", "has a fraction, but only whole numbers are expected here.", vague=True), None


def _is_nearly_right(pairs: Pairs) -> Candidates:
    """All values are off by less than one part in a hundred of the largest one of their case."""
    largest = [np.abs(pair.wanted).max() for pair in pairs]
    if min(largest) <= 0:
        return
    off = max(np.abs(pair.given - pair.wanted).max() / most for pair, most in zip(pairs, largest, strict=True))
    for percent in (0.0001, 0.001, 0.01, 0.1, 1):
        if 100 * off < percent:
            asks = "Is a constant rounded, or a formula only approximate?"
            if percent < 0.001:
                asks = "float32 loses about that much: is something computed in float32?"
            message = f"is nearly right: it is off by less than {percent:g} % of its largest value. {asks}"
            yield Seen("nearly", message, vague=True), None


def errs_to_one_side(pairs: Pairs) -> Candidates:
    """Every value that differs is too large, or every one is too small.

    >>> find_trait([Pair(np.array([4.0, 9.0, 5.0]), np.array([1.0, 8.0, -3.0]))], "the output").says
    'The output is too large wherever it is wrong.'
    """
    off = np.concatenate([(pair.given - pair.wanted)[pair.wrong] for pair in pairs])
    if len(off) >= ENOUGH and ((off > 0).all() or (off < 0).all()):
        where = " wherever it is wrong" if _least_ndim(pairs) else ""
        message = f"is too {_large_or_small(off[0])}{where}."
        if pairs[0].is_boolean:
            message = f"is {off[0] > 0}{where}{f', so it is {off[0] > 0} too often' if where else ''}."
        yield Seen("one-side", message, vague=True), None


OF_VALUES = (
    equals_another,
    is_constant,
    equals_a_size,
    is_simple_function,
    is_rounded,
    is_scaled_or_shifted,
    differs_by_sizes,
    differs_by_two_terms,
)
OF_PLACES = (
    is_moved_along_an_axis,
    is_reordered,
    is_wrong_at_one_end,
    depends_on_an_input,
)
TRAITS = (*OF_VALUES, *OF_PLACES, is_near_or_out_of_range, errs_to_one_side)
