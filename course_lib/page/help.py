"""Help with an exercise in words: its hints one after the other, and its solution."""

STATIC = "Two buttons stand here in a running notebook: Hint and Solution."
AGAIN = "Run this cell again for its two buttons, Hint and Solution."


def hint(hints: tuple[str, ...], number: int) -> tuple[str, str]:
    """Return a hint, counted from 1, as (Markdown, plain text)."""
    lead = f"Hint {number} of {len(hints)}:"
    return f"**{lead}** {hints[number - 1]}", f"{lead} {hints[number - 1]}"


def hints_shown(hints: tuple[str, ...], count: int) -> tuple[str, str]:
    """Return the first hints as (Markdown, plain text)."""
    shown = [hint(hints, number) for number in range(1, count + 1)]
    return "\n\n".join(markdown for markdown, _ in shown), "\n".join(plain for _, plain in shown)


def stands_in(hints: tuple[str, ...], count: int) -> tuple[str, str]:
    """Return what takes the place of the buttons, with the hints shown so far; the solution is never part of it."""
    markdown, plain = hints_shown(hints, count)
    return "\n\n".join(filter(None, [markdown, f"*{AGAIN}*"])), "\n".join(filter(None, [plain, AGAIN]))
