"""Expand and contract: where the zeros of the wide layer come from, and what its width buys."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="expand_and_contract",
    number=4,
    title="Expand and contract",
    question="Why expand, only to contract again?",
    minutes=(45, 60),
    more=(5, 10),
    needs="you need lessons 01 to 03",
    exercises={
        "hand_wired_and": Task("One fact by hand", 7, 2),
    },
)
