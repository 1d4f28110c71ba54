"""A caption in two parts: one sentence that everybody reads, and the numbers behind it in a fold.

As a string it is both, so alt texts, plain text and tests have all of it. A plain string is a caption without a fold.
"""

import html

from courseware.arguments import described

FOLD = "The numbers"


class Caption(str):
    """One sentence with the message of a figure, and the data that it rests on.

    Args:
        message: shown below the figure. data: shown in a fold; further sentences, or nothing.

    Raises:
        TypeError: one of them is not a string.
        ValueError: message is empty.
    """

    message: str
    data: str

    def __new__(cls, message: str, data: str = ""):
        for name, part in (("message", message), ("data", data)):
            if not isinstance(part, str):
                raise TypeError(f"{name} must be a string, but {described(part)} was given.")
        if not message.strip():
            raise ValueError("message must say what the figure shows, but it is empty.")
        made = super().__new__(cls, f"{message} {data}" if data else message)
        made.message, made.data = message, data
        return made

    def __getnewargs__(self):
        return self.message, self.data


def parts(caption: str) -> tuple[str, str]:
    """Return (message, data) of a caption; a plain string is all message."""
    return (caption.message, caption.data) if isinstance(caption, Caption) else (caption, "")


def as_html(caption: str) -> str:
    """Return a caption as HTML, its data folded; no line in it is blank, so it can stand in Markdown."""
    message, data = parts(caption)
    return paragraph(message) + (folded(FOLD, html.escape(data, quote=False)) if data else "")


def paragraph(message: str, more: str = "") -> str:
    """Return the sentence below a figure as HTML; `more` are further attributes."""
    return f'<p style="margin: 0.2em 0; line-height: 1.4"{more}><em>{html.escape(message, quote=False)}</em></p>'


def folded(title: str, inside: str) -> str:
    """Return HTML folded below its title."""
    return f"<details><summary>{title}</summary>{inside}</details>"
