"""Small edits are found by changing the learner's own code, and named only if that fixes it.

What each says is kept in tests/golden/verdicts/edits.txt.
"""

import ast
import re

import numpy as np
import pytest

from tests.golden import book
from tests.golden.rows import exercises
from tests.whywrong.answers import AVERAGE, COUNT, CURVE, HALF, RELU, TOP, TOTAL, WIDTH, WORDS, exercise, in_file, told
from whywrong.fixes.edits import EDITS
from whywrong.fixes.rewrites import add_brackets
from whywrong.judge import grade
from whywrong.task import Case, Inspection, Mistake

# ---- the table -------------------------------------------------------------------------------------------------------


def pattern(edit) -> re.Pattern:
    """Return the pattern of a verdict that tells an edit: its key, and its sentence at the end of the message."""
    says = re.sub(r"\\\{(code|line|which)\\\}", ".*", re.escape(edit.says))
    return re.compile(rf" · slip:{edit.name} · seeds? .*\n.*{says}$", re.MULTILINE)


def test_every_edit_is_told_of_an_answer_that_is_kept():
    said = "\n".join(says for id in exercises() for says in book.kept(id).values())
    assert [(edit.name, edit.says) for edit in EDITS if not pattern(edit).search(said)] == []


def test_every_row_is_whole():
    everyday = [edit.everyday for edit in EDITS]
    assert everyday == sorted(everyday, reverse=True), "they are tried in the order of the table"
    assert sum(edit.without_inputs for edit in EDITS) == 4
    for edit in EDITS:
        says = edit.says.format(code="a + b", line="return a + b", which="")
        assert says[0].isupper() or says[0] == "`" or says.startswith("torch ")
        assert says[-1] in ".?" and len(says) < 250
        alike = [one for one in EDITS if one.name == edit.name and (one.report or "{" not in one.says)]
        assert len(alike) == 1, f"{edit.name}: the class report needs one sentence"


# ---- named only if it is the cause -----------------------------------------------------------------------------------


def test_two_faults_at_once_are_no_single_slip(tmp_path):
    both = "Almost right: two changes are needed in what you return. Below is the smallest case that fails."
    source = "def f(a, b):\n    return a + b / (a * b) + 17.5"
    assert told(AVERAGE, in_file(source, tmp_path)) == ("slip:two-places", both)
    source = "def f(a, b):\n    return (a + b) // a * b * b"
    assert not told(AVERAGE, in_file(source, tmp_path))[0].startswith("slip:")


def test_the_fixed_code_must_pass_every_case(tmp_path):
    """With brackets, a + b / 2 / b is right for a = 2, and not for others."""
    one = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),)])
    many = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),), ((5.0, 9.0),)])
    source = "def f(a, b):\n    return a + b / 2 / b"
    assert told(one, in_file(source, tmp_path))[0] == "slip:brackets"
    assert not told(many, in_file(source, tmp_path))[0].startswith("slip:")


ROWS = "    rows, best = np.arange(len(x))[:, None], np.argsort(x, axis=1)[:, -k:]\n    out[rows, best] = x[rows, best]"
ALONG = "    best = np.argsort(-x)[:, :k]\n    np.put_along_axis(out, best, np.take_along_axis(x, best, 1), 1)"


@pytest.mark.parametrize(
    ("item", "source"),
    [
        (AVERAGE, "def f(a, b):\n    return a // a * (a + b) / a / b"),
        (RELU, "def f(x):\n    return np.array([max(0, value) for value in x])"),
        (COUNT, "def f(d, f, bias):\n    return d * f + (d ^ d) + (d + f if bias else 0)"),
        (TOP, f"def f(x, k):\n    out = np.zeros_like(x)\n{ROWS}\n    return out"),
        (TOP, f"def f(x, k):\n    out = np.zeros_like(x)\n{ALONG}\n    return out"),
    ],
)
def test_a_right_answer_contains_no_slip(item, source, tmp_path):
    assert told(item, in_file(source, tmp_path)) == ("correct", "So it is.")


