"""What can be seen of any wrong values, whatever was asked.

A trait says what was seen in every case that is wrong, and not what the learner thought: so its sentence is true.
It speaks only where it explains enough values that differ. Each function of TRAITS yields, the likeliest first, what
may be said, and what each case then gives, which must be what it gave; None in its place where that is seen already.
"""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np

from whywrong.evidence import written
from whywrong.form import near, sentence_start, spreads
from whywrong.pair import Pair, between
from whywrong.task import Finding

ENOUGH = 3  # values that differ, which a trait must explain
EXACT = 1e-9  # how well it must explain them
ALIKE = 1e-7  # how well numbers agree that are read off the values
MOST_TIMES = 8  # a term is counted wrongly so many times at most
Seen = partial(Finding, "seen")


def seen(pairs: list[Pair], name: str) -> Finding | None:
    """Return the first of the TRAITS that all cases have that are wrong, with its whole sentence; or None.

    Args:
        pairs: one for each case, for one returned value that is wrong somewhere.
        name: of that value, for the sentence: "the output".
    """
    wrong = [pair for pair in pairs if pair.wrong.any()]
    lead, right = sentence_start(name), len(pairs) - len(wrong)
    found = _first(pairs, (always_the_same,)) if wrong and right else None
    if not wrong or found is not None:
        return found and replace(found, says=f"{lead} {found.says}")
    one_truth = right and pairs[0].truths and _depth(pairs) == 0  # wherever it is wrong, it is the opposite
    found, flags = _first(wrong, (to_one_side,) if one_truth else TRAITS), _flags(pairs)
    if flags and found is None:
        return Seen("condition", f"{lead} is right {flags[0]}, and wrong {flags[1]}.", vague=True)
    if right:
        where = f"{flags[0]}; {flags[1]}" if flags else f"in {right} of {len(pairs)} cases; in the others"
        lead = f"{lead} is right {where} it"
    return found and replace(found, says=f"{lead} {found.says}")


def _first(pairs, looks):
    """Return the first that is seen, and that gives, where that is still to be tried, what was given in every case."""
    given = [pair.given for pair in pairs]
    with np.errstate(all="ignore"):
        for found, gives in itertools.chain.from_iterable(look(pairs) for look in looks):
            if gives is None or (all(map(_equal, given, gives)) and _enough(pairs)):
                return found
    return None


def _equal(one, other):
    """Tell whether two arrays are the same up to rounding; an infinite number equals none."""
    other = np.asarray(np.nan if other is None else other, dtype=float)
    return one.shape == other.shape and bool((np.isfinite(other) & near(one, other, EXACT)).all())


def _enough(pairs):
    return sum(int(pair.wrong.sum()) for pair in pairs) >= ENOUGH


def _flags(pairs):
    """Return when the cases are right and when they are wrong, where one of their flags tells; two of each at least."""
    sides = [[pair.flags for pair in pairs if pair.wrong.any() == bad] for bad in (False, True)]
    for flag in pairs[0].flags if min(map(len, sides)) >= 2 else ():
        right, wrong = ({str(flags.get(flag)) for flags in side} for side in sides)
        if len(right) == len(wrong) == 1 and right != wrong and all(flag in pair.flags for pair in pairs):
            return f"when {flag} {right.pop()}", f"when {flag} {wrong.pop()}"
    return None


def _depth(pairs):
    return min(pair.wanted.ndim for pair in pairs)


def _everywhere(pairs):
    return " everywhere" if any(pair.wanted.ndim for pair in pairs) else ""


def _axes(pairs):
    """Yield all axes, counted from the end, with their names."""
    names = pairs[0].axes
    for axis in range(-1, -_depth(pairs) - 1, -1):
        named = names[axis] if len(names) >= -axis else "..."
        yield axis, f"the axis {named}" if named != "..." else f"axis {axis}"


def _joined(arrays):
    return np.concatenate([one.ravel() for one in arrays])


