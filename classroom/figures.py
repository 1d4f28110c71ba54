"""Pictures of the class report, in the course's own style: each with the sentence that says what it shows."""

from courseware.content import Prediction
from courseware.guess import READ, is_answer, judgement, plain
from courseware.page.style import HIDDEN, INPUT, REFERENCE, blank, styled
from lessons import catalogue
from whywrong.form import same_word

MOST_BARS = 8
ANOTHER = "another"  # in the place of a guess in a learner's own words


def told(value) -> str:
    """Return a guess in a few plain characters."""
    if isinstance(value, list | tuple):
        words = f"({', '.join(str(one) for one in value)})"
    elif isinstance(value, float):
        words = f"{value:.4g}"
    else:
        words = str(value)
    words = "".join(letter if letter.isprintable() else " " for letter in words)
    return words if len(words) <= 24 else words[:23] + "…"


def counted(prediction: Prediction, guesses: list) -> list[tuple[str, int, bool]]:
    """Return (guess, how many, whether it is the answer), the most frequent first and the rare ones together.

    What the course takes for the same guess is one row: "ReLU" and "relu", (4, 5) and "4 x 5".
    """
    counts, right = {}, {told(prediction.answer), *(told(number) for number in prediction.printed)}
    for guess in guesses:
        words, is_right = _read(prediction, guess)
        counts[words] = counts.get(words, 0) + 1
        right |= {words} if is_right else set()
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    kept = [row for place, row in enumerate(rows) if place < MOST_BARS or row[0] in right]
    others = len(guesses) - sum(count for _, count in kept)
    found = [(guess, count, guess in right) for guess, count in kept]
    if not any(is_right for *_, is_right in found):
        found.append((told(prediction.answer), 0, True))
    return found + ([("other guesses", others, False)] if others else [])


def _read(prediction, guess):
    """Return a guess in words, as the course reads it, and whether it is the answer."""
    try:
        read = READ[prediction.kind](prediction, guess)
        is_right = is_answer(prediction, read)
    except Exception:  # whatever a made-up file can bring about
        return told(guess), False
    return told(plain(_as_known(prediction, read))), is_right


def _known_words(prediction):
    known = (prediction.answer, *prediction.choices, *(reply.guess for reply in prediction.replies))
    return [word for word in known if isinstance(word, str)]


def _as_known(prediction, read):
    """Return a word as the course writes it, where it knows it; any other guess as it is."""
    if not isinstance(read, str):
        return read
    return next((word for word in _known_words(prediction) if same_word(word, read)), read)


def without_words(id: str, guess):
    """Return a guess that holds nothing of a learner's own: numbers, and words that the course knows; else "another".

    Args:
        id: of what was guessed; nothing else of a progress file holds a guess.
    """
    try:
        prediction = catalogue.item(id)
        if prediction.kind == "claims":
            return {letter: judgement(letter, guess) for letter in prediction.claims if letter in guess}
        read = READ[prediction.kind](prediction, guess)
        words = _as_known(prediction, read)
    except Exception:  # whatever a made-up file can bring about
        return None if guess is None else ANOTHER
    return plain(words) if not isinstance(read, str) or words in _known_words(prediction) else ANOTHER


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
    return figure, said(prediction, made)


def said(prediction: Prediction, made: list) -> str:
    """Return in one sentence how often each guess was made."""
    rows = ", ".join(
        f"{guess}: {count}{' (right)' if right else ''}" for guess, count, right in counted(prediction, made)
    )
    of_whom = "the first guess of 1 learner" if len(made) == 1 else f"first guesses of {len(made)} learners"
    return f"{prediction.title}: {of_whom}. {rows}."
