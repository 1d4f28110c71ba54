"""Lesson 03: build the FFN."""

import math
import weakref

import numpy as np

from course_lib import arguments, numpy_ffn
from course_lib.exercises import sandbox
from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions


def _shape_word(shape):
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def _read_shape(answer, case):
    """Read a guessed shape, a tuple or list of whole numbers, as a word such as "(2, 3)"; words stay as they are."""
    if answer is None or isinstance(answer, str):
        return answer
    sizes = list(answer) if isinstance(answer, (tuple, list)) else []
    whole = all(isinstance(size, (int, np.integer)) and not isinstance(size, bool) for size in sizes)
    if not sizes or not whole:
        raise Fault("type", "Write the shape as a tuple of whole numbers: (4, 5) for two axes, (4,) for one.")
    return _shape_word([int(size) for size in sizes])


def _shape_guess(id, answer, wrong, right, hints):
    """Make the exercise of a prediction whose answer is a shape."""
    mistakes = tuple(Mistake("x".join(map(str, shape)), shape, message) for shape, message in wrong.items())
    return Exercise(
        id=id,
        kind="value",
        cases=lambda rng: [Case()],
        oracle=lambda: _shape_word(answer),
        returns=(Returns("your guess"),),
        mistakes=mistakes,
        hints=hints,
        right=right,
        run=_read_shape,
    )


HIDDEN = _shape_guess(
    "ffn.predict_hidden",
    (12,),
    {
        (
            3,
        ): "That is the shape on its way in and on its way out; in between, W1 has one column for each hidden value.",
        (3, 12): "That is the shape of W1. A row of 3 numbers times that matrix uses the 3 up.",
        (12, 3): "That is the shape of W2, which has not been used yet.",
        (1, 12): "Twelve numbers is right, but a token of shape (3,) has one axis, and no axis is added.",
        (12, 1): "Twelve numbers is right, but they stand in one row, without a second axis.",
        (15,): "The 3 inputs are used up in the product; they are not kept beside the 12 hidden values.",
        (36,): "36 is how many weights W1 has. Each hidden value adds up 3 products.",
    },
    "One token becomes 12 hidden values, one for each column of W1.",
    (
        "Every hidden value is a weighted sum of all the inputs.",
        "(3,) @ (3, 12): the axis that both share disappears.",
        "Count the columns of W1, and write that number as a shape with one axis: (n,).",
    ),
)

BATCH = _shape_guess(
    "ffn.predict_batch",
    (2, 10, 2048),
    {
        (2, 10, 512): "That is the shape of x, and again of the output; the hidden values are wider.",
        (20, 2048): "The number of tokens is right, but nothing merges the batch with the positions.",
        (2, 2048): "That would be one hidden vector for each sequence: what became of its 10 tokens?",
        (10, 2048): "The batch has gone: there are two sequences, and both keep their hidden values.",
        (2048,): "That is the hidden vector of a single token; there are 20 tokens.",
        (2, 512, 2048): "The product uses up the last axis of x, which is the 512, and not the 10.",
        (2, 10, 512, 2048): "The axis that x and W1 share is summed over, so it disappears.",
        (512, 2048): "That is the shape of W1; the tokens of x stay in the result.",
    },
    "Only the last axis changes. The others say which token it is, and stay as they are.",
    (
        "Every token is treated like the single one before.",
        "(2, 10, 512) @ (512, 2048): the axis that both share disappears.",
        "The shape starts with 2 and 10; only its last number is new.",
    ),
)

SCALE = guess(
    "ffn.predict_scale",
    30,
    {
        0.3: "The size would stay if every sum were divided by its number of terms in the right way; here nothing is.",
        3: "Larger than that: each hidden value adds up 64 products, and each output adds up 256.",
        300: "The terms have random signs, so a sum of n of them grows like √n and not like n.",
    },
    "About 100 times the input: sums of 64 and of 256 terms, and nothing that holds them down.",
    (
        "A sum of n independent numbers of mean 0 has √n times their standard deviation.",
        "Each of the 256 hidden values adds up 64 products; each of the 64 outputs adds up 256.",
        "Start with 0.3 · √64 for z. ReLU keeps half of the mean square, so go on with √(256 / 2).",
    ),
)

WEIGHT = _shape_guess(
    "ffn.predict_weight",
    (12, 3),
    {
        (3, 12): "That is our W1. torch keeps its transpose: a row for every output.",
        (12,): "That is the shape of the bias; the weight is a matrix.",
        (36,): "It does hold 36 numbers, but as a matrix.",
        (3,): "A matrix is needed: 3 numbers for each of the 12 outputs.",
        (1, 36): "It does hold 36 numbers, but with one row for each output.",
    },
    "One row for each output: the transpose of W1.",
    (
        "torch computes x Aᵀ + b with the matrix A that it stores.",
        "x has shape (…, 3) and x Aᵀ has shape (…, 12), so Aᵀ has shape (3, 12).",
        "Turn the shape of Aᵀ around.",
    ),
)

DROPOUT = guess(
    "ffn.predict_dropout",
    2,
    {
        1: "If the others stayed as they are, half of the output would be missing on average.",
        0.5: "That would make the loss of size worse: half of the values are gone already.",
        1.5: "Half of the values are gone, so the other half has to stand in for all of them.",
        0: "Those are the dropped ones. What happens to the values that stay?",
    },
    "Twice as large, so that the mean over many draws stays what it is without dropout.",
    (
        "Averaged over many draws, an output should be as large as without dropout.",
        "A value is 0 with probability p, and multiplied by some factor with probability 1 − p.",
        "Solve (1 − p) · factor = 1 for p = 0.5.",
    ),
)

