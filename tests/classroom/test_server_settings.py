"""The settings of the class server: what load tests found stays set. The server itself: tests/classroom/server."""

import dataclasses
import json
import os
import subprocess
import sys
import uuid
from types import SimpleNamespace

import pytest
from traitlets.config import Config

from classroom.server import manage, settings, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the class server needs Linux")


@pytest.fixture
def place(tmp_path):
    """A place for a class of three, with the passwords made."""
    made = settings.Place(
        tmp_path / "hub", ("anna", "ben"), "ms-lee", 8000, False, ("proxy",), sys.executable, tmp_path / "course"
    )
    made.write()
    return made


@pytest.fixture
def c(place):
    made = Config()
    settings.configure(made, place)
    return made


@pytest.fixture
def of_a_learner(place, tmp_path):
    """Return the variables of a learner's server."""
    made = Config()
    settings.configure(made, dataclasses.replace(place, course=start.publish_course(tmp_path / "course")))
    return os.environ | {"PYTHONPATH": made.Spawner.environment["PYTHONPATH"]}


def test_place_is_kept_for_nobody_else(place):
    assert settings.Place.read(place.folder / "place.json") == place
    assert place.folder.stat().st_mode & 0o077 == 0 and place.passwords.stat().st_mode & 0o077 == 0
    before = place.passwords.read_text()
    place.write()
    assert place.passwords.read_text() == before


def test_servers_and_kernels_of_learners_load_without_what_they_never_use(of_a_learner):
    code = """import sys
import ipykernel.debugger, jupyter_server.serverapp
print("lark" in sys.modules, ipykernel.debugger._is_debugpy_available)"""
    done = subprocess.run([sys.executable, "-c", code], env=of_a_learner, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False False\n", "")


def test_only_the_roster_gets_in_and_the_teacher_has_another_password(c):
    assert c.Authenticator.allowed_users == {"anna", "ben", "ms-lee"}
    login = c.ClassAuthenticator
    assert login.teacher == "ms-lee" and login.learners_password != login.teachers_password
    assert len(login.teachers_password) >= 32


def test_passwords_are_shown_and_changed_by_a_command_and_printed_by_no_start(place, capsys):
    before, secret = json.loads(place.passwords.read_text()), place.folder / "cookie_secret"
    secret.touch()
    start.announce(place)
    folder, said = ["--folder", str(place.folder)], capsys.readouterr().out
    assert not any(one in said for one in before.values()) and "manage passwords" in said
    assert manage.main(["passwords", *folder]) == 0 and secret.exists()
    assert capsys.readouterr().out == f"The class: {before['learners']}\nms-lee: {before['teacher']}\n"
    assert manage.main(["new-passwords", *folder]) == 0 and not secret.exists()
    after, said = json.loads(place.passwords.read_text()), capsys.readouterr().out
    assert after["root"] == before["root"] and after["learners"] in said and after["teacher"] in said
    assert not {after["learners"], after["teacher"]} & {*before.values()}
    assert place.passwords.stat().st_mode & 0o077 == 0


def test_each_learner_has_an_address_of_their_own_where_the_school_has_names_for_them(c, place, capsys):
    assert "subdomain_host" not in c.JupyterHub
    named, url = Config(), "https://hub.school.example"
    settings.configure(named, settings.Place(**{**place.__dict__, "subdomains": url}))
    assert named.JupyterHub.subdomain_host == url
    start.announce(settings.Place(**{**place.__dict__, "subdomains": url}))
    assert f"The class server: {url}" in capsys.readouterr().out


def test_folders_of_sockets_are_made_for_the_hub_alone(place, tmp_path, monkeypatch):
    monkeypatch.setattr(settings.Place, "sockets", tmp_path / "sockets")
    place.make_sockets()
    modes = {name: (place.sockets / name).stat().st_mode & 0o777 for name in (".", "new", "kept")}
    assert modes == {".": 0o755, "new": 0o755, "kept": 0o700}
    monkeypatch.setattr(os, "geteuid", lambda: -1)
    with pytest.raises(PermissionError, match="belongs to somebody else"):
        place.make_sockets()


@pytest.mark.parametrize("simple", [True, False])
def test_paths_of_the_servers_sockets_are_short_enough_and_in_small_letters(place, simple):
    """The hub's HTTP client makes the address small, wherever the course lies."""
    made = settings.Place(**{**place.__dict__, "simple": simple, "folder": settings.Path("/home/Anna/" + "x" * 90)})
    path = str(made.sockets / "new" / ("x" * 32) / "socket")
    assert len(path) <= 104 and path == path.lower()  # 107, on macOS 104


def test_commands_need_a_hub_and_names_of_the_roster(place, capsys):
    assert manage.main(["list", "--folder", str(place.folder / "none")]) == 1
    assert "No class server runs with the folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        manage.main(["start", "carl", "--folder", str(place.folder)])
    assert "not on the roster: carl; on it: anna, ben, ms-lee" in capsys.readouterr().err
    assert manage.main(["start", "--folder", str(place.folder)]) == 1
    assert "No class server runs with the folder" in capsys.readouterr().err


def test_roster(tmp_path):
    path = tmp_path / "roster.txt"
    path.write_text("# class 7b\nteacher: ms-lee\nanna\n\nben  # in the back\n")
    assert settings.roster(path) == (("anna", "ben"), "ms-lee")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("anna\n", "must name learners"),
        ("teacher: t\n", "must name learners"),
        ("teacher: t\nanna\nanna\n", "line 3: 'anna' appears twice"),
        ("teacher: t\nroot\n", "belongs to the system"),
        ("teacher: t\nanna; rm -rf\n", "lower-case letters"),
        ("teacher: t\nanna a@b\n", "line 2: 'anna a@b' must consist of lower-case letters"),
        ("teacher: t\n../x\n", "lower-case letters"),
        ("teacher: t\n-f\n", "lower-case letters"),
        ("teacher: t\nzoë\n", "is not in UTF-8"),
        ("teacher: t\n" + "\n".join(f"anna-{number}" for number in range(100)), "names 100 learners"),
    ],
)
def test_wrong_rosters_are_said(tmp_path, lines, says):
    path = tmp_path / "roster.txt"
    path.write_text(lines, encoding="latin-1")
    with pytest.raises(ValueError, match=says):
        settings.roster(path)


