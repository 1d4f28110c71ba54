"""Expand and contract: where the zeros of the wide layer come from, and what its width buys."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="expand_and_contract",
    number=4,
    title="Expand and contract",
    question="Why go wide and come back?",
    minutes=45,
    needs="you need lessons 01 to 03",
    exercises={
        "width": "The width",
        "zero_fraction": "Count the zeros",
        "hand_wired_and": "One fact by hand",
    },
)
