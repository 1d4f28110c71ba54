"""A task that is not as it must be is refused where it is made."""

from dataclasses import replace

import pytest

from tests.whywrong.answers import COUNT, CURVE
from whywrong.task import Case, Inspection, Mistake, Returns

LOOKED_AT = Inspection("t.looked", "function", lambda rng: [Case((1,))], lambda answer, case: None, (), ("",) * 3, "")


@pytest.mark.parametrize("item", [CURVE, COUNT, LOOKED_AT], ids=lambda item: item.id)
@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("kind", "func", ValueError),
        ("cases", [Case((1,))], TypeError),
        ("mistakes", Mistake("one", abs, "It is one."), TypeError),
        ("mistakes", ("one",), TypeError),
        ("hints", "one", TypeError),
    ],
)
def test_other_form_is_refused(item, field, value, error):
    with pytest.raises(error, match=f"^{field} must be "):
        replace(item, **{field: value})


def test_returns_and_arguments_are_tuples():
    with pytest.raises(TypeError, match="^returns must be a tuple of Returns, but Returns"):
        replace(CURVE, returns=Returns("y"))
    with pytest.raises(TypeError, match=r"^args must be a tuple, as in Case\(\(x,\)\), but int was given"):
        Case(3)
