"""Hold every stored notebook, without running it, to each of the rules."""

from pathlib import Path

import pytest

from publish import refresh
from tests.publish.notebook_rules import RULES, numbering
from tests.publish.stored_notebook import Notebook

PATHS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook(path, rule):
    problems = rule(Notebook(path, tuple(other.name for other in PATHS)))
    assert not problems, "\n".join(problems)


def test_numbering():
    assert numbering([path.name for path in PATHS]) == []


def test_every_lesson_has_its_notebook():
    assert refresh.unmatched() == []
