"""Exercise: gradient descent with momentum, for any list of parameters."""

import numpy as np

from course_lib.model.descent import GOAL, network, start, wave
from lessons.build_backward.shared import SIZES, named_sizes
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns
from whywrong.todo import TODO, holds_todo

LONGEST, RATE, MOMENTUM = 500, 0.02, 0.9


class _Gradients:
    """A function from the list of parameters to the list of their gradients, on data that it keeps."""

    def __init__(self, x, target):
        self._x, self._target = x, target

    def __call__(self, parameters):
        if holds_todo(parameters):
            return TODO
        if not isinstance(parameters, (list, tuple)) or len(parameters) != 4:
            words = "gradients takes the list of all four parameters, and returns the list of their gradients."
            raise Fault(Key.SHAPE, f"{words} Hand it that list, as it is at this step.")
        return [*_by_hand(self._x, self._target, *parameters)]


def _by_hand(x, target, W1, b1, W2, b2):
    z = x @ W1 + b1
    dy = 2 * (np.maximum(z, 0) @ W2 + b2 - target) / target.size
    dz = (dy @ W2.T) * (z > 0)
    return x.T @ dz, dz.sum(axis=0), np.maximum(z, 0).T @ dy, dy.sum(axis=0)


def _cases(rng):
    cases = []
    for sizes, steps, momentum in zip(SIZES, (4, 3, 6), (0.9, 0.5, 0.8), strict=True):
        x, target, *parameters = network(rng, *sizes)
        cases.append(Case((_Gradients(x, target), parameters, 0.05, momentum, steps), named_sizes(*sizes)))
    return cases


def _oracle(gradients, parameters, rate, momentum, steps):
    """Keep no velocity: each step uses all gradients so far, the one of k steps ago times momentum to the k."""
    here = [one.copy() for one in parameters]
    seen = [np.empty((steps, *one.shape)) for one in here]
    for step in range(steps):
        powers = momentum ** np.arange(step, -1, -1.0)
        for k, gradient in enumerate(gradients(here)):
            seen[k][step] = gradient
            here[k] = here[k] - rate * np.tensordot(powers, seen[k][: step + 1], axes=1)
    return tuple(here)


def _run(answer, case):
    """Call the answer with a list and arrays of its own, and say which of the two have come back changed."""
    gradients, parameters, *rest = case.args
    arrays = [one.copy() for one in parameters]
    handed = list(arrays)
    found = answer(gradients, handed, *rest)
    words = "Your code changes the arrays in `parameters`, because `-=` and `+=` write into the array that is there"
    if any(not np.array_equal(one, other) for one, other in zip(arrays, parameters, strict=True)):
        more = "(a copy of the list holds the same arrays). Write `p = p - …`, or copy each array first."
        raise Fault(Key.MUTATES, f"{words} {more}")
    if len(handed) != len(arrays) or any(one is not other for one, other in zip(handed, arrays, strict=True)):
        words = "Your code puts new arrays into the list `parameters` that it is given"
        raise Fault(Key.MUTATES, f"{words}: begin with a list of your own, such as `list(parameters)`.")
    return found


def _afterwards(answer):
    """Train on the wave, with 32 units from one of the six starts of the lesson."""
    x, target = wave()
    W1, b1, W2, b2 = answer(_Gradients(x, target), start(0), RATE, MOMENTUM, LONGEST)
    loss = ((np.maximum(x @ W1 + b1, 0) @ W2 + b2 - target) ** 2).mean()
    if not loss < GOAL:
        words = f"A few steps are right, but after {LONGEST} steps on the wave the loss is {loss:.2g}"
        raise Fault(Key.VALUE, f"{words} and not below {GOAL}: does every one of the steps happen?", "not-there-yet")


def _loop(update, first=None, last=None):
    """Make a training loop of update(parameter, velocity, gradient, rate, momentum) -> both of them."""

    def answer(gradients, parameters, rate, momentum, steps):
        here = [one.copy() for one in parameters]
        velocities = [np.zeros_like(one) for one in here]
        for _ in range(steps + (last or 0)):
            found = gradients(here)
            pairs = [update(*each, rate, momentum) for each in zip(here, velocities, found, strict=True)]
            here, velocities = [one for one, _ in pairs], [one for _, one in pairs]
        return here if first is None else first(here, velocities)

    return answer


def _right(p, v, g, rate, momentum):
    v = momentum * v + g
    return p - rate * v, v


def _by(velocity):
    """Make an update with another velocity, velocity(v, g, momentum)."""

    def update(p, v, g, rate, momentum):
        v = velocity(v, g, momentum)
        return p - rate * v, v

    return _loop(update)


def _stale(gradients, parameters, rate, momentum, steps):
    found = gradients(parameters)
    return _loop(_right)(lambda here: found, parameters, rate, momentum, steps)


def _one_after_the_other(gradients, parameters, rate, momentum, steps):
    here = [one.copy() for one in parameters]
    velocities = [np.zeros_like(one) for one in here]
    for _ in range(steps):
        for k in range(len(here)):
            here[k], velocities[k] = _right(here[k], velocities[k], gradients(here)[k], rate, momentum)
    return here


def _starts_with_a_gradient(gradients, parameters, rate, momentum, steps):
    here, velocities = parameters, gradients(parameters)
    for _ in range(steps):
        pairs = [_right(*each, rate, momentum) for each in zip(here, velocities, gradients(here), strict=True)]
        here, velocities = [one for one, _ in pairs], [one for _, one in pairs]
    return here


