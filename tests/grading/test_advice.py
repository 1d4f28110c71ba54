"""What an error is put into words for: each sentence where it belongs, and nowhere else."""

import inspect
from pathlib import Path

import numpy as np
import pytest
import torch

from course_lib.content import Case, Returns
from tests.grading.answers import COUNT, CURVE, LAYER, RELU, SHARE, exercise, in_file, told

TENSORS = exercise(
    lambda x, W: torch.einsum("ij,jk->ik", x, W),
    lambda rng: [Case((torch.tensor(rng.normal(size=(n, 3))), torch.tensor(rng.normal(size=(3, 2))))) for n in (4, 5)],
    returns=(Returns("y", ("n", "d_out")),),
)
CALLED = exercise(
    lambda net, x: net(x).detach(),
    lambda rng: [
        Case((torch.nn.Linear(3, 2, dtype=torch.float64), torch.tensor(rng.normal(size=(n, 3))))) for n in (4,)
    ],
    returns=(Returns("y", ("n", "d_out")),),
)
STREAM = exercise(
    lambda x, g, norm: x + np.tanh(np.sign(x)),
    lambda rng: [Case((rng.normal(size=n), np.tanh, np.sign)) for n in (4, 5)],
    returns=(Returns("y", ("n",)),),
)
# (the item, its arguments, what the answer returns, the key, some words of the message)
SAID = [
    (CURVE, "x", "Math.pow(x, 3)", "unknown-name", "functions for arrays are called `np.…`"),
    (COUNT, "d, f, bias", "parseInt(d * f)", "unknown-name", "Python writes `int(…)`"),
    (CURVE, "x", "x.map(abs)", "no-method", "as in `x + 1`"),
    (CURVE, "x", "x.sum() / x.length", "no-method", "`x.size`"),
    (CURVE, "x", "np.relu(x)", "no-function", "`np.maximum`"),
    (CURVE, "x", "np.erf(x)", "no-function", "NumPy has no `erf`"),
    (CURVE, "x", "torch.asinhh(x)", "no-function", "`torch` has no function called `asinhh`."),
    (CURVE, "x", "np.silu(x)", "no-function", "`np` has no function called `silu`."),
    (CURVE, "x", "[v for v in x].mean()", "list-for-array", "A list has no `mean`"),
    (CURVE, "x", "(list(x) == 0).sum()", "one-truth", "one True or False"),
    (CURVE, "x", "float(x[0]).sum()", "number-for-array", "a single number of Python"),
    (CURVE, "x", "x + print(x)", "operand", "`x + print(x)` is None"),
    (CURVE, "x", "list(x) - 1", "operand", "lists know no arithmetic"),
    (CURVE, "x", "list(x) @ list(x)", "operand", "`list(x) @ list(x)` is a list"),
    (CURVE, "x", "list(x) > 0", "operand", "`list(x) > 0` is a list"),
    (CURVE, "x", "-list(x)", "operand", "lists know no arithmetic"),
    (CURVE, "x", "2 * (lambda y: y)", "operand", "a function that has not been called"),
    (COUNT, "d, f, bias", "2 * (d, f) + d", "pair-for-product", "their product is `a * b`"),
    (COUNT, "d, f, bias", "[d] + f", "list-sum", "`+` joins two lists"),
    (COUNT, "d, f, bias", "[0][d / f]", "float-index", "counted in whole numbers"),
    (COUNT, "d, f, bias", "[0][f]", "out-of-bounds", "a place is asked for"),
    (COUNT, "d, f, bias", "list([d])[0, 0]", "list-indices", "`array[i, j]`"),
    (COUNT, "d, f, bias", "{}[d]", "no-key", "no entry for 3 yet"),
    (COUNT, "d, f, bias", "sum(d)", "number-for-array", "a single number"),
    (COUNT, "d, f, bias", "len(d)", "number-for-array", "length of a single number"),
    (COUNT, "d, f, bias", "sum(range(d / f))", "float-count", "`int(…)` do not"),
    (COUNT, "d, f, bias", "d / (bias - bias)", "zero-division", "divided by 0"),
    (COUNT, "d, f, bias", "np.zeros(d, f).size", "shape-in-brackets", "`np.zeros((n, m))`"),
    (CURVE, "x", "np.concatenate(x, x)", "array-for-number", "`np.concatenate([a, b])`"),
    (CURVE, "x", "np.array([v for v in range(x)])", "array-for-number", "one whole number is needed"),
    (CURVE, "x", "np.array([[1, 2], [3]])", "array-into-place", "different lengths"),
    (CURVE, "x", "x.reshape(3, 3)", "reshape", "7 values are to fill the shape (3,3)"),
    (CURVE, "x", "x.sum(axis=1)", "no-axis", "no axis 1: the array has 1"),
    (CURVE, "x", "x[0, 0]", "too-many-indices", "more indices than axes: the array has 1"),
    (CURVE, "x", "{x: 1}", "unhashable", "single numbers or words"),
    (SHARE, "h", "h.sum(dim=2)", "no-axis", "the last axis is number 1, and axis 2 is asked for"),
    (SHARE, "h", "h[99]", "out-of-bounds", "place 99 is asked for, and there are 3"),
    (SHARE, "h", "h.reshape(5, 5)", "reshape", "is to be filled by 12 values"),
    (COUNT, "d, f, bias", "d * 1.5 | 0", "bits", "`int(…)` cuts a fraction off"),
    (CURVE, "x", "np.where(x > 0, x)", "where-in-three", "needs three parts"),
    (CURVE, "x", "np.maximum(x)", "arguments-count", "`maximum` is called with another number"),
    (CURVE, "x", "np.concatenate([x[None], x[None, :2]])", "joined", "one behind the other"),
    (CURVE, "x", "np.linalg(x)", "called-module", "an imported module is called, `np.linalg`. What is in it"),
    (SHARE, "h", "torch.tensor([h])", "tensor-of-tensors", "`torch.stack([…])` joins tensors"),
    (SHARE, "h", "h.transpose(1, 0, 2)", "transpose-axes", "which two axes"),
    (SHARE, "h", "np.maximum(h.requires_grad_(), 0)", "tensor-for-array", "torch has one of its own"),
    (SHARE, "h", "h.requires_grad_().numpy()", "detach", "`.detach()`"),
    (STREAM, "x, g, norm", "x + g(norm)", "function-for-values", "the function `norm` is handed on"),
    (STREAM, "x, g, norm", "x + g * np.sign(x)", "operand", "`g * np.sign(x)` is a function that has not been called"),
    (CURVE, "x", "x[np.ones(5) > 0]", "truths-shape", "the array has 7 places, and there are 5 truths"),
    (CURVE, "x", "x[x > 99].max() * x", "empty", "the maximum of an empty array is asked for"),
    (CURVE, "x", "np.cross(x, x)", "cross", "`@`"),
    (CURVE, "x", "x[7] * x", "out-of-bounds", "place 7 of axis 0 is asked for, and there are 7"),
    (CURVE, "x", "x.shape[1] * x", "out-of-bounds", "`x.shape[1]`"),
    (SHARE, "h", "np.mean(h == 0)", "tensor-for-array", "In `np.mean(h == 0)` a function of `np` got a torch tensor"),
    (SHARE, "h", "np.max(h) + 3", "tensor-for-array", "its `dim` is what NumPy calls `axis`"),
    (SHARE, "h", "np.sum(h == 0, axis=0)", "tensor-for-array", "such as `.sum()` or `.mean()`"),
    (SHARE, "h", "np.all(h == 0, axis=0)", "tensor-for-array", "`np.all(h == 0, axis=0)`"),
    (SHARE, "h", "(h.max(dim=0) == 0).double().mean()", "max-pair", "`amax`"),
    (SHARE, "h", "torch.maximum(h, 0)", "number-for-tensor", "`torch.clamp(x, min=…)`"),
    (SHARE, "h", "torch.sqrt(2) * h", "number-for-tensor", "`** 0.5`"),
    (SHARE, "h", "torch.tanh([h[0]])", "list-for-tensor", "`torch.stack(…)`"),
    (SHARE, "h", "h.transpose()", "transpose-axes", "which two axes"),
    (SHARE, "h", "nn.ReLU(h) * h", "module-not-called", "is a ReLU module"),
    (SHARE, "h", "h.requires_grad_().sigmoid().backward()", "many-gradients", "`.sum()`"),
    (CALLED, "net, x", "net.W1 @ x", "no-part", "This Linear has no part called `W1`; its parts are `weight`, `bias`"),
    (CALLED, "net, x", "net(x[:, 1:])", "layer-width", "In `net(x[:, 1:])` the layer takes rows of"),
    (CURVE, "x", "np.int(x[0]) * x", "no-function", "Python's own `int(…)` does it"),
    (CALLED, "net, x", "torch.relu(net)", "module-not-called", "a Linear module is handed on"),
]


