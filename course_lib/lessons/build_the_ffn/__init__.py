"""Build the FFN: its shapes step by step, in NumPy and in torch, and how to find a bug from the outside."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="build_the_ffn",
    number=3,
    title="Build the FFN",
    question="What is its shape at every step?",
    minutes=45,
    needs="you need matrix products, lesson 01, and ReLU from lesson 02",
    exercises={
        "forward": "The forward pass",
        "step_by_step": "Every array on the way",
        "module": "The FFN as a module",
        "which_bug": "Which bug is it?",
    },
)
