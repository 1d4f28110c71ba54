"""Lesson 08, a bonus: networks in which one half decides how much of the other half passes."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="bonus_swiglu",
    number=8,
    title="Bonus: SwiGLU",
    question="What does a gate add?",
    minutes=45,
    needs="you need lessons [02](02_relu_vs_gelu.ipynb), [03](03_build_the_ffn.ipynb) and [06](06_parameter_share.ipynb)",
    exercises={
        "forward": "SwiGLU in NumPy",
        "width": "LLaMA's width",
        "parameters": "The parameters of SwiGLU",
        "product_unit": "A product by hand",
        "geglu": "GEGLU from its paper",
    },
)
