"""Pictures of the class report, in the course's own style: each with the sentence that says what it shows."""

from course_lib.content import Prediction
from course_lib.page.style import HIDDEN, INPUT, REFERENCE, blank, styled

MOST_BARS = 8


def told(value) -> str:
    """Return a guess in a few plain characters."""
    if isinstance(value, list | tuple):
        words = f"({', '.join(str(one) for one in value)})"
    elif isinstance(value, float) and not isinstance(value, bool):
        words = f"{value:.4g}"
    else:
        words = str(value)
    words = "".join(letter if letter.isprintable() else " " for letter in words)
    return words if len(words) <= 24 else words[:23] + "…"


def counted(prediction: Prediction, guesses: list) -> list[tuple[str, int, bool]]:
    """Return (guess, how many, whether it is the answer), the most frequent first and the rare ones together."""
    counts = {}
    for guess in guesses:
        counts[told(guess)] = counts.get(told(guess), 0) + 1
    right = {told(prediction.answer), *(told(number) for number in prediction.printed)}
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    kept = [row for place, row in enumerate(rows) if place < MOST_BARS or row[0] in right]
    others = sum(count for row, count in rows if (row, count) not in kept)
    found = [(guess, count, guess in right) for guess, count in kept]
    if not any(is_right for *_, is_right in found):
        found.append((told(prediction.answer), 0, True))
    return found + ([("other guesses", others, False)] if others else [])


@styled
def guesses(prediction: Prediction, made: list):
    """Draw how often each guess was made, the right one marked; return the figure and its caption."""
    rows = counted(prediction, made)
    figure, axes = blank((6.4, 0.6 + 0.3 * len(rows)))
    places = range(len(rows))
    for place, (_, count, right) in zip(places, rows, strict=True):
        axes.barh(place, count, 0.7, color=HIDDEN if right else INPUT, hatch="///" if right else "", edgecolor="white")
        axes.annotate(
            f"{count}{'  ✓ right' if right else ''}", (count, place), (4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(places, [guess.replace("$", r"\$") for guess, *_ in rows])
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, 1.35 * max(1, *(count for _, count, _ in rows))))
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_color(REFERENCE)
    said = ", ".join(f"{guess}: {count}{' (right)' if right else ''}" for guess, count, right in rows)
    return figure, f"{prediction.title}: first guesses of {len(made)} learners. {said}."
