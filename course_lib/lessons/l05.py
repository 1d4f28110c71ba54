"""Lesson 05: position independence."""

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question
from course_lib.exercises.todo import holds_todo

# --- Predictions

ROWS = guess(
    "position.predict_rows",
    1,
    {
        5: "That would need every row to look at every other. Read the table again: which rows did the FFN leave alone?",
        0: "The row whose input changed does move: it is computed from that input.",
        2: "The word before it does not notice: no step of the FFN brings two rows together.",
        3: "The neighbours do not notice: no step of the FFN brings two rows together.",
        4: "It is the other way round: count the rows that moved, not the rows that stayed.",
    },
    "Only the row of the changed word moves; the four others keep every bit.",
    (
        "Ask for each output row which input rows its formula contains.",
        "x has shape (5, 8): x @ W1 computes row i of its result from row i of x.",
        "Your answer is a whole number from 0 to 5.",
    ),
)

CAUSAL = guess(
    "position.predict_causal",
    15,
    {
        25: "That is attention without a mask. Here row 1 cannot see row 5, so some entries are zero.",
        10: "You left out the diagonal: a token attends to itself as well.",
        5: "That is the FFN, where every row sees itself only.",
        20: "You took away one diagonal too few or too many: write down for each row how many rows it sees, and add up.",
        12: "Half of 25 is close, but the diagonal belongs to the entries that are not zero.",
        12.5: "Half of 25 is close, but the diagonal belongs to the entries that are not zero.",
        9: "Only the neighbour before it counts then; a token sees all tokens before it.",
    },
    "Row 1 sees one row, row 2 sees two, and so on: 1 + 2 + 3 + 4 + 5.",
    (
        "Count row by row: how many rows does the first word see, and how many does the last?",
        "The matrix has shape (5, 5), and its entries above the diagonal are zero.",
        "Row i sees i rows; add up over the five rows.",
    ),
)

GAP = guess(
    "position.predict_gap",
    "tiny",
    {
        "zero": "The formula is the same, the order of its additions need not be, and rounding depends on that order.",
        "large": "Each row is computed from the same numbers by the same formula: nothing large can come of it.",
    },
    "The same sums, perhaps added up in another order: equal up to rounding, so the check needs a tolerance.",
    (
        "On paper both ways compute the same sums. What does a computer do that paper does not?",
        "A product of shapes (64, 512) and (512, 2048) may be cut into other pieces than one of (1, 512) and (512, 2048).",
        "Your answer is one of the words 'zero', 'tiny' and 'large'.",
    ),
)

SHUFFLE = guess(
    "position.predict_shuffle",
    2,
    {
        1: "The FFN passes, but it is not the only one: does attention without a mask know which row came first?",
        3: "One of the three treats early and late rows differently: its mask is tied to the places in the sequence.",
        0: "At least the FFN passes: it treats every row alone, so the order of the rows does not matter to it.",
    },
    "The FFN and attention pass, causal attention does not. So passing does not make a layer position-wise.",
    (
        "A layer fails when it treats a place in the sequence in a special way.",
        "The mask has shape (5, 5) and stays where it is when the rows are shuffled.",
        "Your answer is a whole number from 0 to 3.",
    ),
)

CONVOLUTIONS = guess(
    "position.predict_convolutions",
    2,
    {
        1: "One convolution is one linear layer at every position, and a linear layer cannot bend (lesson 01).",
        0: "A convolution of width 1 sees one position at a time, as each layer of the FFN does: it can be written with them.",
        3: "Count the matrices of the FFN: each of them is one convolution, and the ReLU between them is none.",
        5: "The number of positions does not matter: a convolution is applied at all of them.",
        8: "A convolution takes all features at once: count the matrices, not the features.",
        32: "A convolution gives all hidden features at once: count the matrices, not the features.",
    },
    "One for each matrix, with a ReLU between them. One alone would be a linear layer.",
    (
        "A convolution of width 1 multiplies the features of each position by one matrix and adds a bias.",
        "W1 has shape (8, 32) and W2 has shape (32, 8).",
        "Count the matrices.",
    ),
)

# --- position.rowwise