LEADING = _shape_guess(
    "ffn.predict_leading",
    (1, 5, 3),
    {
        (5, 3): "That is what its description promises. Follow x line by line: what happens when it has two axes?",
        (5, 12): "That is the shape of the hidden values; one more layer follows.",
        (1, 5, 12): "That is the shape inside, after the first layer; one more follows.",
        (5, 1, 3): "An axis of size 1 is added, but in front: look at the argument of unsqueeze.",
        (5, 3, 1): "An axis of size 1 is added, but not at the end: look at the argument of unsqueeze.",
        (3, 5): "Nothing is transposed here: look at the line with unsqueeze.",
        (15,): "Nothing flattens x: look at the line with unsqueeze.",
    },
    "unsqueeze adds an axis of size 1 in front, and nothing takes it away again.",
    (
        "Read the code and not the description, with x of shape (5, 3) in mind.",
        "x.unsqueeze(0) turns (5, 3) into a shape with three axes.",
        "What is the shape of x after the line with unsqueeze? Only its last axis changes from there on.",
    ),
)

# --- What the exercises share


def _relu(x):
    return np.maximum(x, 0)


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _standardised(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def _over_positions(x):
    """Replace every position by the mean of all; a single token has no other position and stays."""
    return x if x.ndim == 1 else np.broadcast_to(x.mean(axis=-2, keepdims=True), x.shape).copy()


def _weights(rng, d_model, d_ff):
    return [
        rng.normal(size=(d_model, d_ff)),
        rng.normal(size=d_ff),
        rng.normal(size=(d_ff, d_model)),
        rng.normal(size=d_model),
    ]


def _by_loops(x, W1, b1, W2, b2, activation=lambda z: max(z, 0.0)):
    """Compute z, h and y number by number: no matrix product and no array operation."""
    z, h, y = (np.empty((*x.shape[:-1], len(bias))) for bias in (b1, b1, b2))
    for token in np.ndindex(x.shape[:-1]):
        for j in range(len(b1)):
            z[token][j] = math.fsum([b1[j], *(float(x[token][i] * W1[i, j]) for i in range(len(b2)))])
            h[token][j] = activation(float(z[token][j]))
        for i in range(len(b2)):
            y[token][i] = math.fsum([b2[i], *(float(h[token][j] * W2[j, i]) for j in range(len(b1)))])
    return z, h, y


# Leading shape, d_model, d_ff and their names: a batch, a sequence (with a narrow layer too) and a single token.
_SHAPES = (((2, 5), 3, 7), ((5,), 7, 3), ((), 5, 7), ((3,), 2, 5))


def _named_sizes(leading, d_model, d_ff):
    return dict(zip(("batch", "seq_len")[2 - len(leading) :], leading, strict=True)) | {
        "d_model": d_model,
        "d_ff": d_ff,
    }


# --- ffn.forward


def _forward_cases(rng):
    return [
        Case(
            (rng.normal(size=(*leading, d_model)), *_weights(rng, d_model, d_ff)), _named_sizes(leading, d_model, d_ff)
        )
        for leading, d_model, d_ff in _SHAPES
    ]


def _bent(function):
    """Make an FFN with another function between its layers."""
    return lambda x, W1, b1, W2, b2: function(x @ W1 + b1) @ W2 + b2


def _around(function):
    """Make an FFN whose output passes through one more function."""
    return lambda x, W1, b1, W2, b2: function(_relu(x @ W1 + b1) @ W2 + b2)


FORWARD = Exercise(
    id="ffn.forward",
    kind="function",
    cases=_forward_cases,
    oracle=lambda *args: _by_loops(*args)[2],
    returns=(Returns("the output", ("...", "d_model")),),
    mistakes=(
        Mistake(
            "no-activation",
            _bent(lambda z: z),
            "Nothing bends between the two layers, so together they are one linear layer, as in lesson 01.",
        ),
        Mistake(
            "relu-last",
            lambda x, W1, b1, W2, b2: _relu((x @ W1 + b1) @ W2 + b2),
            "ReLU comes after the second layer; its place is between the two.",
        ),
        Mistake(
            "relu-twice",
            _around(_relu),
            "The hidden values are right, but the output passes through ReLU too: outputs may be negative.",
        ),
        Mistake(
            "relu-on-input",
            lambda x, W1, b1, W2, b2: (_relu(x) @ W1 + b1) @ W2 + b2,
            "ReLU acts on x, before the first layer; it belongs on the hidden values.",
        ),
        Mistake(
            "relu-before-b1",
            lambda x, W1, b1, W2, b2: (_relu(x @ W1) + b1) @ W2 + b2,
            "b1 is added after ReLU; it takes part in deciding which units are on.",
        ),
        Mistake(
            "no-b1",
            lambda x, W1, b1, W2, b2: _relu(x @ W1) @ W2 + b2,
            "The second layer is right, but the first one lacks its bias.",
        ),
        Mistake(
            "no-b2",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2,
            "All is there except the bias of the second layer.",
        ),
        Mistake("no-biases", lambda x, W1, b1, W2, b2: _relu(x @ W1) @ W2, "Neither of the two biases is used."),
        Mistake("minus-b1", lambda x, W1, b1, W2, b2: _relu(x @ W1 - b1) @ W2 + b2, "Look at the sign in front of b1."),
        Mistake("minus-b2", lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2 - b2, "Look at the sign in front of b2."),
        Mistake(
            "b1-twice",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + 2 * b1) @ W2 + b2,
            "b1 is added twice before ReLU.",
        ),
        Mistake(
            "b2-twice",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2 + 2 * b2,
            "The hidden values are right, but b2 is added twice.",
        ),
        Mistake(
            "b2-per-unit",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ (W2 + b2),
            "b2 is added to every row of W2, so it is counted once for each hidden unit; add it after the product.",
        ),
        Mistake(
            "only-b2",
            lambda x, W1, b1, W2, b2: np.zeros_like(x) + b2,
            "Only b2 comes out, whatever x is: are the hidden values lost on the way?",
        ),
        Mistake(
            "tied",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W1.T + b2,
            "The way down uses W1 transposed: the shapes fit, but the second layer has a matrix of its own.",
        ),
        Mistake(
            "tied-up",
            lambda x, W1, b1, W2, b2: _relu(x @ W2.T + b1) @ W2 + b2,
            "The way up uses W2 transposed: the shapes fit, but the first layer has a matrix of its own.",
        ),
        Mistake(
            "swapped-matrices",
            lambda x, W1, b1, W2, b2: _relu(x @ W2.T + b1) @ W1.T + b2,
            "The two matrices have changed places: transposing made the shapes fit.",
        ),
        Mistake(
            "residual",
            lambda x, W1, b1, W2, b2: x + _relu(x @ W1 + b1) @ W2 + b2,
            "x is added to the result: that residual connection belongs to the block around the FFN.",
        ),
        Mistake(
            "position-mean",
            lambda x, W1, b1, W2, b2: _over_positions(_relu(x @ W1 + b1) @ W2 + b2),
            "All positions get the same output, their mean: every position is computed on its own.",
        ),
        Mistake(
            "positions-reversed",
            lambda x, W1, b1, W2, b2: _relu((x if x.ndim == 1 else x[..., ::-1, :]) @ W1 + b1) @ W2 + b2,
            "The values are right, but the positions come out in reverse order.",
        ),
        Mistake(
            "first-sequence",
            lambda x, W1, b1, W2, b2: (
                _relu(x @ W1 + b1) @ W2 + b2 if x.ndim < 3 else _relu(x[:1] @ W1 + b1) @ W2 + b2 + 0 * x
            ),
            "A batch gets the outputs of its first sequence everywhere.",
        ),
        Mistake(
            "negative-half", _bent(lambda z: np.minimum(z, 0)), "The negative half is kept and the positive one lost."
        ),
        Mistake("minus-relu", _bent(lambda z: _relu(-z)), "The sign is turned inside ReLU: a large z must stay large."),
        Mistake("abs", _bent(np.abs), "Negative hidden values become positive; ReLU makes them 0."),
        Mistake("step", _bent(lambda z: (z > 0) * 1.0), "The hidden values are 0 or 1: where is the size of z?"),
        Mistake(
            "clipped", _bent(lambda z: np.clip(z, 0, 1)), "Hidden values above 1 are cut off; ReLU has no upper end."
        ),
        Mistake("squared", _bent(lambda z: _relu(z) ** 2), "The hidden values are squared after ReLU."),
        Mistake(
            "leaky",
            _bent(lambda z: np.where(z > 0, z, 0.01 * z)),
            "A hundredth of every negative value leaks through; with ReLU nothing does.",
        ),
        Mistake("tanh", _bent(np.tanh), "The activation is tanh; ReLU is asked."),
        Mistake("sigmoid", _bent(numpy_ffn.sigmoid), "The activation is the sigmoid; ReLU is asked."),
        Mistake("gelu", _bent(numpy_ffn.gelu), "The activation is GELU; ReLU is asked here."),
        Mistake("silu", _bent(numpy_ffn.silu), "The activation is SiLU; ReLU is asked."),
        Mistake(
            "softmax-hidden",
            _bent(_softmax),
            "A softmax runs over the hidden values; here every hidden value is bent on its own.",
        ),
        Mistake(
            "softmax-output",
            _around(_softmax),
            "The output passes through a softmax: it is a vector of features and not of probabilities.",
        ),
        Mistake(
            "norm-output",
            _around(_standardised),
            "The output is normalised: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-input",
            lambda x, W1, b1, W2, b2: _relu(_standardised(x) @ W1 + b1) @ W2 + b2,
            "x is normalised first: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "divided-by-width",
            lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2 / len(b1) + b2,
            "The second product is divided by d_ff: it is a sum over the hidden values and not their mean.",
        ),
    ),
    hints=(
        "Two linear layers with a bend between them: up, ReLU, down.",
        "x is (..., d_model), x @ W1 + b1 is (..., d_ff), and the output is (..., d_model) again; no reshape is needed.",
        "Start with: z = x @ W1 + b1. Which function sets its negative values to 0?",
    ),
    right="Your FFN treats one token, a sequence and a batch alike.",
)