def another(pairs):
    """What comes back is one of the inputs, another of the wanted values, or True for False and False for True."""
    for key in pairs[0].inputs:
        yield Seen("equals", f"equals the input {key}, unchanged."), (pair.inputs.get(key) for pair in pairs)
    for key in pairs[0].others:
        yield Seen("equals", f"equals what {key} must be."), (pair.others.get(key) for pair in pairs)
    says = f"is the opposite of what it must be{_everywhere(pairs)}: True and False are swapped."
    yield Seen("swapped", says), (1 - pair.wanted if pair.truths else None for pair in pairs)


def always_the_same(pairs):
    """One and the same number comes back, whatever the case."""
    given, wanted = _joined(pair.given for pair in pairs), _joined(pair.wanted for pair in pairs)
    if len(given) >= ENOUGH and np.ptp(given) == 0 and np.ptp(wanted) != 0:
        value = str(bool(given[0])) if pairs[0].truths else written(given[0])
        yield Seen("same", f"is {value}{_everywhere(pairs)}, whatever the inputs are."), None


def a_size(pairs):
    """What comes back is one of the sizes, whatever the values are."""
    for name in pairs[0].sizes:
        values = [float(pair.sizes.get(name, -1)) for pair in pairs]
        if len(set(values)) > 1:
            yield Seen("equals", f"equals the size {name} in every case, whatever else goes in."), values


OF_THE_WANTED = (
    ("sign", "has the opposite sign{}", np.negative),
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
    *(("rounded", f"is right up to rounding to {n} decimals", partial(np.round, decimals=n)) for n in range(1, 6)),
)


def of_the_wanted(pairs):
    """Every value is the same simple function of the expected one."""
    everywhere = _everywhere(pairs)
    for name, says, function in OF_THE_WANTED:
        yield Seen(name, f"{says.format(everywhere)}."), (function(pair.wanted) for pair in pairs)


def _shared(pairs, measure):
    """Return the one number of each case that all of its informative values share; None where they do not."""
    found = []
    for pair in pairs:
        values = np.ravel(measure(pair.given, pair.wanted))
        tells = np.abs(pair.wanted).ravel() > 1e-6 if measure is np.divide else True
        values = values[np.isfinite(values) & tells]
        if len(values) == 0 or not near(values, values[0], ALIKE).all():
            return None
        found.append(values[0])
    return np.array(found)


def by_a_number(pairs):
    """Every value is the same multiple of the expected one, or off by the same number."""
    known = {2: "twice", 0.5: "half of", 3: "three times", 1 / 3: "a third of", 4: "four times", 0.25: "a quarter of"}
    ratios, shifts = _shared(pairs, np.divide), _shared(pairs, np.subtract)
    if ratios is not None and near(ratios, ratios[0], ALIKE).all() and abs(ratios[0]) >= 1e-9:
        by, gives = float(ratios[0]), (float(ratios[0]) * pair.wanted for pair in pairs)
        words = next((word for one, word in known.items() if abs(by - one) < 1e-6), f"{written(by)} times")
        found = Seen("times", f"is {words} what it must be{_everywhere(pairs)}.")
        if abs(by - 1) < 0.05:
            asks = "Is something computed in float32?" if abs(by - 1) < 1e-6 else "Is a constant rounded?"
            says = f"is {by:.6g} times what it must be{_everywhere(pairs)}. {asks}"
            found = Seen("nearly", says, vague=True)
        yield found, gives
    if shifts is not None and near(shifts, shifts[0], ALIKE).all():
        says = f"is too {'large' if shifts[0] > 0 else 'small'} by {written(abs(shifts[0]))}{_everywhere(pairs)}."
        yield Seen("constant", says), (pair.wanted + float(shifts[0]) for pair in pairs)


def _sizes(pairs):
    """Return words -> values, one for each case, of the sizes that vary, each set of values once; and of products."""
    found = {}
    for name in pairs[0].sizes:
        values = tuple(float(pair.sizes.get(name, 0)) for pair in pairs)
        if min(values) > 0 and len(set(values)) > 1:
            found.setdefault(values, name)
    alone = {name: np.array(values) for values, name in found.items()}
    both = itertools.combinations_with_replacement(alone.items(), 2)
    return alone, {f"{a}²" if a == b else f"{a} · {b}": one * other for (a, one), (b, other) in both}


