"""Hold every stored notebook, without running it, to each of the rules."""

import pytest

from publish.author import refresh
from tests.conftest import NOTEBOOKS
from tests.publish.notebook_rules import RULES
from tests.publish.stored_notebook import Notebook

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
SPENT = {  # cells of 1.0.0 with a check of what nothing asks any more
    "00": {"check-1"},
    "01": {"check-2"},
    "02": {"ex-1-check", "ex-2-check"},
    "03": {"ex-1-check", "ex-2-check"},
    "04": {"check-5", "ex-1-check"},
    "05": {"check-3", "check-4", "ex-2-check"},
    "06": {"ex-1-check", "ex-2-check"},
    "07": {"ex-1-check"},
    "08": {"check-4", "ex-1-check", "ex-3-check"},
    "09": {"check-4", "ex-2-check"},
    "10": {"check-8"},
    "11": {f"claims-{number}-check" for number in (1, 2, 3, 4)},
    "12": {"check-1", "ex-2-check"},
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook(path, rule):
    problems = rule(Notebook(path, tuple(other.name for other in PATHS)))
    assert not problems, "\n".join(problems)


def test_no_id_of_a_check_is_given_to_another():
    for path in PATHS:
        spent = SPENT.get(path.name[:2], set())
        assert not spent.intersection(cell["id"] for cell in Notebook(path, ()).cells), path.name


def test_every_lesson_has_its_notebook():
    assert refresh.unmatched() == []
