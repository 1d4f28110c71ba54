"""The picture of the story shows the numbers of its layer, and keeps covered what a lesson asks."""

import itertools

import numpy as np
import pytest
from matplotlib.text import Text

from course_lib import story
from course_lib.model import bank
from course_lib.page import bank as picture
from course_lib.page.interactive import Explorer
from tests.page.figure_rules import moving_problems, states, wordy

SEEN = (
    ["x", "mixed", "asked"],
    ["x", "mixed", "asked", "hidden"],
    ["x", "mixed", "asked", "hidden", "added", "stream"],
)


def made(lifted):
    """Return the figure, and every state of its controls."""
    figure, controls = story.which_bank(lifted)
    values = [control.values()[::5] if name == "shift" else control.values() for name, control in controls.items()]
    return figure, [dict(zip(controls, one, strict=True)) for one in itertools.product(*values)]


def words(figure):
    return [text.get_text() for text in figure.figure.findobj(Text)]


def said(figure, every):
    """Return all that is read in any state."""
    return " ".join(part for state in every for part in (figure.move(**state), *words(figure)))


@pytest.mark.parametrize("lifted", range(3))
def test_the_picture_keeps_the_rules_and_shows_the_layers_own_numbers(lifted):
    figure, every = made(lifted)
    assert moving_problems(figure, states(story.which_bank(lifted)[1])) == []
    assert [problem for state in every for problem in wordy(figure.move(**state).message)] == []
    assert words(figure).count("?") == (3, 2, 0)[lifted]
    for cue in bank.CUES:
        figure.move(cue=cue, step="add")
        images = figure.moving["images"]
        assert len({image.get_clim() for image in images}) == 1
        for name, image in zip(SEEN[lifted], images, strict=True):
            np.testing.assert_array_equal(image.get_array(), getattr(bank.way(cue), name))
        assert [one.get_text() for one in figure.moving["words"]] == [cue, cue]


def test_what_is_covered_is_told_by_nothing():
    told = ("below 0 to 0",), ("writes shore", "moves", "stays", "shore 0.98")
    for lifted in range(3):
        text = said(*made(lifted))
        assert all(one in text for few in told[:lifted] for one in few)
        assert not any(one in text for few in told[lifted:] for one in few)


def test_before_lesson_05_nothing_can_be_moved_that_shows_which_rows_stay():
    for lifted in (0, 1):
        assert set(story.which_bank(lifted)[1]) == {"cue", "step"}
    river, money = bank.way("river"), bank.way("money")
    for name in SEEN[1][
        :3
    ]:  # every panel that shows the two sentences, but what enters, has other numbers in every row
        changed = (getattr(river, name) != getattr(money, name)).any(axis=1)
        assert changed.tolist() == ([False, True, False, False, False] if name == "x" else [True] * 5)


def test_no_weight_and_no_threshold_is_written():
    text = said(*made(2))
    weights = {f"{value:g}".replace("-", "−") for value in bank.B1}
    assert weights == {"−1.5"} and not any(one in text for one in weights)


@pytest.mark.parametrize(("where", "cue"), [*itertools.product(story.NUDGES["where"].options, bank.CUES)])
def test_the_rows_that_move_are_marked_and_told(where, cue):
    figure, _ = story.which_bank(2)
    caption = figure.move(cue=cue, step="add", where=where, shift=-0.6)
    marks = [mark.get_text() for mark in figure.moving["marks"]]
    if where == "before attention":
        assert marks == ["moves"] * 5 and "every row of panel 6 moves" in caption
    else:
        assert marks == ["stays", "moves", "stays", "stays", "stays"]
        assert f"1 of 5 rows of panel 6, that of “{cue}”, moves" in caption
    assert [place.get_linewidth() > 0 for place in figure.moving["places"]] == [
        where == "before attention",
        where == "after attention",
    ]
    still = figure.move(cue=cue, step="add", where=where, shift=0)
    assert "is moved" not in still and f"the framed “{cue}” can be moved {where}" in still
    assert {mark.get_text() for mark in figure.moving["marks"]} == {""}


@pytest.mark.parametrize("lifted", range(3))
def test_every_caption_rests_on_words_that_say_what_kind_of_layer_this_is(lifted):
    figure, every = made(lifted)
    for state in every:
        data = figure.move(**state).data
        assert "wired by hand" in data and "nothing in it is trained" in data and "no norms" in data


def test_the_step_is_framed():
    figure, _ = story.which_bank(2)
    for place, step in enumerate(picture.STEPS, 1):
        figure.move(cue="river", step=step, where="after attention", shift=0)
        wide = [frame.get_linewidth() > 0 for frame in figure.moving["frames"]]
        assert [at for at, one in enumerate(wide) if one] == [place]


def test_a_move_is_drawn():
    figure, controls = story.which_bank()
    explorer = Explorer(figure, **controls)
    first = explorer.png()
    explorer.set(cue="money")
    assert explorer.png() != first
    assert figure.figure.get_size_inches()[1] * 110 <= 300


@pytest.mark.parametrize("lifted", [-1, 3, 0.5, "all"])
def test_errors(lifted):
    with pytest.raises((TypeError, ValueError), match="lifted must be"):
        story.which_bank(lifted)
