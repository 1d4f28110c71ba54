"""How a verdict looks: a sign, a word and a sentence in a quiet box, and the same in plain characters.

The box is a div with its own style in Markdown. JupyterLab 4.6, Notebook 7.6 (notebooks that are not trusted, too) and
nbconvert keep it, and its words stay Markdown; GitHub drops the style and keeps the words. (All but GitHub were tried.)
"""

import re

from courseware.page.palette import LIGHT
from whywrong.reply import PRINTED, SIGNS, WORDS
from whywrong.task import Status

# The edge of the box: a contrast of at least 3:1 on the background of JupyterLab's light and dark themes.
EDGES = {
    Status.CORRECT: LIGHT["right"],
    Status.GUESSED: LIGHT["input"],
    Status.NOT_YET: LIGHT["output"],
    Status.NOT_ATTEMPTED: "#767676",
    Status.STOPPED: "#B5488F",
}
FOR_HELP = "Text to copy, for somebody who can help"
STYLE = (
    "border-left: 5px solid {edge}; background: rgba(128, 128, 128, 0.08); padding: 0.6em 1em 0.01em; "
    "margin: 0.3em 0; max-width: 46em; box-sizing: border-box"
)


def in_words(status: Status, message: str, option: str = "") -> tuple[str, str]:
    """Return a verdict as (Markdown, plain text), without its box.

    Args:
        message: the sentence that follows the word.
        option: the letter of the option that was chosen in a quiz.
    """
    lead = f"{SIGNS[status]} {WORDS[status]}" + (f", {option}:" if option else ".")
    return f"**{lead}** {message}", f"{lead} {message}"


def boxed(
    status: Status, message: str, option: str = "", *, evidence: str = "", printed: str = "", for_help: str = ""
) -> tuple[str, str]:
    """Return a verdict in its box as (Markdown, plain text).

    Args:
        message, option: as in `in_words`.
        evidence: plain lines with the numbers that differ, shown as they are.
        printed: what the learner's code printed, shown as it is.
        for_help: what was asked and the code, for a fold with all of this as text to copy; the plain text has none.
    """
    markdown, plain = in_words(status, message, option)
    parts, lines = [markdown], [plain]
    for words, block in (("", evidence), (PRINTED, printed)):
        if block:
            parts += [words, _as_it_is(block)]
            lines += [words, block]
    if for_help:
        text = _as_it_is("\n".join([for_help, "", *filter(None, lines)]))
        parts.append(f"<details><summary>{FOR_HELP}</summary>\n\n{text}\n\n</details>")
    inside = "\n\n".join(filter(None, parts))
    # The blank lines let Markdown begin and end inside the div.
    markdown = f'<div class="course-verdict" style="{STYLE.format(edge=EDGES[status])}">\n\n{inside}\n\n</div>'
    return markdown, "\n".join(filter(None, lines))


def _as_it_is(block):
    """Return lines as a Markdown code block, in a fence longer than any row of backticks in them."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block)), default=0))
    return f'<div style="margin-bottom: 1em">\n\n{fence}text\n{block}\n{fence}\n\n</div>'
