"""What a learner has built is kept as a file once it is right, stands alone there, and is never lost."""

import functools
import math
import os
import sys

import numpy as np
import pytest

from course_lib import kept as keeping
from course_lib.kept import keep, kept
from whywrong.todo import TODO

ID, FILE = "start_here.double", "my_double.py"
FACTOR = 2


def helper(x):
    """Multiply."""
    return FACTOR * np.asarray(x) * math.cos(0)


def double(x):
    return helper(x)  # my own


def plain(x):
    return 2 * x


def scaled(x, k):
    return k * x


def wrong(x):
    return x * x


@pytest.fixture
def path(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "course" / "progress.json"))
    return tmp_path / "course" / FILE


def test_a_right_answer_is_kept_with_what_it_needs(path, shown):
    assert kept(FILE) is None
    module = keep(FILE, {ID: double})
    np.testing.assert_array_equal(module.double(np.array([3.0])), [6.0])
    assert f"Kept: double, in {path}." in shown.plain[-1]
    text = path.read_text("utf-8")
    assert text.index("import numpy as np") < text.index("def helper") < text.index("def double") and "# my own" in text
    assert "FACTOR = 2" in text and "import math" in text and "wrong" not in text
    assert [*path.parent.glob("*")] == [path] and FILE.removesuffix(".py") not in sys.modules
    again = kept(FILE)
    np.testing.assert_array_equal(again.double(np.array([3.0])), [6.0])


class Times:
    k = 2

    def __call__(self, x):
        return self.k * x


@pytest.mark.parametrize("answer", [Times(), functools.partial(scaled, k=2), functools.partial(Times())])
def test_an_object_that_is_called_is_kept_under_the_name_of_its_exercise(path, shown, answer):
    assert keep(FILE, {ID: answer}) and kept(FILE).double(3) == 6


@pytest.mark.parametrize(
    ("answer", "why"),
    [(wrong, "double is not right so far"), (TODO, "double is not right so far"), (None, "double is not right so far")],
)
def test_what_is_not_right_is_not_kept(path, shown, answer, why):
    keep(FILE, {ID: plain})
    before = path.read_bytes()
    assert keep(FILE, {ID: answer}) is None and path.read_bytes() == before
    assert shown.plain[-1] == f"○ Nothing is kept in {FILE} yet: {why}."


def test_what_was_kept_before_is_never_lost(path, shown):
    keep(FILE, {ID: plain})
    first = path.read_bytes()
    keep(FILE, {ID: plain})
    assert [*path.parent.glob("*")] == [path]  # the same again is nothing new
    for count in (1, 2):
        path.write_text(f"mine = {count}\n", encoding="utf-8")
        assert keep(FILE, {ID: plain}) and path.read_bytes() == first
        name = f"my_double_before_{count}.py"
        assert path.with_name(name).read_text("utf-8") == f"mine = {count}\n"
        assert f"What it held before is in {name} now." in shown.plain[-1]


DATA = np.array(2.0)


def with_an_array_from_elsewhere(x):
    return DATA * x


def test_what_does_not_stand_alone_is_not_kept(path, shown):
    assert keep(FILE, {ID: with_an_array_from_elsewhere}) is None and not path.exists()
    assert "needs something from another cell" in shown.plain[-1]
    assert keep(FILE, {ID: lambda x: 2 * x}) is None and not path.exists()
    assert "the code of <lambda> cannot be read" in shown.plain[-1]


def test_a_file_that_breaks_half_way_leaves_what_was_there(path, monkeypatch):
    keep(FILE, {ID: double})
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        keeping._replaced(path, "x = 1\n")
    assert path.read_bytes() == before and [*path.parent.glob("*")] == [path]
