"""What a learner's code raises: whose error it is, and what must not be shown; tests/golden keeps the sentences."""

import re

import numpy as np
import pytest
import torch

from course_lib import desk
from tests.whywrong.answers import CURVE, exercise, in_file, told
from whywrong import conditions, errors

# What was pasted, but for the signs from † on, which were typed; and what becomes of it.
PASTED = {
    "print(“hi”)": 'print("hi")',
    "x = ‘it’s’": "x = 'it’s'",
    "x = “it’s” ‘b’": "x = \"it’s\" 'b'",
    "x = „hi“ + «a»": 'x = "hi" + "a"',
    "f“{x}” # “y”": 'f"{x}" # “y”',
    "x = '“😀”' + “a”": "x = '“😀”' + \"a\"",
    "“““one\ntwo’s”””": '"""one\ntwo’s"""',
    "def f(x):\n\u00a0\u2003 return x": "def f(x):\n   return x",
    "\ufeffx\u200b = 1\u2028y = 2": "x = 1\ny = 2",
    "x = 3 × 4 − 2 ÷ a": "x = 3 * 4 - 2 / a",
    "a ≤ b ≠ c ≥ d": "a <= b != c >= d",
    "def f(x)：\n  print（x，１２）": "def f(x):\n  print(x,12)",
    "def f(x) → int: …": "def f(x) -> int: ...",
    "def f(x) \uf0e0 int:\v  return np。e": "def f(x) -> int:\n  return np.e",
    # Python can read it, or could not even so
    "x = '“it’s”'  # 3 × 4": "",
    "print(“hi”": "",
    "x = “a\nb”": "",
    "x = 3 × × 4": "",
    "x² + ½": "",
    "“": "",
    "x = 3 − 2; †y = 3 − 2": "",
    "x = †“hi”": "",
}

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


@pytest.mark.parametrize("body", ["len(n)", "[0][n]", "[] + n", "list(n)", "list(range(n / 1))", "n(x)", "n.halves"])
@pytest.mark.parametrize("sizes", [(np.int32, np.int64), (np.float32, np.float64)], ids=["integers", "floats"])
def test_numbers_of_every_size_get_the_same_sentence(body, sizes, tmp_path):
    answers = [in_file(f"def f(x):\n    return {body}", tmp_path, n=size(3)) for size in sizes]
    first, second = (told(CURVE, answer) for answer in answers)
    assert first == second and "32" not in first[1]


@pytest.mark.parametrize("source", PASTED)
def test_typographic_signs_are_straightened_where_python_then_reads_all(source):
    before, _, typed = source.partition("†")
    becomes, says = errors.straighten(
        before + typed, {at for at, sign in enumerate(before) if sign > "~" or sign == "\v"}
    )
    assert becomes == (PASTED[source] or before + typed) and bool(says) == bool(PASTED[source])


def test_errors_that_cannot_be_printed():
    class Odd(ValueError):
        def __str__(self):
            raise RuntimeError

    def f(x):
        raise Odd

    assert told(CURVE, f)[1].startswith("Your code raised Odd at `raise Odd`. The inputs")


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


def test_what_is_known_of_torch_without_it_is_true_with_it():
    assert set(conditions.TORCH_METHODS.split()) <= set(dir(torch.Tensor)) - set(dir(np.ndarray))
    assert set(conditions.TORCH_FUNCTIONS.split()) <= set(dir(torch)) - set(dir(np))
