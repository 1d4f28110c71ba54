"""The black boxes do what is said of them, and no random naming passes."""

import numpy as np

from course_lib.desk import grade
from lessons.build_the_ffn.shared import by_loops
from lessons.build_the_ffn.which_bug import BOXES, EXERCISE, NAMES
from whywrong.boxes import recipe_of


def boxes(seed=0):
    return EXERCISE.cases(np.random.default_rng(seed))[0].args[0]


def arrays(seed=3, tokens=4):
    rng = np.random.default_rng(seed)
    shapes = (tokens, 3), (3, 6), (6,), (6, 3), (3,)
    return [rng.normal(size=shape) for shape in shapes]


def test_every_kind_is_among_the_boxes_and_the_order_changes():
    orders = [[recipe_of(box).words for box in boxes(seed)] for seed in range(5)]
    assert len({tuple(order) for order in orders}) == 5
    for order in orders:
        assert sorted(order) == sorted(BOXES)
    assert {name for name, *_ in BOXES.values()} == set(NAMES)


def test_only_the_correct_boxes_compute_the_equation():
    for box in boxes():
        close = np.allclose(box(*arrays()), by_loops(*arrays())[2])
        assert close == (recipe_of(box).right == "correct"), recipe_of(box)


def test_boxes_differ_from_each_other():
    """Two boxes of different kinds never agree on arrays without special values."""
    made = [(recipe_of(box).right, box(*arrays())) for box in boxes()]
    for i, (name, y) in enumerate(made):
        for other, other_y in made[:i]:
            assert name == other or not np.allclose(y, other_y), (name, other)


def test_random_names_are_never_accepted():
    rng = np.random.default_rng(0)
    for seed in range(20):
        verdict = grade("build_the_ffn.which_bug", lambda f: str(rng.choice(NAMES)), seed)
        assert verdict.key.startswith("mistake:")