@pytest.mark.parametrize(("item", "names", "body", "key", "words"), SAID, ids=[f"{row[3]}: {row[2]}" for row in SAID])
def test_an_error_is_told(item, names, body, key, words, tmp_path):
    told_key, message = told(item, in_file(f"def f({names}):\n    return {body}", tmp_path))
    assert told_key == f"slip:{key}" and words in message, (told_key, message)


@pytest.mark.parametrize(
    "body",
    [
        "x + object()",
        "x + unknown_name",
        "x.nothing",
        "np.nothing_at_all",
        "int('word')",
        "x[0].nothing",
        "x @ x.tolist().nothing",
    ],
)
def test_other_errors_keep_their_own_words(body, tmp_path):
    key, message = told(CURVE, in_file(f"def f(x):\n    return {body}", tmp_path))
    assert key in ("raises", "slip:no-function"), (key, message)
    assert key == "raises" or "nothing_at_all" in message


# ---- shapes ----------------------------------------------------------------------------------------------------------

SHAPES = [
    ("x * W", "product-by-values", "shapes (4, 3) and (3, 2) do not fit for that in `x * W`: a matrix product"),
    ("W @ x", "product-shapes", "In `W @ x`, shapes (3, 2) and (4, 3) meet: the last size of the first, 2, must be 4."),
    ("W @ x + b * 0 + 1", "product-shapes", "In the other order they fit."),
    (
        "b @ W + b",
        "product-shapes",
        "the last size of the first, 2, must be 3. In the other order they fit.",
    ),
    ("np.dot(x, x)", "product-shapes", "With the second one transposed they fit."),
    ("W @ W + b", "product-shapes", "With the second one transposed they fit."),
    ("W.T @ x[None]", "product-shapes", "In the other order, with this first one transposed, they fit."),
    ("x + x.sum(axis=1)", "column", "`keepdims=True` or `[:, None]`."),
    ("x * x.mean(axis=1)", "column", "one number for each row must be a column"),
    ("b + np.ones(3)", "value-shapes", "shapes (2,) and (3,) meet, and they do not fit value by value"),
    ("np.maximum(b, x)", "value-shapes", "In `np.maximum(b, x)` shapes (2,) and (4, 3)"),
    ("x[:, 1:] @ W", "product-shapes", "In `x[:, 1:] @ W`, shapes (4, 2) and (3, 2) meet"),
    ("(2 * x.T) @ W", "product-shapes", "In `(2 * x.T) @ W`, shapes (3, 4) and (3, 2) meet"),
    ("x + x[:, 2:1]", "empty", "one of the two is empty"),
]


