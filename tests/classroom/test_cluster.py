"""The memory that the files for a cluster give a learner is enough for the largest lesson."""

import yaml

from classroom import measure
from tests.conftest import ROOT

CLUSTER = ROOT / "classroom" / "server" / "cluster"
VALUES = yaml.safe_load((CLUSTER / "values.yaml").read_text(encoding="utf-8"))
UNITS = {"M": 1e6, "G": 1e9}


def size(text: str) -> float:
    """Return the bytes of "600M"."""
    return float(text[:-1]) * UNITS[text[-1]]


def test_memory_holds_the_largest_lesson_and_the_server():
    # lesson 15 was measured with its model, which a cluster does not have
    largest = max(cost.megabytes for name, cost in measure.kept().items() if name != "real_model") * 1e6
    assert size(VALUES["singleuser"]["memory"]["limit"]) > 2 * (largest + 120e6)
    assert size(VALUES["singleuser"]["memory"]["guarantee"]) >= largest
