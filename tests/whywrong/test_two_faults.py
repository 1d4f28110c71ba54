"""With two faults, the reply is as true as with one: no advice, place or description leads away from the answer."""

import numpy as np
import pytest

from tests.whywrong.answers import LAYER, exercise, in_file, told
from whywrong.task import Case, Mistake, Returns

NO_BIAS = "The bias b is missing."
KNOWN = exercise(
    LAYER.oracle, LAYER.cases, returns=LAYER.returns, mistakes=(Mistake("no-b", lambda x, W, b: x @ W, NO_BIAS),)
)


@pytest.mark.parametrize("item", [LAYER, KNOWN])
def test_advice_on_shapes_only_if_one_known_mistake_is_left(item, tmp_path):
    key, message = told(item, in_file("def f(x, W, b):\n    return W @ x", tmp_path))
    assert key == "slip:product-shapes" and message.endswith("They fit in the other order.") == (item is KNOWN)
    _, message = told(item, in_file("def f(x, W, b):\n    return W @ x - 2 * b", tmp_path))
    assert message.endswith("must be 4.")


def _sizes(rng):
    return [Case((d, f)) for d, f in ((2, 5), (3, 7), (7, 2), (5, 31))]


def _count(d, f):
    return sum(np.empty(shape).size for shape in ((d, f), (f, d), (d, d), (d,)))


COUNT_MISTAKES = (
    Mistake("no-square", lambda d, f: 2 * d * f + d, "The square matrix is missing."),
    Mistake("one-matrix", lambda d, f: d * f + d * d + d, "There are two matrices of d by f, and you counted one."),
    Mistake("no-sum", lambda d, f: 3 * d * f + d * d + d, "The third matrix is not there."),
)
COUNTED = exercise(_count, _sizes, returns=(Returns("the count"),), mistakes=COUNT_MISTAKES)


def test_two_faults_of_which_one_is_a_factor():
    for factor, words in ((-1, "its sign"), (2, "a factor of 2"), (0.5, "a factor of ½")):
        key, message = told(COUNTED, lambda d, f, factor=factor: factor * (2 * d * f + d))
        says = f"Apart from {words}, the count is what a known mistake gives: The square matrix is missing."
        assert (key, message) == ("seen:mistake-and-more", says)
    assert told(COUNTED, lambda d, f: 3 * (2 * d * f + d))[0] != "seen:mistake-and-more"
    assert told(COUNTED, lambda d, f: 2 * (2 * d * f + d) if d > 2 else 9)[0] != "seen:mistake-and-more"


def test_a_known_mistake_comes_before_brackets(tmp_path):
    item = exercise(
        lambda a, b: a * b + a * a,
        [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)],
        mistakes=(Mistake("no-a", lambda a, b: a * b + a, "The second a is not squared."),),
    )
    code = "def f(a, b):\n    return a * b + a"
    key, message = told(item, in_file(code, tmp_path))
    assert key == "mistake:no-a" and message.startswith("The second a is not squared.")
    assert told(exercise(item.oracle, item.cases), in_file(code, tmp_path))[0] == "slip:brackets"


def test_what_is_missing_has_no_place(tmp_path):
    item = exercise(
        lambda d, f: d * f + 4 * d + 4 * d,
        _sizes,
        mistakes=(Mistake("none", lambda d, f: d * f + 4 * d, "Some 4 · d numbers are missing."),),
    )
    code = "def f(d, f):\n    norms = 4 * d\n    return d * f + norms"
    assert told(item, in_file(code, tmp_path))[1] == "Some 4 · d numbers are missing."
    counted = exercise(
        item.oracle, item.cases, mistakes=(Mistake("half", item.mistakes[0].answer, "You counted 4 · d once."),)
    )
    assert told(counted, in_file(code, tmp_path))[1].startswith("You counted 4 · d once. In your code: `4 * d`")


def test_two_things_and_an_input_that_is_never_used(tmp_path):
    key, message = told(COUNTED, in_file("def f(d, f):\n    return -(d * d + d)", tmp_path))
    assert (key, message) == ("seen:unused", "Your code never uses `f`, but the result depends on it.")
    known = (*COUNT_MISTAKES, Mistake("square", lambda d, f: d * d + d, "The rest is not counted."))
    item = exercise(_count, _sizes, returns=COUNTED.returns, mistakes=known)
    key, both = told(item, in_file("def f(d, f):\n    return -(d * d + d)", tmp_path))
    says = "Apart from its sign, the count is what a known mistake gives: The rest is not counted."
    assert (key, both) == ("seen:mistake-and-more", f"{says} {message}")


def test_no_place_that_is_right_only_by_a_division_by_zero(tmp_path):
    item = exercise(
        lambda x: (np.sign(x) + 1) / 2,
        lambda rng: [Case((rng.normal(size=n),)) for n in (7, 5)],
        returns=(Returns("y", ("n",)),),
        mistakes=(Mistake("tanh", lambda x: (np.tanh(x / 3) + 1) / 2, "A step is asked."),),
    )
    assert told(item, in_file("def f(x):\n    return (np.tanh(x / 3) + 1) / 2", tmp_path))[1] == "A step is asked."


# ---- True and False --------------------------------------------------------------------------------------------------


def _truths(rng):
    return [Case((n,)) for n in range(2, 32)]


IS_EVEN = exercise(
    lambda n: n % 2 == 0,
    _truths,
    returns=(Returns("the answer"),),
    mistakes=(Mistake("half", lambda n: n % 4 == 0, "4 and 8 are even, and so is 6."),),
)


def test_swapped_and_one_known_mistake():
    says = "True and False are swapped: return the opposite. One mistake is then left: 4 and 8 are even, and so is 6."
    assert told(IS_EVEN, lambda n: n % 4 != 0) == ("seen:swapped", says)


def test_swapped_but_for_a_few():
    says = "True and False are swapped: if you return the opposite, 28 of 30 values are right."
    assert told(IS_EVEN, lambda n: n % 2 == 1 or n < 6) == ("seen:swapped", says)
    assert told(IS_EVEN, lambda n: n % 2 == 1 or n < 12)[0] != "seen:swapped"


def test_swapped_and_more():
    says = "True and False seem to be swapped: 15 values should be True, but you said False for all of them, and True"
    key, message = told(IS_EVEN, lambda n: n % 2 == 1 and n > 20)
    assert key == "seen:swapped" and message == f"{says} for 6 others. Start by returning the opposite."
    assert told(IS_EVEN, lambda n: n == 7)[0] != "seen:swapped"


# ---- rows ------------------------------------------------------------------------------------------------------------

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


# ---- weights that compute the same -----------------------------------------------------------------------------------


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