# --- ffn.step_by_step


def _module(weights, activation="relu"):
    """Build the course's FFN with the given NumPy weights, float64, in eval mode."""
    from course_lib._torch import torch
    from course_lib.ffn import PositionWiseFeedForward

    W1, b1, W2, b2 = (torch.from_numpy(array.copy()) for array in weights)
    ffn = PositionWiseFeedForward(*W1.shape, dropout=0.25, activation=activation).double().eval()
    _copy_weights(ffn, W1, b1, W2, b2)
    return ffn


def _copy_weights(ffn, W1, b1, W2, b2):
    from course_lib._torch import torch

    with torch.no_grad():
        for layer, W, b in ((ffn.up, W1, b1), (ffn.down, W2, b2)):
            layer.weight.copy_(W.T)
            layer.bias.copy_(b)


def _step_cases(rng):
    from course_lib._torch import torch

    cases = []
    for (leading, d_model, d_ff), activation in zip(_SHAPES, ("relu", "gelu", "silu", "sigmoid"), strict=True):
        x = torch.from_numpy(rng.normal(size=(*leading, d_model)))
        ffn = _module(_weights(rng, d_model, d_ff), activation)
        cases.append(Case((ffn, x), _named_sizes(leading, d_model, d_ff)))
    return cases


_SCALARS = {
    "relu": lambda z: max(z, 0.0),
    "gelu": lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2,
    "silu": lambda z: z / (1 + math.exp(-z)),
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
}


