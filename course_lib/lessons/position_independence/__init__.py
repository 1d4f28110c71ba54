"""Lesson 05: position independence."""

from course_lib.content import Lesson

LESSON = Lesson(
    name="position_independence",
    number=5,
    title="Position independence",
    question="Which positions talk to each other?",
    minutes=45,
    needs="you need matrix products and the FFN of lesson 03",
    exercises={
        "rowwise": "Row by row",
        "influence": "Who listens to whom",
        "conv_weight": "The weight of a convolution",
        "which_layers": "Which layers are position-wise",
    },
)
