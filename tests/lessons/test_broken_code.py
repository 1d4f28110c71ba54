"""Code that raises, runs away or disturbs the session: put into words, stopped, and taken back, for every exercise."""

import builtins
import io
import os
import random
import sys

import numpy as np
import pytest

from course_lib.desk import TODO, grade
from tests.lessons.answers import FIRST_OF_KIND, assert_documented, spoiled, worked
from whywrong import sandbox


def leave_by_main(name):
    return lambda compute, *args: getattr(sys.modules["__main__"], name)()


def recurse(compute, *args):
    return recurse(compute, *args)


def raise_error(error):
    def spoil(compute, *args):
        raise error

    return spoil


ACTIONS = {
    "returns None": (lambda compute, *args: None, "none"),
    "raises": (raise_error(ValueError("three\nlines\nof text")), "raises"),
    "raises without words": (raise_error(KeyError()), "raises"),
    "raises an error that cannot be printed": (
        raise_error(type("E", (Exception,), {"__str__": (1).__add__})()),
        "raises",
    ),
    "exit()": (lambda compute, *args: exit(), "raises"),
    "quit()": (lambda compute, *args: quit(), "raises"),
    "exit() of IPython": (leave_by_main("exit"), "raises"),
    "quit() of IPython": (leave_by_main("quit"), "raises"),
    "sys.exit": (lambda compute, *args: sys.exit("bye"), "raises"),
    "os._exit": (lambda compute, *args: os._exit(3), "raises"),
    "KeyboardInterrupt": (raise_error(KeyboardInterrupt()), "raises"),
    "input()": (lambda compute, *args: input("a number, please: "), "raises"),
    "breakpoint()": (lambda compute, *args: breakpoint(), "raises"),
    "RecursionError": (recurse, "raises"),
    "NotImplementedError": (raise_error(NotImplementedError()), "todo"),
    "returns TODO": (lambda compute, *args: TODO, "todo"),
    "computes with TODO": (lambda compute, *args: (TODO + 1) @ TODO[0], "todo"),
    "converts TODO": (lambda compute, *args: float(TODO), "todo"),
    "unpacks TODO": (lambda compute, *args: [one for one, _ in [TODO]], "todo"),
}


@pytest.fixture
def ipython_leavers(monkeypatch):
    """Put exit and quit into __main__ as IPython does."""
    from IPython.core.autocall import ExitAutocall

    leaver = ExitAutocall()
    for name in ("exit", "quit"):
        monkeypatch.setattr(sys.modules["__main__"], name, leaver, raising=False)
    yield
    assert sys.modules["__main__"].exit is sys.modules["__main__"].quit is leaver


@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_broken_code_is_put_into_words(id, ipython_leavers):
    for name, (spoil, key) in ACTIONS.items():
        verdict = grade(id, spoiled(worked(id), spoil), 0)
        assert verdict.key == key, f"{name}: {verdict}"
        assert_documented(id, verdict)


def test_error_names_type_line_and_shapes():
    verdict = grade("linear_limits.collapse", lambda W1, b1, W2, b2: np.linalg.inv(W1), 0)
    assert "LinAlgError" in verdict.message and "np.linalg.inv(W1)" in verdict.message
    assert "W1 of shape (3, 7), b1 of shape (7,), W2 of shape (7, 5), b2 of shape (5,)" in verdict.message


def test_shape_is_named_by_its_axes():
    verdict = grade("linear_limits.collapse", lambda W1, b1, W2, b2: ((W1 @ W2).T, b2), 0)
    assert verdict.message == "W has shape (5, 3) = (d_out, d_in), but (d_in, d_out) = (3, 5) is expected."


def test_values_that_differ_name_the_part_and_show_numbers():
    def answer(W1, b1, W2, b2):
        return W1 @ W2, np.sin(b1 @ W2) + np.cos(b2) ** 3

    verdict = grade("linear_limits.collapse", answer, 7)
    assert verdict.key == "value"
    assert "values of b are wrong (W is right)" in verdict.message
    assert "yours" in verdict.evidence and "expected" in verdict.evidence
    assert grade("linear_limits.collapse", answer, 7) == verdict


def endless(compute, *args):
    while True:
        pass


