"""Every small edit that may fix a wrong answer: the table of edits.toml, in the order of its rows."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from whywrong.fixes import rewrites
from whywrong.fixes.rules import parse_rules
from whywrong.fixes.search import PLACE, Edit


def _read_edits(kind: str) -> Iterator[Edit]:
    """Yield the edits of one kind of rows."""
    for row in _TABLE[kind]:
        rewrite = parse_rules(*row.pop("rules")) if "rules" in row else getattr(rewrites, row.pop("rewrite"))
        yield Edit(**row, rewrite=rewrite, everyday=kind == "everyday")


_TABLE = tomllib.loads(Path(__file__).with_name("edits.toml").read_text(encoding="utf-8"))
EDITS = (*_read_edits("everyday"), *_read_edits("edits"), PLACE)
PUT_BACK = tuple(_read_edits("put_back"))
CARET = next(edit for edit in EDITS if edit.name == "caret")
