"""What can be seen of any wrong answer: hypotheses that fit any exercise.

A hypothesis says what was seen in every case that is wrong, and not what the learner thought: so its sentence is true.
It speaks only where it explains enough values that differ.
"""

import itertools

import numpy as np

from course_lib.arguments import spreads
from course_lib.grading.by_size import by_two_terms, is_a_size
from course_lib.grading.compare import near, sentence_start
from course_lib.grading.evidence import written
from course_lib.grading.pairs import ENOUGH, Pair, Seen, axis_name, depth, equal, everywhere, explains
from course_lib.grading.partly import PARTLY, to_one_side


def seen(pairs: list[Pair], name: str) -> Seen | None:
    """Return the first hypothesis that fits all cases that are wrong, with its whole sentence; or None.

    Args:
        pairs: one for each case, for one returned value that is wrong somewhere.
        name: of that value, for the sentence: "the output".
    """
    wrong = [pair for pair in pairs if pair.wrong.any()]
    if not wrong:
        return None
    start, count = sentence_start(name), len(pairs) - len(wrong)
    one_truth = count > 0 and pairs[0].truths and depth(pairs) == 0  # wherever it is wrong, it is the opposite
    if count > 0:
        same = always_the_same(pairs)
        if same is not None:
            return Seen(same.name, f"{start} {same.says}.")
    with np.errstate(all="ignore"):
        found = next(filter(None, (test(wrong) for test in ((to_one_side,) if one_truth else TESTS))), None)
    if count == 0:
        return found and Seen(found.name, f"{start} {found.says}.{found.asks}")
    condition = _condition(pairs)
    if condition is not None:
        right, other = condition
        if found is None:
            return Seen("condition", f"{start} is right {right}, and wrong {other}.")
        return Seen(found.name, f"{start} is right {right}; {other} it {found.says}.{found.asks}")
    lead = f"{start} is right in {count} of {len(pairs)} cases; in the others it"
    return found and Seen(found.name, f"{lead} {found.says}.{found.asks}")


def _condition(pairs):
    """Return when the cases are right and when they are wrong, where one of their flags tells; two of each at least."""
    count = sum(bool(pair.wrong.any()) for pair in pairs)
    if min(count, len(pairs) - count) < 2:
        return None
    for flag in pairs[0].flags:
        if not all(flag in pair.flags for pair in pairs):
            continue
        right, wrong = (
            list(dict.fromkeys(str(pair.flags[flag]) for pair in pairs if pair.wrong.any() == bad))
            for bad in (False, True)
        )
        if not set(right) & set(wrong) and len(right) == len(wrong) == 1:
            return f"when {flag} {right[0]}", f"when {flag} {wrong[0]}"
    return None


def equals_another(pairs):
    """What comes back is one of the inputs, or another of the wanted values."""
    for kind in ("inputs", "others"):
        for key in getattr(pairs[0], kind):
            if explains(pairs, lambda pair, kind=kind, key=key: getattr(pair, kind).get(key)):
                what = f"the input {key}, unchanged" if kind == "inputs" else f"what {key} must be"
                return Seen("equals", f"equals {what}")
    return None


def swapped_truths(pairs):
    """True and False are swapped."""
    if all(pair.truths for pair in pairs) and explains(pairs, lambda pair: 1 - pair.wanted):
        return Seen("swapped", f"is the opposite of what it must be{everywhere(pairs)}: True and False are swapped")
    return None


OF_THE_EXPECTED = (
    ("sign", "has the opposite sign", lambda wanted: -wanted),
    ("absolute", "is right but for the sign: negative values have become positive", np.abs),
    ("cut", "is right where it is positive, and 0 where it must be negative", lambda wanted: np.maximum(wanted, 0)),
    ("cut", "is right where it is negative, and 0 where it must be positive", lambda wanted: np.minimum(wanted, 0)),
    ("square", "is the square of what it must be", np.square),
    ("root", "is the square root of what it must be", np.sqrt),
    ("reciprocal", "is 1 divided by what it must be", lambda wanted: 1 / wanted),
    ("complement", "is 1 minus what it must be", lambda wanted: 1 - wanted),
    ("exponential", "is the exponential of what it must be", np.exp),
    ("logarithm", "is the logarithm of what it must be", np.log),
    ("rounded", "is right up to rounding to whole numbers", np.round),
    ("rounded", "has lost what stands behind the decimal point", np.trunc),
    ("rounded", "is rounded down to whole numbers", np.floor),
    ("rounded", "is rounded up to whole numbers", np.ceil),
    *(
        ("rounded", f"is right up to rounding to {n} decimals", lambda wanted, n=n: np.round(wanted, n))
        for n in range(1, 6)
    ),
)