def by_sizes(pairs):
    """Every value is off by a factor, or by a number, that is made of the sizes of the case."""
    ratios, shifts = _shared(pairs, np.divide), _shared(pairs, np.subtract)
    (alone, products), wanted = _sizes(pairs), [pair.wanted for pair in pairs]
    two = list(itertools.combinations(alone.items(), 2))
    terms = alone | products | {f"({a} + {b})": one + other for (a, one), (b, other) in two}
    for words, values in (terms | {f"{a} / {b}": one / other for (a, one), (b, other) in two}).items():
        for power in (1, -1, 0.5, -0.5) if ratios is not None and (ratios > 0).all() else ():
            if near(ratios, values**power, ALIKE).all():
                by = words if abs(power) == 1 else f"the square root of {words}"
                says = f"is {by} times what it must be." if power > 0 else f"is what it must be, divided by {by}."
                yield Seen("size-factor", says), map(np.multiply, wanted, values**power)
        count = 0 if shifts is None else shifts[0] / values[0]
        simple = abs(count) == 0.5 or (abs(count) <= 12 and count == round(count) != 0)
        if simple and near(shifts, count * values, ALIKE).all():
            times = {1: "", 0.5: "half of "}.get(abs(count), f"{written(abs(count))} · ")
            says = f"is too {'large' if count > 0 else 'small'} by {times}{words}."
            yield Seen("size-off", says), map(np.add, wanted, count * values)


def by_two_terms(pairs):
    """Every number is off by a sum or a difference of two terms that are made of the sizes of the case.

    Whole numbers of times are looked for, with fewer unknowns than cases: so the sentence says what was seen.
    """
    off = None if len(pairs) < 4 or _everywhere(pairs) else _shared(pairs, np.subtract)
    if off is None or not (off == np.round(off)).all():
        return
    alone, products = _sizes(pairs)
    for terms in itertools.combinations((alone | products | {"1": np.ones(len(pairs))}).items(), 2):
        matrix = np.stack([values for _, values in terms], axis=1)
        found, _, rank, _ = np.linalg.lstsq(matrix, off, rcond=None)
        whole = np.round(found)
        if rank == 2 and near(found, whole, 1e-6).all() and whole.all() and np.abs(whole).max() <= MOST_TIMES:
            count = map("{} · {}".format, map(written, np.abs(whole)), dict(terms))
            said = [one.removeprefix("1 · ").removesuffix(" · 1") for one in count]
            says = f"is too {'large' if whole[0] > 0 else 'small'} by {' + '.join(said)}."
            if whole[0] * whole[1] < 0:
                says = f"is off by {' − '.join(said if whole[0] > 0 else said[::-1])}."
            yield Seen("size-off", says), map(np.add, (pair.wanted for pair in pairs), matrix @ whole)


def _fit(pairs, others):
    """Return how often the wanted values and others go into what was given, as well as two numbers can tell."""
    terms = np.stack([_joined(pair.wanted for pair in pairs), _joined(others)], axis=1)
    given = _joined(pair.given for pair in pairs)
    finite = np.isfinite(terms).all(axis=1) & np.isfinite(given)
    found, _, rank, _ = np.linalg.lstsq(terms[finite], given[finite], rcond=None)
    return map(float, found) if rank == 2 and len(given) > 2 * ENOUGH else (0.0, 0.0)


def by_a_line(pairs):
    """Every value is the expected one times a number, and another number is added."""
    times, more = _fit(pairs, [np.ones_like(pair.wanted) for pair in pairs])
    if abs(times) > 1e-3 < abs(more):
        says = f"is {written(times)} times what it must be{_everywhere(pairs)}, and {written(more)} is added."
        yield Seen("line", says), (times * pair.wanted + more for pair in pairs)


