"""What stands between a learner's code and the checks: builtins come back, a TODO is known, borrowed work is told."""

import builtins
import functools

import numpy as np
import pytest
import torch

from course_lib.model import activations, numpy_ffn
from course_lib.model.activations import gelu
from course_lib.model.ffn import PositionWiseFeedForward
from tests.whywrong.answers import CURVE, MODULE, exercise
from whywrong import sandbox
from whywrong.guard import find_borrowed, guard_answer
from whywrong.judge import grade
from whywrong.task import Case, Returns

GELU = exercise(
    lambda x: activations.gelu(x).numpy(),
    lambda rng: [Case((torch.tensor(rng.normal(size=n)),)) for n in (7, 3)],
    returns=(Returns("the result", ("n",)),),
)


# ---- builtins --------------------------------------------------------------------------------------------------------


def spoil_builtins(x):
    for name in ("len", "isinstance", "float", "zip"):
        setattr(builtins, name, None)
    return 0.5 * x + x**3


class Spoiling:
    def __init__(self, size):
        builtins.len = None

    def __call__(self, x):
        builtins.isinstance = None
        return 2 * x


@pytest.fixture
def kept_builtins():
    with sandbox.session_kept(None):
        yield


def test_builtins_come_back_after_a_function(kept_builtins):
    answer = guard_answer(CURVE, spoil_builtins)
    assert np.allclose(answer(np.ones(2)), 1.5) and len([1]) == 1 and isinstance(1, int)
    assert answer.__name__ == "spoil_builtins"


class Base:
    def __init__(self):
        self.made = True


class OldSuper(Base):
    def __init__(self, size):
        super(type(self), self).__init__()  # of a subclass this would be itself, for ever
        self.size = size

    def __call__(self, x):
        return self.size * x


@pytest.mark.parametrize("kind", [OldSuper, type("InTurn", (Spoiling,), {})])
def test_a_class_is_the_learners_own_while_it_is_made(kind, kept_builtins):
    made = guard_answer(MODULE, kind)(3)
    assert made(2) in (4, 6) and type(made) is not kind and isinstance(made, kind)


def test_spoiled_builtins_reach_neither_the_checks_nor_the_session():
    before = dict(vars(builtins))
    assert grade(CURVE, spoil_builtins, 0).key == "correct"
    wrong = grade(CURVE, lambda x: spoil_builtins(x) + 1, 0)
    assert (wrong.key, dict(vars(builtins)) == before) == ("seen:constant", True)


# ---- borrowed work ---------------------------------------------------------------------------------------------------


def by_module(x):
    return activations.gelu(x)


def by_name(x):
    y = x + 0
    return gelu(y)


def by_import(x):
    from course_lib.model.activations import gelu as ours

    return ours(x)


def by_inner_function(x):
    def inner(value):
        return gelu(value)

    return inner(x)


def by_comprehension(x):
    return [gelu(one) for one in x]


class Inherits(PositionWiseFeedForward):
    pass


class Holds(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.inner = PositionWiseFeedForward(d_model, d_ff)

    def forward(self, x):
        return self.inner(x)


BORROWED = [
    (by_module, "activations.gelu"),
    (by_name, "gelu"),
    (by_import, "gelu"),
    (by_inner_function, "gelu"),
    (by_comprehension, "gelu"),
    (lambda x: gelu(x), "gelu"),
    (lambda x, W1, W2, W3: numpy_ffn.gated_forward(x, W1, W2, W3), "numpy_ffn.gated_forward"),
    (gelu, "activations.gelu"),
    (functools.partial(numpy_ffn.gated_forward, np.ones(2)), "numpy_ffn.gated_forward"),
    (PositionWiseFeedForward, "ffn.PositionWiseFeedForward"),
    (Inherits, "ffn.PositionWiseFeedForward"),
    (Holds, "PositionWiseFeedForward"),
]


@pytest.mark.parametrize(("answer", "name"), BORROWED)
def test_borrowed_work_is_named(answer, name):
    assert find_borrowed(answer, ()) == name
    assert find_borrowed(answer, ("something_else",)) == name
    assert find_borrowed(answer, (name.rpartition(".")[2],)) is None


def same_words(x):
    """Mention gelu, and use methods and names of one's own that are called like the course's."""
    relu = np.maximum(x, 0)
    return relu.gelu if hasattr(relu, "gelu") else relu


class Own(torch.nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.gelu = torch.nn.GELU()

    def forward(self, x):
        return self.gelu(x) + activations.__name__.count("no such letters")


OWN = [same_words, Own, len, np.sin, lambda x: x.gelu(), 3, functools.partial(same_words, 2), torch.nn.Linear, None]


@pytest.mark.parametrize("answer", OWN)
def test_own_work_is_nobody_elses(answer):
    assert find_borrowed(answer, ()) is None


def test_a_right_answer_that_borrows_does_not_count(tmp_path):
    verdict = grade(GELU, by_name, 0)
    assert (verdict.status, verdict.key, verdict.evidence) == ("not yet", "slip:borrowed", "")
    assert verdict.message.startswith("This is right, but `gelu` does the work: write it")
    allowed = exercise(GELU.oracle, GELU.cases, returns=GELU.returns, may_use=("gelu",))
    assert grade(allowed, by_name, 0).key == "correct"


def test_worked_solutions_may_use_what_they_show():
    from lessons.start_here import solutions

    assert find_borrowed(solutions.double, ()) is None