@pytest.mark.parametrize(("body", "key", "words"), SHAPES, ids=[row[0] for row in SHAPES])
def test_shapes_that_do_not_fit(body, key, words, tmp_path):
    answer = in_file(f"def f(x, W, b):\n    y = {body}\n    return np.exp(y[:, :1]) + 0 * np.exp(b)", tmp_path)
    told_key, message = told(LAYER, answer)
    assert told_key == f"slip:{key}" and words in message, (told_key, message)


def test_shapes_of_tensors(tmp_path):
    for body, words in (
        ("x * W", "a matrix product is written `@`"),
        ("W @ x", "In the other order they fit."),
    ):
        key, message = told(TENSORS, in_file(f"def f(x, W):\n    y = {body}\n    return y.exp() - 7", tmp_path))
        assert key.startswith("slip:product") and words in message, (key, message)


def test_what_is_not_plain_arithmetic_is_not_computed_again(tmp_path):
    """The shapes are taken again from arrays and numbers alone: a call could print, or count."""
    callers = set()

    def note(x):
        callers.update(Path(frame.filename).name for frame in inspect.stack(context=0))
        return x

    answer = in_file("def f(x, W, b):\n    return note(x)[1:] @ note(x)", tmp_path, note=note)
    assert told(LAYER, answer)[0] == "raises"
    assert "grade.py" in callers and "shapes.py" not in callers


def test_an_error_of_another_kind_says_nothing_of_shapes(tmp_path):
    """`if x == y:` raises a ValueError at a comparison whose shapes fit."""
    key, message = told(RELU, in_file("def f(x):\n    if x == x:\n        return x\n    return 0 * x", tmp_path))
    assert key == "slip:truth-of-array" and "shapes" not in message


def test_what_has_no_name_is_not_looked_up(tmp_path):
    """Nothing of the learner's runs again, so the shape of what a call gave stays unknown."""
    key, message = told(LAYER, in_file("def f(x, W, b):\n    return np.exp(x) @ np.exp(x) + 7", tmp_path))
    assert key == "raises" and "do not fit together" in message


# ---- what only stands for a result -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "names", "body", "words"),
    [
        (SHARE, "h", "nn.GELU(h)", "it is a GELU: GELU(…) makes a module"),
        (CURVE, "x", "map(abs, x)", "it is a map, which has not run yet"),
        (CURVE, "x", "(v for v in x)", "it is a generator, which has not run yet"),
        (CURVE, "x", "x.mean", "its name needs round brackets behind it"),
        (CURVE, "x", "list(x)", "(np.array(…) makes one), but it is a list."),
    ],
)
def test_a_result_that_is_not_there_yet(item, names, body, words, tmp_path):
    key, message = told(item, in_file(f"def f({names}):\n    return {body}", tmp_path))
    assert key == "type" and words in message, (key, message)


def test_rows_of_nan_are_named():
    rows = np.array([[1.0, 2], [np.nan, np.nan], [3, 4]])
    item = exercise(lambda x: x, [((np.arange(6.0).reshape(3, 2),),)], returns=(Returns("y", ("n", "d")),))
    assert ", in the whole of row 1, and nowhere else: look" in told(item, lambda x: rows)[1]
    assert "row" not in told(item, lambda x: rows * [1, 0] + [np.nan, 0])[1]
    one = np.where(np.arange(6).reshape(3, 2) == 3, np.nan, 1)
    assert "y holds NaN or infinity: look" in told(item, lambda x: one)[1]
