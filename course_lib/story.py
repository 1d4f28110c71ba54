"""The picture of the course's story, with its numbers and its controls: lesson 00 shows it with two covers on."""

from course_lib.model import bank as numbers
from course_lib.page import bank as picture
from course_lib.page.interactive import Choice, Interactive, Range

CONTROLS = {"cue": Choice("sentence with", numbers.CUES), "step": Choice("step", picture.STEPS)}
# Only once lesson 05 has asked which rows move: before that, no picture may show it.
NUDGES = {
    "where": Choice("move the cue", (f"before {numbers.ATTENTION}", f"after {numbers.ATTENTION}")),
    "shift": Range("by", -1, 0, step=0.1, start=0),
}


def which_bank(lifted: int = 0) -> tuple[Interactive, dict]:
    """Return the figure of the story's layer, and its controls.

    Args:
        lifted: how many of the two covers are lifted: of the stage after the bend, and of the output.

    Raises:
        TypeError, ValueError: lifted is no whole number from 0 to 2.
    """
    figure = picture.draw(_way, numbers.FEATURES, numbers.CUES, lifted)
    return figure, CONTROLS | (NUDGES if lifted == len(picture.COVERS) else {})


def _way(cue, where="", shift=0.0):
    if not shift:
        return numbers.way(cue)
    before = numbers.ATTENTION if where.startswith("before") else numbers.FFN
    place = numbers.sentence().index("river") + 1, numbers.FEATURES.index(cue) + 1
    return numbers.way(cue, moved=(before, *place, shift))
