"""The review: questions about the whole course, claims to judge, and a block to build on a budget."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="review",
    number=11,
    title="Review",
    question="What do you know now?",
    minutes=(40, 55),
    more=(25, 35),
    needs="you need lessons 01 to 08, and for some optional parts 09 and 10",
    exercises={"block": Task("Your block", 7, 2, name="MyBlock")},
)
