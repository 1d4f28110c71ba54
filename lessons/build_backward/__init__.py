"""Build the backward pass: gradients by differences, then by the chain rule, and a training loop with momentum."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="build_backward",
    number=12,
    title="Build: the backward pass",
    question="Where do the gradients come from?",
    minutes=(40, 55),
    more=(5, 5),
    needs="you need NumPy, the FFN of lesson [03](03_build_the_ffn.ipynb), and what a derivative is",
    exercises={
        "numerical_gradient": Task("A gradient without calculus", 3, 2),
        "backward": Task("Backward", 8, 3),
        "train": Task("A loop with momentum", 4, 2),
    },
    after=3,
)