class _RowOnly:
    """A small network for one row, (d_in,) -> (d_out,); it refuses a whole matrix, so that each row goes in alone."""

    def __init__(self, W1, b1, W2, b2):
        self._weights = W1, b1, W2, b2

    def __call__(self, row):
        W1, b1, W2, b2 = self._weights
        row = np.asarray(row, dtype=np.float64)
        if row.shape != (len(W1),):
            raise ValueError(f"f takes one row of shape ({len(W1)},), but an array of shape {row.shape} was given")
        return np.tanh(row @ W1 + b1) @ W2 + b2


def _rowwise_cases(rng):
    cases = []
    for n, d_in, d_out in ((5, 3, 2), (4, 2, 7), (1, 5, 3)):
        f = _RowOnly(
            rng.normal(size=(d_in, 6)), rng.normal(size=6), rng.normal(size=(6, d_out)), rng.normal(size=d_out)
        )
        cases.append(Case((f, rng.normal(size=(n, d_in))), {"n": n, "d_in": d_in, "d_out": d_out}))
    return cases


def _rowwise_oracle(f, X):
    """Compute all rows in one go from the weights, entry by entry of the sums; f itself is never called."""
    W1, b1, W2, b2 = f._weights
    hidden = np.tanh(np.einsum("ni,ih->nh", X, W1) + b1)
    return np.einsum("nh,ho->no", hidden, W2) + b2


def _rows(f, X):
    return np.stack([f(row) for row in X])


def _each(make):
    """Make a wrong answer from a rule (X, i) -> the row that f gets for output row i."""
    return lambda f, X: np.stack([f(make(X, i)) for i in range(len(X))])


def _after(change):
    """Make a wrong answer from what happens to the right outputs."""
    return lambda f, X: change(_rows(f, X))


def _softmax(scores, axis):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _blanked(index):
    def change(Y):
        Y = Y.copy()
        Y[index] = 0
        return Y

    return change


ROWWISE = Exercise(
    id="position.rowwise",
    kind="function",
    cases=_rowwise_cases,
    oracle=_rowwise_oracle,
    returns=(Returns("Y", ("n", "d_out")),),
    mistakes=(
        Mistake(
            "prefix-mean",
            _each(lambda X, i: X[: i + 1].mean(axis=0)),
            "Earlier rows leak in: output row i was computed from the mean of rows 0 to i, and it may see row i only.",
        ),
        Mistake(
            "prefix-sum",
            _each(lambda X, i: X[: i + 1].sum(axis=0)),
            "Earlier rows leak in: output row i was computed from the sum of rows 0 to i, and it may see row i only.",
        ),
        Mistake(
            "mean",
            _each(lambda X, i: X.mean(axis=0)),
            "All output rows are equal: f got the mean over the positions each time.",
        ),
        Mistake(
            "total",
            _each(lambda X, i: X.sum(axis=0)),
            "All output rows are equal: f got the sum over the positions each time.",
        ),
        Mistake("first-row", _each(lambda X, i: X[0]), "Every output row comes from row 0: use the loop's variable."),
        Mistake("last-row", _each(lambda X, i: X[-1]), "Every output row comes from the last row of X."),
        Mistake(
            "row-before",
            _each(lambda X, i: X[i - 1]),
            "The rows are off by one: output row i was computed from row i − 1 of X.",
        ),
        Mistake(
            "row-after",
            _each(lambda X, i: X[(i + 1) % len(X)]),
            "The rows are off by one: output row i was computed from row i + 1 of X.",
        ),
        Mistake(
            "backwards", _each(lambda X, i: X[-1 - i]), "The rows come out in reverse order: the last one stands first."
        ),
        Mistake(
            "neighbours",
            _each(lambda X, i: X[max(i - 1, 0) : i + 2].mean(axis=0)),
            "Output row i was computed from the mean of row i and its neighbours: no other row may come in.",
        ),
        Mistake(
            "attention",
            lambda f, X: _rows(f, _softmax(X @ X.T, axis=1) @ X),
            "This is attention: the rows were mixed by their similarity before f saw them.",
        ),
        Mistake(
            "accumulated",
            _after(lambda Y: Y.cumsum(axis=0)),
            "The outputs pile up from row to row: each one should stand alone.",
        ),
        Mistake(
            "running-maximum",
            _after(lambda Y: np.maximum.accumulate(Y, axis=0)),
            "Each output keeps the largest value so far: an earlier row may not reach a later one.",
        ),
        Mistake(
            "centred",
            _after(lambda Y: Y - Y.mean(axis=0)),
            "The mean over the positions was taken away from the outputs: that brings all rows into each of them.",
        ),
        Mistake(
            "averaged",
            _after(lambda Y: np.broadcast_to(Y.mean(axis=0), Y.shape).copy()),
            "f saw the rows one by one, but then its outputs were averaged over the positions.",
        ),
        Mistake(
            "scaled",
            _after(lambda Y: Y * np.arange(1, len(Y) + 1)[:, None]),
            "Output row i is multiplied by i + 1: its place in the sequence should not matter.",
        ),
        Mistake(
            "place-added",
            _each(lambda X, i: X[i] + i),
            "The number of the row was added to it: f should get the row as it is.",
        ),
        Mistake(
            "features-backwards",
            _each(lambda X, i: X[i, ::-1]),
            "Each row went into f with its features in reverse order.",
        ),
        Mistake(
            "normed",
            _each(lambda X, i: X[i] - X[i].mean()),
            "The mean of each row's features was taken away before f saw it: f should get the row as it is.",
        ),
        Mistake("first-missing", _after(_blanked(0)), "Output row 0 is all zeros: does the loop begin at 1?"),
        Mistake("last-missing", _after(_blanked(-1)), "The last output row is all zeros: does the loop end too early?"),
        Mistake("clipped", _after(lambda Y: np.maximum(Y, 0)), "The negative outputs are gone: return what f gives."),
    ),
    hints=(
        "Go through the rows of X, call f on one row at a time, and put the results back together in the same order.",
        "f takes shape (d_in,) and gives (d_out,); n such results stacked have shape (n, d_out).",
        "Start with: rows = [f(row) for row in X], then let NumPy stack the list.",
    ),
    right="Each row went through f alone. Nothing you do to one row can reach another.",
)

