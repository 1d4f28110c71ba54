"""Lesson 15, after the review: a language model that people use, opened with what the course has taught."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="real_model",
    number=15,
    title="A real model",
    question="What can one number do in a model?",
    minutes=(45, 60),
    more=(20, 30),
    needs="you need lessons [04](04_expand_and_contract.ipynb), [07](07_inside_the_block.ipynb) and [08](08_bonus_swiglu.ipynb)",
    exercises={
        "rms_norm": Task("RMSNorm", 3, 1),
        "from_llama": Task("Their weights, our FFN", 3, 1),
        "which_change": Task("Which change is it?", 12, 3),
    },
)
