"""Whole sentences in the class report, for every key that a check can give and a progress file remembers."""

import ast
import re

from classroom import sentences
from courseware.progress import REMEMBERED
from tests.conftest import ROOT
from whywrong import errors, traits
from whywrong.fixes.edits import EDITS
from whywrong.task import Key

ID = "relu_vs_gelu.gelu_slope"
NAME = re.compile(r"[a-z]+(-[a-z]+)*")


def text(node) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def written_names(tree):
    """Yield (kind, name) for every slip and everything seen that code names, but for those of the two tables.

    A name stands first in Seen(…), behind the kind in Finding(…), and behind its kind in a key that is written out.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called == "Seen":
                yield "seen", text(node.args[0])
            elif called == "Finding" and len(node.args) > 1 and text(node.args[0]) in ("slip", "seen"):
                yield text(node.args[0]), text(node.args[1])
        elif found := re.fullmatch(r"(slip|seen):([a-z-]+)", text(node)):
            yield found.groups()


def names() -> set[tuple[str, str]]:
    found = {("slip", edit.name) for edit in EDITS}
    found |= {("slip", row["name"]) for row in (*errors._read_table()["first"], *errors._read_table()["errors"])}
    found |= {("seen", name) for name, *_ in traits.SIMPLE_FUNCTIONS}
    for path in (ROOT / "whywrong").rglob("*.py"):
        for kind, name in written_names(ast.parse(path.read_text(encoding="utf-8"))):
            if NAME.fullmatch(name):
                found.add((kind, name))
    return found


def problem(says: str) -> str:
    """Say what is no whole sentence about it."""
    if len(says.split()) < 3 or says[-1] not in ".?)":
        return "it is no whole sentence"
    if re.search(r"[{}]|\bthe the\b|``", says):
        return "a part of a template is left in it"
    return ""


def test_every_key_in_the_golden_verdicts_has_a_whole_sentence():
    met = set()
    for path in (ROOT / "tests" / "golden" / "verdicts").glob("*.txt"):
        found = re.findall(r"^[a-z ]+ · (\w+:\S+) · seeds", path.read_text(encoding="utf-8"), re.MULTILINE)
        met |= {(path.stem.removesuffix(".arrays"), key) for key in found}
    assert len(met) > 400
    assert {one: says for one in met if problem(says := sentences.sentence(*one))} == {}


def test_no_other_key_is_remembered_as_a_mistake():
    assert {kind.rstrip(":") for kind in REMEMBERED} == {"mistake", *sentences.known()}
    assert [key for key in Key if key.startswith(REMEMBERED) or sentences.sentence(ID, key)] == []
    assert sentences.sentence(ID, "slip:made-up") == sentences.sentence(ID, "mistake:made-up") == ""
