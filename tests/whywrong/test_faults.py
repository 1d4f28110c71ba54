"""The author of a task hears what is wrong with it, and a learner never hears it as a mistake of theirs."""

import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import whywrong
from tests.conftest import ROOT
from tests.whywrong.answers import CURVE, HALF, WORDS
from whywrong import BrokenTask, Case, Fault, Inspection, Key, Mistake, Returns, faults, grade
from whywrong.author import faults_of_parts
from whywrong.todo import TODO

NAMED = replace(CURVE, mistakes=(HALF,))
LOOKED_AT = Inspection(
    **{"id": "t.looked", "kind": "function", "cases": CURVE.cases} | WORDS,
    inspect=lambda answer, case: "negative" if (answer(*case.args) < 0).any() else None,
    mistakes=(Mistake("negative", lambda x: x, "It lets negative values through."),),
)


def raise_key_error(*args):
    return {}["eps"]


def loop(*args):
    while True:
        pass


def stop_with_fault(*args):
    raise Fault(Key.SHAPE, "No shape fits.")


def change_input(x):
    x *= 2
    return x


# ---- what is wrong in every answer's check: told to the author, and raised when an answer is graded ------------------

NUMBERS = itertools.count(1)
BROKEN = {
    "the oracle raises": (
        {"oracle": lambda x: undefined},  # noqa: F821
        "The oracle raised NameError: name 'undefined' is not defined.",
    ),
    "the oracle raises KeyError": ({"oracle": raise_key_error}, "The oracle raised KeyError: 'eps'."),
    "the oracle raises Fault": ({"oracle": stop_with_fault}, "The oracle raised Fault: No shape fits."),
    "the oracle leaves": ({"oracle": lambda x: sys.exit()}, "The oracle raised SystemExit."),
    "the oracle never ends": ({"oracle": loop, "seconds": 0.2}, "The oracle takes too much time."),
    "the oracle returns None": ({"oracle": lambda x: None}, "The oracle returned None."),
    "cases raises": ({"cases": raise_key_error}, "`cases` raised KeyError: 'eps'."),
    "no cases": ({"cases": lambda rng: []}, "`cases` returned no cases."),
    "cases returns None": ({"cases": lambda rng: None}, "`cases` must return a list of Case, but it returned None."),
    "cases returns one": (
        {"cases": lambda rng: Case((np.ones(3),))},
        "`cases` must return a list of Case, but it returned a Case.",
    ),
    "cases returns arrays": (
        {"cases": lambda rng: [np.ones(3)]},
        "`cases` must return a list of Case, but the list holds a ndarray.",
    ),
    "another number of cases": (
        {"cases": lambda rng: [Case((np.ones(3),))] * next(NUMBERS)},
        "`cases` did not return the same cases for the same seed.",
    ),
    "an axis too many": (
        {"returns": (Returns("y", ("n", "d")),)},
        "Returns('y', ('n', 'd')) names 2 axes, but the oracle's result has 1 axis: its shape is (7,).",
    ),
    "an axis too few": (
        {"oracle": lambda x: x[:, None]},
        "Returns('the result', ('n',)) names 1 axis, but the oracle's result has 2 axes: its shape is (7, 1).",
    ),
    "more axes than there are": (
        {"returns": (Returns("y", ("...", "n", "d")),)},
        "Returns('y', ('...', 'n', 'd')) names 2 axes, but the oracle's result has 1 axis: its shape is (7,).",
    ),
    "axes of a number": (
        {"oracle": lambda x: 3.0},
        "Returns('the result', ('n',)) means an array, but the oracle returned a float.",
    ),
    "axes of a NumPy number": (
        {"oracle": lambda x: x.sum()},
        "Returns('the result', ('n',)) names 1 axis, but the oracle's result has 0 axes: its shape is ().",
    ),
    "an array without axes": (
        {"returns": (Returns("y"),)},
        "Returns('y') names no axes, but the oracle returned an array of shape (7,).",
    ),
    "a list without axes": (
        {"oracle": lambda x: [1, 2], "returns": (Returns("y"),)},
        "Returns('y') names no axes, but the oracle returned a list.",
    ),
    "two values, of which one comes": (
        {"returns": (Returns("h", ("n",)), Returns("y", ("n",)))},
        "`returns` names 2 values, but the oracle returned 7.",
    ),
    "two values, of which three come": (
        {"oracle": lambda x: (x, x, x), "returns": (Returns("h", ("n",)), Returns("y", ("n",)))},
        "`returns` names 2 values, but the oracle returned 3.",
    ),
    "two values, of which a number comes": (
        {"oracle": lambda x: 3.0, "returns": (Returns("h"), Returns("y"))},
        "`returns` names 2 values, but the oracle returned a float.",
    ),
    "no returns": ({"returns": ()}, "`returns` names 0 values, but the oracle returned 1."),
    "one of two values is None": (
        {"oracle": lambda x: (x, None), "returns": (Returns("h", ("n",)), Returns("y", ("n",)))},
        "The oracle returned None for y.",
    ),
}


