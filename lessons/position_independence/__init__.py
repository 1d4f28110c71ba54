"""Lesson 05: position independence."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="position_independence",
    number=5,
    title="Position independence",
    question="Does the FFN look at its neighbours?",
    minutes=(40, 55),
    more=(15, 25),
    needs="you need matrix products and the FFN of lesson 03",
    exercises={
        "rowwise": Task("Row by row", 3, 1),
        "which_layers": Task("Which layers are position-wise", 8, 3, name="position_wise"),
        "influence": Task("Who listens to whom", 10, 3),
    },
)
