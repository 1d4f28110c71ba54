"""Lesson 06: parameter share."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="parameter_share",
    number=6,
    title="Parameter share",
    question="Where do the parameters sit?",
    minutes=(40, 60),
    more=(25, 35),
    needs="you need matrix shapes, and the FFN of [03 Build the FFN](03_build_the_ffn.ipynb)",
    exercises={
        "layer_share": Task("Share of a layer", 5, 2),
        "two_thirds": Task("Back to two thirds", 4, 2),
        "crossover": Task("The crossover length", 5, 2),
        "tiny_llama": Task("Count TinyLlama", 10, 3),
    },
)
