"""Lesson 01: linear limits."""

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions

DEPTH = guess(
    "linear.predict_depth",
    1,
    {
        8: "Not one of the eight is needed: between two matrix products nothing happens that a single product could not do.",
        4: "Pairing them up is the right start: two become one. Go on, and four become two, and two become one.",
        2: "Two are still more than you need: what the first does and what the second does is a product of matrices.",
        0: "With no layer the output would be the input itself; one layer is needed.",
    },
    "However many linear layers you stack, one is enough.",
    (
        "What do you get when you multiply a row vector by one matrix and then by another?",
        "A matrix of shape (2, 5) times one of shape (5, 3) is one matrix of shape (2, 3).",
        "Replace two of the eight by one, and count how often you can do that.",
    ),
)

XOR_LINE = guess(
    "linear.predict_xor",
    0.75,
    {
        0.5: "Guessing gives 2 of 4, and a line can do better: cut one corner off.",
        1.0: "No line gets all four: the two points with y = 1 lie across from each other, and so do the two with y = 0.",
        0.25: "A line with 1 of 4 right has 3 of 4 right once its sides are swapped.",
        75: "Give the share as a number between 0 and 1.",
    },
    "Three of the four points, and no line gets the fourth.",
    (
        "Draw the four points on paper and try to separate the two kinds with a ruler.",
        "There are four points, so the share is 0, 0.25, 0.5, 0.75 or 1.",
        "Cut off one corner with the line: how many points are right then?",
    ),
)

WIDTH = guess(
    "linear.predict_width",
    "few",
    {
        "all": "Two units are enough to solve XOR, but training has to find them, and from most starts it gets stuck.",
        "half": "It is fewer: with two units, one that starts in the wrong place has no other to replace it.",
        "none": "Some starts do get there: two units are enough, and a few starts lie close to a solution.",
    },
    "A solution exists with two units, but few starts find it; spare units help the search.",
    (
        "That a solution exists does not say that training finds it.",
        "With two units, both have to end in the right place.",
        "Your answer is one of the words 'all', 'half', 'few' and 'none'.",
    ),
)

ATTENTION = guess(
    "linear.predict_attention",
    "no",
    {
        "yes": "It would be, if its weights were fixed numbers. They are computed from x, and pass through a softmax.",
        "mostly": "There is no 'mostly': the sum rule holds for all x or it does not. Look at which part breaks it.",
    },
    "The weights depend on x through the softmax; with the weights held fixed, what remains is linear in the values.",
    (
        "A function is linear if f(a + b) = f(a) + f(b) for all a and b.",
        "Attention computes a (seq_len, seq_len) matrix of weights from x before it uses them.",
        "Your answer is one of the words 'yes', 'no' and 'mostly'.",
    ),
)

# --- linear.collapse


def _layers(rng):
    cases = []
    for d_in, d_hidden, d_out in ((2, 5, 3), (3, 2, 7), (5, 7, 2)):
        args = (
            rng.normal(size=(d_in, d_hidden)),
            rng.normal(size=d_hidden),
            rng.normal(size=(d_hidden, d_out)),
            rng.normal(size=d_out),
        )
        cases.append(Case(args, {"d_in": d_in, "d_hidden": d_hidden, "d_out": d_out}))
    return cases


def _collapsed(W1, b1, W2, b2):
    """Find the affine map from what it does: to zero, and to each unit vector (no matrix product of W1 and W2)."""
    units = np.eye(len(W1))
    both = np.stack([(W2.T * (row @ W1 + b1)).sum(axis=1) + b2 for row in np.vstack([0 * units[:1], units])])
    return both[1:] - both[0], both[0]


def _relu(x):
    return np.maximum(x, 0)


