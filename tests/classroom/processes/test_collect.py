"""Collecting the work on the class server: each home is read as its owner, and nothing but plain files comes along."""

import json
import os
import pwd
import secrets
import subprocess
import time

import pytest

from classroom.marking import handed_in
from classroom.server import collect, settings

NOTEBOOK = "05_position_independence.ipynb"
WORK = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}]})
PROGRESS = json.dumps({"version": 2, "entries": {"start_here.double": {"status": "correct", "attempts": 1}}})


@pytest.fixture
def users():
    """Two Unix users, who did not exist before and do not exist afterwards."""
    assert os.geteuid() == 0, "This test makes Unix users: run it as root, in a container of its own."
    names = [f"ffn-{secrets.token_hex(6)}" for _ in range(2)]
    try:
        for name in names:
            subprocess.run(["useradd", "--create-home", name], check=True)
            os.chmod(pwd.getpwnam(name).pw_dir, 0o700)
        yield names
    finally:
        for name in names:
            subprocess.run(["userdel", "--remove", name], capture_output=True)


def put(name, content):
    """Give a user a notebook and progress; return the folder."""
    user = pwd.getpwnam(name)
    folder = settings.Path(user.pw_dir) / settings.NAME / "my_notebooks"
    (folder / ".course").mkdir(parents=True)
    (folder / NOTEBOOK).write_text(content)
    (folder / ".course" / "progress.json").write_text(PROGRESS)
    own(name, folder.parent)
    return folder


def own(name, folder):
    user = pwd.getpwnam(name)
    for place, _, names in os.walk(folder):
        for path in (place, *(f"{place}/{one}" for one in names)):
            os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


def server(tmp_path, names, python="/usr/bin/python3"):
    return settings.Place(tmp_path / "hub", tuple(names), "ffn-nobody", 800, False, ["proxy"], python, tmp_path)


def test_links_pipes_and_huge_files_stay_where_they_are(users, tmp_path):
    anna, ben = users
    folder, others = put(anna, WORK), put(ben, "a secret of ben")
    secret = tmp_path / "secret.ipynb"
    secret.write_text("a secret of root")
    secret.chmod(0o600)
    (folder / "01_linear_limits.ipynb").symlink_to(secret)
    (folder / "02_relu_vs_gelu.ipynb").symlink_to(others / NOTEBOOK)
    os.mkfifo(folder / "03_build_the_ffn.ipynb")
    with open(folder / "04_expand_and_contract.ipynb", "wb") as file:
        file.truncate(10 << 30)
    (folder / "notes.txt").write_text("not handed in")
    (folder.parent / "06_parameter_share.ipynb").write_text("not in my_notebooks")
    own(anna, folder.parent)
    os.chown(folder / "03_build_the_ffn.ipynb", pwd.getpwnam(anna).pw_uid, -1)

    began = time.monotonic()
    found = collect.collect(server(tmp_path, users), users, tmp_path / "class")
    assert time.monotonic() - began < 30
    taken = sorted(path.relative_to(tmp_path / "class" / anna).as_posix() for path in walk(tmp_path / "class" / anna))
    assert taken == [".course/progress.json", NOTEBOOK]
    assert (tmp_path / "class" / ben / NOTEBOOK).read_text() == "a secret of ben"
    assert found[ben] == [] and [one.partition(" ")[0][:2] for one in found[anna]] == ["01", "02", "03", "04"]
    for word, problem in zip(("link", "link", "plain file", "too large"), found[anna], strict=True):
        assert word in problem
    assert not [path for path in walk(tmp_path / "class" / anna) if b"secret" in path.read_bytes()]
    assert (tmp_path / "class").stat().st_mode & 0o077 == 0
    read = {one.name: one for one in handed_in.read(tmp_path / "class")[0]}
    assert list(read[anna].cells) == ["position_independence"] and read[anna].started


def test_collecting_again_replaces_what_was_there_for_the_owner_of_the_folder(users, tmp_path):
    anna, ben = users
    folder, tidy, teacher = put(anna, WORK), put(ben, WORK), pwd.getpwnam("nobody").pw_uid
    (tmp_path / "desk").mkdir()
    os.chown(tmp_path / "desk", teacher, -1)
    target = tmp_path / "desk" / "class"
    collect.collect(server(tmp_path, users), users, target)
    (folder / NOTEBOOK).rename(folder / "06_parameter_share.ipynb")
    (tidy / NOTEBOOK).write_text("later")
    own(ben, tidy)
    collect.collect(server(tmp_path, users), users, target)
    assert {path.name for path in walk(target / anna)} == {"06_parameter_share.ipynb", "progress.json"}
    assert (target / ben / NOTEBOOK).read_text() == "later"
    assert {path.stat().st_uid for path in (target, *target.rglob("*"))} == {teacher}
    (target / "my notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="my notes.txt"):
        collect.collect(server(tmp_path, users), users, target)
    assert (target / ben / NOTEBOOK).read_text() == "later"


def walk(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("linked", ["ffn-course", "my_notebooks", ".course"])
def test_folder_that_is_a_link_is_not_entered(users, tmp_path, linked):
    anna, _ = users
    folder = put(anna, WORK)
    elsewhere = folder.parent.parent / "elsewhere"  # where the learner may read
    place = {"ffn-course": folder.parent, "my_notebooks": folder, ".course": folder / ".course"}[linked]
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    collect.collect(server(tmp_path, users), [anna], tmp_path / "class")
    expected = [NOTEBOOK] if linked == ".course" else []
    assert [path.name for path in walk(tmp_path / "class")] == expected


def test_child_that_reads_is_the_learner(users, tmp_path, monkeypatch):
    anna, _ = users
    put(anna, WORK)
    asking = tmp_path / "reader.py"
    asking.write_text(
        'import os\nprint(\'{"name": "%d", "problem": "%d %s"}\' % (os.getuid(), os.getgid(), os.getgroups()))'
    )
    monkeypatch.setattr(collect, "_READER", asking)
    found = collect.collect(server(tmp_path, users), [anna], tmp_path / "class")
    user = pwd.getpwnam(anna)
    assert found[anna][0] == f"{user.pw_uid} {user.pw_gid} []"


LIES = {
    "a name that leads out": 'print(\'{"name": "../../out.ipynb", "size": 1}\\nx\', end=\'\')',
    "a size that cannot be": 'print(\'{"name": "a.ipynb", "size": 99999999999}\')',
    "no JSON": "print('hello')",
    "a line without an end": "print('x' * 10**7, end='')",
    "an end too early": 'print(\'{"name": "a.ipynb", "size": 100}\\nx\', end=\'\')',
    "no end": 'import time\nwhile True: print(\'{"name": "a", "problem": "b"}\')',
    "silence": "import time\ntime.sleep(1000)",
}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_child_sends_is_not_believed(users, tmp_path, monkeypatch, lie):
    (tmp_path / "reader.py").write_text(LIES[lie])
    monkeypatch.setattr(collect, "_READER", tmp_path / "reader.py")
    monkeypatch.setattr(collect, "SECONDS", 2)
    before = set(walk(tmp_path))
    found = collect.collect(server(tmp_path, users), users[:1], tmp_path / "class")
    assert found[users[0]] and set(walk(tmp_path)) == before
