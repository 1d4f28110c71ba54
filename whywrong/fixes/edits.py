"""Every small edit that may be what a wrong answer needs: the table of edits.toml, in the order of its rows."""

import tomllib
from pathlib import Path

from whywrong.fixes import mends
from whywrong.fixes.code import PLACE, Edit
from whywrong.fixes.rules import rules


def _edits(kind):
    for row in _TABLE[kind]:
        mend = rules(*row.pop("rules")) if "rules" in row else getattr(mends, row.pop("mend"))
        yield Edit(**row, mend=mend, everyday=kind == "everyday")


_TABLE = tomllib.loads(Path(__file__).with_name("edits.toml").read_text(encoding="utf-8"))
EDITS = (*_edits("everyday"), *_edits("edits"), PLACE)
PUT_BACK = tuple(_edits("put_back"))
CARET = next(edit for edit in EDITS if edit.name == "caret")
