"""Name contexts in a text, and measure how well a hidden unit tells one of them: precision, recall, F1.

A context is a yes or no for every character that was read last: it ends the word "self", it stands in a comment, only
spaces stand before it in its line.
"""

import re

import numpy as np

from course_lib.model.excerpts import LABELS, Excerpt
from course_lib.model.language_model import CHARACTERS, encoded
from courseware import arguments

ENDS = (
    *("self", "self.", "return ", "None", "def ", "class ", "import ", "from ", "if ", "for ", "in ", "not ", "and "),
    *("the ", "a ", "of ", "to ", "is ", "    ", "        ", "\n    ", ", ", ": ", ":\n", " = ", "==", '"""'),
    *("()", "(self", ")\n", "# "),
)
THRESHOLDS = (0.0, 0.1, 0.25, 0.5)  # shares of a unit's 99.8 % value, above which it counts as active
_CLASSES = {
    "a small letter": str.islower,
    "a capital letter": str.isupper,
    "a letter or _": lambda one: one.isalpha() or one == "_",
    "a digit": str.isdigit,
    "a space or the end of a line": lambda one: one in " \n",
    "a bracket": lambda one: one in "()[]{}",
    "a mark": lambda one: not (one.isalnum() or one.isspace() or one == "_"),
}
_LINES = {
    "in a line that begins with def": r" *def ",
    "in a line that begins with return": r" *return\b",
    "in a line that begins with if, for or while": r" *(?:if|for|while)\b",
    "in a line that is empty so far": r"^$",
}


def ends_with(text: str, words: str) -> np.ndarray:
    """Return for each character of a text whether the text up to it ends with some words.

    Raises:
        TypeError: an argument is not a string.
        ValueError: words is empty.
    """
    found = np.zeros(len(arguments.words("text", text)), dtype=bool)
    if not arguments.words("words", words):
        raise ValueError("words must hold at least one character, but it is empty.")
    for match in re.finditer(f"(?={re.escape(words)})", text):
        found[match.start() + len(words) - 1] = True
    return found


def contexts(excerpt: Excerpt) -> dict[str, np.ndarray]:
    """Return the named contexts: for each a truth for every character of the text.

    Raises:
        TypeError: excerpt is no Excerpt.
    """
    if not isinstance(excerpt, Excerpt):
        raise TypeError(f"excerpt must be an Excerpt, but {arguments.described(excerpt)} was given.")
    text, codes = excerpt.text, encoded(excerpt.text)
    labels = np.array(list(excerpt.labels))
    found = {f"in {'an' if name[0] in 'aeiou' else 'a'} {name}": labels == label for label, name in LABELS.items()}
    found |= {f"after {words!r}": ends_with(text, words) for words in ENDS}
    members = {name: np.array([test(one) for one in CHARACTERS]) for name, test in _CLASSES.items()}
    found |= {f"at {name}": member[codes] for name, member in members.items()}
    found |= {f"at {one!r}": codes == code for code, one in enumerate(CHARACTERS)}
    following = np.append(codes[1:], -1)
    found |= {f"before {one!r}": following == code for code, one in enumerate(CHARACTERS)}
    return found | _by_lines(text)


def _by_lines(text):
    """Return the contexts that are known from the line in which a character stands."""
    only_spaces, depth, open_brackets = [], [], 0
    in_line = {name: [] for name in _LINES}
    for line in text.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip(" "))
        only_spaces += [place < indent for place in range(len(line))]
        for name, pattern in _LINES.items():
            in_line[name] += [re.match(pattern, line) is not None] * len(line)
    for one in text:
        open_brackets = max(0, open_brackets + (one in "([{") - (one in ")]}"))
        depth.append(open_brackets)
    found = {"after only spaces in its line": only_spaces, "in brackets": np.array(depth) > 0} | in_line
    return {name: np.array(values, dtype=bool) for name, values in found.items()}


def f1(found, wanted) -> float:
    """Return the F1 of a yes or no against another: 2 · hits / (found + wanted), from 0 to 1; 0 where both are empty.

    Args:
        found, wanted: truths of the same length.

    Raises:
        TypeError, ValueError: an argument holds something else, or they differ in length.
    """
    found, wanted = arguments.truths("found", found, ("n",)), arguments.truths("wanted", wanted, ("n",))
    if len(found) != len(wanted):
        raise ValueError(f"found and wanted must have one length, but they have {len(found)} and {len(wanted)}.")
    total = int(found.sum() + wanted.sum())
    return 2 * int((found & wanted).sum()) / total if total else 0.0


def best_limit(values, wanted) -> float:
    """Return the threshold above which values tell a yes or no with the highest F1, half-way between two values.

    Args:
        values: (n,), of one unit; wanted: (n,), truths.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, or all values are the same.
    """
    values = arguments.array("values", values, ("n",), sizes := {})
    wanted = arguments.truths("wanted", wanted, ("n",), sizes)
    order = np.argsort(-values, kind="stable")
    found, hits = np.arange(1, len(values)), np.cumsum(wanted[order])[:-1]
    steps = values[order][:-1] > values[order][1:]  # a threshold lies between two different values
    if not steps.any():
        raise ValueError("values must not all be the same.")
    place = np.where(steps, 2 * hits / (found + max(wanted.sum(), 1)), -1).argmax()
    return float((values[order][place] + values[order][place + 1]) / 2)


def scores(h, truths, least: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Try the thresholds with each unit and each context, and keep the best: the lowest with the highest F1.

    Args:
        h: (n, units), hidden values that are not negative.
        truths: (n, contexts).
        least: contexts with fewer places, in which chance rules, have an F1 of 0.

    Returns:
        F1, and the value above which the unit counts as active, (units, contexts) each.

    Raises:
        TypeError, ValueError: an argument has the wrong type or shape, or h holds a negative value.
    """
    h = arguments.array("h", h, ("n", "units"), sizes := {})
    if h.min() < 0:
        raise ValueError("h must not be negative: it holds hidden values behind a ReLU.")
    truths = arguments.truths("truths", truths, ("n", "contexts"), sizes).astype(np.float32)
    least, often = arguments.integer("least", least, 0), truths.sum(axis=0)
    best, limits = np.zeros((2, h.shape[1], len(often)))
    top = np.quantile(h, 0.998, axis=0)
    for share in THRESHOLDS:
        active = (h > share * top).astype(np.float32)
        score = 2 * (active.T @ truths) / (active.sum(axis=0)[:, None] + np.maximum(often, 1))
        better = (score > best) & (often >= least)
        best, limits = np.where(better, score, best), np.where(better, share * top[:, None], limits)
    return best, limits


def best_names(h, truths, least: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find for each unit the context and the threshold with the highest F1; see `scores`.

    Returns:
        F1, the number of the context, and the value above which the unit counts as active, (units,) each.
    """
    best, limits = scores(h, truths, least)
    names = best.argmax(axis=1)
    units = np.arange(len(names))
    return best[units, names], names, limits[units, names]
