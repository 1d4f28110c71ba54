"""Lesson 00: how the course works."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="start_here",
    number=0,
    title="Start here",
    question="How does this course work?",
    minutes=10,
    needs="you need a little Python",
    exercises={"double": "Double every value"},
)
