"""What the captions say follows the data, also data that no notebook stores."""

import numpy as np
import pytest

from lessons.expand_and_contract import figures


def test_captions_follow_the_data():
    flat = np.random.default_rng(0).normal(size=(20, 2)) @ np.ones((2, 5))
    assert "flat 1 of 5" in figures.singular_values([flat], ["flat"])[1]
    assert "a up to 16 facts; b never" in figures.facts_stored([8, 16], [[1, 1], [0.9, 0.5]], ["a", "b"])[1]
    assert "one: 2 of 3 units fire, 1 for a fact" in figures.units_and_facts([np.eye(3)[:2]], ["one"], ["x", "y"])[1]
    with pytest.raises(ValueError, match="names and stages must have the same length, but names has 2, stages has 1"):
        figures.singular_values([flat], ["a", "b"])
