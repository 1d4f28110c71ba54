"""The table of points says what is given: for every answer that is kept, the rule and the share of the points agree."""

from fractions import Fraction

import pytest

from tests.golden.rows import _item, rows
from tests.lessons.answers import CODED
from whywrong import part

HALF, ALL = Fraction(1, 2), Fraction(1)
NOTHING = {rule: (0, 0) for rule in ("blank", "stopped", "borrowed", "constant", "scrambled", "wrong")}
SHARES = NOTHING | {"right": (1, 1), "named": (HALF, ALL), "shape": (HALF, HALF), "part": (Fraction(1, 10**6), ALL)}


@pytest.mark.thorough
@pytest.mark.parametrize("exercise", CODED)
def test_points_of_every_answer_are_those_of_its_rule(exercise):
    for row in rows(exercise):
        verdict, item = row.verdict(0), row.item or _item(exercise)
        share, rule = part.compute_share(item, row.make(), verdict, 0)
        least, most = SHARES[rule]
        assert least <= share <= most and (share == 1) == (rule == "right"), f"{row.title}: {rule} {share}"
        if verdict.key.startswith(("mistake:", "slip:")):
            assert rule in ("named", "stopped", "borrowed", "constant", "scrambled"), f"{row.title}: {rule}"
        else:
            assert rule not in ("named", "borrowed"), f"{row.title}: {rule}"