COLLAPSE = Exercise(
    id="linear.collapse",
    kind="function",
    cases=_layers,
    oracle=_collapsed,
    returns=(Returns("W", ("d_in", "d_out")), Returns("b", ("d_out",))),
    mistakes=(
        Mistake(
            "no-b1",
            lambda W1, b1, W2, b2: (W1 @ W2, b2.copy()),
            "W is right, but b1 got lost: it passes through the second layer too.",
        ),
        Mistake(
            "no-b2", lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2), "W is right, but b2 is missing from the combined bias."
        ),
        Mistake(
            "no-biases",
            lambda W1, b1, W2, b2: (W1 @ W2, 0 * b2),
            "W is right, but both biases are missing: what comes out when x is all zeros?",
        ),
        Mistake(
            "minus-b2", lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 - b2), "Look at the sign of b2 in the combined bias."
        ),
        Mistake(
            "b1-summed",
            lambda W1, b1, W2, b2: (W1 @ W2, b1.sum() + b2),
            "b1 has to pass through W2; its sum forgets which hidden value each entry belongs to.",
        ),
        Mistake(
            "relu-inside",
            lambda W1, b1, W2, b2: (W1 @ W2, _relu(b1) @ W2 + b2),
            "There is a ReLU on b1, but these two layers have none: that is the point of the exercise.",
        ),
        Mistake(
            "product-twice",
            lambda W1, b1, W2, b2: (2 * W1 @ W2, b1 @ W2 + b2),
            "b is right, but the product of the matrices is counted twice in W.",
        ),
        Mistake(
            "relu-on-W",
            lambda W1, b1, W2, b2: (_relu(W1 @ W2), b1 @ W2 + b2),
            "b is right, but the negative entries of W are gone: a product of matrices may be negative.",
        ),
        Mistake(
            "relu-on-W2",
            lambda W1, b1, W2, b2: (W1 @ _relu(W2), b1 @ _relu(W2) + b2),
            "The negative entries of W2 were set to 0; use W2 as it is.",
        ),
        Mistake(
            "relu-on-b",
            lambda W1, b1, W2, b2: (W1 @ W2, _relu(b1 @ W2 + b2)),
            "W is right, but the negative entries of the combined bias were set to 0.",
        ),
        Mistake(
            "bias-average",
            lambda W1, b1, W2, b2: (W1 @ W2, (b1 @ W2 + b2) / 2),
            "The two parts of the bias are added; you took their average.",
        ),
        Mistake(
            "scaled",
            lambda W1, b1, W2, b2: (W1 @ W2 / len(b1), b1 @ W2 / len(b1) + b2),
            "You divided by the hidden width: a matrix product is a sum and not a mean.",
        ),
        Mistake("minus-W", lambda W1, b1, W2, b2: (-W1 @ W2, b1 @ W2 + b2), "b is right, but W has the wrong sign."),
        Mistake(
            "minus-b1",
            lambda W1, b1, W2, b2: (W1 @ W2, b2 - b1 @ W2),
            "W is right, but b1's part of the bias has the wrong sign.",
        ),
        Mistake(
            "b2-in-W",
            lambda W1, b1, W2, b2: (W1 @ W2 + b2, b1 @ W2),
            "b2 was added to every row of W; it belongs to the bias, where no x multiplies it.",
        ),
        Mistake(
            "b1-twice",
            lambda W1, b1, W2, b2: (W1 @ W2, 2 * b1 @ W2 + b2),
            "W is right, but b1 is counted twice in the bias.",
        ),
        Mistake(
            "plus-one",
            lambda W1, b1, W2, b2: (W1 @ W2, (b1 + 1) @ W2 + b2),
            "W is right, but 1 was added to b1 before it passed through W2.",
        ),
        Mistake(
            "b1-diagonal",
            lambda W1, b1, W2, b2: (W1 @ W2, b1.sum() * W2.sum(axis=0) + b2),
            "Every entry of b1 has a row of W2 of its own; you multiplied the sum of b1 by the sum of the rows.",
        ),
        Mistake(
            "bias-swapped",
            lambda W1, b1, W2, b2: ((W1 + b1) @ W2, b1 @ W2 + b2),
            "b1 was added to the rows of W1 as well; it is added once, after x has been multiplied.",
        ),
        Mistake(
            "elementwise-abs",
            lambda W1, b1, W2, b2: (np.abs(W1 @ W2), b1 @ W2 + b2),
            "b is right, but the signs of W are lost.",
        ),
    ),
    hints=(
        "Write the second layer around the first, (x W1 + b1) W2 + b2, and multiply out the brackets.",
        "W has shape (d_in, d_out): one matrix product gives it. b has shape (d_out,), and b1 must pass through W2 to get there.",
        "The first line is W = W1 @ W2; now collect everything that is not multiplied by x.",
    ),
    right="One layer does the work of two, biases included.",
)

