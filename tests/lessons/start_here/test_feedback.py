"""What the first exercise says to one number where a whole array is wanted."""

import pytest

from course_lib.desk import grade


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: x[0] * 2, "Only the first value came back"),
        (lambda x: x[-1] * 2, "Only the last value came back"),
        (lambda x: x.sum() * 2, "added up to one number"),
        (lambda x: x[1] * 2, "must be a NumPy array"),
    ],
)
def test_one_number_is_told_which_it_is(answer, words):
    for seed in range(3):
        verdict = grade("start_here.double", answer, seed)
        assert verdict.key == "type" and words in verdict.message, verdict
