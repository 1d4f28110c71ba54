"""Lesson 02: ReLU, GELU and SiLU."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="relu_vs_gelu",
    number=2,
    title="ReLU vs GELU",
    question="ReLU or GELU: does the bend matter?",
    minutes=(40, 60),
    more=(5, 10),
    needs="you need a little NumPy, and slopes from school",
    exercises={
        "gelu_slope": Task("The slope of GELU", 6, 2),
        "dead_fraction": Task("Dead units", 6, 2),
    },
)
