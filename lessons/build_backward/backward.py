"""Exercise: the gradients of the mean squared error by the chain rule, from the output back to the input."""

import numpy as np

from course_lib.model.descent import network
from lessons.build_backward.shared import GRADIENTS, PARAMETERS, SIZES, complex_step, named_sizes, steps, stored
from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns, two_at_once
from whywrong.todo import holds_todo


def _case(x, target, W1, b1, W2, b2):
    _, z, h, y = steps(x, target, W1, b1, W2, b2)
    sizes = named_sizes(*x.shape, len(b1), len(b2))
    return Case((x, target, W1, W2, z, h, y), sizes)


def _cases(rng):
    """Return three random networks, then the one whose gradients torch has computed."""
    drawn = [network(rng, *sizes) for sizes in SIZES]
    x, _, _, b1, *_ = drawn[1]
    x[0] = b1[0] = 0  # so that one z is exactly 0
    kept = stored()
    return [*(_case(*one) for one in drawn), _case(*(kept[name] for name in ("x", "target", *PARAMETERS)))]


def _oracle(x, target, W1, W2, z, h, y):
    """Return what autograd has stored of its own network, and of any other each number by a complex step."""
    kept = stored()
    if x.shape == kept["x"].shape and np.array_equal(x, kept["x"]):
        return tuple(kept[name] for name in GRADIENTS)
    if not np.array_equal(h, np.maximum(z, 0)):
        raise ValueError("h is not what ReLU makes of z")  # so that nobody who masks with h is told to use z
    b1, b2 = (z - x @ W1)[0], (y - h @ W2)[0]
    return complex_step(x, target, W1, b1, W2, b2)


def _run(answer, case):
    """Call the answer, and explain the shapes that a forgotten sum or a forgotten transpose gives."""
    x, _, W1, W2, z, *_ = case.args
    found = answer(*case.args)
    if holds_todo(found) or not isinstance(found, (tuple, list)) or len(found) != len(GRADIENTS):
        return found
    shapes = [getattr(one, "shape", None) for one in found]
    for name, shape, width in (("db1", shapes[1], W1.shape[1]), ("db2", shapes[3], W2.shape[1])):
        if shape == (len(x), width):
            words = f"Your {name} has shape {shape}, one row for each example, but the bias is added in every row"
            raise Fault(Key.SHAPE, f"{words}: its gradient is the sum over them, `.sum(axis=0)`.")
        if shape == (1, width):
            words = f"Your {name} has shape {shape}, a single row, but the bias has shape ({width},)"
            raise Fault(Key.SHAPE, f"{words}: sum with axis=0, and without keepdims.")
    for name, shape, weight, how in (
        ("dW1", shapes[0], W1, "x.T @ dz, inputs first"),
        ("dW2", shapes[2], W2, "h.T @ dy, hidden units first"),
    ):
        if shape == weight.shape[::-1] != weight.shape:
            words = f"Your {name} has shape {shape}, the transpose of {name[1:]}, whose shape it should have"
            raise Fault(Key.SHAPE, f"{words}: it is {how}.")
    if shapes[4] == z.shape != x.shape:
        words = f"Your dx has shape {shapes[4]}, that of dz"
        raise Fault(Key.SHAPE, f"{words}: the last step back goes through W1 too, `dz @ W1.T`.")
    return found


def _through(dy=None, dh=None, dz=None, last=None):
    """Make a wrong backward: each part replaces one line, and `last` changes the five gradients at the end."""

    def answer(x, target, W1, W2, z, h, y):
        dy_ = 2 * (y - target) / y.size if dy is None else dy(y, target)
        dh_ = dy_ @ W2.T if dh is None else dh(dy_, h, W2)
        dz_ = dh_ * (z > 0) if dz is None else dz(dh_, z, h)
        found = x.T @ dz_, dz_.sum(axis=0), h.T @ dy_, dy_.sum(axis=0), dz_ @ W1.T
        return found if last is None else last(found, x, z, h, dy_, dh_, dz_, W1)

    return answer


def _last(change):
    return _through(last=change)


