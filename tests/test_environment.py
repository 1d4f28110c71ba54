"""The environment check names what is missing in plain words, with the cure."""

import importlib.util

import pytest

from course_lib import environment


def test_all_is_well_here(shown, tmp_path):
    assert environment.problems(folder=tmp_path) == []
    environment.report()
    assert len(shown.plain) == 1
    assert all(name in shown.plain[0] for name in environment.NEEDED)


@pytest.mark.parametrize("missing", environment.NEEDED)
def test_missing_package(missing, tmp_path):
    def find(name):
        return None if name == missing else importlib.util.find_spec(name)

    (sentence,) = environment.problems(find=find, folder=tmp_path)
    assert sentence.startswith(f"The package {missing} (") and "pip install -r requirements.txt" in sentence


@pytest.mark.parametrize(
    ("version", "fine"), [((3, 10, 14), False), ((3, 11, 0), True), ((3, 14), True), ((4, 0), True)]
)
def test_python_version(version, fine, tmp_path):
    found = environment.problems(version=version, folder=tmp_path)
    assert (found == []) is fine
    assert fine or found == ["Python 3.11 or newer is needed, but this is Python 3.10."]


def test_folder_that_cannot_be_written(tmp_path, monkeypatch, shown):
    folder = tmp_path / "missing"
    (sentence,) = environment.problems(folder=folder)
    assert sentence.startswith(f"The folder {folder} cannot be written")
    monkeypatch.setenv("COURSE_PROGRESS", str(folder / "progress.json"))
    environment.report()
    assert shown.plain == [f"✗ {sentence}"] and shown.markdown == [f"- ✗ {sentence}"]
