"""Lesson 08, a bonus: networks in which one half decides how much of the other half passes."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="bonus_swiglu",
    number=8,
    title="Bonus: SwiGLU",
    question="What can a gate do?",
    minutes=(35, 50),
    more=(20, 25),
    needs="you need lessons [02](02_relu_vs_gelu.ipynb), [03](03_build_the_ffn.ipynb) and [06](06_parameter_share.ipynb)",
    exercises={
        "product_unit": Task("A product by hand", 6, 2),
        "geglu": Task("GEGLU from its paper", 6, 2),
    },
)
