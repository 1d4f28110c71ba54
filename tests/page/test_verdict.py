"""How a verdict looks is decided in one place."""

import pytest

from course_lib.content import Status
from course_lib.page.verdict import SIGNS, WORDS, in_words


@pytest.mark.parametrize(
    ("status", "lead"),
    [
        (Status.CORRECT, "✓ Correct."),
        (Status.NOT_YET, "✗ Not yet."),
        (Status.NOT_ATTEMPTED, "○ Not attempted yet."),
        (Status.STOPPED, "■ Stopped."),
    ],
)
def test_verdict(status, lead):
    assert in_words(status, "A sentence.") == (f"**{lead}** A sentence.", f"{lead} A sentence.")


def test_verdict_on_an_option():
    assert in_words(Status.NOT_YET, "No.", "B") == ("**✗ Not yet, B:** No.", "✗ Not yet, B: No.")


def test_every_status_has_a_sign_and_a_word_of_its_own():
    assert set(SIGNS) == set(WORDS) == set(Status)
    assert len(set(SIGNS.values())) == len(set(WORDS.values())) == len(Status)
