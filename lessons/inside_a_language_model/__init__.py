"""Lesson 10: a small trained language model, opened, measured and edited by hand."""

from course_lib.content import Lesson, Task

LESSON = Lesson(
    name="inside_a_language_model",
    number=10,
    title="Inside a language model",
    question="What do trained hidden units do?",
    minutes=(40, 60),
    more=(85, 120),
    needs="you need lessons [03](03_build_the_ffn.ipynb), [04](04_expand_and_contract.ipynb) and [07](07_inside_the_block.ipynb)",
    exercises={
        "f1": Task("F1 of a unit against a label", 4, 2),
        "my_edit": Task("Your own edit", 5, 2),
        "active_units": Task("Few here, nearly all somewhere", 4, 1),
        "promotes": Task("What a unit promotes", 6, 3),
        "units_needed": Task("Units for 90 % of the output", 6, 2),
        "where_it_is_zero": Task("Nothing where it is 0", 6, 3),
        "units_behind": Task("Units behind one character", 7, 3),
    },
)