# --- linear.is_affine


class _BlackBox:
    """A function of rows, (n, d_in) -> (n, d_out); it does not show how it is made."""

    def __init__(self, function):
        self._function = function

    def __call__(self, x):
        return self._function(np.asarray(x, dtype=np.float64))


def _boxes(rng):
    d_in, d_hidden, d_out = 3, 5, 2
    W1, W2, A = rng.normal(size=(d_in, d_hidden)), rng.normal(size=(d_hidden, d_out)), rng.normal(size=(d_in, d_out))
    b1, b2 = rng.normal(size=d_hidden), rng.normal(size=d_out)
    w = A[:, 0] / np.linalg.norm(A[:, 0])
    makers = (
        lambda x: (x @ W1 + b1) @ W2 + b2,
        lambda x: x @ A,
        lambda x: _relu(x @ W1 + b1) @ W2 + b2,
        lambda x: _relu(x @ W1) @ W2,
        lambda x: x @ A + _relu((x @ w)[:, None] - 4) * b2,
        lambda x: (x @ A) ** 2,
        lambda x: x * 0 + 3,
        lambda x: x @ A + 0.01 * np.tanh(x @ A),
    )
    return [Case((_BlackBox(make), d_in), {"d_in": d_in, "d_out": d_out}) for make in makers]


def _is_affine_oracle(f, d_in):
    """Compare f with the affine map that agrees with it on zero and the unit vectors, on a fine and wide set of points."""
    zero = f(np.zeros((1, d_in)))
    slope = f(np.eye(d_in)) - zero
    points = np.random.default_rng(1).normal(size=(500, d_in)) * np.geomspace(0.01, 100, 500)[:, None]
    gap = np.abs(f(points) - (points @ slope + zero)).max(axis=1) / (1 + np.abs(points).max(axis=1))
    return bool(gap.max() < 1e-6)


def _sum_rule(scale, with_zero=True, exact=False, flip=False, probes=200):
    """Make a tester of f(a + b) + f(0) = f(a) + f(b) with probes of one scale; the flags make it a wrong one."""

    def is_affine(f, d_in):
        rng = np.random.default_rng(2)
        a, b = scale * rng.normal(size=(2, probes, d_in))
        left = f(a + b) + (f(np.zeros((1, d_in))) if with_zero else 0)
        same = (
            np.array_equal(left, f(a) + f(b)) if exact else np.allclose(left, f(a) + f(b), rtol=1e-6, atol=1e-6 * scale)
        )
        return bool(same) != flip

    return is_affine


def _doubling(f, d_in):
    a = np.random.default_rng(2).normal(size=(200, d_in)) * 10
    zero = f(np.zeros((1, d_in)))
    return bool(np.allclose(f(2 * a) - zero, 2 * (f(a) - zero), rtol=1e-6, atol=1e-6))


