"""What a learner's code raises is put into words; tests/golden keeps the sentence of every slip behind an error."""

import builtins
import re
from string import Formatter

import numpy as np
import pytest

from course_lib import desk
from tests.whywrong.answers import CURVE, LAYER, exercise, in_file, told
from whywrong import errors
from whywrong.fixes.edits import EDITS

TABLE = errors._read_table()
ROWS = [pytest.param(row, id=row["name"]) for row in (*TABLE["first"], *TABLE["errors"])]


def parts(says):
    """Return what a sentence leaves to be filled in."""
    return {part for _, part, _, _ in Formatter().parse(says) if part is not None}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table_is_as_it_must_be(row):
    check(row)


def check(row):
    optional = {"code", "line", "direct", "when", "says", "report", "of", "called"}
    assert row.keys() <= {"kinds", "words", "name", *optional}
    assert row["kinds"] and all(issubclass(getattr(builtins, kind), Exception) for kind in row["kinds"])
    assert row.get("when", "call") in errors._CONDITIONS
    groups, *_ = [re.compile(row.get(field, "")).groups for field in ("words", "code", "line")]
    says = row["says"] if "says" in row else next(edit.says for edit in EDITS if edit.name == row["name"])
    filled = {"of", "called"} & row.keys()
    known = {"code", "operation", "text", "line", *map(str, range(1, groups + 1)), *filled}
    assert filled <= parts(says) <= known | {"it" for _ in range("when" in row)}


@pytest.mark.parametrize(
    "change",
    [
        {"word": "x"},
        {"kinds": []},
        {"kinds": ["TypError"]},
        {"kinds": ["object"]},
        {"when": "whenever"},
        {"words": "no group"},
        {"words": "(x"},
        {"code": "(x"},
        {"line": "(x"},
        {"says": "In {cod} {1}."},
        {"says": "It is {it}."},
        {"says": "It is {of}."},
        {"called": {"x": "X"}},
        {"says": None},
    ],
    ids=str,
)
def test_a_broken_row_is_known(change):
    row = {"kinds": ["TypeError"], "words": "(x)", "name": "a-name", "says": "In {code} {1}."}
    check(row)
    with pytest.raises((AssertionError, AttributeError, re.error, StopIteration)):
        check({key: value for key, value in {**row, **change}.items() if value is not None})


@pytest.mark.parametrize("row", TABLE["plainer"], ids=lambda row: row["says"])
def test_a_row_of_plainer_words_is_as_it_must_be(row):
    assert row.keys() == {"words", "says"}
    assert parts(row["says"]) <= set(map(str, range(1, re.compile(row["words"]).groups + 1)))


def test_all_that_a_row_can_ask_is_asked_by_one():
    assert set(errors._CONDITIONS) == {row["when"] for row in TABLE["errors"] if "when" in row}


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


def test_a_method_that_neither_kind_has(tmp_path):
    key, message = told(CURVE, in_file("def f(x):\n    return x.cubed()", tmp_path))
    assert key == "raises" and message.startswith("Your code raised AttributeError at `return x.cubed()`, because")


TODOS = {
    "raise NotImplementedError": "todo",
    "raise NotImplementedError('write me')": "todo",
    "raise NotImplementedError(\n        'in two lines'\n    )": "todo",
    "return helper(x)": "todo",
    "return torch.tensor([1.0]) ^ 3": "slip:caret",
    "return nn.Module()(x)": "raises",
}


@pytest.mark.parametrize("body", TODOS)
def test_only_the_learners_own_raise_is_a_todo(body, tmp_path):
    source = f"def helper(x):\n    raise NotImplementedError\n\ndef f(x):\n    {body}\n"
    assert told(CURVE, in_file(source, tmp_path))[0] == TODOS[body]


def test_a_raise_without_its_source_is_a_todo_as_well():
    made = {}
    exec("def f(x):\n    raise NotImplementedError", made)
    assert told(CURVE, made["f"])[0] == "todo"
    exec("import torch\ndef f(x):\n    return torch.tensor([1.0]) ^ 3", made)
    assert told(CURVE, made["f"])[0] == "slip:caret"