def _steps_oracle(ffn, x):
    from course_lib._torch import torch

    W1, b1, W2, b2 = (part.detach().numpy().T for part in (ffn.up.weight, ffn.up.bias, ffn.down.weight, ffn.down.bias))
    steps = _by_loops(x.numpy(), W1, b1, W2, b2, _SCALARS[ffn.activation.__name__])
    return tuple(torch.from_numpy(step) for step in steps)


def _run_steps(answer, case):
    """Call the answer, and see that the module keeps its weights."""
    ffn, x = case.args
    before = [parameter.detach().clone() for parameter in ffn.parameters()]
    result = answer(ffn, x)
    if not all(bool((old == new).all()) for old, new in zip(before, ffn.parameters(), strict=True)):
        raise Fault("mutates", "Your code changed the weights of the module: only read them.")
    return result


def _parts(ffn, x):
    z = ffn.up(x)
    h = ffn.activation(z)
    return z, h, ffn.down(h)


def _changed(change):
    """Make a wrong step_by_step from the right z, h and y."""
    return lambda ffn, x: change(ffn, x, *_parts(ffn, x))


STEPS = Exercise(
    id="ffn.step_by_step",
    kind="function",
    cases=_step_cases,
    oracle=_steps_oracle,
    returns=(Returns("z", ("...", "d_ff")), Returns("h", ("...", "d_ff")), Returns("y", ("...", "d_model"))),
    run=_run_steps,
    mistakes=(
        Mistake(
            "z-activated",
            _changed(lambda ffn, x, z, h, y: (h, h, y)),
            "h and y are right, but your z has already passed through the activation.",
        ),
        Mistake(
            "h-not-activated",
            _changed(lambda ffn, x, z, h, y: (z, z, y)),
            "z and y are right, but your h has not passed through the activation.",
        ),
        Mistake(
            "activation-skipped",
            _changed(lambda ffn, x, z, h, y: (z, z, ffn.down(z))),
            "The activation is left out: h equals z, and the output is linear in x.",
        ),
        Mistake(
            "y-from-z",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn.down(z))),
            "z and h are right, but the second layer reads z instead of h.",
        ),
        Mistake(
            "always-relu",
            _changed(lambda ffn, x, z, h, y: (z, z.relu(), ffn.down(z.relu()))),
            "You always use ReLU, but some of these modules were made with another activation: ask the module for its own.",
        ),
        Mistake(
            "h-twice",
            _changed(lambda ffn, x, z, h, y: (z, ffn.activation(h), ffn.down(ffn.activation(h)))),
            "The activation is applied twice, which only ReLU forgives.",
        ),
        Mistake(
            "z-h-swapped",
            _changed(lambda ffn, x, z, h, y: (h, z, y)),
            "z and h have changed places: z comes before the activation.",
        ),
        Mistake(
            "activation-last",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn.activation(y))),
            "z and h are right, but the output passes through the activation once more.",
        ),
        Mistake(
            "residual",
            _changed(lambda ffn, x, z, h, y: (z, h, x + y)),
            "z and h are right, but x is added to the output: that happens in the block around the FFN.",
        ),
        Mistake(
            "no-up-bias",
            _changed(lambda ffn, x, z, h, y: (z - ffn.up.bias, h, y)),
            "h and y are right, but z lacks the bias of the first layer.",
        ),
        Mistake(
            "no-up-bias-at-all",
            lambda ffn, x: (
                x @ ffn.up.weight.T,
                ffn.activation(x @ ffn.up.weight.T),
                ffn.down(ffn.activation(x @ ffn.up.weight.T)),
            ),
            "The bias of the first layer is missing, and z, h and y all feel it.",
        ),
        Mistake(
            "no-down-bias",
            _changed(lambda ffn, x, z, h, y: (z, h, y - ffn.down.bias)),
            "z and h are right, but the output lacks the bias of the second layer.",
        ),
        Mistake(
            "no-biases",
            lambda ffn, x: (
                x @ ffn.up.weight.T,
                ffn.activation(x @ ffn.up.weight.T),
                ffn.activation(x @ ffn.up.weight.T) @ ffn.down.weight.T,
            ),
            "You use the matrices only: each layer has a bias as well.",
        ),
        Mistake(
            "applied-twice",
            _changed(lambda ffn, x, z, h, y: (z, h, ffn(y))),
            "z and h are right, but the output went through the whole network a second time.",
        ),
        Mistake(
            "y-is-x",
            _changed(lambda ffn, x, z, h, y: (z, h, x.clone())),
            "z and h are right, but your y is x again: the output has the same shape and other values.",
        ),
    ),
    hints=(
        "The module is made of parts that you can call one after the other; print(ffn) names them.",
        "z and h have shape (..., d_ff), y has shape (..., d_model).",
        "Start with: z = ffn.up(x). Which part of the module comes next?",
    ),
    right="You have taken the module apart and put it together again.",
)