@pytest.mark.parametrize(("change", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_task_is_told_to_its_author_and_grades_no_answer(change, says):
    task = replace(NAMED, **change)
    assert faults(task) == faults_of_parts(task) == [says]
    for answer in (CURVE.oracle, HALF.answer, lambda x: None, lambda x: 1 / 0):
        with pytest.raises(BrokenTask) as caught:
            grade(task, answer, 0)
        assert str(caught.value).startswith(f"The task 't.exercise' is broken. {says} ")
        assert caught.value.what == says
    assert grade(task, TODO, 0).key == "todo"  # an empty cell stays one


def test_what_is_drawn_by_another_generator_is_told():
    unseeded = np.random.default_rng()
    says = "`cases` did not return the same cases for the same seed: draw everything from the `rng` that is given."
    assert faults(replace(CURVE, cases=lambda rng: CURVE.cases(unseeded))) == [says]
    assert faults(replace(LOOKED_AT, cases=lambda rng: CURVE.cases(unseeded))) == [says]
    sizes = itertools.count()
    assert faults(replace(CURVE, cases=lambda rng: [Case((np.ones(3),), {"n": next(sizes)})])) == [says]


def test_an_oracle_whose_own_answer_is_refused_is_told():
    def told(**change):
        (says,) = faults(replace(CURVE, **change))
        return says

    assert told(oracle=lambda x: x / 0).startswith("The oracle's own answer is not accepted at seed 0: nan, ")
    assert told(oracle=lambda x: x.__imul__(2)).startswith(
        "The oracle's own answer is not accepted at seed 0: mutates, "
    )
    chance = np.random.default_rng()
    assert "not accepted at seed 0" in told(oracle=lambda x: x + chance.normal(size=x.shape))
    assert told(afterwards=stop_with_fault).endswith("not accepted at seed 0: shape, 'No shape fits.'")
    late = replace(CURVE, cases=lambda rng: [Case((np.array([[0.0, 1, 2][rng.integers(3)]]),))])
    firsts = [np.random.default_rng(seed).integers(3) for seed in range(5)]
    seed = firsts.index(next(one for one in firsts if one != firsts[0]))
    (says,) = faults(replace(late, oracle=lambda x: x / (x != firsts[seed])))
    assert f"not accepted at seed {seed}: nan" in says


def test_learners_are_not_blamed_for_an_oracle_that_changes_its_input():
    twice = replace(CURVE, oracle=change_input)
    assert grade(twice, lambda x: 2 * x, 0).key == "correct"


# ---- names and mistakes ----------------------------------------------------------------------------------------------


def test_a_mistake_that_is_taken_for_something_else_is_told():
    def told(answer, *before):
        found = faults(replace(CURVE, mistakes=(*before, Mistake("named", answer, "It is that."))))
        assert faults_of_parts(replace(CURVE, mistakes=(Mistake("named", answer, "It is that."),))) == []
        return found

    assert told(lambda x: 3 * x) == []
    assert told(lambda x: x**3 + 0.5 * x) == ["The mistake 'named' is accepted as right at seed 0."]
    (says,) = told(lambda x: x[:-1])
    assert says.startswith("The mistake 'named' is reported as shape at seed 0: 'The result has shape (6,)")
    says = "The mistake 'named' is reported as mistake:half at seed 0: 'This is half of the result.'"
    assert told(HALF.answer, HALF) == [says]


# ---- what is no fault of the task ------------------------------------------------------------------------------------


def test_the_oracle_runs_before_the_answer_and_on_its_own_inputs(monkeypatch):
    def spoil(x):
        result = CURVE.oracle(x)
        monkeypatch.setattr(np, "round", None)
        return result

    task = replace(CURVE, oracle=lambda x: CURVE.oracle(np.round(x, 12)))
    assert grade(task, spoil, 0).key == "correct"

    def shrink(x):
        x.resize(0, refcheck=False)
        return x

    assert grade(replace(CURVE, oracle=lambda x: x / x[0]), shrink, 0).key == "mutates"


def test_what_the_session_replaced_is_no_fault_of_the_task(monkeypatch):
    task = replace(CURVE, oracle=lambda x: CURVE.oracle(np.round(x, 12)))
    monkeypatch.setattr(np, "round", 3)
    verdict = grade(task, CURVE.oracle, 0)
    says = "`numpy.round` has been replaced in this session, but the check needs the original: start a new session."
    assert (verdict.status, verdict.key, verdict.message) == ("stopped", "raises", says)
    monkeypatch.undo()

    def sum(x):
        raise ValueError

    sum.__module__ = "__main__"
    monkeypatch.setattr(torch, "sum", sum)
    task = replace(CURVE, oracle=lambda x: torch.sum(torch.tensor(x)))
    assert grade(task, CURVE.oracle, 0).message.startswith("`torch.sum` has been replaced in this session")


def test_an_interrupt_in_the_oracle_is_an_interrupt():
    def interrupt(x):
        raise KeyboardInterrupt

    assert grade(replace(CURVE, oracle=interrupt), abs, 0).message.startswith("The check was interrupted")


# ---- the door --------------------------------------------------------------------------------------------------------


def test_the_package_has_every_name_and_loads_nothing_before_it_is_used():
    assert set(whywrong.__all__) <= set(dir(whywrong))
    assert whywrong.TODO is TODO
    assert [name for name in whywrong.__all__ if getattr(getattr(whywrong, name), "__name__", name) != name] == []
    with pytest.raises(AttributeError, match="has no attribute 'grad'"):
        whywrong.grad  # noqa: B018
    code = "import sys, whywrong; print({'numpy', 'psutil', 'torch'} & {*sys.modules})\n"
    code += "from whywrong import *; assert callable(faults); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("set()\nFalse\n", "")
