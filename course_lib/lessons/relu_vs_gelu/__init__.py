"""Lesson 02: ReLU, GELU and SiLU."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="relu_vs_gelu",
    number=2,
    title="ReLU vs GELU",
    question="Which bend, and does it matter?",
    minutes=45,
    needs="you need a little NumPy, and slopes from school",
    exercises={
        "relu": "ReLU in NumPy",
        "gelu": "GELU, exactly",
        "gelu_tanh": "The tanh form",
        "gelu_grad": "The slope of GELU",
        "dead_fraction": "Dead units",
    },
)
