"""A costly group of tests is run again when anything that it depends on has changed, and only then."""

import json
import subprocess
import sys

import pytest

from tests import groups
from tests.conftest import ROOT

FILES = {
    "tests/__init__.py": "",
    "tests/conftest.py": "from lib import fixtures\n",
    "tests/costly/__init__.py": "",
    "tests/costly/test_it.py": 'from lib.inner import made\nPAGE = "docs/page.md"\nNAMES = f"lessons.{made}"\n',
    "tests/costly/expected/a.txt": "1",
    "tests/test_other.py": "from lib import outside\n",
    "lib/__init__.py": "",
    "lib/fixtures.py": "import json\n",
    "lib/inner/__init__.py": "from lib.inner.deep import made\n",
    "lib/inner/deep.py": 'made = open("table.toml")\n',
    "lib/inner/table.toml": "a = 1\n",
    "lib/outside.py": "",
    "lessons/one/quiz.toml": "",
    "docs/page.md": "make test\n",
    "docs/other.md": "",
    "conftest.py": "from lib import hooks\n",
    "lib/hooks.py": "",
    "pyproject.toml": "",
    ".ci/run": "",
}
GROUP = groups.Group(f"{sys.executable} -c pass", ("tests/costly",))
OUTSIDE = {"tests/test_other.py", "lib/outside.py", "docs/other.md"}


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small checkout with one group."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=a")
    monkeypatch.setattr(groups, "GROUPS", {"costly": GROUP})
    monkeypatch.setattr(groups, "ROOT", tmp_path)
    return groups.Tree(tmp_path)


def test_what_it_depends_on_brings_it_back_and_nothing_else_does(tree):
    assert groups.main(["--all"]) == 0
    assert groups.due(tree) == []
    assert set(FILES) - set(tree.needed(GROUP.begins)) == OUTSIDE
    for name, text in FILES.items():
        (tree.root / name).write_text(text + "#")
        assert groups.due(tree) == ([] if name in OUTSIDE else ["costly"]), name
        (tree.root / name).write_text(text)
    assert groups.due(tree) == []


def test_two_branches_that_passed_are_run_again_when_they_are_merged(tree):
    for branch, name in (("one", "lib/fixtures.py"), ("two", "lib/inner/deep.py")):
        git(tree.root, "switch", "--quiet", "--create", branch, "main")
        (tree.root / name).write_text(f"{FILES[name]}# {branch}\n")
        assert groups.due(tree) == ["costly"] and groups.main(["--all"]) == 0 and groups.due(tree) == []
        git(tree.root, "add", "--all")
        git(tree.root, "commit", "--quiet", "--message=b")
    with pytest.raises(subprocess.CalledProcessError):  # both wrote one line
        git(tree.root, "merge", "one")
    git(tree.root, "checkout", "--ours", groups.PASSED)
    assert groups.due(tree) == ["costly"]
    git(tree.root, "checkout", "--theirs", groups.PASSED)
    assert groups.due(tree) == ["costly"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("pass", ""),
        ("raise SystemExit(1)", "it failed"),
        ("print('5 passed, 1 skipped in 3 s')", "something was skipped"),
        ("print('5 passed, 10 skipped')", "something was skipped"),
        ("open('docs/other.md').close()", "it read docs/other.md"),
        ("import lib.outside", "it read lib/outside.py"),
        ("import lib.inner", ""),
    ],
)
def test_only_what_passed_whole_and_read_nothing_else_is_noted(tree, monkeypatch, program, why):
    program = f"import sys; sys.path.insert(0, '.'); {program}"
    (tree.root / "program.py").write_text(program)
    command = f"{sys.executable} program.py"
    monkeypatch.setattr(groups, "GROUPS", {"costly": groups.Group(command, GROUP.begins)})
    (tree.root / "lib/inner/deep.py").write_text("made = 1\n")
    assert groups.run("costly", groups.Tree(tree.root)) == why
    assert groups.main(["--all"]) == (1 if why else 0)
    noted = tree.root / groups.PASSED
    assert noted.is_file() == (not why)
    if not why:
        assert json.loads(noted.read_text()) == {"costly": groups.Tree(tree.root).digest(GROUP.begins)}


def test_the_folders_of_the_groups_are_all_that_a_plain_run_leaves_out():
    left_out = groups.Tree(ROOT)
    for name, group in groups.GROUPS.items():
        assert all(left_out._below(place) for place in group.begins), name
    noted = groups.passed(ROOT)
    assert set(noted) <= set(groups.GROUPS)


def test_a_group_of_which_make_test_asks_a_part_is_left_to_the_long_run(tree, monkeypatch):
    monkeypatch.setattr(groups, "GROUPS", {"costly": groups.Group(GROUP.command, GROUP.begins, sampled=True)})
    assert groups.due(tree) == [] and groups.main(["--all"]) == 0
    assert set(groups.passed(tree.root)) == {"costly"}


def test_a_group_of_the_whole_course_is_not_brought_back_by_what_is_noted(tree, monkeypatch):
    monkeypatch.setattr(groups, "GROUPS", {"costly": groups.Group(GROUP.command, (".",))})
    assert groups.main(["--all"]) == 0
    git(tree.root, "add", "--all")
    assert groups.due(groups.Tree(tree.root)) == []
    (tree.root / "docs/other.md").write_text("#")
    assert groups.due(groups.Tree(tree.root)) == ["costly"]
