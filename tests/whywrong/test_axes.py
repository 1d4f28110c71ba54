"""Right values in a list, or with axes of size 1 too many, are a slip; other values are not."""

import numpy as np
import pytest
import torch

from tests.whywrong.answers import LAYER, exercise, told
from whywrong.task import Case, Returns


def _column(x):
    return x.mean(axis=-1, keepdims=True)


def _tables(rng):
    return [Case((rng.normal(size=(n, 3)),), {"n": n}) for n in (4, 6)]


def _tensors(rng):
    return [Case((torch.tensor(rng.normal(size=(n, 3))),)) for n in (4, 6)]


COLUMN = exercise(_column, _tables, returns=(Returns("m", ("n", "1")),))
TENSOR = exercise(lambda x: torch.tanh(x), _tensors, returns=(Returns("y", ("n", "d")),))
WRONG = ("type", "shape", "value", "dtype", "none")


def change_layer(change):
    return lambda x, W, b: change(x @ W + b)


@pytest.mark.parametrize(
    ("change", "shape", "advice"),
    [
        (lambda y: y[None], (1, 4, 2), "`.squeeze(0)` removes the extra axis"),
        (lambda y: y[:, None, :, None], (4, 1, 2, 1), "`.squeeze((1, 3))` removes the extra axes"),
        (lambda y: y[..., None], (4, 2, 1), "`.squeeze(2)` removes the extra axis"),
    ],
)
def test_extra_axes(change, shape, advice):
    lead = f"The values are right but not the shape: y has shape {shape}, and (n, d_out) = (4, 2) is expected. "
    assert told(LAYER, change_layer(change)) == ("slip:axes", f"{lead}{advice}.")


@pytest.mark.parametrize(
    ("item", "answer", "says"),
    [
        (COLUMN, lambda x: [[row.mean()] for row in x], "m is a list: `np.array(…)` turns it into a NumPy array."),
        (
            COLUMN,
            lambda x: tuple(row.mean() for row in x),
            "m is a tuple: `np.array(…)[:, None]` turns it into a NumPy array of shape (n, 1) = (4, 1).",
        ),
        (
            COLUMN,
            lambda x: (_column(x),),
            "m is a tuple with one entry: take it out with `[0]`, or leave out the comma after it.",
        ),
        (
            COLUMN,
            lambda x: [_column(x)],
            "m is a list with one entry: take it out with `[0]`, or leave out the square brackets around it.",
        ),
        (
            TENSOR,
            lambda x: [row.tanh() for row in x],
            "y is a list: `torch.stack(…)` turns it into a torch tensor.",
        ),
        (
            TENSOR,
            lambda x: [[float(np.tanh(value)) for value in row] for row in x.tolist()],
            "y is a list: `torch.tensor(…, dtype=torch.float64)` turns it into a torch tensor.",
        ),
    ],
)
def test_lists(item, answer, says):
    assert told(item, answer) == ("slip:list", f"The values are right, but {says}")


@pytest.mark.parametrize(
    "change",
    [
        lambda y: y.ravel(),
        lambda y: y.T,
        lambda y: y[None] + (len(y) == 5),  # wrong in the second case alone
        lambda y: y[None].astype(np.float32),
        lambda y: y[:1],
        lambda y: [[str(value) for value in row] for row in y],
        lambda y: [y, y],
        lambda y: [y[0], y[1, :1]],
        lambda y: [],
    ],
)
def test_other_values_in_another_order_or_of_another_dtype_are_not_right(change):
    assert told(LAYER, change_layer(change))[0] in WRONG
