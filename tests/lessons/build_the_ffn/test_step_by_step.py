"""What is said when hidden values go where the whole FFN begins."""

import pytest

from course_lib.desk import grade


@pytest.mark.parametrize(
    "answer",
    [
        lambda ffn, x: (ffn.up(x), ffn.hidden(ffn.up(x)), ffn(x)),
        lambda ffn, x: (ffn.up(x), ffn.hidden(x), ffn(ffn.hidden(x))),
    ],
)
def test_hidden_values_do_not_go_up_again(answer):
    verdict = grade("build_the_ffn.step_by_step", answer, 0)
    assert verdict.key == "raises" and "must not go in there" in verdict.message


def test_other_errors_keep_their_words():
    def answer(ffn, x):
        raise ValueError("five is not six")

    verdict = grade("build_the_ffn.step_by_step", answer, 0)
    assert verdict.key == "raises" and "five is not six" in verdict.message
