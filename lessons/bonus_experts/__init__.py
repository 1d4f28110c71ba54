"""Lesson 09, a bonus: many feed-forward networks, of which each token uses a few."""

from courseware.content import Lesson, Task

LESSON = Lesson(
    name="bonus_experts",
    number=9,
    title="Bonus: experts",
    question="Why have many FFNs and use two?",
    minutes=(40, 55),
    more=(60, 85),
    needs="you need lessons [03](03_build_the_ffn.ipynb), [04](04_expand_and_contract.ipynb), [05](05_position_independence.ipynb), [06](06_parameter_share.ipynb) and [07](07_inside_the_block.ipynb)",
    exercises={
        "gates": Task("The gates", 8, 2),
        "dispatch": Task("Dispatch", 8, 2, name="dispatch_here"),
        "which_router_bug": Task("Which router bug is it?", 25, 3),
    },
)