def of_the_expected(pairs):
    """Every value is the same simple function of the expected one."""
    for key, says, function in OF_THE_EXPECTED:
        if explains(pairs, lambda pair, function=function: function(pair.wanted)):
            return Seen(key, says + (everywhere(pairs) if key == "sign" else ""))
    return None


def _each(pairs, measure):
    """Return the one number of each case that all of its informative values share; None where they do not."""
    found = []
    for pair in pairs:
        values = np.ravel(measure(pair))
        values = values[np.isfinite(values)]
        if len(values) == 0 or not near(values, values[0], 1e-7).all():
            return None
        found.append(values[0])
    return np.array(found)


def _ratios(pairs):
    return _each(pairs, lambda pair: np.where(np.abs(pair.wanted) > 1e-6, pair.given / pair.wanted, np.nan))


def times(pairs):
    """Every value is the same multiple of the expected one."""
    ratios = _ratios(pairs)
    if ratios is None or not near(ratios, ratios[0], 1e-7).all() or abs(ratios[0]) < 1e-9:
        return None
    factor = float(ratios[0])
    if not explains(pairs, lambda pair: factor * pair.wanted):
        return None
    if abs(factor - 1) < 0.05:
        says = f"is {factor:.6g} times what it must be{everywhere(pairs)}"
        return Seen("nearly", says, " Is a constant rounded?")
    known = {2: "twice", 0.5: "half of", 3: "three times", 1 / 3: "a third of", 4: "four times", 0.25: "a quarter of"}
    words = next((word for value, word in known.items() if abs(factor - value) < 1e-6), f"{written(factor)} times")
    return Seen("times", f"is {words} what it must be{everywhere(pairs)}")


def constant_off(pairs):
    """Every value is off by the same number."""
    shifts = _each(pairs, lambda pair: pair.given - pair.wanted)
    if shifts is None or not near(shifts, shifts[0], 1e-7).all():
        return None
    shift = float(shifts[0])
    if not explains(pairs, lambda pair: pair.wanted + shift):
        return None
    return Seen("constant", f"is too {'large' if shift > 0 else 'small'} by {written(abs(shift))}{everywhere(pairs)}")


def by_sizes(pairs):
    """Every value is off by a factor, or by a number, that is made of the sizes of the case."""
    ratios, shifts = _ratios(pairs), _each(pairs, lambda pair: pair.given - pair.wanted)
    for words, values in _made_of_sizes(pairs):
        if ratios is not None and (ratios > 0).all():
            for power, text in ((1, "{} times what it must be"), (-1, "what it must be, divided by {}")):
                if _same(ratios, values**power, pairs, lambda pair, q: pair.wanted * q):
                    return Seen("size-factor", "is " + text.format(words))
            for power, text in ((0.5, "{} times what it must be"), (-0.5, "what it must be, divided by {}")):
                if _same(ratios, values**power, pairs, lambda pair, q: pair.wanted * q):
                    return Seen("size-factor", "is " + text.format(f"the square root of {words}"))
        if shifts is not None:
            count = shifts[0] / values[0]
            simple = abs(count) == 0.5 or (abs(count) <= 12 and count == round(count) != 0)
            if simple and _same(shifts, count * values, pairs, lambda pair, q: pair.wanted + q):
                times_it = {1: "", 0.5: "half of "}.get(abs(count), f"{written(abs(count))} · ")
                return Seen("size-off", f"is too {'large' if count > 0 else 'small'} by {times_it}{words}")
    return None


def _same(found, supposed, pairs, change):
    place = {id(pair): number for number, pair in enumerate(pairs)}
    return bool(near(found, supposed, 1e-7).all()) and explains(
        pairs, lambda pair: change(pair, supposed[place[id(pair)]])
    )


def _made_of_sizes(pairs):
    """Yield words and values of what can be made of the sizes: each alone, products of two, sums of two."""
    named, known = [], set()
    for name in pairs[0].sizes:
        values = tuple(float(pair.sizes.get(name, 0)) for pair in pairs)
        if min(values) > 0 and len(set(values)) > 1 and values not in known:
            known.add(values)
            named.append((name, np.array(values)))
    yield from named
    for (one, a), (other, b) in itertools.combinations_with_replacement(named, 2):
        yield (f"{one}²" if one == other else f"{one} · {other}"), a * b
    for (one, a), (other, b) in itertools.combinations(named, 2):
        yield f"({one} + {other})", a + b
    for (one, a), (other, b) in itertools.combinations(named, 2):
        yield f"{one} / {other}", a / b


