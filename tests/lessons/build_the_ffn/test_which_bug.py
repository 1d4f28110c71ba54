"""The black boxes do what is said of them, and each wrong way to name them has its reply."""

import copy

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("hidden", "change"),
    [
        ("missing bias", lambda x, W1, b1, W2, b2: (x, W1, 0 * b1, W2, 0 * b2)),
        ("mixes positions", lambda x, W1, b1, W2, b2: (x[:1], W1, b1, W2, b2)),
        ("tied weights", lambda x, W1, b1, W2, b2: (x, W1, b1, W1.T, b2)),
    ],
)
def test_a_careless_probe_misses_a_bug(hidden, change):
    """The hints say that some bugs hide; here is where."""
    given = change(*arrays())
    right = by_loops(*given)[2]
    which = [box for box in boxes() if recipe_of(box).right == hidden]
    assert any(np.allclose(box(*given), right) for box in which)


def test_copies_of_boxes_do_what_the_boxes_do():
    for box in boxes():
        assert not vars(box)  # it does not tell
        for other in (copy.copy(box), *copy.deepcopy([box])):
            assert np.array_equal(other(*arrays()), box(*arrays()))


def test_boxes_say_what_they_need():
    box, (x, W1, b1, W2, b2) = boxes()[0], arrays()
    with pytest.raises(ValueError, match=r"x must have shape \(seq_len, d_model\), but its shape is \(3,\)"):
        box(x[0], W1, b1, W2, b2)
    with pytest.raises(ValueError, match=r"W2 must have shape \(d_ff, d_model\) with d_ff = 6"):
        box(x, W1, b1, W2.T, b2)
    with pytest.raises(TypeError, match="b1 must be an array of real numbers"):
        box(x, W1, "b1", W2, b2)


def test_random_names_are_never_accepted():
    rng = np.random.default_rng(0)
    for seed in range(20):
        verdict = grade("build_the_ffn.which_bug", lambda f: str(rng.choice(NAMES)), seed)
        assert verdict.key.startswith("mistake:")


def test_the_first_wrong_name_gets_its_hint():
    def answer(f):
        name = recipe_of(f).right
        return {"tied weights": "no activation", "residual inside": "correct"}.get(name, name)

    verdict = grade("build_the_ffn.which_bug", answer, 0)
    assert verdict.key == "mistake:a-residual-as-correct"
    assert "zero" in verdict.message
