"""Build 14: a microscope for trained models, made of forward hooks."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="build_microscope",
    number=14,
    title="Build: a microscope",
    question="What does a unit do inside a model?",
    minutes=(45, 65),
    more=(5, 5),
    after=10,
    needs="you need lesson [10](10_inside_a_language_model.ipynb) and torch",
    exercises={
        "hidden_values": Task("Hidden values through a hook", 5, 3),
        "strongest_contexts": Task("Where a unit is strongest", 3, 2),
        "by_chance": Task("As good by chance", 3, 2),
        "side_effects": Task("An edit and its side effects", 5, 3),
    },
)