# --- ffn.module


def _module_cases(rng):
    from course_lib._torch import torch

    cases = []
    for leading, d_model, d_ff in _SHAPES:
        x = torch.from_numpy(rng.normal(size=(*leading, d_model)))
        weights = [torch.from_numpy(array) for array in _weights(rng, d_model, d_ff)]
        cases.append(Case((x, weights, d_model, d_ff), _named_sizes(leading, d_model, d_ff)))
    return cases


def _module_oracle(x, weights, d_model, d_ff):
    from course_lib._torch import torch

    return torch.from_numpy(_by_loops(x.numpy(), *(array.numpy() for array in weights))[2])


def _made(answer, d_model, d_ff):
    """Make an FFN of the learner's class, with words of our own for the most frequent fault."""
    try:
        return answer(d_model, d_ff)
    except AttributeError as error:
        if "Module.__init__() call" not in str(error):
            raise
        raise Fault(
            "raises",
            "A module cannot take in layers yet: the first line of __init__ must be super().__init__().",
        ) from None


def _check_layer(ffn, name, d_in, d_out):
    """See that a layer is there, with a weight and a bias of the right shapes that training can reach."""
    from course_lib._torch import nn

    layer = getattr(ffn, name, None)
    if layer is None:
        found = [child for child, _ in ffn.named_children()]
        have = f"the parts of yours are called {', '.join(found)}" if found else "yours has no parts yet"
        raise Fault("type", f"FFN needs an attribute {name!r}, but {have}.")
    if not isinstance(layer, nn.Module):
        raise Fault(
            "type", f"The part {name!r} must be a layer such as nn.Linear, but it is of type {type(layer).__name__}."
        )
    weight, bias = getattr(layer, "weight", None), getattr(layer, "bias", None)
    if weight is None:
        raise Fault(
            "type",
            f"The part {name!r} is of type {type(layer).__name__}, which has no weight: use nn.Linear(d_in, d_out).",
        )
    if bias is None:
        raise Fault(
            "none", f"The layer {name!r} has no bias: both layers of the equation have one, so leave bias=False out."
        )
    if tuple(weight.shape) != (d_out, d_in):
        d_model, d_ff = (d_in, d_out) if name == "up" else (d_out, d_in)
        message = (
            f"With d_model = {d_model} and d_ff = {d_ff}, {name}.weight has shape {tuple(weight.shape)}; expected is "
            f"{(d_out, d_in)}. nn.Linear takes the number of inputs first, then that of outputs."
        )
        raise Fault("shape", message)
    return layer


def _run_module(answer, case):
    """Make the module, give it the weights of the case, and return its output in eval mode."""
    from course_lib._torch import nn, torch
    from course_lib.exercises.todo import Todo

    x, weights, d_model, d_ff = case.args
    ffn = _made(answer, d_model, d_ff)
    if isinstance(getattr(ffn, "up", None), Todo) or isinstance(getattr(ffn, "down", None), Todo):
        return ffn.up if isinstance(ffn.up, Todo) else ffn.down
    if not isinstance(ffn, nn.Module):
        raise Fault("type", "FFN must be a torch module: write class FFN(nn.Module).")
    _check_layer(ffn, "up", d_model, d_ff)
    _check_layer(ffn, "down", d_ff, d_model)
    ffn.double().eval()
    _copy_weights(ffn, *weights)
    before = x.clone()
    torch.manual_seed(0)
    y = ffn(x)
    sandbox.restore_builtins()
    if not torch.is_tensor(y) or not torch.equal(x, before):
        return y  # the general checks find the words for it
    if y.ndim == x.ndim + 1 and y.shape[0] == 1:
        message = (
            f"For x of shape {tuple(x.shape)} the output has shape {tuple(y.shape)}: an axis of size 1 was added in "
            "front and never taken away. nn.Linear takes any leading shape, so none is needed."
        )
        raise Fault("shape", message)
    torch.manual_seed(1)
    again = ffn(x)
    sandbox.restore_builtins()
    if y.shape == x.shape and not _same_tensor(again, y):
        raise Fault(
            "value", "Two calls with the same x differ in eval mode: is there a dropout that never switches off?"
        )
    if (
        y.dtype == x.dtype
        and y.shape == x.shape
        and torch.allclose(y, _module_oracle(*case.args), rtol=1e-7, atol=1e-9)
    ):
        _check_trainable(ffn, y, weights)
    return y


def _same_tensor(one, other):
    from course_lib._torch import torch

    if not torch.is_tensor(one) or (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    return torch.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True)


