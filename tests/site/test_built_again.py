"""The pages are built again when something that they are made of is newer, and served as a browser needs them."""

import os

import pytest

from publish.learner import pages


@pytest.mark.parametrize(("newer", "built"), [("", True), ("lessons/one/quiz.toml", False)])
def test_pages_are_built_where_they_are_missing_or_old(tmp_path, monkeypatch, newer, built):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    assert not pages.is_built(tmp_path / "site")
    for place, name in enumerate(["lessons/one/quiz.toml", "notebooks/01.ipynb", "site/index.html"]):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("")
        os.utime(path, (place, 9 if name == newer else place))
    assert pages.is_built(tmp_path / "site") is built
