"""Slips and single wrong words are found by mending the learner's own code, and named only if that cures it."""

import functools
import math
import time

import numpy as np
import pytest
import torch

from course_lib.content import Case, Inspection, Mistake, Returns
from course_lib.grading.judge import grade
from course_lib.grading.mending import found_by_mending, source_of
from course_lib.grading.repairs import REPAIRS
from course_lib.grading.slips import HELPERS, SLIPS
from tests.grading.answers import COUNT, CURVE, HALF, LAYER, MODULE, RELU, SHARE, WORDS, exercise, in_file, told

AVERAGE = exercise(lambda a, b: (a + b) / (a * b), [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
WIDTH = exercise(lambda d: 8 * d // 3, [((4,),), ((7,),), ((10,),)])
TOTAL = exercise(lambda A: float(A.sum()), lambda rng: [Case((rng.normal(size=(3, n)),)) for n in (2, 5)])
POLYNOMIAL = exercise(lambda x: (2 * x) ** 2, [((3.0,),), ((-5.0,),), ((7.0,),)])
COLUMNS = exercise(
    lambda A: np.array([sum(column) for column in A.T]),
    lambda rng: [Case((rng.normal(size=(3, n)),)) for n in (2, 5)],
    returns=(Returns("s", ("n",)),),
)
SUMS = exercise(lambda a, b: a / (a + b + a * b), [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
ROOT = exercise(lambda a, b: (a * b) ** 0.5, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
UP = exercise(lambda d, m: -(-d // m) * m, [((7, 4),), ((8, 4),), ((23, 5),)])
SHARE_OF = exercise(lambda a, b: b / (a + b) + b, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
TWICE = exercise(
    lambda x, W: np.einsum("ij,kj,lk->il", x, W, W),
    lambda rng: [Case((rng.normal(size=(3, n)), rng.normal(size=(n, n)))) for n in (2, 5)],
    returns=(Returns("y", ("n", "d")),),
)
POSITIVE = exercise(lambda x: sum(v > 0 for v in x.tolist()), lambda rng: [Case((rng.normal(size=n),)) for n in (7, 9)])
AREA = exercise(lambda a, b: a * a * b, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
TANGENT = exercise(lambda x: np.array([math.tanh(v) for v in x]), CURVE.cases, returns=CURVE.returns)
LEFT = exercise(lambda p, n: (1 - p) ** n, [((0.5, 3),), ((0.25, 2),), ((0.125, 5),)])
NET = """class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.up = nn.Linear(d_in, d_out, dtype=torch.float64)

    def forward(self, x):
        return self.up(x).relu()
"""

BY_SLIPS = [
    ("caret", CURVE, "def f(x):\n    return 0.5 * x + (10 * x).astype(int) ^ 3"),
    ("caret", COUNT, "def f(d, f, bias):\n    return d * f + (d + f if bias else 0) ^ 1"),
    ("caret", AVERAGE, "def f(a, b):\n    return a ^ -1 + b ^ -1"),  # ^ binds less than +, and ** binds more
    (
        "caret",
        AVERAGE,
        "class Own:\n    value = 3 ^ 1\n\ndef f(a, b):\n    'a ^ b'\n    a ^= 1\n    return (a + b) / (a * b)  # a ^ b",
    ),
    ("floor-division", AVERAGE, "def f(a, b):\n    return (a + b) // (a * b)"),
    ("true-division", WIDTH, "def f(d):\n    return 8 * d / 3"),
    ("condition-last", COUNT, "def f(d, f, bias):\n    return d * f + d + f if bias else 0"),
    ("max", RELU, "def f(x):\n    return max(0, x)"),
    ("max", RELU, "def f(x):\n    y = -min(-x, 0)\n    return y"),
    ("max-along", RELU, "def f(x):\n    return np.max(x, 0)"),
    ("max-along", RELU, "def f(x):\n    return x.max(0)"),
    ("view", CURVE, "def f(x):\n    y = x[:]\n    y *= y**2 + 0.5\n    return y"),
    ("set-anew", TOTAL, "def f(A):\n    s = 0.0\n    for row in A:\n        s = row.sum()\n    return s"),
    ("len", POSITIVE, "def f(x):\n    return len(x > 0)"),
    (
        "len",
        POSITIVE,
        "def f(x):\n    total = 0\n    for row in x[None]:\n        total += len(row > 0)\n    return total",
    ),
    ("sum", TOTAL, "def f(A):\n    return sum(A)"),
    ("math", RELU, "def f(x):\n    return (math.sqrt(x * x) + x) / 2"),
    ("bool-mean", SHARE, "def f(h):\n    return (h == 0).mean()"),
    ("bool-mean", SHARE, "def f(h):\n    return torch.mean(h == 0)"),
    ("divisor", AVERAGE, "def f(a, b):\n    return (a + b) / a * b"),
    ("brackets", AVERAGE, "def f(a, b):\n    return a + b / (a * b)"),
    ("brackets", AVERAGE, "def f(a, b):\n    return b + a / a / b"),
    ("brackets", SUMS, "def f(a, b):\n    return a / a + b + a * b"),
    ("brackets", SUMS, "def f(a, b):\n    return 0 + a / a + b + a * b"),
    ("bracket-place", ROOT, "def f(a, b):\n    return math.sqrt(a) * b"),
    ("bracket-place", ROOT, "def f(a, b):\n    return np.sqrt(np.abs(a)) * b"),
    ("no-return", AVERAGE, "def f(a, b):\n    (a + b) / (a * b)"),
    ("no-return", AVERAGE, "def f(a, b):\n    total = a + b\n    result = total / (a * b)"),
    ("in-place", CURVE, "def f(x):\n    y = 0.5 * x + x**3\n    x += 1\n    return y"),
    ("self", MODULE, NET.replace("self.up =", "up =")),
    ("no-return", MODULE, NET.replace("return ", "")),
    ("power-brackets", POLYNOMIAL, "def f(x):\n    return 2 * x ** 2"),
    ("return-in-loop", TOTAL, "def f(A):\n    s = 0.0\n    for row in A:\n        s += row.sum()\n        return s"),
    (
        "return-in-loop",
        TOTAL,
        "def f(A):\n    s = 0.0\n    for row in A:\n        s += row.sum()\n        if s is None:\n"
        "            return 0\n        else:\n            return s",
    ),
    (
        "return-in-loop",
        TOTAL,
        "def f(A):\n    s = 0.0\n    for row in A:\n        s += row.sum()\n        if s is not None:\n"
        "            return s\n        else:\n            return 0",
    ),
]

BY_REPAIRS = [
    ("sign", CURVE, "def f(x):\n    return 0.5 * x - x**3", "`0.5 * x - x**3`"),
    ("minus", CURVE, "def f(x):\n    return -(0.5 * x + x**3)", "`-(0.5 * x + x**3)`"),
    ("too-much", CURVE, "def f(x):\n    return 0.5 * x + x**3 + 1", "`0.5 * x + x**3 + 1`"),
    ("matrix-product", LAYER, "def f(x, W, b):\n    return x * W + b", "`x * W`"),
    ("order", LAYER, "def f(x, W, b):\n    return W @ x + b", "`W @ x`"),
    ("order", AVERAGE, "def f(a, b):\n    return (a * b) / (a + b)", "`(a * b) / (a + b)`"),
    ("function", ROOT, "def f(a, b):\n    return np.exp(a * b)", "`np.exp`"),
    ("transpose", LAYER, "def f(x, W, b):\n    return x @ W.T + b", "`W.T`"),
    ("transpose", TWICE, "def f(x, W):\n    return x @ W @ W", "`x @ W @ W`"),
    ("power", COUNT, "def f(d, f, bias):\n    return d**f + (d + f if bias else 0)", "`d**f`"),
    ("divided", CURVE, "def f(x):\n    return x / 2 + x**2 / x * x / x", "`x**2 / x * x / x`"),
    ("multiplied", AVERAGE, "def f(a, b):\n    return (a + b) * (a * b)", "`(a + b) * (a * b)`"),
    ("multiplied", LEFT, "def f(p, n):\n    return (1 - p) * n", "`(1 - p) * n`"),
    ("power-of-part", AREA, "def f(a, b):\n    return (a * b) ** 2", "`(a * b) ** 2`"),
    ("function", TANGENT, "def f(x):\n    return np.tan(x)", "`np.tan`"),
    ("sum-or-mean", TOTAL, "def f(A):\n    return A.mean()", "`A.mean()`"),
    ("square-missing", CURVE, "def f(x):\n    return x * (0.5 + x)", "the `x` in `return x * (0.5 + x)`"),
    (
        "too-much",
        TOTAL,
        "def f(A):\n    s = 0.0\n    for i in range(len(A) + 1):\n        s += A[i].sum()\n    return s",
        "`len(A) + 1`",
    ),
    ("axis", COLUMNS, "def f(A):\n    return A.sum(axis=1)", "`A.sum(axis=1)`"),
    ("axis", COLUMNS, "def f(A):\n    return np.sum(A, -1)", "`np.sum(A, -1)`"),
    ("direction", RELU, "def f(x):\n    return np.where(x < 0, x, 0.0)", "`x < 0`"),
    ("opposite", RELU, "def f(x):\n    return np.minimum(x, 0)", "`np.minimum(x, 0)`"),
    (
        "branches",
        COUNT,
        "def f(d, f, bias):\n    return d * f + (0 if bias else d + f)",
        "`return d * f + (0 if bias else d + f)`",
    ),
    (
        "bounds",
        TOTAL,
        "def f(A):\n    s = 0.0\n    for i in range(1, len(A)):\n        s += A[i].sum()\n    return s",
        "`range(1, len(A))`",
    ),
    ("name", COUNT, "def f(d, f, bias):\n    return d * d + (d + f if bias else 0)", "`d` in `return d * d"),
    ("minus-missing", UP, "def f(d, m):\n    return d + d % m", "`d % m`"),
    ("names-swapped", SHARE_OF, "def f(a, b):\n    return a / (a + b) + a", "changed places throughout"),
    ("factor-missing", SHARE_OF, "def f(a, b):\n    return b / (a + b) + 1", "one factor or divisor"),
    ("number", CURVE, "def f(x):\n    return 0.5 * x + x**2", "`2` in `return 0.5 * x + x**2`"),
]


@pytest.mark.parametrize(("name", "item", "source"), BY_SLIPS)
def test_slip(name, item, source, tmp_path):
    key, message = told(item, in_file(source, tmp_path))
    assert key == f"slip:{name}", message


@pytest.mark.parametrize(("name", "item", "source", "words"), BY_REPAIRS)
def test_one_wrong_word(name, item, source, words, tmp_path):
    key, message = told(item, in_file(source, tmp_path))
    assert key == f"slip:{name}" and words in message, (key, message)


# ---- named only if it is the cause -----------------------------------------------------------------------------------


def test_two_faults_at_once_are_no_single_slip(tmp_path):
    for source in (
        "def f(a, b):\n    return a + b / (a * b) + 17.5",
        "def f(a, b):\n    return (a + b) // a * b * b",
    ):
        assert not told(AVERAGE, in_file(source, tmp_path))[0].startswith("slip:")


def test_the_mended_code_must_pass_every_case(tmp_path):
    """With brackets, a + b / 2 / b is right for a = 2, and not for others."""
    one = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),)])
    many = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),), ((5.0, 9.0),)])
    source = "def f(a, b):\n    return a + b / 2 / b"
    assert told(one, in_file(source, tmp_path))[0] == "slip:brackets"
    assert not told(many, in_file(source, tmp_path))[0].startswith("slip:")


def test_a_right_answer_contains_no_slip(tmp_path):
    for item, source in (
        (AVERAGE, "def f(a, b):\n    return a // a * (a + b) / a / b"),
        (RELU, "def f(x):\n    return np.array([max(0, value) for value in x])"),
        (COUNT, "def f(d, f, bias):\n    return d * f + (d ^ d) + (d + f if bias else 0)"),
    ):
        assert told(item, in_file(source, tmp_path)) == ("correct", "So it is.")


def test_a_slip_comes_before_the_named_mistake_and_a_wrong_word_after_it(tmp_path):
    power = Mistake("square", lambda x: 0.5 * x + x**2, "The power is another one.")
    named = exercise(CURVE.oracle, CURVE.cases, returns=CURVE.returns, mistakes=(HALF, power))
    assert told(named, in_file("def f(x):\n    return 0.5 * x + x**2", tmp_path)) == ("mistake:square", power.message)
    assert told(CURVE, in_file("def f(x):\n    return 0.5 * x + x**2", tmp_path))[0] == "slip:number"
    quotient = Mistake("left", lambda a, b: (a + b) / a * b, "The quotient is another one.")
    named = exercise(AVERAGE.oracle, AVERAGE.cases, mistakes=(quotient,))
    assert told(named, in_file("def f(a, b):\n    return (a + b) / a * b", tmp_path))[0] == "slip:divisor"


def test_a_form_that_is_wrong_is_told_with_its_slip(tmp_path):
    key, message = told(TOTAL, in_file("def f(A):\n    return sum(A)", tmp_path))
    assert key == "slip:sum" and "must be one number, but it is a ndarray of shape (2,). Python's `sum`" in message


def test_what_every_round_has_its_own_place_for_is_not_set_anew(tmp_path):
    """Mended with `+=` this is right as well, but nothing is overwritten by the next round."""
    item = exercise(lambda x: 0 * x, lambda rng: [Case((rng.normal(size=n),)) for n in (4, 6)], returns=CURVE.returns)
    source = "def f(x):\n    y = x.copy()\n    for i in range(len(y)):\n        y[i] = -y[i]\n    return y"
    assert told(item, in_file(source, tmp_path))[0] != "slip:set-anew"
    product = exercise(lambda x: x.sum(), CURVE.cases)
    source = "def f(x):\n    s = 0.0\n    for v in x:\n        s = 2 * s + v\n    return s"
    assert told(product, in_file(source, tmp_path))[0] != "slip:set-anew"


def test_a_quotient_that_is_rounded_already_is_no_slip(tmp_path):
    up = exercise(lambda d: -(-8 * d // 3), [((4,),), ((7,),), ((10,),)])
    assert told(WIDTH, in_file("def f(d):\n    return math.ceil(8 * d / 3)", tmp_path))[0] == "slip:function"
    assert told(up, in_file("def f(d):\n    return int(8 * d / 3)", tmp_path))[0] != "slip:true-division"


def test_a_result_that_is_rounded_has_its_brackets_in_the_right_place(tmp_path):
    """`int(a) / b` would be right as well, but only because the rounding is gone."""
    item = exercise(lambda a, b: a / b, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
    for function in ("int", "round", "math.floor", "np.ceil"):
        key, message = told(item, in_file(f"def f(a, b):\n    return {function}(a / b)", tmp_path))
        assert key != "slip:bracket-place", message


def test_an_axis_is_taken_for_a_number_by_modules_only(tmp_path):
    """The names of another language have no second argument that could be an axis."""
    key, message = told(RELU, in_file("def f(x):\n    return Math.max(0, x)", tmp_path))
    assert key == "slip:unknown-name" and "axis" not in message


# ---- where the code comes from ---------------------------------------------------------------------------------------


def closure():
    half = 0.5

    def f(x):
        return half * x - x**3

    return f


def test_without_its_code_nothing_is_mended(tmp_path):
    made = {"f": None}
    exec("def f(x):\n    return 0.5 * x - x**3", made)
    for answer in (
        lambda x: 0.5 * x - x**3,
        closure(),
        made["f"],
        np.sin,
        functools.partial(np.power, 2),
        type("Empty", (), {}),
        len,
        3,
    ):
        assert source_of(answer) is None
    assert told(CURVE, lambda x: 0.5 * x - x**3)[0] == "value"


def test_a_decorated_and_an_indented_function(tmp_path):
    source = """
import functools

def doubled(function):
    @functools.wraps(function)
    def wrapped(x):
        return function(x)
    return wrapped

if True:
    @doubled
    def f(x):
        "A docstring
over two lines."
        return 0.5 * x - x**3
"""
    assert (
        told(CURVE, in_file(source.replace('"A', '"""A').replace('lines."', 'lines."""'), tmp_path))[0] == "slip:sign"
    )


CELL = """
scale = 0.5
def f(x):
    return scale * x - x**3

class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.up = nn.Linear(d_in, d_out, dtype=torch.float64)

    def forward(self, x):
        return max(self.up(x), 0)

class Misspelled(nn.Module):
    def foward(self, x):
        return x
"""


def test_a_cell_of_a_notebook(shell):
    shell.user_ns.update(nn=torch.nn, torch=torch)
    assert shell.run_cell(CELL).success
    names = shell.user_ns
    assert told(CURVE, names["f"]) == ("slip:sign", "All is right but for one sign: look at `scale * x - x**3`.")
    assert told(MODULE, names["Net"])[0] == "slip:max"
    assert source_of(names["Misspelled"]).definition.name == "Misspelled"
    assert shell.run_cell("def f(x):\n    return 0.5 * x + x**2").success  # a cell that is run again in another form
    assert told(CURVE, names["f"])[0] == "slip:number"


# ---- what mending leaves alone ---------------------------------------------------------------------------------------

NOISY = """
count, kept = 0, []

def f(x):
    global count
    count += 1
    print("called")
    return 0.5 * x - x**3
"""


def test_mending_changes_no_name_and_prints_nothing(tmp_path, capfd):
    answer = in_file(NOISY, tmp_path)
    names = answer.__globals__
    before = {**names}
    verdict = grade(CURVE, answer, 0)
    assert verdict.key == "slip:sign" and verdict.printed == "called"
    called = names["count"]  # by the checks themselves, and not by the mended code
    assert 0 < called <= 7
    assert {**names, "count": 0} == before and names["f"] is answer
    assert capfd.readouterr() == ("", "")


def test_mending_is_bounded_in_time(tmp_path):
    terms = " + ".join(f"x * {number}" for number in range(2, 40))
    slow = f"def f(x):\n    for i in range(30_000):\n        i * i\n    return {terms}"
    endless = "def f(x):\n    y = x\n    while y[0] < 1e3:\n        y = y * y + 1\n    return y - x"
    many = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    for source in (slow, endless, many):
        answer = in_file(source, tmp_path)
        begin = time.process_time()
        assert told(CURVE, answer)[0] not in ("correct", "timeout")
        assert time.process_time() - begin < 2.5


def test_mends_are_tried_in_order_and_only_once():
    tried = []

    def is_right(mended):
        tried.append(mended)
        return False

    assert found_by_mending(test_mends_are_tried_in_order_and_only_once, SLIPS + REPAIRS, HELPERS, is_right) is None
    assert 0 < len(tried) < 300


def test_answers_of_the_course_are_not_mended():
    from course_lib.lessons.start_here import double

    mistake = next(one for one in double.EXERCISE.mistakes if callable(one.answer))
    assert grade(double.EXERCISE, mistake.answer, 0).key == f"mistake:{mistake.name}"


def test_an_answer_that_is_looked_at(tmp_path):
    item = Inspection(
        **{"id": "t.looked_at", "kind": "function", "cases": CURVE.cases} | WORDS,
        inspect=lambda answer, case: None if np.allclose(answer(*case.args), CURVE.oracle(*case.args)) else "other",
        mistakes=(Mistake("other", abs, "This is another curve."),),
    )
    verdict = grade(item, in_file("def f(x):\n    return x / 2 + x ^ 3", tmp_path), 0)
    assert (verdict.status, verdict.key) == ("stopped", "slip:caret")
    assert grade(item, in_file("def f(x):\n    return np.sqrt(x**2) + 7", tmp_path), 0).key == "mistake:other"
    assert grade(item, in_file("def f(x):\n    return x + x ^ 3 / 2", tmp_path), 0).key == "slip:caret"


def test_every_sentence_is_whole():
    names = [slip.name for slip in SLIPS]
    assert len(set(names)) == len(names)
    for slip in SLIPS + REPAIRS:
        says = slip.says.format(code="a + b", line="return a + b")
        assert (
            (says[0].isupper() or says[0] == "`" or says.startswith("torch ")) and says[-1] in ".?" and len(says) < 250
        )
