"""How a verdict looks: its sign, its word and its sentence, in Markdown and in plain characters."""

from course_lib.content import Status

SIGNS = {Status.CORRECT: "✓", Status.NOT_YET: "✗", Status.NOT_ATTEMPTED: "○", Status.STOPPED: "■"}
WORDS = {
    Status.CORRECT: "Correct",
    Status.NOT_YET: "Not yet",
    Status.NOT_ATTEMPTED: "Not attempted yet",
    Status.STOPPED: "Stopped",
}


def in_words(status: Status, message: str, option: str = "") -> tuple[str, str]:
    """Return a verdict as (Markdown, plain text).

    Args:
        message: the sentence that follows the word.
        option: the letter of the option that was chosen in a quiz.
    """
    lead = f"{SIGNS[status]} {WORDS[status]}" + (f", {option}:" if option else ".")
    return f"**{lead}** {message}", f"{lead} {message}"
