"""Lesson 01: why linear layers are not enough."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="linear_limits",
    number=1,
    title="Linear limits",
    question="Why are linear layers not enough?",
    minutes=(40, 60),
    more=(20, 30),
    needs="you need matrix products and a little NumPy",
    exercises={
        "collapse": Task("Collapse two layers", 3, 1),
        "xor_weights": Task("XOR by hand", 8, 2),
        "is_affine": Task("Find the hidden bend", 12, 3),
    },
)
