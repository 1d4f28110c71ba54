"""Whose notebooks are so alike that somebody should ask: a sign, and no proof of anything.

Two learners who know the same textbook write the same loop, and whoever understood a lesson guesses right. So equal
notebooks are not enough: something in them must be rare, too. See `alike`.
"""

import ast
import functools
import hashlib
import re
from collections import Counter
from pathlib import Path

from classroom import judging, regrade
from classroom.judged import Judged
from course_lib import guess
from lessons import catalogue
from lessons.cells import checks

LONG, VERY_LONG = 5, 8  # statements: of a short answer there are few ways to write it
FEW = 2  # learners of a class who gave a wrong number that is a sign
# A line for each way of writing a right answer that the course has met, as `fingerprint` names it, by `make golden`.
KNOWN = Path(__file__).with_name("known_answers.txt")


def alike(judged: list[Judged]) -> list[list[str]]:
    """Return the names of learners whose notebooks are alike, group by group.

    They have the same guesses and the same longer answers, up to comments, layout and the names that the learner chose.
    And at least one of these is theirs:
    - two longer answers that the course has never met among right ones, nor shows itself;
    - one such answer of VERY_LONG statements or more;
    - a wrong guess, a typed number, that at most FEW of the class gave, and that the lesson has no reply to.
    Who made no guess, or has no longer answer of their own, is like nobody.
    """
    found: dict[tuple, list[str]] = {}
    guessed = [_guesses(one.submission.cells) for one in judged]
    wrong = Counter(pair for guesses in guessed for pair in _wrong_numbers(guesses))
    for one, guesses in zip(judged, guessed, strict=True):
        answers = _answers(one.submission.cells)
        if guesses and answers:
            found.setdefault((frozenset(guesses.items()), frozenset(answers.items())), []).append(one.submission.name)
    return sorted(
        sorted(names)
        for (guesses, answers), names in found.items()
        if len(names) > 1 and _is_rare(dict(guesses), [code for _, code in answers], wrong)
    )


def _is_rare(guesses, answers, wrong):
    unmet = [code for code in answers if fingerprint(code) not in _known()]
    longest = max((_statements(ast.parse(code)) for code in unmet), default=0)
    odd = any(wrong[pair] <= FEW for pair in _wrong_numbers(guesses))
    return len(unmet) >= 2 or longest >= VERY_LONG or odd


def _wrong_numbers(guesses):
    """Return (id, code) of each guess that is a typed number, wrong, and none that the lesson has a reply to."""
    return [pair for pair in guesses.items() if _is_odd(*pair)]


@functools.cache
def _is_odd(id, code):
    prediction = catalogue.item(id)
    try:
        value = ast.literal_eval(code)
    except (ValueError, SyntaxError):
        return False
    common = [reply.guess for reply in prediction.replies]
    return prediction.kind == "number" and value not in common and guess.judged(prediction, value).near is False


def _guesses(notebooks):
    """Return id -> the guess that stands in a notebook, as code."""
    found = {}
    for sources in notebooks.values():
        made = regrade.definitions(sources)
        for check in [check for source in sources for check in checks(source)]:
            value = getattr(made.get(check.name), "value", None)
            if check.id.partition(".")[2].startswith("predict_") and value is not None:
                typed = ast.unparse(value)
                found |= {check.id: typed} if typed != "TODO" else {}
    return found


def _answers(notebooks):
    """Return id -> a longer answer of the learner's own, as `normal` writes it."""
    found = {}
    for lesson, sources in notebooks.items():
        for source in sources:
            for id in [check.id for check in checks(source)]:
                tree = _own(source)
                if tree is None or _statements(tree) < LONG:
                    continue
                plain = ast.unparse(tree)
                if not any(form.fullmatch(plain) for form in _given(lesson, id)):
                    found[id] = normal(source)
    return found


def _own(source):
    """Return the tree of a cell without docstrings and calls such as check(…); None if it is no code."""
    if regrade.parsed(source)[0] is None:
        return None
    tree = ast.parse(regrade.parsed(source)[1])  # anew, for it is changed
    tree.body = [node for node in tree.body if not regrade.is_call(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _statements(tree):
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree))


def normal(source: str) -> str:
    """Return the code of a cell with the names that it chooses itself evened out: v0, v1, … in the order of the code.

    >>> normal("def f(x):\n    # mine\n    total = x + 1\n    return total")
    'def v0(v1):\n    v2 = v1 + 1\n    return v2'
    """
    tree = _own(source)
    if tree is None:
        return ""
    names: dict[str, str] = {}
    for node in _in_order(tree):  # first all names that are chosen, so that one that is used before is known
        for name in _chosen(node):
            names.setdefault(name, f"v{len(names)}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
        elif isinstance(node, ast.arg):
            node.arg = names[node.arg]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.name = names[node.name]
    return ast.unparse(tree)


def _in_order(node):
    """Yield a node and all below it, as they stand in the code."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _chosen(node):
    """Return the names that a node gives to something."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def fingerprint(code: str) -> str:
    """Return a short name for code as `normal` writes it."""
    return hashlib.sha256(code.encode()).hexdigest()[:12]


@functools.cache
def _known():
    return frozenset(KNOWN.read_text(encoding="utf-8").split())


@functools.cache
def _given(lesson, id):
    """Return what the course itself writes for an exercise, with anything where TODO stands: starter, half, worked."""
    own = [source for source in judging.published(lesson) if id in [check.id for check in checks(source)]]
    own += filter(None, [catalogue.half(id), catalogue.solution(id)])
    return [re.compile(re.escape(ast.unparse(_own(source))).replace("TODO", ".+")) for source in own if _own(source)]