IS_AFFINE = Exercise(
    id="linear.is_affine",
    kind="function",
    cases=_boxes,
    oracle=_is_affine_oracle,
    returns=(Returns("the result"),),
    mistakes=(
        Mistake(
            "always-true",
            lambda f, d_in: True,
            "Your function calls every box affine, also one that squares its input.",
        ),
        Mistake(
            "always-false",
            lambda f, d_in: False,
            "Your function calls no box affine, not even a single matrix product.",
        ),
        Mistake(
            "biases-refused",
            _sum_rule(10, with_zero=False),
            "Your function refuses layers with a bias: f(0) must be taken into account, since affine is linear plus a constant.",
        ),
        Mistake(
            "too-strict",
            _sum_rule(10, exact=True),
            "Your function compares floats exactly; rounding differs with the order of additions, so allow a small tolerance.",
        ),
        Mistake("flipped", _sum_rule(10, flip=True), "True and False are swapped."),
        Mistake(
            "small-probes",
            _sum_rule(0.5),
            "Your function misses a kink that lies far from zero: try inputs that are ten times as large.",
        ),
        Mistake(
            "doubling-only",
            _doubling,
            "Your function tests only what doubling the input does; a ReLU without biases passes that test. Add two different inputs.",
        ),
    ),
    hints=(
        "If f is affine, f(a + b) + f(0) = f(a) + f(b) for all a and b. One pair that breaks the rule is enough to say no.",
        "Draw a and b of shape (200, d_in); f gives (200, d_out). Allow for rounding, and use small and large inputs.",
        "Start with: rng = np.random.default_rng(0), then a, b = 10 * rng.normal(size=(2, 200, d_in)).",
    ),
    right="Your test finds the non-linearity in every box, however it is hidden.",
)

# --- linear.xor_weights

_XOR_X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
_PARTS = (("W1", (2, 2)), ("b1", (2,)), ("W2", (2, 1)), ("b2", (1,)))


def _run_xor(answer, case):
    """Put the four weights of the answer into the network and return its outputs on the four points."""
    parts = answer()
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != 4:
        raise Fault("type", "Return four arrays: W1, b1, W2, b2.")
    arrays = []
    for (name, shape), part in zip(_PARTS, parts, strict=True):
        if part is None:
            raise Fault("none", f"{name} is None: is an assignment missing?")
        if not isinstance(part, np.ndarray) and not isinstance(part, (list, tuple, int, float)):
            return parts  # a TODO or a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault("shape", f"{name} has shape {array.shape}; expected is {shape}.")
        arrays.append(array)
    W1, b1, W2, b2 = arrays
    return _relu(case.args[0] @ W1 + b1) @ W2 + b2


def _xor_mistake(W1, b1, W2, b2):
    arrays = tuple(np.array(part, dtype=np.float64) for part in (W1, b1, W2, b2))
    return lambda: arrays


XOR_WEIGHTS = Exercise(
    id="linear.xor_weights",
    kind="function",
    cases=lambda rng: [Case((_XOR_X.copy(),), {"point": 4})],
    oracle=lambda x: (x[:, :1] != x[:, 1:]).astype(np.float64),
    returns=(Returns("the output", ("point", "d_out")),),
    run=_run_xor,
    mistakes=(
        Mistake(
            "or",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[1], [-1]], [0]),
            "The point (1, 1) gives 1: this is OR. The second unit has to be subtracted twice there.",
        ),
        Mistake(
            "sum",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[1], [0]], [0]),
            "The output is the sum of the inputs: the second unit, which fires only at (1, 1), is not used yet.",
        ),
        Mistake(
            "and", _xor_mistake([[1, 1], [1, 1]], [0, -1], [[0], [1]], [0]), "This is AND: it fires only at (1, 1)."
        ),
        Mistake(
            "xnor",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[-1], [2]], [1]),
            "This is the opposite of XOR: it says 1 where both inputs are equal.",
        ),
        Mistake(
            "zero",
            _xor_mistake([[0, 0], [0, 0]], [0, 0], [[0], [0]], [0]),
            "The output is 0 everywhere: do the two units cancel, because they are the same?",
        ),
        Mistake(
            "half",
            _xor_mistake([[0, 0], [0, 0]], [0, 0], [[0], [0]], [0.5]),
            "The output is 0.5 everywhere, which is the best that a line can do in squared error.",
        ),
        Mistake(
            "one-side",
            _xor_mistake([[1, -1], [-1, 1]], [0, 0], [[1], [0]], [0]),
            "Only one of the two points with y = 1 is found: the second unit should find the other.",
        ),
        Mistake(
            "signed",
            _xor_mistake([[1, -1], [-1, 1]], [0, 0], [[1], [-1]], [0]),
            "One of the two points with y = 1 comes out as −1: look at the sign in W2.",
        ),
    ),
    hints=(
        "Let the first unit count how many inputs are 1, and the second one fire only when both are.",
        "W1 has shape (2, 2), b1 (2,), W2 (2, 1), b2 (1,): column j of W1 and entry j of b1 belong to hidden unit j.",
        "Start with: W1 = np.array([[1.0, 1.0], [1.0, 1.0]]) and b1 = np.array([0.0, -1.0]).",
    ),
    right="Two ReLUs, set by hand, do what no line can.",
)