def endless_with_bare_except(compute, *args):
    while True:
        try:
            while True:
                sum(range(50))
        except:  # noqa: E722
            pass


def endless_allocation(compute, *args):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


RUNAWAYS = {
    "endless loop": (endless, "endless loop"),
    "endless loop in a bare except": (endless_with_bare_except, "endless loop"),
    "endless allocation": (endless_allocation, "memory"),
    "one huge array": (lambda compute, *args: np.ones(1 << 45), "memory"),
    "one huge list": (lambda compute, *args: [0] * (1 << 45), "memory"),
}


@pytest.mark.parametrize("name", RUNAWAYS)
@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_runaway_code_is_stopped(id, name, monkeypatch):
    spoil, words = RUNAWAYS[name]
    # Which limit is passed first must not depend on how fast the machine hands out memory.
    monkeypatch.setattr(sandbox, "CPU_SECONDS", 60 if words == "memory" else 0.2)
    monkeypatch.setattr(sandbox, "EXTRA_BYTES", 1 << 28)
    verdict = grade(id, spoiled(worked(id), spoil), 0)
    assert verdict.key == "timeout"
    assert words in verdict.message
    assert_documented(id, verdict)


def draw(compute, *args):
    np.random.seed(0)
    np.random.rand(3)
    random.seed(1)
    random.random()
    if "torch" in sys.modules:
        sys.modules["torch"].rand(3)
        sys.modules["torch"].manual_seed(5)
    return compute(*args)


def move(compute, *args):
    os.chdir(os.sep)
    return compute(*args)


def change_streams(compute, *args):
    print("words", file=sys.stderr)
    print("words")
    sys.stdout = io.StringIO()
    return compute(*args)


def deepen(compute, *args):
    sys.setrecursionlimit(sys.getrecursionlimit() + 1234)
    return compute(*args)


def overwrite_builtins(compute, *args):
    result = compute(*args)
    for name in ("len", "isinstance", "tuple", "print", "zip", "type", "getattr", "vars", "super", "range"):
        setattr(builtins, name, None)
    builtins.my_own_name = 3
    del builtins.sum
    return result


def session():
    """Return everything of the session that an answer may not change, in a form that can be compared."""
    import torch

    numpy_state = np.random.get_state()
    return {
        "numpy": (numpy_state[1].tolist(), *numpy_state[2:]),
        "python": random.getstate(),
        "torch": torch.random.get_rng_state().tolist(),
        "dtype": torch.get_default_dtype(),
        "folder": os.getcwd(),
        "depth": sys.getrecursionlimit(),
        "streams": (sys.stdout, sys.stderr),
        "builtins": dict(vars(builtins)),
        "trace": sys.gettrace(),
        "leave": os._exit,
    }


@pytest.mark.parametrize(
    "spoil", [draw, move, change_streams, deepen, overwrite_builtins], ids=lambda one: one.__name__
)
@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_right_answers_that_disturb_the_session(id, spoil, capfd, monkeypatch):
    monkeypatch.setattr(sandbox, "CPU_SECONDS", 60)  # what is kept is tested here, and not how long it takes
    before = session()
    verdict = grade(id, spoiled(worked(id), spoil), 0)
    after = session()
    assert verdict.key == "correct"
    assert [name for name in before if before[name] != after[name]] == []
    assert capfd.readouterr() == ("", "")


def test_stopped_code_leaves_the_session_as_it_was():
    before = session()
    grade("start_here.double", spoiled(worked("start_here.double"), recurse), 0)
    after = session()
    assert [name for name in before if before[name] != after[name]] == []


def test_builtins_overwritten_before_the_check():
    names = ["len", "isinstance", "dict", "vars", "set", "tuple", "zip", "all", "any", "sum", "list", "next", "type"]
    broken = dict.fromkeys(names, None)
    found = builtins.__dict__.copy()
    update, answer, wrong = builtins.__dict__.update, worked("start_here.double"), lambda x: x
    update(broken)
    try:
        right, unchanged = grade("start_here.double", answer, 0), grade("start_here.double", wrong, 0)
        after = builtins.__dict__.copy()
    finally:
        update(found)
    assert (right.key, unchanged.key) == ("correct", "mistake:unchanged")
    assert [name for name in names if after[name] is not None] == []
