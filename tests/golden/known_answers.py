"""The ways of writing a right answer that the course has met: what two learners may share without being alike."""

import ast

from classroom import alike
from lessons import catalogue
from tests.golden import book
from tests.golden.rows import rows
from tests.lessons.answers import CODED, STYLES
from whywrong.fixes.source import find_source


def text() -> str:
    """Return the fingerprints of all, a line each, as alike.KNOWN holds them."""
    codes = {alike.normal(code) for exercise in CODED for code in _codes(exercise)} - {""}
    return "".join(f"{one}\n" for one in sorted(map(alike.fingerprint, codes)))


def _codes(exercise):
    yield from filter(None, [catalogue.half(exercise), catalogue.solution(exercise)])
    for style in STYLES[exercise]:
        source = find_source(style) if callable(style) else None
        if source is not None:
            yield ast.unparse(source.definition)
    kept = book.kept(exercise)
    for row in rows(exercise):
        if row.source and kept.get(row.title, "").startswith("correct"):
            yield row.source