QUESTIONS = (
    Question(
        "linear.quiz-1",
        "You stack 100 linear layers with biases and no activation. What can the stack represent?",
        (
            Option(
                "Any continuous function.", "Without an activation the stack stays a single affine map, at any depth."
            ),
            Option(
                "The same as one linear layer.",
                "The products of the matrices are one matrix, and the biases collect into one bias.",
                True,
            ),
            Option(
                "Every polynomial up to degree 100.",
                "No layer multiplies features with each other, so no power of x ever appears.",
            ),
        ),
    ),
    Question(
        "linear.quiz-2",
        "Why can no line separate XOR?",
        (
            Option(
                "Four points are too few to train on.",
                "The number of points does not matter: the bound holds for any line, trained or not.",
            ),
            Option("The two inputs depend on each other.", "They do not: all four combinations occur once."),
            Option(
                "Both classes have the same midpoint.",
                "Both pairs lie across from each other with the midpoint (½, ½), which cannot be on both sides.",
                True,
            ),
        ),
    ),
    Question(
        "linear.quiz-3",
        "A ReLU network with one input and 8 hidden units draws which kind of curve?",
        (
            Option(
                "Straight pieces with at most 8 kinks.",
                "Every unit adds one kink, where its own input crosses zero.",
                True,
            ),
            Option(
                "A smooth curve that passes through 8 points.",
                "ReLU is straight on both sides of its kink, so nothing smooth comes out.",
            ),
            Option("A parabola.", "No unit squares its input."),
        ),
    ),
    Question(
        "linear.quiz-4",
        "In which of its inputs is attention linear?",
        (
            Option(
                "In x, since a softmax only normalises.",
                "The softmax contains exponentials of x, and they break the sum rule.",
            ),
            Option(
                "In the values, when its weights are held fixed.",
                "Each output is then a weighted mean of the value rows.",
                True,
            ),
            Option(
                "In none of its inputs, whatever else is held fixed.",
                "With fixed weights, what remains is a weighted sum of the values, and that is linear.",
            ),
        ),
    ),
    Question(
        "linear.quiz-5",
        "Training 2-2-1 networks on XOR fails from most starts. What does that show?",
        (
            Option("Two ReLUs cannot represent XOR.", "They can: the third exercise builds such a network by hand."),
            Option(
                "The learning rate was too small for most starts.",
                "Nothing in the experiment tests that; and many runs get stuck with units that no longer move.",
            ),
            Option(
                "Existing and being found are two things.",
                "A solution exists with two units; spare units make it likely that training finds one.",
                True,
            ),
        ),
    ),
)

LESSON = Lesson(
    number=1,
    topic="linear",
    title="Linear limits",
    exercises=(DEPTH, XOR_LINE, WIDTH, ATTENTION, COLLAPSE, IS_AFFINE, XOR_WEIGHTS),
    questions=QUESTIONS,
)