def by_an_input(pairs):
    """Every value would be right if an input were added, taken away, multiplied or divided by."""
    for key in pairs[0].inputs:
        arrays = [pair.inputs.get(key) for pair in pairs]
        if any(array is None or array.size == 0 for array in arrays):
            continue
        if not all(spreads(array.shape, pair.wanted.shape) for array, pair in zip(arrays, pairs, strict=True)):
            continue
        for says, change in (
            ("would be right with {} added", lambda pair, a: pair.wanted - a),
            ("would be right with {} taken away", lambda pair, a: pair.wanted + a),
            ("would be right with {} added twice", lambda pair, a: pair.wanted - 2 * a),
            ("would be right with {} taken away twice", lambda pair, a: pair.wanted + 2 * a),
            (
                "would be right if it were divided by {}, value by value",
                lambda pair, a: np.where(a == 0, np.nan, pair.wanted * a),
            ),
            ("would be right if it were multiplied by {}, value by value", lambda pair, a: pair.wanted / a),
        ):
            if explains(pairs, lambda pair, key=key, change=change: change(pair, pair.inputs[key])):
                return Seen("input-off", says.format(key))
    return None


def by_rows(pairs):
    """The difference, or the ratio, is the same in all rows or within each row."""
    if depth(pairs) < 2 or pairs[0].truths or min(min(pair.wanted.shape[-2:]) for pair in pairs) < 2:
        return None
    for says, axis, measure in (
        ("is off by the same numbers in every row", -2, lambda pair: pair.given - pair.wanted),
        ("is off by one number for each row", -1, lambda pair: pair.given - pair.wanted),
        ("is off by one factor for each column", -2, lambda pair: pair.given / pair.wanted),
        ("is off by one factor for each row", -1, lambda pair: pair.given / pair.wanted),
    ):
        found = [measure(pair) for pair in pairs]
        alike = all(np.isfinite(one).all() and near(one, np.take(one, [0], axis), 1e-7).all() for one in found)
        if alike and sum(int(pair.wrong.sum()) for pair in pairs) >= ENOUGH:
            return Seen("by-rows", says)
    return None


def transposed(pairs):
    """A square result is the transpose of the expected one."""
    square = depth(pairs) >= 2 and all(pair.wanted.shape[-1] == pair.wanted.shape[-2] for pair in pairs)
    if square and explains(pairs, lambda pair: np.swapaxes(pair.wanted, -1, -2)):
        return Seen("transposed", "is the transpose of what it must be: rows and columns are swapped")
    return None


def along_an_axis(pairs):
    """The right values in reverse order, one place too far, or averaged or added up, along an axis."""
    for axis in range(-1, -depth(pairs) - 1, -1):
        where = axis_name(pairs, axis)
        if explains(pairs, lambda pair, axis=axis: np.flip(pair.wanted, axis)):
            return Seen("reversed", f"holds the right values in reverse order along {where}")
        for step, way in ((1, "late"), (-1, "early")):
            if _shifted(pairs, axis, step):
                return Seen("shifted", f"holds the right values one place too {way} along {where}")
        for word, reduce in (("mean", np.mean), ("sum", np.sum)):
            if explains(
                pairs,
                lambda pair, axis=axis, reduce=reduce: np.broadcast_to(
                    reduce(pair.wanted, axis, keepdims=True), pair.wanted.shape
                ),
            ):
                says = f"holds at every place the {word}, along {where}, of the values that it must hold"
                return Seen("reduced", says)
    return None


def _shifted(pairs, axis, step):
    """Tell whether the wanted values stand one place further; the place that is freed may hold anything."""
    different = 0
    for pair in pairs:
        size = pair.wanted.shape[axis]
        if size < 3:
            return False
        early, late = np.arange(size - 1), np.arange(1, size)
        to, source = (late, early) if step > 0 else (early, late)
        given, moved, wanted = (
            np.take(array, places, axis)
            for array, places in ((pair.given, to), (pair.wanted, source), (pair.wanted, to))
        )
        if not equal(given, moved):
            return False
        different += int((~near(moved, wanted, pair.tolerance)).sum())
    return different >= ENOUGH


def another_order(pairs):
    """The right values, none missing, in another order."""
    for pair in pairs:
        values = np.sort(pair.wanted, axis=None)
        if pair.truths or len(np.unique(values)) < ENOUGH or not equal(np.sort(pair.given, axis=None), values):
            return None
    return Seen("order", "holds the right values, all of them, in another order")


def always_the_same(pairs):
    """One and the same number comes back, whatever the case."""
    given, wanted = (np.concatenate([getattr(pair, side).ravel() for pair in pairs]) for side in ("given", "wanted"))
    if len(given) < ENOUGH or np.ptp(given) > 0 or np.ptp(wanted) == 0:
        return None
    value = str(bool(given[0])) if pairs[0].truths else written(given[0])
    return Seen("same", f"is {value}{everywhere(pairs)}, whatever the inputs are")


TESTS = (
    equals_another,
    swapped_truths,
    always_the_same,
    is_a_size,
    of_the_expected,
    times,
    constant_off,
    by_sizes,
    by_two_terms,
    by_an_input,
    transposed,
    along_an_axis,
    by_rows,
    another_order,
    *PARTLY,
)
