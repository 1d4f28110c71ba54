"""The emblem of the course, with its numbers: lesson 00 shows it covered, and later lessons lift its covers."""

from course_lib.model import emblem as numbers
from course_lib.page import emblem as picture
from course_lib.page.interactive import Choice, Interactive, Range

ROW = 2  # the token that is moved
CONTROLS = {
    "shift": Range(f"move “{numbers.WORDS[ROW - 1]}” by", -picture.FARTHEST, picture.FARTHEST, step=0.2, start=0),
    "step": Choice("step", picture.STEPS),
}


def one_layer(lifted: int = 0) -> Interactive:
    """Show a sentence on its way through one untrained layer; the keywords are those of CONTROLS.

    Args:
        lifted: how many of the three covers are lifted: of the stage after the bend, of the output, of the shares.

    Raises:
        TypeError, ValueError: lifted is no whole number from 0 to 3.
    """
    return picture.draw(numbers.WORDS, numbers.passage, numbers.parameters(), ROW, lifted)
