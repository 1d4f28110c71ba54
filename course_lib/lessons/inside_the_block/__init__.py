"""Lesson 07: what the feed-forward network does inside the block, beside attention, residuals and norms."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="inside_the_block",
    number=7,
    title="Inside the block",
    question="What breaks without it?",
    minutes=45,
    needs="you need lessons 01 and 03",
    exercises={"pre_norm": "A pre-norm block", "post_norm": "A post-norm block", "repair": "Three broken blocks"},
)