def test_a_function_that_cannot_be_called(tmp_path):
    key, message = told(LAYER, lambda x: x)
    assert (key, message) == ("raises", "Your function must take 3 arguments (x, W, b): look at its `def` line.")

    def xor_layer(x, W, b, more):  # its name makes no caret of it
        return x

    assert told(LAYER, xor_layer) == (key, message)
    assert told(LAYER, in_file("def f(x, W, b, more):\n    return x", tmp_path)) == (key, message)
    assert told(CURVE, lambda: 1)[1] == "Your function must take 1 argument (x): look at its `def` line."
    assert "raised TypeError at" in told(CURVE, lambda x: divmod(x))[1]  # this one takes what it must


def test_inputs_are_named_as_the_learner_names_them():
    assert (
        "The inputs were rows of shape (4, 3), W of shape (3, 2), b of shape (2,)."
        in told(LAYER, lambda rows, W, b: rows.nothing)[1]
    )


@pytest.mark.parametrize("body", ["len(n)", "[0][n]", "[] + n", "list(n)", "list(range(n / 1))", "n(x)", "n.halves"])
@pytest.mark.parametrize("sizes", [(np.int32, np.int64), (np.float32, np.float64)], ids=["integers", "floats"])
def test_numbers_of_every_size_get_the_same_sentence(body, sizes, tmp_path):
    answers = [in_file(f"def f(x):\n    return {body}", tmp_path, n=size(3)) for size in sizes]
    first, second = (told(CURVE, answer) for answer in answers)
    assert first == second and "32" not in first[1]


def test_what_explains_the_shapes_is_not_said_twice(tmp_path):
    source = "def f(W1, b1, W2, b2):\n    return W1 * W2, b1 @ W2 + b2"
    message = desk.grade("linear_limits.collapse", in_file(source, tmp_path), 0).message
    assert message == "`*` multiplies value by value, but here you need the matrix product `@`: look at `W1 * W2`."


def test_errors_that_cannot_be_printed():
    class Odd(ValueError):
        def __str__(self):
            raise RuntimeError

    def f(x):
        raise Odd

    assert told(CURVE, f)[1].startswith("Your code raised Odd at `raise Odd`. The inputs")


def test_an_ambiguous_truth_elsewhere_keeps_its_words():
    def f(x):
        raise ValueError("the plural is ambiguous")

    assert "saying “the plural is ambiguous”" in told(CURVE, f)[1]


def test_an_endless_loop_is_told_with_the_numbers_in_its_condition(tmp_path):
    item = exercise(lambda d, m: -(-d // m) * m, [((7, 4),), ((8, 4),), ((23, 5),)])
    source = "def f(d, m):\n    d = d / 3\n    while d % m != 0:\n        d += 1\n    return d"
    key, message = told(item, in_file(source, tmp_path))
    assert key == "timeout"
    found = re.search(r"Is there an endless loop\? When it was stopped, d was ([\d.]+) and m was 4\.$", message)
    assert found and float(found[1]) % 1, message
    key, message = told(item, in_file("def f(d, m):\n    while True:\n        d += 1", tmp_path))
    assert key == "timeout" and message.endswith("Is there an endless loop?")


def test_a_black_box_shows_no_name():
    for id in ("build_the_ffn.which_bug", "bonus_experts.which_router_bug", "linear_limits.is_affine"):
        verdict = desk.grade(id, lambda f, *rest: f.__name__, 0)
        assert verdict.key == "slip:black-box" and "Call it with inputs of your choice" in verdict.message


def test_a_return_that_gives_none_is_quoted(tmp_path):
    source = "def f(x):\n    y = x.copy()\n    kept = {}\n    return kept.get('y')"
    words = "Your function returned None, because `kept.get('y')` is None there."
    assert told(CURVE, in_file(source, tmp_path)) == ("none", words)
    source = "def f(x):\n    for v in x:\n        if v > 1e9:\n            return x"
    key, message = told(CURVE, in_file(source, tmp_path))
    assert key == "none" and "did it reach its end without a `return`? The inputs were x of shape" in message
    for source in (
        "def f(x):\n    y = x + 1\n    for v in y:\n        v *= 2",
        "def f(x):\n    if len(x) > 99:\n        return x\n    return",
        "def f(x):\n    if len(x) < 99:\n        return None\n    return x",
    ):
        key, message = told(CURVE, in_file(source, tmp_path))
        assert key == "none" and message.endswith("is the return statement missing?")