def by_an_input(pairs):
    """Every value would be right if an input were added, taken away, multiplied or divided by."""
    for key in pairs[0].inputs:
        both = [(pair.wanted, pair.inputs.get(key)) for pair in pairs]
        if any(one is None or one.size == 0 or not spreads(one.shape, wanted.shape) for wanted, one in both):
            continue
        times, more = _fit(pairs, [np.broadcast_to(one, wanted.shape) for wanted, one in both])
        words = {-1: "added", 1: "taken away", -2: "added twice", 2: "taken away twice"}.get(round(more, 9))
        says = f"is {written(times)} times what it must be, and then {written(more)} · {key} is added."
        if abs(times - 1) < ALIKE and words:
            says = f"would be right with {key} {words}."
        if abs(times) > 1e-3 < abs(more):
            yield Seen("input-off", says), (times * wanted + more * one for wanted, one in both)
        says = f"would be right if it were {{}} by {key}, value by value."
        yield Seen("input-off", says.format("divided")), (np.where(one, wanted * one, np.nan) for wanted, one in both)
        yield Seen("input-off", says.format("multiplied")), (wanted / one for wanted, one in both)


def along_an_axis(pairs):
    """The right values transposed, or in reverse order, one place too far, averaged or added up along an axis."""
    says = "is the transpose of what it must be: rows and columns are swapped."
    if _depth(pairs) >= 2:
        yield Seen("transposed", says), (np.swapaxes(pair.wanted, -1, -2) for pair in pairs)
    for axis, name in _axes(pairs):
        says = f"holds the right values in reverse order along {name}."
        yield Seen("reversed", says), (np.flip(pair.wanted, axis) for pair in pairs)
        turned = [[part.swapaxes(axis, 0) for part in (pair.given, pair.wanted, pair.wrong)] for pair in pairs]
        for way, to, source in (("late", slice(1, None), slice(-1)), ("early", slice(-1), slice(1, None))):
            enough = sum(int(wrong[to].sum()) for *_, wrong in turned) >= ENOUGH
            if enough and all(len(one) >= 3 and _equal(given[to], one[source]) for given, one, _ in turned):
                yield Seen("shifted", f"holds the right values one place too {way} along {name}."), None
        for word, reduce in (("mean", np.mean), ("sum", np.sum)):
            says = f"holds at every place the {word}, along {name}, of the values that it must hold."
            gives = (reduce(pair.wanted, axis, keepdims=True) + 0 * pair.wanted for pair in pairs)
            yield Seen("reduced", says), gives


def by_rows(pairs):
    """The difference, or the ratio, is the same in all rows or within each row."""
    if _depth(pairs) < 2 or pairs[0].truths or min(min(pair.wanted.shape[-2:]) for pair in pairs) < 2:
        return
    for says, axis, measure in (
        ("the same numbers in every row", -2, np.subtract),
        ("one number for each row", -1, np.subtract),
        ("one factor for each column", -2, np.divide),
        ("one factor for each row", -1, np.divide),
    ):
        found = [measure(pair.given, pair.wanted) for pair in pairs]
        alike = all(np.isfinite(one).all() and near(one, np.take(one, [0], axis), ALIKE).all() for one in found)
        if alike and _enough(pairs):
            yield Seen("by-rows", f"is off by {says}."), None


def another_order(pairs):
    """The right values, none missing, in another order."""
    sides = [(np.sort(pair.given, axis=None), np.sort(pair.wanted, axis=None)) for pair in pairs]
    alike = all(len(np.unique(wanted)) >= ENOUGH and _equal(given, wanted) for given, wanted in sides)
    if alike and not pairs[0].truths:
        yield Seen("order", "holds the right values, all of them, in another order."), None


def by_the_diagonal(pairs):
    """Wrong on one side of the diagonal only, or on it."""
    shapes = [pair.wanted.shape[-2:] for pair in pairs]
    if _depth(pairs) < 2 or any(rows != columns or rows < 3 for rows, columns in shapes) or not _enough(pairs):
        return
    sides = [np.sign(np.arange(size) - np.arange(size)[:, None]) for size, _ in shapes]
    for word, wanted in (("on", 0), ("above", 1), ("below", -1)):
        if not any(pair.wrong[..., side != wanted].any() for pair, side in zip(pairs, sides, strict=True)):
            yield Seen("diagonal", f"is wrong only {word} the diagonal."), None