# --- position.influence


class _Layer:
    """A layer as a black box, (n, d_in) -> (n, d_out); it does not show how it is made."""

    def __init__(self, function, reach):
        self._function, self._reach = function, reach

    def __call__(self, X):
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"this layer takes rows, shape (n, d_in), but an array of shape {X.shape} was given")
        return self._function(X)


def _normed(X):
    centred = X - X.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)


def _small_network(rng, d_in, d_out):
    """Make a smooth row-by-row network (tanh has no flat part where a change would be lost)."""
    W1, b1 = rng.normal(size=(d_in, 6)) / d_in**0.5, 0.5 * rng.normal(size=6)
    W2, b2 = rng.normal(size=(6, d_out)), rng.normal(size=d_out)
    return lambda X: np.tanh(X @ W1 + b1) @ W2 + b2


def _influence_cases(rng):
    n, d_in, d_out = 6, 5, 2  # with few features, a random change of a row is too often lost in its layer norm
    A, diagonal, everywhere = rng.normal(size=(d_in, d_out)), np.eye(n, dtype=bool), np.ones((n, n), dtype=bool)
    nets = [_small_network(rng, d_in, d_out) for _ in range(5)]
    band = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1
    mixing = band * (0.5 + rng.random((n, n)))
    weak = diagonal | (np.arange(n) == 1)[None, :]

    def gossip(feature):  # one output feature also hears row 0, the other does not
        def layer(X):
            Y = nets[3](X)
            Y[1:, feature] += 2 * (X[0] @ A)[feature]
            return Y

        return layer

    layers = (
        _Layer(nets[0], diagonal),
        _Layer(lambda X: _softmax(X @ X.T / n, axis=1) @ X @ A, everywhere),
        _Layer(lambda X: X.cumsum(axis=0) @ A, np.tri(n, dtype=bool)),
        _Layer(lambda X: np.vstack([X[1:], 0 * X[:1] + 1]) @ A, np.eye(n, k=1, dtype=bool)),
        _Layer(lambda X: mixing @ (X @ A), band),
        _Layer(lambda X: nets[1](_normed(X)), diagonal),
        _Layer(lambda X: nets[4](X - X.mean(axis=1, keepdims=True)), diagonal),
        _Layer(lambda X: nets[2](X + 1000 * X.mean(axis=0) - 1000 * X.mean(axis=0)), diagonal),
        _Layer(lambda X: X @ A + 0.01 * (X[1] @ A), weak),
        _Layer(gossip(0), diagonal | (np.arange(n) == 0)[None, :]),
        _Layer(gossip(-1), diagonal | (np.arange(n) == 0)[None, :]),
    )
    X = rng.normal(size=(n, d_in))
    return [Case((layer, X.copy()), {"n": n, "d_in": d_in, "d_out": d_out}) for layer in layers]


