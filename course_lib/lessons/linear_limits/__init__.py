"""Lesson 01: why linear layers are not enough."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="linear_limits",
    number=1,
    title="Linear limits",
    question="Why are linear layers not enough?",
    minutes=40,
    needs="you need matrix products and a little NumPy",
    exercises={
        "collapse": "Collapse two layers",
        "is_affine": "Find the hidden non-linearity",
        "xor_weights": "XOR by hand",
    },
)
