"""Build a transformer layer: attention, norms, FFN and residuals, held against the layer that comes with torch."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="build_layer",
    number=13,
    title="Build: a transformer layer",
    question="Does your layer match torch's?",
    minutes=(40, 55),
    more=(15, 20),
    after=7,
    needs="you need lessons [03](03_build_the_ffn.ipynb) and [07](07_inside_the_block.ipynb)",
    exercises={
        "one_head": Task("One causal head", 4, 2),
        "all_heads": Task("All heads at once", 4, 2),
        "layer_norm": Task("A layer norm", 2, 1),
        "layer": Task("The whole layer", 8, 3, name="TransformerLayer"),
        "gated": Task("SwiGLU at the same size", 8, 2, name="SwiGLU"),
    },
)
