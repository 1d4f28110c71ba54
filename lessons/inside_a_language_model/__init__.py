"""Lesson 10: a small trained language model, opened, measured and edited by hand."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="inside_a_language_model",
    number=10,
    title="Inside a language model",
    question="What do trained hidden units do?",
    minutes=(35, 50),
    more=(15, 20),
    needs="you need lessons [03](03_build_the_ffn.ipynb), [04](04_expand_and_contract.ipynb) and [07](07_inside_the_block.ipynb)",
    exercises={
        "my_edit": Task("Your own edit", 5, 2),
    },
)