def _check_trainable(ffn, y, weights):
    """See that gradients reach both layers of a module whose values are right, and that it holds nothing else."""
    from course_lib._torch import torch

    trained = [ffn.up.weight, ffn.up.bias, ffn.down.weight, ffn.down.bias]
    reached = torch.autograd.grad(y.sum(), trained, allow_unused=True) if y.requires_grad else [None]
    if any(gradient is None for gradient in reached):
        message = (
            "The values are right, but no gradient reaches the weights, so the module cannot be trained: look for "
            "detach, .data or no_grad."
        )
        raise Fault("value", message)
    spare = sum(parameter.numel() for parameter in ffn.parameters()) - sum(array.numel() for array in weights)
    if spare:
        raise Fault("value", "The values are right, but the module holds more numbers than its two layers need.")


def _wrong_module(forward):
    """Make a class whose objects are modules with up and down and a wrong forward(ffn, functional, x).

    torch is loaded when an object is made, so that the catalogue of exercises is quick to load.
    """

    class FFN:
        def __new__(cls, d_model, d_ff):
            from course_lib._torch import nn

            class Wrong(nn.Module):
                def forward(self, x):
                    return forward(self, nn.functional, x)

            ffn = Wrong()
            ffn.up, ffn.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
            return ffn

    return FFN


def _bent_module(bend):
    return _wrong_module(lambda ffn, functional, x: ffn.down(bend(functional, ffn.up(x))))


MODULE = Exercise(
    id="ffn.module",
    kind="class",
    cases=_module_cases,
    oracle=_module_oracle,
    returns=(Returns("the output", ("...", "d_model")),),
    run=_run_module,
    mistakes=(
        Mistake(
            "no-activation",
            _bent_module(lambda functional, z: z),
            "forward calls up and down with nothing between them: that is one linear layer in two steps.",
        ),
        Mistake(
            "relu-last",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(x)).relu()),
            "ReLU comes after down; its place is between up and down.",
        ),
        Mistake(
            "relu-twice",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(x).relu()).relu()),
            "The output of down passes through ReLU as well, and loses its negative values.",
        ),
        Mistake(
            "relu-on-input",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(x.relu()))),
            "ReLU acts on x; it belongs on the output of up.",
        ),
        Mistake(
            "relu-everywhere",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(x.relu()).relu())),
            "ReLU acts on x as well, so the network never sees the negative values of its input.",
        ),
        Mistake(
            "gelu", _bent_module(lambda functional, z: functional.gelu(z)), "The activation is GELU; ReLU is asked."
        ),
        Mistake(
            "silu", _bent_module(lambda functional, z: functional.silu(z)), "The activation is SiLU; ReLU is asked."
        ),
        Mistake("tanh", _bent_module(lambda functional, z: z.tanh()), "The activation is tanh; ReLU is asked."),
        Mistake(
            "sigmoid", _bent_module(lambda functional, z: z.sigmoid()), "The activation is the sigmoid; ReLU is asked."
        ),
        Mistake("elu", _bent_module(lambda functional, z: functional.elu(z)), "The activation is ELU; ReLU is asked."),
        Mistake(
            "leaky",
            _bent_module(lambda functional, z: functional.leaky_relu(z)),
            "The activation is leaky ReLU, which lets a hundredth of a negative value through.",
        ),
        Mistake(
            "abs",
            _bent_module(lambda functional, z: z.abs()),
            "Negative hidden values become positive; ReLU makes them 0.",
        ),
        Mistake(
            "minus-relu",
            _bent_module(lambda functional, z: (-z).relu()),
            "The sign is turned inside ReLU: a large z must stay large.",
        ),
        Mistake(
            "squared", _bent_module(lambda functional, z: z.relu() ** 2), "The hidden values are squared after ReLU."
        ),
        Mistake(
            "clipped",
            _bent_module(lambda functional, z: z.clamp(0, 1)),
            "Hidden values above 1 are cut off; ReLU has no upper end.",
        ),
        Mistake(
            "softmax-hidden",
            _bent_module(lambda functional, z: z.softmax(-1)),
            "A softmax runs over the hidden values; here every hidden value is bent on its own.",
        ),
        Mistake(
            "softmax-output",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(x).relu()).softmax(-1)),
            "The output passes through a softmax: it is a vector of features and not of probabilities.",
        ),
        Mistake(
            "residual",
            _wrong_module(lambda ffn, functional, x: x + ffn.down(ffn.up(x).relu())),
            "x is added to the output: the residual connection belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-output",
            _wrong_module(lambda ffn, functional, x: functional.layer_norm(ffn.down(ffn.up(x).relu()), x.shape[-1:])),
            "The output is normalised: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-input",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(functional.layer_norm(x, x.shape[-1:])).relu())),
            "x is normalised first: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "tied",
            _wrong_module(
                lambda ffn, functional, x: functional.linear(ffn.up(x).relu(), ffn.up.weight.T, ffn.down.bias)
            ),
            "The way down uses the matrix of up transposed, and the one of down is never read.",
        ),
        Mistake(
            "no-up-bias",
            _wrong_module(lambda ffn, functional, x: ffn.down(functional.linear(x, ffn.up.weight).relu())),
            "The matrix of up is used without its bias: call the layer, and both take part.",
        ),
        Mistake(
            "no-down-bias",
            _wrong_module(lambda ffn, functional, x: functional.linear(ffn.up(x).relu(), ffn.down.weight)),
            "The matrix of down is used without its bias: call the layer, and both take part.",
        ),
        Mistake(
            "position-mean",
            _wrong_module(
                lambda ffn, functional, x: (
                    ffn.down(ffn.up(x).relu())
                    if x.ndim == 1
                    else ffn.down(ffn.up(x).relu()).mean(-2, keepdim=True).expand_as(x)
                )
            ),
            "All positions get the same output, their mean: every position is computed on its own.",
        ),
        Mistake(
            "applied-twice",
            _wrong_module(lambda ffn, functional, x: ffn.down(ffn.up(ffn.down(ffn.up(x).relu())).relu())),
            "x goes through the two layers twice.",
        ),
    ),
    hints=(
        "A module makes its layers once, in __init__, and uses them in forward.",
        "up turns d_model features into d_ff, down turns d_ff into d_model; forward keeps every leading axis.",
        "Start __init__ with: super().__init__(), then self.up = nn.Linear(d_model, d_ff).",
    ),
    right="This is the network inside a transformer layer, and torch can train it.",
)