def test_missing_proxy_and_users_are_said(place):
    """Under a name that no other program can have made meanwhile."""
    name = f"nobody-{uuid.uuid4().hex[:12]}"
    found = "\n".join(settings.problems(dataclasses.replace(place, learners=(name,), proxy=(name,))))
    assert "configurable-http-proxy is missing" in found
    assert f"There is no Unix user {name}" in found


def test_a_learner_goes_on_where_the_progress_ends(place, tmp_path, monkeypatch):
    spawner = SimpleNamespace(user=SimpleNamespace(name="anna"), environment={"PYTHONPATH": ""}, default_url="first")
    for said, opened in (
        ("04_expand_and_contract.ipynb\n", settings.opens("04_expand_and_contract.ipynb")),
        ("", "first"),
        ("../x.ipynb", "first"),
    ):
        spawner.default_url = "first"
        done = SimpleNamespace(returncode=0, stderr="", stdout=said)
        monkeypatch.setattr(settings, "as_user", lambda name: {})
        monkeypatch.setattr(settings.Place, "home", lambda place, name: tmp_path)
        monkeypatch.setattr(settings.subprocess, "run", lambda *_, done=done, **__: done)
        settings.prepare(spawner, place)
        assert spawner.default_url == opened


def test_course_that_learners_get_is_readable_and_holds_no_solutions(tmp_path):
    course = start.publish_course(tmp_path / "course")
    files = [path for path in course.rglob("*") if path.is_file()]
    assert not [path for path in files if path.name == "solutions.py" or "classroom" in path.parts[-2:]]
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in files) and course.stat().st_mode & 0o777 == 0o755


def test_root_must_name_the_class(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit):
        start.main([])
    assert "--roster FILE" in capsys.readouterr().err
