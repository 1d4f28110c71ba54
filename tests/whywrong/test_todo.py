"""The blank absorbs what a half-filled function does with it."""

import copy
import math
import pickle

import numpy as np
import pytest
import torch

from whywrong.judge import grade
from whywrong.task import Case, Exercise, Returns
from whywrong.todo import TODO, count_uses

ARRAY, TENSOR = np.ones((2, 3)), torch.ones(2, 3)

GIVES_TODO = {
    "arithmetic": lambda: TODO + 1 - 2 * TODO / 3 // TODO % 5,
    "powers": lambda: 2**TODO + TODO**2,
    "signs": lambda: -TODO + +TODO + ~TODO + abs(TODO),
    "bits": lambda: (TODO & 1) | (2 ^ TODO) << 1 >> TODO,
    "rounding": lambda: round(TODO, 2) + math.floor(TODO) + math.ceil(TODO),
    "matmul left": lambda: TODO @ ARRAY,
    "matmul right": lambda: ARRAY @ TODO,
    "tensor matmul left": lambda: TODO @ TENSOR,
    "tensor matmul right": lambda: TENSOR @ TODO,
    "array plus": lambda: ARRAY + TODO,
    "plus array": lambda: TODO + ARRAY,
    "array times": lambda: ARRAY * TODO,
    "tensor minus": lambda: TENSOR - TODO,
    "tensor over": lambda: TODO / TENSOR,
    "numpy ufunc": lambda: np.exp(TODO) + np.maximum(TODO, 0) + np.maximum(0, TODO),
    "numpy function": lambda: np.concatenate([ARRAY, TODO]),
    "numpy reduction": lambda: np.sum(TODO, axis=0),
    "numpy einsum": lambda: np.einsum("ij,jk->ik", ARRAY, TODO),
    "torch function": lambda: torch.relu(TODO) + torch.matmul(TENSOR, TODO),
    "torch of a list": lambda: torch.cat([TENSOR, TODO]),
    "torch functional": lambda: torch.nn.functional.linear(TENSOR, TODO),
    "torch module": lambda: torch.nn.Linear(3, 2)(TODO),
    "calls": lambda: TODO(1, name=2)(),
    "attributes": lambda: TODO.shape.T.size(0),
    "indexing": lambda: TODO[0][..., None][1:2]["name"],
    "comparison": lambda: (TODO > 1) + (TODO == 3) + (TODO >= 1) + (TODO != 2),
    "array comparison": lambda: ARRAY > TODO,
    "copies": lambda: copy.copy(TODO) + copy.deepcopy(TODO),
    "conditional": lambda: 3 if TODO else TODO,
    "max": lambda: max(TODO, 1),
}


@pytest.mark.parametrize("name", GIVES_TODO)
def test_operation_gives_the_blank_again(name):
    before = count_uses()
    assert GIVES_TODO[name]() is TODO
    assert count_uses() > before


def test_words_and_protocols():
    assert repr(TODO) == str(TODO) == f"{TODO}" == f"{TODO:.3f}" == f"{TODO:>4}" == "TODO"
    assert [*TODO] == list(zip(TODO, TODO, strict=True)) == [] and len(TODO) == 0 and 3 not in TODO
    assert not TODO and math.isnan(float(TODO)) and int(TODO) == 0 and list(range(TODO)) == []
    with TODO as inside:
        assert inside is TODO
    assert {TODO: 1}[TODO] == 1
    assert pickle.loads(pickle.dumps(TODO)) is TODO


def test_with_does_not_hide_errors():
    with pytest.raises(ZeroDivisionError), TODO:
        _ = 1 / 0


def test_no_display_methods():
    """IPython asks for _repr_html_ and friends; the blank must not answer with itself."""
    assert not hasattr(TODO, "_repr_html_") and not hasattr(TODO, "_ipython_display_")
    assert not hasattr(TODO, "__array_interface__")


SCALED = Exercise(
    id="t.scaled",
    kind="function",
    cases=lambda rng: [Case((rng.normal(size=(2, 3)), rng.normal(size=3)))],
    oracle=lambda W, b: (2 * W, 3 * b),
    returns=(Returns("W", ("rows", "columns")), Returns("b", ("columns",))),
    mistakes=(),
    hints=("", "", ""),
    right="",
)


def half_product(W, b):
    return 2 * W, TODO * b


def half_condition(W, b):
    if TODO > 3:
        return None
    return 2 * W


def half_written_into_an_array(W, b):
    result = np.zeros_like(b)
    for i in range(len(b)):
        result[i] = TODO
    return 2 * W, result


def half_unpacked(W, b):
    rows, columns = TODO.shape
    return W, rows * columns


def half_with_a_wrong_shape(W, b):
    return W[:TODO], b


def half_called(W, b):
    return TODO(W), b


@pytest.mark.parametrize(
    "answer",
    [
        half_product,
        half_condition,
        half_written_into_an_array,
        half_unpacked,
        half_with_a_wrong_shape,
        half_called,
        TODO,
        lambda *args: TODO,
        lambda *args: (TODO, TODO),
        lambda *args: [1, TODO],
    ],
)
def test_half_filled_functions_are_not_attempted(answer):
    verdict = grade(SCALED, answer, 0)
    assert (verdict.status, verdict.key) == ("not attempted", "todo")
    assert "TODO" in verdict.message