_WRONG_LOSS = {
    "no-2": (
        lambda y, target: (y - target) / y.size,
        "the 2 of the square is missing from dy",
        "All five are half of what they should be: the derivative of a square has a factor 2, so dy is 2 (y − target) / y.size.",
    ),
    "no-mean": (
        lambda y, target: 2 * (y - target),
        "dy is not divided by y.size",
        "All five are y.size times too large: the loss is a mean, so dy is divided by the number of its terms.",
    ),
    "no-2-no-mean": (
        lambda y, target: y - target,
        "dy lacks the 2 of the square and the division by y.size",
        "Your dy is the gap alone: the square brings a factor 2 and the mean divides by y.size.",
    ),
    "turned": (
        lambda y, target: 2 * (target - y) / y.size,
        "the sign of dy is flipped",
        "Every sign is flipped: dy begins with y − target, so that it is positive where y is too high.",
    ),
    "rows-only": (
        lambda y, target: 2 * (y - target) / len(y),
        "dy is divided by the number of rows and not by y.size",
        "You divide by the number of rows, but the loss is a mean over all numbers of y, rows and outputs: divide by y.size.",
    ),
}
_WRONG_MASK = {
    "no-mask": (lambda dh, z, h: dh, "dh passes ReLU without a mask"),
    "mask-of-dh": (lambda dh, z, h: dh * (dh > 0), "the mask looks at dh and not at z"),
    "mask-turned": (lambda dh, z, h: dh * (z < 0), "the mask keeps the units that were off"),
    "times-h": (lambda dh, z, h: dh * h, "dh is multiplied by h and not by a mask of 0 and 1"),
}