def at_one_end(pairs):
    """Wrong, or right, at the first or the last place of an axis only."""
    for axis, name in _axes(pairs):
        wrong = [pair.wrong.swapaxes(axis, 0).reshape(pair.wanted.shape[axis], -1).any(axis=1) for pair in pairs]
        for place, word in ((0, "first"), (-1, "last")) if min(map(len, wrong)) >= 3 else ():
            rest = [np.delete(one, place) for one in wrong]
            if not any(one.any() for one in rest):
                yield Seen("one-end", f"is wrong only at the {word} place along {name}."), None
            if all(one.all() for one in rest) and not any(one[place] for one in wrong):
                yield Seen("one-end", f"is right only at the {word} place along {name}."), None


def where_an_input(pairs):
    """Right where an input is large, and wrong where it is small, or the other way round; also by its size alone."""
    wrong = _joined(pair.wrong for pair in pairs)
    for key in pairs[0].inputs if min(wrong.sum(), (~wrong).sum()) >= ENOUGH else ():
        if any(getattr(pair.inputs.get(key), "shape", None) != pair.wanted.shape for pair in pairs):
            continue
        values = _joined(pair.inputs[key] for pair in pairs)
        for of, below, above in (
            (values, f"where {key} is below {{}}", "above"),
            (np.abs(values), f"where {key} lies between −{{0}} and {{0}}", "beyond"),
        ):
            for low, first, second in ((wrong, "wrong", "right"), (~wrong, "right", "wrong")):
                border = between(of[low].max(), of[~low].min())
                if border is not None:
                    says = f"is {first} {below.format(written(border))}, and {second} {above}."
                    yield Seen("where", says, vague=True), None


def by_its_size(pairs):
    """Values that are off by less than one part in a hundred, or of a kind that is never expected."""
    given, wanted = _joined(pair.given for pair in pairs), _joined(pair.wanted for pair in pairs)
    if pairs[0].truths or len(wanted) < ENOUGH:
        return
    whole = (wanted == np.round(wanted)).all()
    largest = [np.abs(pair.wanted).max() for pair in pairs]
    if not whole and min(largest) > 0:
        off = max(np.abs(pair.given - pair.wanted).max() / most for pair, most in zip(pairs, largest, strict=True))
        for percent in (percent for percent in (0.0001, 0.001, 0.01, 0.1, 1) if 100 * off < percent):
            asks = "Is a constant rounded, or a formula only approximate?"
            asks = "So much is lost in float32: is something computed in it?" if percent < 0.001 else asks
            says = f"is nearly right: it is off by less than {percent:g} % of its largest value. {asks}"
            yield Seen("nearly", says, vague=True), None
    if wanted.min() >= 0 > given.min():
        yield Seen("negative", "falls below 0, and nothing expected here does.", vague=True), None
    if wanted.min() >= 0 and wanted.max() <= 1 < given.max():
        says = f"reaches {written(given.max())}, and all that is expected here lies between 0 and 1."
        yield Seen("above-one", says, vague=True), None
    if whole and (given != np.round(given)).any():
        yield Seen("fraction", "has a fraction, and only whole numbers are expected here.", vague=True), None


def to_one_side(pairs):
    """Every value that differs is too large, or every one is too small."""
    off = np.concatenate([(pair.given - pair.wanted)[pair.wrong] for pair in pairs])
    if len(off) >= ENOUGH and ((off > 0).all() or (off < 0).all()):
        where = " wherever it is wrong" if _depth(pairs) else ""
        says = f"is too {'large' if off[0] > 0 else 'small'}{where}."
        if pairs[0].truths:
            says = f"is {off[0] > 0}{where}{': it says so too often' if where else ''}."
        yield Seen("one-side", says, vague=True), None


OF_VALUES = (
    another,
    always_the_same,
    a_size,
    of_the_wanted,
    by_a_number,
    by_a_line,
    by_sizes,
    by_two_terms,
    by_an_input,
)
OF_PLACES = (along_an_axis, by_rows, another_order, by_the_diagonal, at_one_end, where_an_input)
TRAITS = (*OF_VALUES, *OF_PLACES, by_its_size, to_one_side)
