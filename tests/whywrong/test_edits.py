"""Small edits are found by changing the learner's own code, and named only if that fixes it.

What each says is kept in tests/golden/verdicts/edits.txt.
"""

import numpy as np

from tests.whywrong.answers import AVERAGE, RELU, exercise, in_file, told
from whywrong.judge import grade


def test_the_fixed_code_must_pass_every_case(tmp_path):
    """With brackets, a + b / 2 / b is right for a = 2, and not for others."""
    one = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),)])
    many = exercise(AVERAGE.oracle, [((2.0, 4.0),), ((2.0, 9.0),), ((5.0, 9.0),)])
    source = "def f(a, b):\n    return a + b / 2 / b"
    assert told(one, in_file(source, tmp_path))[0] == "slip:brackets"
    assert not told(many, in_file(source, tmp_path))[0].startswith("slip:")


def test_where_nothing_goes_in_few_edits_are_looked_for(tmp_path):
    """Of a single right number, many edits make it by chance: here a minus."""
    source = "def f():\n    return 9 + 2"
    assert told(exercise(lambda: 7, [((),)]), in_file(source, tmp_path))[0] == "value"
    assert told(exercise(lambda: 10, [((),)]), in_file(source, tmp_path))[0] == "slip:number"


def test_changed_inputs_are_no_wrong_word(tmp_path):
    """What changes its input is not told that a square is missing, because then a new array is made."""
    verdict = grade(RELU, in_file("def f(x):\n    np.maximum(0, x, x)\n    return x", tmp_path), 0)
    assert verdict.key == "mutates"
