"""With two faults, the reply is as true as with one: no advice, place or description leads away from the answer."""

import numpy as np

from tests.whywrong.answers import exercise, in_file, told
from whywrong.task import Case, Mistake, Returns


def test_no_place_that_is_right_only_by_a_division_by_zero(tmp_path):
    item = exercise(
        lambda x: (np.sign(x) + 1) / 2,
        lambda rng: [Case((rng.normal(size=n),)) for n in (7, 5)],
        returns=(Returns("y", ("n",)),),
        mistakes=(Mistake("tanh", lambda x: (np.tanh(x / 3) + 1) / 2, "A step is asked."),),
    )
    assert told(item, in_file("def f(x):\n    return (np.tanh(x / 3) + 1) / 2", tmp_path))[1] == "A step is asked."


ROWS = exercise(
    lambda X: np.array([np.sin(row) ** 2 for row in X]),
    lambda rng: [Case((rng.normal(size=(n, 3)),)) for n in (4, 5)],
    returns=(Returns("Y", ("n", "d")),),
)


def test_rows_in_another_order_are_not_said_to_mix():
    key, message = told(ROWS, lambda X: np.round(np.sin(X[::-1]) ** 2, 2))
    assert (key, message.split(":")[0]) == ("seen:rows-moved", "The rows of Y are in reverse order")
    key, message = told(ROWS, lambda X: np.sin(np.roll(X, 1, axis=0)) ** 3)
    says = "Row 0 of Y is computed from row 3 of X, and row 1 from row 0, but the rows must keep their order."
    assert (key, message) == ("seen:rows-moved", f"{says} Other things may be wrong too.")
    key, message = told(ROWS, lambda X: np.sin(X) ** 3 / len(X))
    assert key == "seen:depends" and message.endswith("its own row, however many rows there are.")
    key, message = told(ROWS, lambda X: np.sin(X) ** 3 * (1 + X.argmax(axis=1).sum()))
    assert key == "seen:depends" and message.endswith("each row must depend only on its own row.")
    key, message = told(ROWS, lambda X: np.sin(X - X.mean(axis=0)) ** 3)
    assert key == "seen:depends" and message.endswith("each row must depend only on its own row.")


def test_of_two_mistakes_that_compute_the_same_the_one_with_the_same_parts():
    def run(answer, case):
        weight, bias = answer(*case.args)
        return np.maximum(case.args[0] + bias, 0) * weight

    known = (
        Mistake("bias", lambda x: (2.0, 0.0), "The weight is 1."),
        Mistake("more", lambda x: (1.0, x), "The bias is 0."),
    )
    item = exercise(
        lambda x: np.maximum(x, 0),
        lambda rng: [Case((rng.uniform(1, 2, size=n),)) for n in (4, 5)],
        returns=(Returns("y", ("n",)),),
        mistakes=known,
        run=run,
    )
    for one in known:
        assert told(item, one.answer) == (f"mistake:{one.name}", one.message)
