"""Lesson 00: how the course works."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="start_here",
    number=0,
    title="Which bank is meant",
    question="How does the network know which bank?",
    minutes=(5, 10),
    needs="you need a little Python",
    exercises={"double": Task("Double every value", 2, 1)},
)
