"""Exercise: the gradient of any function of an array by central differences."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


class _Function:
    """A smooth function from an array of one shape to a number; no two of its second derivatives are alike."""

    def __init__(self, rng, shape):
        self._shape = shape
        self._slopes, self._bends, self._turns = rng.uniform(0.5, 2, size=(3, *shape))

    def __call__(self, a):
        a = np.asarray(a)
        if a.shape != self._shape:
            words = f"f takes an array of shape {self._shape}; you gave it shape {a.shape}."
            raise Fault(Key.SHAPE, f"{words} Call f with the whole array, in which one number is changed.")
        straight = (self._slopes * a + self._bends * a**2 + self._turns * a**3).sum()
        return float(straight + (self._bends * a).sum() * (self._turns * a).sum())


def _cases(rng):
    cases = []
    for shape, step in (((3, 5), 0.01), ((4,), 0.25), ((2, 3, 4), 1e-4)):
        names = {1: ("n",), 2: ("rows", "columns"), 3: ("batch", "rows", "columns")}[len(shape)]
        sizes = dict(zip(names, shape, strict=True))
        cases.append(Case((_Function(rng, shape), rng.normal(size=shape), step), sizes))
    return cases


def _oracle(f, a, step):
    """Hold every number of `a` in turn one step above and one below, each time in an array made from a list."""
    flat, found = a.ravel().tolist(), []
    for place in range(a.size):
        high, low = (np.array([*flat[:place], flat[place] + move, *flat[place + 1 :]]) for move in (step, -step))
        found.append((f(high.reshape(a.shape)) - f(low.reshape(a.shape))) / (2 * step))
    return np.array(found).reshape(a.shape)


def _run(answer, case):
    """Call the answer with an array of its own, which must come back as it was, up to rounding."""
    f, a, step = case.args
    given = a.copy()
    found = answer(f, given, step)
    if isinstance(found, float) and _matches(found, _all_at_once(f, a, step).flat[0]):
        words = "Your gradient is a single number, because you move all numbers of `a` together"
        raise Fault(
            Key.SHAPE, f"{words}: move one at a time, and keep what f says for each in an array shaped like `a`."
        )
    if given.shape != a.shape or not np.allclose(given, a, rtol=0, atol=1e-12):
        if np.asarray(found).shape == a.shape and _matches(found, _not_restored(f, a, step)):
            return found  # what it comes to has a sentence of its own
        words = "Your code leaves its argument number 2, `a`, changed"
        raise Fault(Key.MUTATES, f"{words}: move a copy, or put the number back after both calls.")
    return found


def _matches(one, other):
    try:
        return np.allclose(one, other, rtol=1e-7, atol=1e-7)
    except TypeError:  # it holds TODO, or no numbers
        return False


def _each(change):
    """Make an answer of change(f, a, place, step), which returns one number of the gradient."""

    def answer(f, a, step):
        return np.array([change(f, a, place, step) for place in np.ndindex(a.shape)]).reshape(a.shape)

    return answer


def _moved(f, a, place, by):
    changed = a.copy()
    changed[place] += by
    return f(changed)


def _difference(f, a, place, step):
    return _moved(f, a, place, step) - _moved(f, a, place, -step)


def _not_restored(f, a, step):
    changed, gradient = a.copy(), np.zeros_like(a)
    for place in np.ndindex(a.shape):
        changed[place] += step
        high = f(changed)
        changed[place] -= 2 * step
        gradient[place] = (high - f(changed)) / (2 * step)
    return gradient


def _not_restored_by_half(f, a, step):
    """Come back to the lower place in the next turn: the number ends where it was plus a step."""
    changed, gradient = a.copy(), np.zeros_like(a)
    for place in np.ndindex(a.shape):
        changed[place] -= step
        low = f(changed)
        changed[place] += 2 * step
        gradient[place] = (f(changed) - low) / (2 * step)
    return gradient


def _whole_rows(f, a, step):
    gradient = np.zeros_like(a)
    for row in range(len(a)):
        gradient[row] = _difference(f, a, row, step) / (2 * step)
    return gradient


def _piled_up(f, a, step):
    moved, gradient = np.zeros_like(a), np.zeros_like(a)
    for place in np.ndindex(a.shape):
        moved[place] = step
        gradient[place] = (f(a + moved) - f(a - moved)) / (2 * step)
    return gradient


def _all_at_once(f, a, step):
    return np.full_like(a, (f(a + step) - f(a - step)) / (2 * step))


EXERCISE = Exercise(
    id="build_backward.numerical_gradient",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    run=_run,
    returns=(Returns("the gradient", ("...",)),),
    mistakes=(
        Mistake(
            "forward-difference",
            _each(lambda f, a, place, step: (_moved(f, a, place, step) - f(a)) / step),
            "You compare f one step above with f(a), so the curvature of f is in the result: take one step above and one below, and divide by 2 * step.",
        ),
        Mistake(
            "backward-difference",
            _each(lambda f, a, place, step: (f(a) - _moved(f, a, place, -step)) / step),
            "You compare f(a) with f one step below, so the curvature of f is in the result: take one step above and one below, and divide by 2 * step.",
        ),
        Mistake(
            "half-way",
            _each(lambda f, a, place, step: (_moved(f, a, place, step) - f(a)) / (2 * step)),
            "You divide by 2 * step, but from f(a) to f one step above it is only one: the second call must be one step below.",
        ),
        Mistake(
            "one-step",
            _each(lambda f, a, place, step: _difference(f, a, place, step) / step),
            "Every number is twice what it should be: from one step below to one step above it is 2 * step, and you divide by step.",
        ),
        Mistake(
            "not-divided",
            _each(_difference),
            "You return how much f changes; the gradient is that change divided by the distance between the two places, 2 * step.",
        ),
        Mistake(
            "halved-only",
            _each(lambda f, a, place, step: _difference(f, a, place, step) / 2),
            "You divide the change of f by 2 and not by 2 * step: the distance from the lower to the upper place is 2 * step.",
        ),
        Mistake(
            "times-step",
            _each(lambda f, a, place, step: _difference(f, a, place, step) / 2 * step),
            "You divide by 2 and multiply by step, but both belong below the line, as in `/ (2 * step)`.",
        ),
        Mistake(
            "turned",
            _each(lambda f, a, place, step: -_difference(f, a, place, step) / (2 * step)),
            "The sign is flipped: take f one step above minus f one step below.",
        ),
        Mistake(
            "not-restored",
            _not_restored,
            "The numbers that you have moved stay one step below where they were, so the later differences are taken at another place: put each number back before you go on.",
        ),
        Mistake(
            "not-restored-above",
            _not_restored_by_half,
            "The numbers that you have moved stay one step above where they were, so the later differences are taken at another place: put each number back before you go on.",
        ),
        Mistake(
            "whole-rows",
            _whole_rows,
            "You move all numbers of a row at once, so each gets the sum of the row's gradient: `np.ndindex(a.shape)` gives the place of every single number.",
        ),
        Mistake(
            "all-at-once",
            _all_at_once,
            "You move all numbers together, so every one gets the sum of the whole gradient: move one, and leave the others where they are.",
        ),
        Mistake(
            "own-step",
            lambda f, a, step: _each(lambda f, a, place, step: _difference(f, a, place, step) / (2 * step))(f, a, 1e-5),
            "You take a small step of your own: use the `step` that is handed in, however long it is.",
        ),
        Mistake(
            "steps-cancel",
            lambda f, a, step: np.zeros_like(a),
            "Your gradient is 0 everywhere, so f has seen the same array in both calls. Either the step up and the step down land in one array and cancel, or they land in a copy that f never gets, such as `flatten()` makes.",
        ),
        Mistake(
            "steps-pile-up",
            _piled_up,
            "The numbers that you have moved stay moved, so each difference holds the slopes of all numbers before it too: in every round, begin with only one number moved.",
        ),
    ),
    hints=(
        "For each number of `a`: move it up by step and call f, move it down and call f, and divide the difference by the distance between the two places.",
        "The gradient has the shape of `a`. `for place in np.ndindex(a.shape):` goes through every place, and `a[place]` is one number, whatever the number of axes.",
        "In the loop: high[place] += step and low[place] -= step. What must high and low be before that?",
    ),
    right="One number at a time, one step up and one down: this gradient needs no calculus, and you can check any other with it.",
)
