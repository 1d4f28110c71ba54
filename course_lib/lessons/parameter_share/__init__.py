"""Lesson 06: parameter share."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="parameter_share",
    number=6,
    title="Parameter share",
    question="What does it cost?",
    minutes=45,
    needs="you need matrix shapes, and the FFN of [03 Build the FFN](03_build_the_ffn.ipynb)",
    exercises={
        "ffn": "Count an FFN",
        "attention": "Count attention",
        "layer_share": "Share of a layer",
        "crossover": "The crossover length",
        "tiny_llama": "Count TinyLlama",
    },
)
