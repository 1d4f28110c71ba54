"""Drawings are made again when something that they rest on has changed, and only then."""

import pickle

import pytest

from publish.site import build, cache
from tests.conftest import NOTEBOOKS

PATH = NOTEBOOKS / "01_linear_limits.ipynb"


@pytest.fixture
def kept(site):
    """Return what the site that was built for these tests keeps of lesson 01."""
    return pickle.loads((build.CACHE / f"{PATH.stem}.pickle").read_bytes())


def test_what_a_lesson_rests_on_is_known(kept):
    names = set(kept.files)
    assert {"lessons/linear_limits/figures.py", "course_lib/model/training.py"} <= names
    assert {"courseware/page/style.py", "publish/site/svg.py"} <= names
    assert not any(name.startswith(("whywrong", "courseware/guess", "lessons/relu_vs_gelu")) for name in names)
    model = pickle.loads((build.CACHE / "10_inside_a_language_model.pickle").read_bytes())
    assert "course_lib/model/language_model.npz" in model.files  # a file that is opened, and no module
    assert "course_lib/model/language_model.npz" not in names


def test_a_change_is_seen(kept, tmp_path, monkeypatch):
    assert kept.holds(PATH)
    other = tmp_path / PATH.name
    text = PATH.read_text("utf-8")
    other.write_text(text.replace("steps=400", "steps=401"), encoding="utf-8")
    assert other.read_text("utf-8") != text and not kept.holds(other)
    other.write_text(text.replace("You will learn", "You will see"), encoding="utf-8")
    assert other.read_text("utf-8") != text and kept.holds(other)  # words for a page are no drawing
    for name in kept.files:
        changed = cache.Kept(kept.code, {**kept.files, name: "another mark"}, {}, 0.0)
        assert not changed.holds(PATH)


def test_what_was_edited_after_it_was_loaded_is_not_kept(monkeypatch):
    path = NOTEBOOKS / "00_start_here.ipynb"
    monkeypatch.setattr(cache, "LOADED", max(one.stat().st_mtime for one in cache.RECORDER) - 1)
    monkeypatch.setattr(cache.capture, "run", lambda path: {})
    now = cache.drawn_now(path)
    assert not now.holds(path)
    del now.files[""]
    assert now.holds(path)


def test_a_damaged_file_is_made_again(tmp_path):
    (tmp_path / "a.pickle").write_bytes(b"no pickle")
    assert cache._read(tmp_path / "a.pickle") is None and cache._read(tmp_path / "b.pickle") is None
