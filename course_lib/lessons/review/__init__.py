"""The review: questions about the whole course, claims to judge, and a block to build on a budget."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="review",
    number=9,
    title="Review",
    question="What do you know now?",
    minutes=45,
    needs="you need lessons 01 to 08",
    exercises={"block": "Your block"},
)
