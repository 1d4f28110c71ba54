"""Controls and what they move, as data: their values, and the artists that get them."""

import numpy as np
import pytest

from course_lib.page.interactive import Choice, Interactive, Range
from tests.page.samples import wave


@pytest.mark.parametrize(
    ("control", "values", "whole"),
    [
        (Range("n", 1, 5, step=1, start=2), (1, 2, 3, 4, 5), True),
        (Range("n", 1.0, 5.0, step=2.0, start=3.0), (1, 3, 5), True),
        (Range("n", 1, 6, step=2, start=3), (1, 3, 5), True),  # 7 would be too high
        (Range("n", -1, 1, step=0.5, start=0), (-1.0, -0.5, 0.0, 0.5, 1.0), False),
        (Range("n", 0, 0.3, step=0.1, start=0.1), (0.0, 0.1, 0.2, 0.3), False),  # in binary 0.3 / 0.1 < 3
        (Range("n", 0, 1, step=1, start=0.5), (0.0, 1.0), False),
        (Range("n", -3, -1, step=2, start=-3), (-3, -1), True),
    ],
)
def test_values_of_a_range(control, values, whole):
    assert control.values() == values and control.whole is whole
    assert {type(value) for value in (*control.values(), control.first)} == {int if whole else float}
    assert control.first == control.start


def test_tidy_takes_what_a_slider_hands_over():
    fine, whole = Range("n", 0, 1, step=0.1, start=0.5), Range("n", 1, 5, step=1, start=2)
    assert fine.tidy(0.30000000000000004) == 0.3 and fine.tidy(np.float64(0.1)) == 0.1
    assert whole.tidy(4.0) == 4 and type(whole.tidy(4.0)) is type(whole.tidy(np.int64(4))) is int


def test_values_of_a_choice():
    control = Choice("kind", ["sine", "cosine"], start=1)
    assert control.values() == control.options == ("sine", "cosine") and control.first == "cosine"
    assert Choice("kind", ("sine", "cosine")).first == "sine"


def test_step_and_start_are_named():
    with pytest.raises(TypeError):
        Range("n", 1, 5, 1, 2)
    with pytest.raises(TypeError):
        Choice("kind", ("sine", "cosine"), 1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Range("n", 3, 3, step=1, start=3), ValueError, "high must be above low = 3, but 3 was given"),
        (lambda: Range("n", 3, 1, step=1, start=3), ValueError, "high must be above low = 3, but 1 was given"),
        (lambda: Range("n", 1, 5, step=0, start=1), ValueError, r"step must be a number in \(0, 4\], but int 0"),
        (lambda: Range("n", 1, 5, step=9, start=1), ValueError, "step must be"),
        (lambda: Range("n", 1, 5, step="1", start=1), TypeError, "step must be"),
        (lambda: Range("n", 1, 5, step=1, start=7), ValueError, r"start must be a number in \[1, 5\], but int 7"),
        (lambda: Range("n", "1", 5, step=1, start=2), TypeError, "low must be a finite number, but str '1'"),
        (lambda: Range("n", 1, float("inf"), step=1, start=2), ValueError, "high must be a finite number"),
        (lambda: Choice("n", ()), TypeError, "options must be a non-empty tuple of words"),
        (lambda: Choice("n", (1, 2)), TypeError, "options must be a non-empty tuple of words"),
        (lambda: Choice("n", "ab"), TypeError, "options must be a list of words, but str 'ab'"),
        (lambda: Choice("n", ("a", "b"), start=2), ValueError, "start must be an integer from 0 to 1, but int 2"),
        (lambda: Choice("n", ("a", "b"), start=-1), ValueError, "start must be an integer from 0 to 1, but int -1"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_move_gives_the_artists_their_properties():
    moved = wave()
    assert moved.move(speed=3, kind="cosine") == "A cosine with speed 3 & <more>."
    curve, (first, second) = moved.moving["curve"], moved.moving["dots"]
    assert np.array_equal(curve.get_ydata(), np.cos(3 * curve.get_xdata()))
    assert (moved.moving["image"].get_array() == 3).all()
    assert first.get_ydata() == curve.get_ydata()[10] and second.get_ydata() == curve.get_ydata()[20]
    assert moved.moving["words"].get_text() == "speed 3"
    moved.move(speed=1)
    assert not first.get_visible() and not second.get_visible()


def test_update_moves_nothing_by_itself():
    still = wave()
    still.move(speed=2)
    data, caption = still.update(speed=5)
    assert still.moving["words"].get_text() == "speed 2" and caption.startswith("A sine with speed 5")
    still.apply(data)
    assert still.moving["words"].get_text() == "speed 5"


def test_artists_come_in_the_order_in_which_they_are_drawn():
    moving = wave().moving
    assert Interactive(None, None, moving).artists == [
        moving["curve"],
        moving["image"],
        *moving["dots"],
        moving["words"],
    ]
    assert Interactive(None, None).artists == []


def test_properties_for_every_artist_of_a_list():
    moved = wave()
    with pytest.raises(ValueError, match="shorter"):
        moved.apply({"dots": [{"visible": True}]})
    with pytest.raises(KeyError):
        moved.apply({"curves": {}})
