"""Help with an exercise in words: its hints one by one, half of its solution, and its solution."""

HALF = "Start from half"
HOW = "Copy it into your cell, above the last line, and replace each TODO."
STATIC = "In a running notebook, two buttons appear here: Hint and Solution."
STATIC_HALF = f"In a running notebook, three buttons appear here: Hint, {HALF} and Solution."
AGAIN = "Run this cell again for its buttons."


def hint(hints: tuple[str, ...], number: int) -> tuple[str, str]:
    """Return a hint, counted from 1, as (Markdown, plain text)."""
    lead = f"Hint {number} of {len(hints)}:"
    return f"**{lead}** {hints[number - 1]}", f"{lead} {hints[number - 1]}"


def hints_shown(hints: tuple[str, ...], count: int) -> tuple[str, str]:
    """Return the first hints as (Markdown, plain text)."""
    shown = [hint(hints, number) for number in range(1, count + 1)]
    return "\n\n".join(markdown for markdown, _ in shown), "\n".join(plain for _, plain in shown)


def stands_in(hints: tuple[str, ...], count: int) -> tuple[str, str]:
    """Return what replaces the buttons, with the hints shown so far; it never contains the solution."""
    markdown, plain = hints_shown(hints, count)
    return "\n\n".join(filter(None, [markdown, f"*{AGAIN}*"])), "\n".join(filter(None, [plain, AGAIN]))
