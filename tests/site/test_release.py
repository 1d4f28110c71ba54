"""A release: it is refused where it would not be what it says, and everything names the same version."""

import json
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest

import course_lib
from classroom import report_page
from courseware import __version__, progress
from publish import release
from tests.conftest import ROOT
from tests.publish.clones import git


@pytest.fixture
def clone(tmp_path):
    """A clone with nothing in it but a changelog of this version, committed."""
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## {__version__}\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=Begin")
    return tmp_path


def test_a_release_of_what_is_not_committed_is_refused(clone):
    assert release.refusal(clone) == ""
    (clone / "new.txt").write_text("")
    assert release.refusal(clone).endswith("and this is not:\n?? new.txt")


def test_a_version_that_the_changelog_lacks_is_refused(clone, monkeypatch):
    monkeypatch.setattr(release, "__version__", f"{__version__}.1")
    assert f"no section {__version__}.1:" in release.refusal(clone)


def test_everything_names_the_same_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "courseware.__version__"}
    said = subprocess.run([sys.executable, "-I", "-S", ROOT / "start.py", "--version"], capture_output=True, text=True)
    assert said.stdout == f"{__version__}\n", said.stderr
    assert course_lib.__version__ == __version__
    assert json.loads(progress.written({}, "Zoë"))["course"] == __version__
    report = SimpleNamespace(around=SimpleNamespace(network=True, hidden=True, library=True))
    assert f"version {__version__} of" in report_page._how(report)