def test_a_slip_comes_before_the_named_mistake_and_a_wrong_word_after_it(tmp_path):
    power = Mistake("square", lambda x: 0.5 * x + x**2, "The power is another one.")
    named, says = exercise(CURVE.oracle, CURVE.cases, returns=CURVE.returns, mistakes=(HALF, power)), power.message
    says += " In your code: `x**2`."
    assert told(named, in_file("def f(x):\n    return 0.5 * x + x**2", tmp_path)) == ("mistake:square", says)
    assert told(CURVE, in_file("def f(x):\n    return 0.5 * x + x**2", tmp_path))[0] == "slip:place"
    quotient = Mistake("left", lambda a, b: (a + b) / a * b, "The quotient is another one.")
    named = exercise(AVERAGE.oracle, AVERAGE.cases, mistakes=(quotient,))
    assert told(named, in_file("def f(a, b):\n    return (a + b) / a * b", tmp_path))[0] == "slip:divisor"


def test_where_nothing_goes_in_few_edits_are_looked_for(tmp_path):
    """Of a single right number, many edits make it by chance: here a minus."""
    source = "def f():\n    return 9 + 2"
    assert told(exercise(lambda: 7, [((),)]), in_file(source, tmp_path))[0] == "value"
    assert told(exercise(lambda: 10, [((),)]), in_file(source, tmp_path))[0] == "slip:number"


def test_a_form_that_is_wrong_is_told_with_its_slip(tmp_path):
    key, message = told(TOTAL, in_file("def f(A):\n    return sum(A)", tmp_path))
    assert key == "slip:sum" and "must be one number, but it is a ndarray of shape (2,). Python's `sum`" in message


def test_changed_inputs_are_no_wrong_word(tmp_path):
    """What changes its input is not told that a square is missing, because then a new array is made."""
    verdict = grade(RELU, in_file("def f(x):\n    np.maximum(0, x, x)\n    return x", tmp_path), 0)
    assert verdict.key == "mutates"


def test_what_every_round_has_its_own_place_for_is_not_set_anew(tmp_path):
    """Written with `+=` this is right as well, but nothing is overwritten by the next round."""
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
    for function in ("int", "round", "math.floor", "np.ceil", "np.rint"):
        key, message = told(item, in_file(f"def f(a, b):\n    return {function}(a / b)", tmp_path))
        assert key != "slip:bracket-place", message


def test_an_axis_is_taken_for_a_number_by_modules_only(tmp_path):
    """The names of another language have no second argument that could be an axis."""
    key, message = told(RELU, in_file("def f(x):\n    return Math.max(0, x)", tmp_path))
    assert key == "slip:unknown-name" and "axis" not in message


def test_answers_of_the_course_are_not_edited():
    from lessons.start_here import double

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


# ---- brackets --------------------------------------------------------------------------------------------------------


def groups(text):
    return {ast.unparse(one) for one in add_brackets(ast.parse(text, mode="eval").body, None)}


def test_brackets_go_around_every_run_with_a_sum():
    assert groups("a * b + c") == {"a * (b + c)"}
    assert groups("a - b * c - d * e") >= {"a - b * (c - d) * e", "a - b * (c - d * e)", "(a - b) * c - d * e"}
    assert groups("g * x @ V + c") == {"g * (x @ V + c)", "g * x @ (V + c)"}
    assert groups("a * (b + c)") == groups("a + b") == groups("a * b * c") == set()  # nothing is missing there
    assert groups("a + b + c + d * e * f * g * h * i * j * k * l * m") == set()  # too long for all to be tried


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (lambda t, n, e, k: t - n * (e - k) * 3, "t - n * e - k * 3"),
        (lambda t, n, e, k: t * (n + e) - k, "t * n + e - k"),
        (lambda t, n, e, k: t / (n + e * k), "t / n + e * k"),
        (
            lambda t, n, e, k: t * t + n * t + e * k + n * e + t * (k + n + t),
            "t * t + n * t + e * k + n * e + t * k + n + t",
        ),
    ],
)
def test_missing_brackets(right, wrong, tmp_path):
    item = exercise(right, [((9.0, 2.0, 5.0, 3.0),), ((70.0, 3.0, 8.0, 2.0),), ((11.0, 4.0, 6.0, 1.5),)])
    key, message = told(item, in_file(f"def f(t, n, e, k):\n    return {wrong}", tmp_path))
    assert key == "slip:brackets", message
    assert told(item, in_file(f"def f(t, n, e, k):\n    return {wrong} + 1", tmp_path))[0] != "slip:brackets"
