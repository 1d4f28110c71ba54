"""The emblem moves one row, shows the numbers of its layer, and keeps covered what a lesson asks."""

import numpy as np
import pytest
import torch

from course_lib import emblem
from course_lib.model import emblem as numbers
from course_lib.page import emblem as picture
from course_lib.page.interactive import Explorer
from tests.page.figure_rules import drawn_texts, moving_problems

STATES = [{"shift": shift, "step": step} for shift in (-2.0, 0.0, 1.4) for step in picture.STEPS]


def words(figure):
    return [text.get_text() for text, _ in drawn_texts(figure)]


def shown(figure):
    return [np.asarray(image.get_array()) for image in figure.moving["images"]]


@pytest.mark.parametrize("lifted", range(4))
def test_the_emblem_keeps_the_rules(lifted):
    figure = emblem.one_layer(lifted)
    assert moving_problems(figure, STATES) == []
    assert words(figure.figure).count("?") == 3 - lifted
    assert [len(image) for image in shown(figure)] == [5] * (3 + min(lifted, 2))
    assert len({image.get_clim() for image in figure.moving["images"]}) == 1


def test_one_row_moves_and_the_others_stay():
    start, moved = numbers.passage(2, 0.0), numbers.passage(2, 0.6)
    for name in ("tokens", "weights"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(start, name))
    for name in ("mixed", "up", "bent", "output"):
        changed = (getattr(moved, name) != getattr(start, name)).any(axis=1)
        assert changed.tolist() == [False, True, False, False, False], name
    figure = emblem.one_layer(3)
    caption = figure.move(shift=0.6, step="contract")
    assert "1 of 5 output rows change" in caption
    assert [mark.get_text() for mark in figure.moving["marks"]] == ["same", "changes", "same", "same", "same"]
    assert figure.move(shift=0.0, step="bend").startswith("Nothing is moved yet: ")
    assert {mark.get_text() for mark in figure.moving["marks"]} == {"same"}


def test_the_numbers_are_those_of_an_encoder_layer():
    layer = torch.nn.TransformerEncoderLayer(numbers.D_MODEL, 1, numbers.D_FF)
    assert sum(numbers.parameters().values()) == sum(one.numel() for one in layer.parameters())
    found = numbers.passage()
    np.testing.assert_allclose(found.weights.sum(axis=1), 1)
    np.testing.assert_array_equal(found.bent, np.maximum(found.up, 0))
    assert not np.allclose(found.mixed, found.tokens)
    every = [numbers.passage(row, 1.0).mixed - found.mixed for row in range(1, 6)]
    assert [np.argwhere(one).tolist() for one in every] == [[[row, numbers.FEATURE - 1]] for row in range(5)]


def test_what_is_covered_is_told_by_nothing():
    told = ("numbers to 0",), ("of 5 output rows",), ("FFN 552", "FFN 63 %")
    for lifted in range(4):
        figure = emblem.one_layer(lifted)
        said = " ".join([*(figure.move(**state) for state in STATES), *words(figure.figure)])
        assert all(one in said for words_of in told[:lifted] for one in words_of)
        assert not any(one in said for words_of in told[lifted:] for one in words_of)
        assert ("changes" in words(figure.figure)) == (lifted >= 2)


def test_the_step_is_framed():
    figure = emblem.one_layer(3)
    for step, place in (("attention", 1), ("expand", 2), ("bend", 3), ("contract", 4)):
        figure.move(shift=0.0, step=step)
        wide = [frame.get_linewidth() > 0 for frame in figure.moving["frames"]]
        assert [at for at, one in enumerate(wide) if one] == [place]


def test_a_move_costs_little_room():
    explorer = Explorer(emblem.one_layer(), **emblem.CONTROLS)
    first = explorer.png()
    explorer.set(shift=0.6)
    assert explorer.png() != first
    assert explorer.interactive.figure.get_size_inches()[1] * 110 <= 300
    assert len(emblem.CONTROLS["shift"].values()) == 21


@pytest.mark.parametrize("lifted", [-1, 4, 0.5, "all"])
def test_errors(lifted):
    with pytest.raises((TypeError, ValueError), match="lifted must be"):
        emblem.one_layer(lifted)
    with pytest.raises((TypeError, ValueError), match="row must be"):
        numbers.passage(row=6)
