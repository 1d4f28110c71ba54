"""What controls move: the artists and their properties, and values as a slider hands them over."""

import numpy as np
import pytest

from courseware.page.interactive import Range
from tests.courseware.page.samples import wave


def test_tidy_takes_what_a_slider_hands_over():
    fine, whole = Range("n", 0, 1, step=0.1, start=0.5), Range("n", 1, 5, step=1, start=2)
    assert fine.tidy(0.30000000000000004) == 0.3 and fine.tidy(np.float64(0.1)) == 0.1
    assert whole.tidy(4.0) == 4 and type(whole.tidy(4.0)) is type(whole.tidy(np.int64(4))) is int


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


def test_properties_for_every_artist_of_a_list():
    moved = wave()
    with pytest.raises(ValueError, match="shorter"):
        moved.apply({"dots": [{"visible": True}]})
    with pytest.raises(KeyError):
        moved.apply({"curves": {}})