EXERCISE = Exercise(
    id="build_backward.backward",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    run=_run,
    returns=(
        Returns("dW1", ("d_in", "d_ff")),
        Returns("db1", ("d_ff",)),
        Returns("dW2", ("d_ff", "d_out")),
        Returns("db2", ("d_out",)),
        Returns("dx", ("n", "d_in")),
    ),
    mistakes=(
        Mistake(
            "no-2-rows-only",
            _through(dy=lambda y, target: (y - target) / len(y)),
            "Two things are wrong in your dy: the 2 of the square is missing, and it is divided by the number of rows and not by y.size.",
            two=True,
        ),
        Mistake(
            "not-the-gap",
            _through(dy=lambda y, target: 2 * y / y.size),
            "Your dy forgets the target: the loss falls where y comes nearer to the target, not to 0.",
        ),
        HalfRight(
            "no-mask",
            _through(dz=_WRONG_MASK["no-mask"][0]),
            "dW2 and db2 are right, but dh goes through ReLU unchanged: where z was negative, h stayed at 0 whatever z did, so dz is 0 there (`h >= 0` is true everywhere).",
        ),
        HalfRight(
            "mask-at-zero",
            _through(dz=lambda dh, z, h: dh * (z >= 0)),
            "dW2 and db2 are right, but your mask lets a gradient pass where z is exactly 0: dz is dh where z is above 0, and 0 elsewhere.",
        ),
        HalfRight(
            "mask-of-dh",
            _through(dz=_WRONG_MASK["mask-of-dh"][0]),
            "dW2 and db2 are right, but your mask looks at the sign of dh: ReLU decided on the way up, by the sign of z.",
        ),
        HalfRight(
            "mask-turned",
            _through(dz=_WRONG_MASK["mask-turned"][0]),
            "dW2 and db2 are right, but your mask keeps the units that were off: a gradient passes where z is above 0.",
        ),
        HalfRight(
            "times-h",
            _through(dz=_WRONG_MASK["times-h"][0]),
            "dW2 and db2 are right, but you multiply dh by h: the slope of ReLU is 1 where z is above 0, however large z is.",
        ),
        HalfRight(
            "times-z",
            _through(dz=lambda dh, z, h: dh * z),
            "dW2 and db2 are right, but you multiply dh by z: the slope of ReLU is 1 where z is above 0, and 0 elsewhere.",
        ),
        HalfRight(
            "relu-of-dh",
            _through(dz=lambda dh, z, h: np.abs(dh) * (z > 0)),
            "dW2 and db2 are right, but your dz has lost its signs: a gradient may be negative.",
        ),
        HalfRight(
            "mask-alone",
            _through(dz=lambda dh, z, h: (z > 0) * 1.0),
            "dW2 and db2 are right, but your dz is the mask alone, 1 where z is above 0: multiply dh by that mask.",
        ),
        HalfRight(
            "h-for-dz",
            _through(dz=lambda dh, z, h: h),
            "dW2 and db2 are right, but your dz is h itself: what passes through the mask is dh, so dz is dh where z is above 0, and 0 elsewhere.",
        ),
        HalfRight(
            "compared-last",
            _through(dz=lambda dh, z, h: (dh * z > 0) * 1.0),
            "dW2 and db2 are right, but your dz is only true or false, because you compare the product with 0. Compare first, in brackets, as in `dh * (z > 0)`.",
        ),
        HalfRight(
            "compared-last-h",
            _through(dz=lambda dh, z, h: (dh * h > 0) * 1.0),
            "dW2 and db2 are right, but your dz is only true or false, because you compare the product with 0. Compare first, in brackets, as in `dh * (h > 0)`.",
        ),
        HalfRight(
            "mask-for-dx-only",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (x.T @ dh, dh.sum(axis=0), *five[2:])),
            "dW2, db2 and dx are right, but dW1 and db1 are made from dh, before the mask: make them from dz.",
        ),
        HalfRight(
            "mask-not-for-db1",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (five[0], dh.sum(axis=0), *five[2:])),
            "All are right but db1, which is made from dh, before the mask: b1 stands inside ReLU, so sum dz.",
        ),
        HalfRight(
            "mask-not-for-dw1",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (x.T @ dh, *five[1:])),
            "All are right but dW1, which is made from dh, before the mask: W1 stands inside ReLU, so it is x.T @ dz.",
        ),
        HalfRight(
            "mask-not-for-dx",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (*five[:4], dh @ W1.T)),
            "All are right but dx, which goes from dh through W1: the way back passes ReLU first, so start from dz.",
        ),
        HalfRight(
            "dw2-from-z",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (*five[:2], z.T @ dy, *five[3:])),
            "All are right but dW2, which is made from z: what W2 multiplies on the way up is h.",
        ),
        HalfRight(
            "means-of-rows",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (five[0], dz.mean(axis=0), five[2], dy.mean(axis=0), five[4])),
            "dW1, dW2 and dx are right, but db1 and db2 are means over the rows: the mean of the loss is in dy already, so add the rows up.",
        ),
        HalfRight(
            "mean-in-db1",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (five[0], dz.mean(axis=0), *five[2:])),
            "All are right but db1, which is a mean over the rows: add them up.",
        ),
        HalfRight(
            "mean-in-db2",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (*five[:3], dy.mean(axis=0), five[4])),
            "All are right but db2, which is a mean over the rows: add them up.",
        ),
        HalfRight(
            "divided-again",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (*(one / len(x) for one in five[:4]), five[4])),
            "dx is right, but the gradients of weights and biases are divided by the number of rows once more: dy holds the mean already.",
        ),
        HalfRight(
            "weights-divided-again",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (five[0] / len(x), five[1], five[2] / len(x), *five[3:])),
            "db1, db2 and dx are right, but dW1 and dW2 are divided by the number of rows once more: dy holds the mean already.",
        ),
        Mistake(
            "rows-only.means-of-rows",
            _through(
                dy=_WRONG_LOSS["rows-only"][0],
                last=lambda five, x, z, h, dy, dh, dz, W1: (
                    five[0],
                    dz.mean(axis=0),
                    five[2],
                    dy.mean(axis=0),
                    five[4],
                ),
            ),
            "Two things are wrong: dy is divided by the number of rows and not by y.size, and db1 and db2 are means over the rows, where the rows should be added up.",
            two=True,
        ),
        HalfRight(
            "updated-w2",
            _through(dh=lambda dy, h, W2: dy @ (W2 - h.T @ dy).T),
            "dW2 and db2 are right, but dh goes back through a W2 that has been updated already: all gradients belong to the weights that made y.",
        ),
        HalfRight(
            "dx-zero",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (*five[:4], x * 0)),
            "All are right but dx, which is 0: the input moves the loss as well, through dz @ W1.T.",
        ),
        Mistake(
            "steps-not-gradients",
            _last(lambda five, x, z, h, dy, dh, dz, W1: (-five[0], -five[1], -five[2], -five[3], five[4])),
            "dW1, db1, dW2 and db2 have the wrong sign, as if the step were in them: a gradient points uphill, and the training loop subtracts it.",
        ),
        *two_at_once("{}, and {}", _WRONG_LOSS, _WRONG_MASK, lambda dy, dz: _through(dy=dy, dz=dz), right=(None, None)),
    ),
    hints=(
        "Go back line by line: dy from the loss, dW2, db2 and dh from y = h W2 + b2, dz from ReLU, dW1, db1 and dx from z = x W1 + b1.",
        "Each gradient has the shape of what it belongs to, and that leaves one product that fits: dW2 is (d_ff, n) @ (n, d_out), dh is (n, d_out) @ (d_out, d_ff). A bias takes part in every row.",
        "Start with: dy = … / y.size, which dW2, db2 and dh are made of. Then dz = dh * …: where does ReLU let dh pass?",
    ),
    right="All five agree with gradients that use no chain rule, and with those of torch's autograd.",
)