def _first_only(p, v, g, rate, momentum):
    return (p, v) if p.ndim == 1 else _right(p, v, g, rate, momentum)


EXERCISE = Exercise(
    id="build_backward.train",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    run=_run,
    afterwards=_afterwards,
    returns=(
        Returns("W1", ("d_in", "d_ff")),
        Returns("b1", ("d_ff",)),
        Returns("W2", ("d_ff", "d_out")),
        Returns("b2", ("d_out",)),
    ),
    mistakes=(
        Mistake(
            "reset",
            _by(lambda v, g, momentum: g),
            "Every step uses its own gradient alone, as if there were no momentum: keep the velocities from step to step, and make them zero once, before the loop.",
        ),
        Mistake(
            "uphill",
            _loop(lambda p, v, g, rate, momentum: (p + rate * (momentum * v + g), momentum * v + g)),
            "Your steps go uphill, and the loss climbs: a gradient points uphill, so add it to the velocity and subtract rate times the velocity from the parameter.",
        ),
        Mistake(
            "stale",
            _stale,
            "All steps use the gradients of the start: call gradients inside the loop, with the parameters as they are now.",
        ),
        Mistake(
            "rate-twice",
            _loop(lambda p, v, g, rate, momentum: (p - rate * (momentum * v + rate * g), momentum * v + rate * g)),
            "The rate is applied twice, once in the velocity and once in the step: keep one of the two.",
        ),
        Mistake(
            "no-rate",
            _loop(lambda p, v, g, rate, momentum: (p - (momentum * v + g), momentum * v + g)),
            "The step is the whole velocity: multiply it by the rate.",
        ),
        Mistake(
            "rate-on-the-memory",
            _loop(lambda p, v, g, rate, momentum: (p - (rate * momentum * v + g), rate * momentum * v + g)),
            "The rate multiplies what is left of the old velocity and not the gradient: the step is rate times the velocity.",
        ),
        Mistake(
            "averaged",
            _by(lambda v, g, momentum: momentum * v + (1 - momentum) * g),
            "Your velocity is an average, with 1 − momentum in front of the gradient: here the whole gradient is added, v = momentum · v + gradient.",
        ),
        Mistake(
            "momentum-on-the-gradient",
            _by(lambda v, g, momentum: v + momentum * g),
            "momentum multiplies the gradient, and the old velocity stays whole: it is the old velocity that fades, v = momentum · v + gradient.",
        ),
        Mistake(
            "momentum-on-both",
            _by(lambda v, g, momentum: momentum * (v + g)),
            "momentum multiplies the new gradient too: only the old velocity fades, v = momentum · v + gradient.",
        ),
        Mistake(
            "nothing-fades",
            _by(lambda v, g, momentum: v + g),
            "The old velocity never fades: multiply it by momentum before you add the gradient.",
        ),
        Mistake(
            "velocity-late",
            _loop(lambda p, v, g, rate, momentum: (p - rate * v, momentum * v + g)),
            "Each step uses the velocity from before: bring the velocity up to date first, then move the parameters.",
        ),
        Mistake(
            "looks-ahead",
            _loop(lambda p, v, g, rate, momentum: (p - rate * (g + momentum * (momentum * v + g)), momentum * v + g)),
            "That is Nesterov's momentum, which adds the gradient once more: the step here is rate times the velocity.",
        ),
        Mistake(
            "one-after-the-other",
            _one_after_the_other,
            "You ask for gradients again after each parameter has moved: ask once in a step, then move all four.",
        ),
        Mistake(
            "weights-only",
            _loop(_first_only),
            "The matrices move and the biases stay as they were: go through all four parameters.",
        ),
        Mistake(
            "nothing-moves",
            _loop(lambda p, v, g, rate, momentum: (p, v)),
            "The parameters come back as they were. If you move them in a `for` loop, `p = …` gives the loop's own name a new array and leaves the list alone: put each new array into a list.",
        ),
        Mistake(
            "starts-with-a-gradient",
            _starts_with_a_gradient,
            "Your velocities start with the gradients of the start, which then count twice in the first step: let them be zero before the loop.",
        ),
        Mistake(
            "one-too-few", _loop(_right, last=-1), "There is one step too few: `for _ in range(steps)` takes them all."
        ),
        Mistake(
            "one-too-many", _loop(_right, last=1), "There is one step too many: `for _ in range(steps)` takes them all."
        ),
        Mistake(
            "velocities-returned",
            _loop(_right, first=lambda here, velocities: velocities),
            "You return the velocities; return the parameters as they are after the last step.",
        ),
    ),
    hints=(
        "Each parameter has a velocity, zero at first. In every step the old velocity fades by momentum, the new gradient is added, and the parameter moves against it by rate times the velocity.",
        "parameters, gradients(parameters) and your velocities are three lists of four arrays with equal shapes; zip goes through them together. Leave the list that was handed in as it is.",
        "Start with two lists of your own, here and velocities. In `for _ in range(steps):` stands `for k, gradient in enumerate(gradients(here)):`, and in that velocities[k] = … + gradient.",
    ),
    right=f"And on the wave, {LONGEST} of your steps bring the loss below {GOAL}.",
)