# --- ffn.which_bug

NAMES = (
    "correct",
    "no activation",
    "activation last",
    "missing bias",
    "mixes positions",
    "residual inside",
    "tied weights",
)


def _shifted(h):
    """Add to every position half of the one before it."""
    return h + 0.5 * np.vstack([np.zeros_like(h[:1]), h[:-1]])


# Each box: what it is, in words for the learner · its name · the function · how to tell it from the others.
_BOXES = {
    "correct": (
        "correct",
        lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2 + b2,
        "which test does a correct FFN fail, and should it? Write down what the equation gives for that input.",
    ),
    "correct, other order of additions": (
        "correct",
        lambda x, W1, b1, W2, b2: (
            (np.maximum(0, b1 + (x[:, :, None] * W1).sum(axis=1))[:, :, None] * W2).sum(axis=1) + b2
        ),
        "it adds in another order, so its last digits differ: compare with np.allclose and not with ==.",
    ),
    "no activation": (
        "no activation",
        lambda x, W1, b1, W2, b2: (x @ W1 + b1) @ W2 + b2,
        "lesson 01 has the test: for an affine f, f(x) + f(−x) equals 2 f(0).",
    ),
    "no activation, multiplied out": (
        "no activation",
        lambda x, W1, b1, W2, b2: x @ (W1 @ W2) + (b1 @ W2 + b2),
        "lesson 01 has the test: for an affine f, f(x) + f(−x) equals 2 f(0), up to rounding.",
    ),
    "ReLU after the second layer": (
        "activation last",
        lambda x, W1, b1, W2, b2: _relu((x @ W1 + b1) @ W2 + b2),
        "what can the output never be? Make b2 very negative and look.",
    ),
    "ReLU after both layers": (
        "activation last",
        lambda x, W1, b1, W2, b2: _relu(_relu(x @ W1 + b1) @ W2 + b2),
        "what can the output never be? Make b2 very negative and look.",
    ),
    "no b1": (
        "missing bias",
        lambda x, W1, b1, W2, b2: _relu(x @ W1) @ W2 + b2,
        "change b1 alone: does the output move?",
    ),
    "no b2": (
        "missing bias",
        lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2,
        "change b2 alone: does the output move?",
    ),
    "a mean over positions": (
        "mixes positions",
        lambda x, W1, b1, W2, b2: (y := _relu(x @ W1 + b1) @ W2 + b2) + y.mean(axis=0),
        "change one row of x, or leave the others out, and compare the rows of the output.",
    ),
    "the position before": (
        "mixes positions",
        lambda x, W1, b1, W2, b2: _shifted(_relu(x @ W1 + b1)) @ W2 + b2,
        "its first row is innocent, since nothing stands before it: compare all rows.",
    ),
    "a residual": (
        "residual inside",
        lambda x, W1, b1, W2, b2: x + _relu(x @ W1 + b1) @ W2 + b2,
        "set all weights and biases to zero: what is left of the output?",
    ),
    "W1 for both layers": (
        "tied weights",
        lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W1.T + b2,
        "change W2 alone: does the output move?",
    ),
    "W2 for both layers": (
        "tied weights",
        lambda x, W1, b1, W2, b2: _relu(x @ W2.T + b1) @ W2 + b2,
        "change W1 alone: does the output move?",
    ),
}

_MADE = weakref.WeakKeyDictionary()  # which of _BOXES a box is; the box itself does not tell


class _Box:
    """Somebody's FFN, f(x, W1, b1, W2, b2), with or without a bug; it does not show how it is made."""

    def __call__(self, x, W1, b1, W2, b2):
        sizes = {}
        named = (
            ("x", x, ("seq_len", "d_model")),
            ("W1", W1, ("d_model", "d_ff")),
            ("b1", b1, ("d_ff",)),
            ("W2", W2, ("d_ff", "d_model")),
            ("b2", b2, ("d_model",)),
        )
        arrays = [arguments.array(name, value, axes, sizes, finite=False) for name, value, axes in named]
        with np.errstate(all="ignore"):
            return _BOXES[_MADE[self]][1](*arrays)


def _box_cases(rng):
    boxes = []
    for which in rng.permutation(list(_BOXES)):
        boxes.append(_Box())
        _MADE[boxes[-1]] = str(which)
    return [Case((boxes,))]


