"""The sentence for the key of a verdict, in words that fit everybody who has it: it quotes nobody's code."""

import tomllib
from functools import cache
from pathlib import Path

from lessons import catalogue
from whywrong import errors
from whywrong.fixes.edits import EDITS
from whywrong.task import Exercise, Inspection

FILE = Path(__file__).with_name("sentences.toml")


@cache
def known() -> dict[str, dict[str, str]]:
    """Return "slip" and "seen" -> name -> sentence: of edits and errors that of their row."""
    own = {edit.name: edit.report or edit.says for edit in EDITS if edit.report or "{" not in edit.says}
    written = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {"slip": own | errors.read_reports() | written["slip"], "seen": written["seen"]}


def sentence(id: str, key: str) -> str:
    """Return what is said of a key in an exercise; nothing of a key that no check gives."""
    kind, _, name = key.partition(":")
    item = catalogue.item(id)
    if kind == "mistake" and isinstance(item, Exercise | Inspection):
        return next((mistake.message for mistake in item.mistakes if mistake.name == name), "")
    return known().get(kind, {}).get(name, "")
