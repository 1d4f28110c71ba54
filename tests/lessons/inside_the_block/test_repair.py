"""What the exercise of the three broken blocks says of answers that are no named mistake."""

from course_lib.desk import grade
from tests.lessons.inside_the_block.right_styles import repair_without_in_place

ID = "inside_the_block.repair"


def told(change):
    """Return the message on a right answer whose three results are changed."""

    def repair(x, attention, ffn, norm1, norm2):
        return change(*repair_without_in_place(x, attention, ffn, norm1, norm2), x, attention, ffn, norm1, norm2)

    return grade(ID, repair, 0).message


def test_a_residual_from_before_the_first_norm_is_told():
    message = told(lambda a, b, c, x, attention, ffn, n1, n2: (a, b, n2(x + attention(x) + ffn(n1(x + attention(x))))))
    assert message.startswith(
        "A and B are right. In C, second half: The residual carries the tokens as they were before"
    )


def test_what_is_known_of_one_block_is_told_where_nothing_is_of_another():
    message = told(lambda a, b, c, *rest: (0.3 * a - 2 * c, 0 * b, c))
    assert message.startswith("C is right. A is not right yet. B ")
    message = told(lambda a, b, c, x, attention, ffn, n1, n2: (a, b, 0.3 * a - 2 * c))
    assert "is not right yet" not in message and "c are wrong" in message