def _as_zeros_and_ones(name, value, shape):
    """Turn an array of True and False, or of 1 and 0, into float64; what is no such array is left to the checks."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return value
    value = value.astype(np.float64)
    if value.shape == shape and np.isfinite(value).all() and not np.isin(value, (0, 1)).all():
        raise Fault("value", f"{name} holds other numbers than 0 and 1: answer each question with True or False.")
    return value


def _run_influence(answer, case):
    """Call the answer; True and False count as 1 and 0."""
    n = len(case.args[1])
    return _as_zeros_and_ones("M", answer(*case.args), (n, n))


def _probe(change=None, moved=None, keep_changes=False):
    """Make an influence function from how it changes a row and how it compares; each argument makes it a wrong one."""
    change = change or (lambda row, j: row + np.random.default_rng(j).normal(size=row.shape))
    moved = moved or (lambda Y, Z: (np.abs(Z - Y) > 1e-7).any(axis=1))

    def influence(f, X):
        Y, M, Z = f(X), np.zeros((len(X), len(X)), dtype=bool), X.copy()
        for j in range(len(X)):
            Z = Z if keep_changes else X.copy()
            Z[j] = change(X[j], j)
            M[:, j] = moved(Y, f(Z))
        return M

    return influence


def _seen(change):
    """Make a wrong answer from what happens to the right matrix."""
    right = _probe()
    return lambda f, X: change(right(f, X))


INFLUENCE = Exercise(
    id="position.influence",
    kind="function",
    cases=_influence_cases,
    oracle=lambda f, X: f._reach.astype(np.float64),
    returns=(Returns("M", ("n", "n")),),
    run=_run_influence,
    mistakes=(
        Mistake(
            "transposed",
            _seen(lambda M: M.T.copy()),
            "Rows and columns are swapped: row i is the output that moves, column j the input that changes.",
        ),
        Mistake(
            "diagonal",
            _seen(lambda M: np.eye(len(M), dtype=bool)),
            "You say for every layer that a row reacts to itself only; attention, for one, is not like that.",
        ),
        Mistake(
            "all",
            _seen(np.ones_like),
            "You say for every layer that all rows react: compare row by row, and not the output as a whole.",
        ),
        Mistake("none", _seen(np.zeros_like), "Nothing ever moves: does the changed copy of X really go into f?"),
        Mistake("inverted", _seen(np.logical_not), "True and False are swapped: True stands where a row moves."),
        Mistake(
            "exact",
            _probe(moved=lambda Y, Z: (Y != Z).any(axis=1)),
            "Rounding is taken for movement: one layer shifts all rows up and down again and leaves a dust of about 1e-13. Allow a small tolerance.",
        ),
        Mistake(
            "coarse",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 0.1).any(axis=1)),
            "Your tolerance is too large: one layer lets a neighbour through very quietly.",
        ),
        Mistake(
            "same-shift",
            _probe(change=lambda row, j: row + 1),
            "Adding one number to all features of a row goes unseen by a layer that removes the row's mean: change the features by different amounts.",
        ),
        Mistake(
            "stretched",
            _probe(change=lambda row, j: 2 * row),
            "Doubling a row goes unseen by a layer that normalises the row's length: change its features by different amounts.",
        ),
        Mistake(
            "nan",
            _probe(change=lambda row, j: row * np.nan, moved=lambda Y, Z: np.isnan(Z).any(axis=1)),
            "NaN also passes through a weight of zero, because 0 × NaN is NaN: make an ordinary change instead.",
        ),
        Mistake(
            "piled-up",
            _probe(keep_changes=True),
            "The changes pile up: rows that you changed before are still changed. Begin with a fresh copy of X for every j.",
        ),
        Mistake(
            "every-feature",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 1e-7).all(axis=1)),
            "A row has moved as soon as any of its features has; you ask for all of them.",
        ),
        Mistake(
            "first-feature",
            _probe(moved=lambda Y, Z: np.abs(Z - Y)[:, 0] > 1e-7),
            "You look at the first output feature only; one layer leaks through the last one.",
        ),
        Mistake(
            "not-itself",
            _seen(lambda M: M & ~np.eye(len(M), dtype=bool)),
            "The diagonal is missing: whether a row reacts to its own input counts too.",
        ),
        Mistake("only-itself", _seen(lambda M: M & np.eye(len(M), dtype=bool)), "You compare row j with row j only."),
        Mistake(
            "only-earlier",
            _seen(np.tril),
            "You look at inputs that come before the output only; some layers look ahead.",
        ),
        Mistake(
            "only-later", _seen(np.triu), "You look at inputs from the output's own row on; some layers look back."
        ),
        Mistake(
            "symmetric",
            _seen(lambda M: M | M.T),
            "You count a pair in both directions, but who reacts to whom can be one-sided.",
        ),
        Mistake(
            "off-by-one",
            _seen(lambda M: np.roll(M, 1, axis=1)),
            "The columns are off by one: column j belongs to the change of row j.",
        ),
        Mistake(
            "last-column",
            _seen(lambda M: np.hstack([M[:, :-1], 0 * M[:, -1:]])),
            "The last column is empty: does the loop end one row too early?",
        ),
    ),
    hints=(
        "Keep f(X). For every j change row j of a fresh copy, call f again, and see which output rows differ.",
        "f gives shape (n, d_out); comparing two outputs along axis 1 gives n answers, and they are column j of M.",
        "Start with: before = f(X); rng = np.random.default_rng(0); M = np.zeros((len(X), len(X)), dtype=bool).",
    ),
    right="Your matrix tells who reacts to whom, also where the reaction is faint.",
)

# --- position.conv_weight


def _conv_cases(rng):
    from course_lib._torch import torch

    sizes = ((2, 5), (5, 3), (3, 7), (4, 4))
    return [
        Case((torch.from_numpy(rng.normal(size=(d_in, d_out))),), {"d_in": d_in, "d_out": d_out})
        for d_in, d_out in sizes
    ]


def _conv_oracle(W):
    """Fill the weight entry by entry: output channel o takes from input channel i what x @ W gives to o from i."""
    d_in, d_out = W.shape
    weight = W.new_zeros(d_out, d_in, 1)
    for i in range(d_in):
        for o in range(d_out):
            weight[o, i, 0] = W[i, o]
    return weight


def _turned(change):
    """Make a wrong answer from what happens to the right weight."""
    return lambda W: change(W.T[:, :, None].clone())


CONV_WEIGHT = Exercise(
    id="position.conv_weight",
    kind="function",
    cases=_conv_cases,
    oracle=_conv_oracle,
    returns=(Returns("the weight", ("d_out", "d_in", "1")),),
    mistakes=(
        Mistake(
            "reshaped",
            lambda W: W.reshape(W.shape[1], W.shape[0], 1),
            "The shape is right, but the entries are scrambled: reshape keeps the order in memory and swaps no axes.",
        ),
        Mistake(
            "reshaped-back",
            lambda W: W.T.reshape(W.shape).T[:, :, None],
            "The entries are scrambled: you swapped the axes twice, and reshaped between.",
        ),
        Mistake(
            "flipped-in",
            _turned(lambda w: w.flip(1)),
            "The input features are in reverse order: PyTorch's convolution flips nothing, so you need not undo it.",
        ),
        Mistake("flipped-out", _turned(lambda w: w.flip(0)), "The output features are in reverse order."),
        Mistake(
            "flipped-both",
            _turned(lambda w: w.flip(0, 1)),
            "Both axes are in reverse order: to transpose is to swap the axes, not to turn the matrix by half a circle.",
        ),
        Mistake("negated", _turned(lambda w: -w), "Every entry has the wrong sign."),
        Mistake("absolute", _turned(lambda w: w.abs()), "The signs of the entries are lost."),
        Mistake(
            "clipped", _turned(lambda w: w.relu()), "The negative entries were set to 0: the ReLU is no part of W."
        ),
        Mistake(
            "averaged",
            _turned(lambda w: w / w.shape[1]),
            "You divided by d_in: a convolution adds its products up, as a matrix product does.",
        ),
        Mistake(
            "normalised",
            _turned(lambda w: w.softmax(dim=1)),
            "There is a softmax over the input features: the weight is W's own entries.",
        ),
        Mistake("zeros", _turned(lambda w: 0 * w), "The weight is all zeros: the entries of W are not in it yet."),
        Mistake(
            "diagonal",
            _turned(lambda w: w * (w[..., 0].new_ones(w.shape[:2]).tril().triu())[..., None]),
            "Only the entries with equal indices are there: every output takes from every input.",
        ),
        Mistake("doubled", _turned(lambda w: 2 * w), "Every entry is counted twice."),
    ),
    hints=(
        "x @ W adds x[i] · W[i, o] up over i, for each output o. The convolution does the same with weight[o, i, 0].",
        "From (d_in, d_out) to (d_out, d_in, 1): swap the two axes, then add one of length 1 at the end.",
        "The first step is W.T, of shape (d_out, d_in).",
    ),
    right="The same numbers, with the axes in the order of Conv1d: width 1 means that each position is seen alone.",
)

# --- position.which_layers


def _place(n):
    return np.sin(1.7 * np.arange(n))[:, None]


def _boxes(rng, d):
    """Make twenty layers with random weights: the position-wise ones first, and how many those are."""

    def net():
        return _small_network(rng, d, d)

    def made(make):
        return make(net(), rng.normal(size=(d, d)) / d**0.5)

    alone = [
        lambda g, A: g,
        lambda g, A: lambda X: X + g(_normed(X)),
        lambda g, A: lambda X: _softmax(X @ A, axis=1),
        lambda g, A: lambda X: _normed(X) @ A,
        lambda g, A: lambda X: g(X + 1000 * X.mean(axis=0) - 1000 * X.mean(axis=0)),
        lambda g, A: lambda X: np.maximum(X @ A, 0) @ A.T,
        lambda g, A: lambda X: np.sort(X, axis=1) @ A,
        lambda g, A: lambda X: g(X) * (X @ A),
    ]
    mixing = [
        lambda g, A: lambda X: g((X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5)),
        lambda g, A: lambda X: g(X.cumsum(axis=0) / np.arange(1, len(X) + 1)[:, None]),
        lambda g, A: lambda X: g(X[::-1].cumsum(axis=0)[::-1] / np.arange(len(X), 0, -1)[:, None]),
        lambda g, A: lambda X: _softmax(X @ A, axis=0),
        lambda g, A: lambda X: g(X) + _place(len(X)),
        lambda g, A: lambda X: g(X + _place(len(X))),
        lambda g, A: lambda X: _softmax(X @ A @ X.T / 5, axis=1) @ g(X),
        lambda g, A: lambda X: g(X) + 0.005 * X.mean(axis=0) @ A,
        lambda g, A: lambda X: g(X) + _normed(X).mean(axis=0) @ A,
        lambda g, A: lambda X: g(X[::-1]),
        lambda g, A: lambda X: g(X) + X[len(X) // 2] @ A,
        lambda g, A: lambda X: g(X) + X.max(axis=0) @ A,
    ]
    return [made(make) for make in alone + mixing], len(alone)


def _which_cases(rng):
    d = 5
    functions, count = _boxes(rng, d)
    layers = [_Layer(function, index < count) for index, function in enumerate(functions)]
    order = rng.permutation(len(layers))
    X = rng.normal(size=(6, d))
    groups = [[layers[index] for index in order[start : start + 5]] for start in range(0, len(layers), 5)]
    return [Case((group, X.copy()), {"layer": 5, "n": 6, "d": d}) for group in groups]


def _run_which(answer, case):
    """Call the answer and turn its list, tuple or array into an array; True and False count as 1 and 0."""
    said = answer(*case.args)
    if said is None or holds_todo(said):
        return said
    if isinstance(said, (list, tuple)) and all(isinstance(item, (bool, np.bool_, int, float)) for item in said):
        said = np.array(said, dtype=np.float64)
    if not isinstance(said, np.ndarray):
        raise Fault("type", "Return a list with one True or False for each layer, such as [True, False, …].")
    return _as_zeros_and_ones("The list", said, (len(case.args[0]),))


def _answers(*tests):
    """Make an answer from tests (f, X) -> bool: a layer is called position-wise when it passes all of them."""
    return lambda layers, X: [all(test(f, X) for test in tests) for f in layers]


def _shuffled(f, X):
    order = np.roll(np.arange(len(X)), 2)[::-1]
    return bool(np.allclose(f(X[order]), f(X)[order], rtol=1e-6, atol=1e-9))


def _others_stay(rows=None, change=None, tolerance=1e-9):
    """Make the test that changing one row leaves all others alone, for the given rows only."""
    change = change or (lambda row, j: row + np.random.default_rng(j).normal(size=row.shape))

    def test(f, X):
        Y = f(X)
        for j in range(len(X)) if rows is None else rows:
            Z = X.copy()
            Z[j] = change(X[j], j % len(X))
            gap = np.delete(np.abs(f(Z) - Y).max(axis=1), j)
            if not (gap <= tolerance).all():
                return False
        return True

    return test


def _equal_rows(f, X):
    Z = X.copy()
    Z[3] = Z[1]
    Y = f(Z)
    return bool(np.allclose(Y[3], Y[1], rtol=1e-6, atol=1e-9))


def _alone(first_only=False, tolerance=1e-9):
    def test(f, X):
        Y = f(X)
        rows = range(1 if first_only else len(X))
        return bool(all(np.abs(f(X[i : i + 1])[0] - Y[i]).max() <= tolerance for i in rows))

    return test


WHICH = Exercise(
    id="position.which_layers",
    kind="function",
    cases=_which_cases,
    oracle=lambda layers, X: np.array([float(layer._reach) for layer in layers]),
    returns=(Returns("the list", ("layer",)),),
    run=_run_which,
    mistakes=(
        Mistake(
            "all",
            lambda layers, X: [True] * len(layers),
            "You call every layer position-wise, attention too.",
        ),
        Mistake(
            "none",
            lambda layers, X: [False] * len(layers),
            "You call no layer position-wise, not even the FFN. If you compare exactly, remember what rounding does.",
        ),
        Mistake(
            "flipped",
            lambda layers, X: [not _alone()(f, X) for f in layers],
            "True and False are swapped: True means position-wise.",
        ),
        Mistake(
            "shuffle-only",
            _answers(_shuffled),
            "Your test lets layers pass that mix the rows but do not care about their order, as attention does. See whether changing one row moves another.",
        ),
        Mistake(
            "neighbours-only",
            _answers(_others_stay()),
            "Your test sees whether rows reach each other, but lets a layer pass that does something else at every place. Position-wise means the same function everywhere.",
        ),
        Mistake(
            "equal-rows",
            _answers(_equal_rows),
            "Two equal rows also give equal outputs in attention: this test cannot tell the two apart.",
        ),
        Mistake(
            "last-row-only",
            _answers(_others_stay(rows=(-1,))),
            "You changed the last row only: a layer that looks back at earlier rows goes unnoticed.",
        ),
        Mistake(
            "first-row-only",
            _answers(_others_stay(rows=(0,))),
            "You changed the first row only: a layer that looks ahead at later rows goes unnoticed.",
        ),
        Mistake(
            "first-alone",
            _answers(_alone(first_only=True)),
            "You compared the first row only: a layer that looks back has nothing to look back at there.",
        ),
        Mistake(
            "exact",
            _answers(_others_stay(tolerance=0), _shuffled),
            "You ask for equal bits: a layer that is position-wise up to rounding is turned away. Allow a small tolerance.",
        ),
        Mistake(
            "coarse",
            _answers(_alone(tolerance=0.1)),
            "Your tolerance is too large: one layer lets the other rows in very quietly.",
        ),
        Mistake(
            "same-shift",
            _answers(_others_stay(change=lambda row, j: row + 1), _shuffled),
            "Adding one number to all features of a row goes unseen by a layer that removes each row's mean: change the features by different amounts.",
        ),
    ),
    hints=(
        "Take the definition at its word: what a layer does to a row must not depend on the other rows, nor on the row's place.",
        "X has shape (n, d). X[i : i + 1] has shape (1, d): a sequence of one row, and f takes it.",
        "For each f, start with: alone = np.concatenate([f(X[i : i + 1]) for i in range(len(X))]).",
    ),
    right="Twenty layers, and your test tells them all apart.",
)

QUESTIONS = (
    Question(
        "position.quiz-1",
        "Which experiment can tell an FFN from attention without positions?",
        (
            Option(
                "Give it the same word twice and compare the two outputs.",
                "Both layers give equal outputs for equal words, so this experiment cannot fail.",
            ),
            Option(
                "Shuffle the words and see whether the outputs are shuffled alike.",
                "Both layers pass: without positions, attention does not know the order either.",
            ),
            Option(
                "Replace one word and watch the outputs of the others.",
                "The FFN's other rows stay, attention's other rows move.",
                True,
            ),
        ),
    ),
    Question(
        "position.quiz-2",
        "The influence matrix of a layer is exactly diagonal. What follows?",
        (
            Option(
                "Its rows do not reach each other.",
                "That is what the zeros say; whether all rows are treated alike is another question.",
                True,
            ),
            Option(
                "It does the same at every position.",
                "A layer that adds another bias at each position has a diagonal matrix too.",
            ),
            Option(
                "It is a feed-forward network with a ReLU in it.",
                "Any function applied to each row alone gives a diagonal matrix, such as a layer norm.",
            ),
        ),
    ),
    Question(
        "position.quiz-3",
        "In float32, all tokens at once and one token at a time differ in the last digits. Why?",
        (
            Option(
                "A little of each token leaks into its neighbours.",
                "Then changing one token would move the others, and at equal shape not one bit of them changes.",
            ),
            Option(
                "The sums may be added in another order.",
                "A product of another shape may be cut up differently, and rounding depends on the order.",
                True,
            ),
            Option(
                "The network draws fresh random numbers at every call.",
                "In eval mode nothing is random: the same call twice gives the same bits.",
            ),
        ),
    ),
    Question(
        "position.quiz-4",
        "Your sequences become twice as long. How many parameters does the FFN need?",
        (
            Option(
                "Twice as many: every position has its weights.",
                "All positions share one set of weights.",
            ),
            Option(
                "Four times as many: positions come in pairs.",
                "No weight belongs to a pair of positions: rows do not meet in the FFN.",
            ),
            Option("As many as before.", "The length of the sequence is no part of any of its shapes.", True),
        ),
    ),
    Question(
        "position.quiz-5",
        "In “the bank of the river”, where can the vector of “bank” first learn of the river?",
        (
            Option(
                "In an attention layer.",
                "Attention is where rows meet; an FFN can then work with what was brought.",
                True,
            ),
            Option(
                "In the FFN, if it is wide enough.",
                "No width helps: its output for “bank” is a function of the input row of “bank” alone.",
            ),
            Option(
                "In a stack of several FFNs, one after another.",
                "Each of them keeps to its row, so all of them together do.",
            ),
        ),
    ),
)

LESSON = Lesson(
    number=5,
    topic="position",
    title="Position independence",
    exercises=(ROWS, CAUSAL, GAP, SHUFFLE, CONVOLUTIONS, ROWWISE, INFLUENCE, CONV_WEIGHT, WHICH),
    questions=QUESTIONS,
)