def _run_boxes(answer, case):
    """Let the answer name every box; return "right", "all <name>", or the first wrong naming, "<box> as <name>"."""
    named = {}
    for box in case.args[0]:
        name = answer(box)
        if not isinstance(name, str):
            return name
        name = " ".join(name.casefold().split())
        if name not in NAMES:
            raise Fault("value", f"The word {name[:40]!r} is none of the names: use {', '.join(map(repr, NAMES))}.")
        named[_MADE[box]] = name
    if len(set(named.values())) == 1:
        return f"all {name}"
    wrong = (f"{which} as {named[which]}" for which, box in _BOXES.items() if named[which] != box[0])
    return next(wrong, "right")


def _always(name):
    return lambda box: name


def _confusing(which, name):
    """Make an answer that names every box rightly, except that it takes one for another."""
    return lambda box: name if _MADE[box] == which else _BOXES[_MADE[box]][0]


def _box_mistakes():
    mistakes = [
        Mistake(
            f"all-{name.replace(' ', '-')}",
            _always(name),
            f"Every box got the same name, {name!r}, but they are of seven kinds: let the name depend on what f returns.",
        )
        for name in NAMES
    ]
    for which, (right, _, tell) in _BOXES.items():
        for name in NAMES:
            if name != right:
                kind = "A correct box" if right == "correct" else f"A box with a bug ({which})"
                slug = f"{which}-as-{name}".replace(",", "").replace(" ", "-")
                mistakes.append(Mistake(slug, _confusing(which, name), f"{kind} was named {name!r}: {tell}"))
    return tuple(mistakes)


WHICH_BUG = Exercise(
    id="ffn.which_bug",
    kind="function",
    cases=_box_cases,
    oracle=lambda boxes: "right",
    returns=(Returns("the name"),),
    run=_run_boxes,
    mistakes=_box_mistakes(),
    hints=(
        "You choose the weights as well as x. For each bug, find arrays for which the equation says one thing and the bug another: with all weights and biases zero, what comes out, and what would a residual make of it?",
        "Use at least two positions, x of shape (seq_len, d_model) such as (4, 3), W1 (3, 6), b1 (6,), W2 (6, 3), b2 (3,), and biases that are not zero; else some bugs hide.",
        "Start with: rng = np.random.default_rng(0), draw the five arrays with rng.normal(size=...), then y = f(x, W1, b1, W2, b2). Change one of the five and look at y again.",
    ),
    right="You told every box from its behaviour alone; this is what a good test does.",
)

QUESTIONS = (
    Question(
        "ffn.quiz-1",
        "You copy W1 into `nn.Linear(d_model, d_ff)` and forget to transpose it. When do you get a wrong result and no error?",
        (
            Option("Always: torch reshapes the copy to fit.", "It does not: a copy of another shape raises an error."),
            Option("When all biases are zero.", "The biases have nothing to do with the shape of the matrix."),
            Option("When d_ff equals d_model.", "A square matrix and its transpose have the same shape.", True),
        ),
    ),
    Question(
        "ffn.quiz-2",
        "A test draws random weights but leaves every bias at zero. Which bug does it never see?",
        (
            Option("A forgotten bias.", "Adding zero and adding nothing give the same numbers.", True),
            Option("A residual inside.", "x is added to every output, so the numbers differ from the equation's."),
            Option("Tied weights.", "The second layer uses the wrong random matrix, and the numbers differ."),
        ),
    ),
    Question(
        "ffn.quiz-3",
        "Every weight is drawn from N(0, 1). You double both d_model and d_ff. What happens to the size of the output?",
        (
            Option(
                "It stays: ReLU sets half to zero.",
                "ReLU takes the same share at every width; the sums behind it have more terms.",
            ),
            Option(
                "It doubles, roughly.",
                "Each of the two sums has twice as many terms and grows by √2, and √2 · √2 = 2.",
                True,
            ),
            Option(
                "It becomes about four times as large.",
                "That would be right if sums grew with the number of terms; with random signs they grow with its root.",
            ),
        ),
    ),
    Question(
        "ffn.quiz-4",
        "A function is given x of shape (5, 8) and returns y of shape (1, 5, 8). Later someone computes x + y. What happens?",
        (
            Option("An error, as the shapes differ.", "Broadcasting accepts them: a missing axis counts as size 1."),
            Option("No error, and shape (1, 5, 8).", "The sum broadcasts, and the spare axis travels on unseen.", True),
            Option("torch drops the axis of size 1.", "Axes of size 1 stay until someone removes them."),
        ),
    ),
    Question(
        "ffn.quiz-5",
        "What changes in PositionWiseFeedForward when you call `.eval()`?",
        (
            Option(
                "Dropout passes all values on.", "In train mode it drops some at random and enlarges the others.", True
            ),
            Option(
                "Its weights can no longer be changed.",
                "They can: eval mode is about behaviour and not about gradients.",
            ),
            Option("ReLU is switched off as well.", "The activation is part of the function and works in both modes."),
        ),
    ),
)

LESSON = Lesson(
    number=3,
    topic="ffn",
    title="Build the FFN",
    exercises=(HIDDEN, BATCH, SCALE, WEIGHT, DROPOUT, LEADING, FORWARD, STEPS, MODULE, WHICH_BUG),
    questions=QUESTIONS,
)
