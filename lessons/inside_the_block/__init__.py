"""Lesson 07: what the feed-forward network does inside the block, next to attention, residuals and norms."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="inside_the_block",
    number=7,
    title="Inside the block",
    question="What does the FFN do inside the block?",
    minutes=(45, 60),
    more=(5, 10),
    needs="you need lessons [01](01_linear_limits.ipynb), [03](03_build_the_ffn.ipynb) and [05](05_position_independence.ipynb)",
    exercises={
        "repair": Task("Three broken blocks", 7, 2),
    },
)
