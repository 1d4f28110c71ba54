"""Hold every stored notebook, without running it, to each of the rules."""

import pytest

from publish.author import refresh
from tests.conftest import NOTEBOOKS
from tests.publish.notebook_rules import RULES
from tests.publish.stored_notebook import Notebook

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook(path, rule):
    problems = rule(Notebook(path, tuple(other.name for other in PATHS)))
    assert not problems, "\n".join(problems)


def test_every_lesson_has_its_notebook():
    assert refresh.unmatched() == []
