"""Lesson 02: ReLU, GELU and SiLU."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="relu_vs_gelu",
    number=2,
    title="ReLU vs GELU",
    question="ReLU or GELU: does the bend matter?",
    minutes=(45, 60),
    more=(5, 10),
    needs="you need a little NumPy, and slopes from school",
    exercises={
        "relu": Task("ReLU in NumPy", 2, 1),
        "gelu": Task("GELU, exactly", 5, 2),
        "dead_fraction": Task("Dead units", 6, 2),
    },
)
