"""Build the FFN: its shapes step by step, in NumPy and in torch, and how to find a bug from the outside."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="build_the_ffn",
    number=3,
    title="Build the FFN",
    question="How do you build the FFN?",
    minutes=(45, 60),
    more=(35, 50),
    needs="you need matrix products, lesson 01, and ReLU from lesson 02",
    exercises={
        "every_step": Task("Every array on the way", 3, 1),
        "module": Task("The FFN as a module", 8, 2, name="FFN"),
        "which_bug": Task("Which bug is it?", 20, 3),
    },
)
