"""Exercise: give the language model a habit of your own without harming it elsewhere."""

import numbers

from course_lib.model import language_model, reading
from lessons.inside_a_language_model import shared
from whywrong.form import is_finite, is_number, kind_of, nothing_came_back
from whywrong.task import Case, Fault, Inspection, Key, Mistake

LEAST, TELLS, SURE, HARM = 10, 0.85, 0.9, 0.01  # occurrences, precision and recall, probability, bits per character
TRIED: dict = {}  # what was measured already
_EXAMPLE = 'return "of", "!", 40'


def _cases(rng):
    return [Case()]


def _inspect(answer, case):
    words, character, size = _three(answer())
    if size <= 0:
        return "not-positive"
    if words == "self":
        return "the-lessons-own"
    if (words, character, size) not in TRIED:
        TRIED[words, character, size] = _measured(words, character, size)
    return TRIED[words, character, size]


def _three(given):
    """Return what the learner chose, or say what is wrong with its form."""
    if given is None:
        raise nothing_came_back()
    if not isinstance(given, (tuple, list)) or len(given) != 3:
        count = f" of {len(given)}" if isinstance(given, (tuple, list)) else ""
        raise Fault(Key.TYPE, f"Return three things, as in {_EXAMPLE}, but {kind_of(given)}{count} was returned.")
    words, character, size = given
    for name, one in (("context", words), ("character", character)):
        if not isinstance(one, str):
            raise Fault(Key.TYPE, f"The {name} must be text in quotes, but it is {kind_of(one)}.")
    words, character = str.__str__(words), str.__str__(character)
    if not is_number(size) or not isinstance(size, numbers.Real):
        raise Fault(Key.TYPE, f"The size must be a number, but it is {kind_of(size)}.")
    if not is_finite(size):
        raise Fault(Key.NAN, "The size is not a finite number.")
    if not words:
        raise Fault(Key.VALUE, f"The context must not be empty: write, for example, {_EXAMPLE}.")
    if len(character) != 1:
        says = f"A single character follows the context, but yours has length {len(character)}"
        raise Fault(Key.VALUE, f"{says}: write, for example, {_EXAMPLE}.")
    if character not in language_model.CODES:
        raise Fault(
            Key.VALUE, "Your character is not one of the 97 that the model knows. Choose one from a plain keyboard."
        )
    return words, character, float(size)


def _measured(words, character, size):
    """Return the name of the first promise that the edit breaks, or None."""
    model, seen_a, seen_b = language_model.trained(), reading.of_part("A"), reading.of_part("B")
    if min(shared.where("A", seen_a, words).sum(), shared.where("B", seen_b, words).sum()) < LEAST:
        return "too-rare"
    found = shared.effect(model, seen_a, seen_b, words, character, size)
    if found.before > 0.5:
        return "there-already"
    if found.precision < TELLS:
        return "false-alarms-after-a-space" if words.endswith(" ") else "false-alarms"
    if found.recall < TELLS:
        return "misses"
    if found.after <= SURE:
        return "too-weak"
    return "harm" if found.elsewhere > HARM else None


EXERCISE = Inspection(
    id="inside_a_language_model.my_edit",
    kind="function",
    cases=_cases,
    inspect=_inspect,
    mistakes=(
        Mistake(
            "the-lessons-own",
            lambda: ("self", "i", 40),
            "`self` is the context of the lesson's own edit: choose another one.",
        ),
        Mistake(
            "too-rare",
            lambda: ("lambda", "!", 40),
            "Your context occurs fewer than ten times in one of the two parts, which is too few to build a unit or to judge it. It must occur in the text exactly as you write it, with its spaces: `part_a.text.count(…)` counts how often it does.",
        ),
        Mistake(
            "there-already",
            lambda: ("retur", "n", 40),
            "The model already expects your character there, so the edit would show nothing. Choose a character that does not belong there.",
        ),
        Mistake(
            "false-alarms",
            lambda: ("return", "Q", 40),
            "Your unit fires in other places too: less than 85 % of its firings are in your context. The recipe does not find a good direction and threshold for every context, so try another one.",
        ),
        Mistake(
            "false-alarms-after-a-space",
            lambda: ("the ", "Q", 40),
            "Your unit fires in other places too: less than 85 % of its firings are in your context. It ends in a space, and this recipe often confuses one space with another. Try a context that ends in a letter.",
        ),
        Mistake(
            "misses",
            lambda: (".", "Q", 40),
            "Your unit misses more than 15 % of the places of your context. The recipe does not find a good direction and threshold for every context, so try another one.",
        ),
        Mistake(
            "not-positive",
            lambda: ("def", "X", -40),
            "With this size the edit promotes nothing: a negative size works against the character, and 0 does nothing.",
        ),
        Mistake(
            "too-weak",
            lambda: ("def", "X", 5),
            "The unit fires in the right places, but the model is not convinced: your character's mean probability there stays at 0.9 or below. Try a larger size.",
        ),
        Mistake(
            "harm",
            lambda: ("the", "Q", 5000),
            "Your edit works, but it costs more than 0.01 bits per character elsewhere, because its few false alarms are too strong. Try a smaller size.",
        ),
    ),
    tries=10,
    seconds=20,
    hints=(
        "Choose a context that the recipe recognises: `the` is one, and `the `, with a space behind it, is not. Then raise the size until the model obeys.",
        "Return a string of any length, a string of one character, and a number, such as 40.",
        'Start with: return "name", "!", 40. It does not pass, but the reply says which condition fails.',
    ),
    right="We judged it on text that played no part in making it. Your unit fires where it should, convinces the model, and hardly changes anything else.",
)
