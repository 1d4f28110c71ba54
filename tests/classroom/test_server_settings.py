"""The settings of the class server: what load tests found stays set. The server itself: tests/classroom/server."""

import asyncio
import os
import sys
from types import SimpleNamespace

import pytest
from traitlets.config import Config

from classroom.server import settings, start


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


def test_place_is_kept_for_nobody_else(place):
    assert settings.Place.read(place.folder / "place.json") == place
    assert place.folder.stat().st_mode & 0o077 == 0 and place.passwords.stat().st_mode & 0o077 == 0
    before = place.passwords.read_text()
    place.write()
    assert place.passwords.read_text() == before


def test_numbers_from_load_tests(c):
    assert c.Spawner.http_timeout == c.Spawner.start_timeout == 120
    assert c.JupyterHub.concurrent_spawn_limit >= 100
    assert {c.Spawner.environment[name] for name in settings.ONE_THREAD} == {"1"}
    thresholds = [int(c.Spawner.environment[f"MALLOC_{name}_THRESHOLD_"]) for name in ("MMAP", "TRIM")]
    assert thresholds == [256 * 1024, 1024 * 1024]
    assert c.Spawner.cmd[:2] == ["prlimit", "--as=2500000000"]
    assert "--KernelManager.transport=ipc" in c.Spawner.args
    assert "--ServerApp.terminals_enabled=False" in c.Spawner.args
    assert c.Spawner.disable_user_config and not c.JupyterHub.cleanup_servers


def test_a_class_never_gets_the_simple_spawner(c, place):
    assert c.JupyterHub.spawner_class == "jupyterhub.spawner.LocalProcessSpawner"
    assert "--allow-root" not in c.Spawner.args
    assert c.JupyterHub.bind_url == "http://127.0.0.1:8000"


def test_only_the_roster_gets_in_and_the_teacher_has_another_password(c):
    assert c.Authenticator.allowed_users == {"anna", "ben", "ms-lee"} and c.Authenticator.admin_users == {"ms-lee"}
    assert c.SharedPasswordAuthenticator.user_password != c.SharedPasswordAuthenticator.admin_password
    assert len(c.SharedPasswordAuthenticator.admin_password) >= 32


def test_every_server_has_a_port_of_its_own(place, monkeypatch):
    monkeypatch.setattr(settings.subprocess, "run", lambda *args, **options: SimpleNamespace(returncode=0, stderr=""))
    monkeypatch.setattr(settings, "as_user", lambda name: {})
    monkeypatch.setattr(settings.Place, "home", lambda self, name: self.folder)
    ports, names = [], ["anna", "ben", "ms-lee"]
    for name in names:
        spawner = SimpleNamespace(user=SimpleNamespace(name=name), environment={"PYTHONPATH": ""})
        asyncio.run(settings.prepared(spawner, place, names))
        ports.append(spawner.port)
    assert len(set(ports)) == 3 and min(ports) >= settings.PORTS


def test_no_port_is_one_that_the_system_gives_to_outgoing_connections(place, monkeypatch):
    monkeypatch.setattr(settings.subprocess, "run", lambda *args, **options: SimpleNamespace(returncode=0, stderr=""))
    monkeypatch.setattr(settings, "as_user", lambda name: {})
    monkeypatch.setattr(settings.Place, "home", lambda self, name: self.folder)
    names = [f"learner-{number}" for number in range(settings.MOST)]
    spawner = SimpleNamespace(user=SimpleNamespace(name=names[-1]), environment={"PYTHONPATH": ""})
    ports = []
    for port in range(8000, 9000, 10):
        asyncio.run(settings.prepared(spawner, settings.Place(**{**place.__dict__, "port": port}), names))
        ports.append(spawner.port)
    assert len(set(ports)) == 100 and max(ports) < 32_768


def test_socket_paths_are_short_enough(c, monkeypatch):
    monkeypatch.setattr(settings.Place, "home", lambda self, name: settings.Path("/home") / name)
    runtime = c.Spawner.environment["JUPYTER_RUNTIME_DIR"](SimpleNamespace(user=SimpleNamespace(name="x" * 32)))
    assert len(f"{runtime}/kernel-{'0' * 36}-ipc-5") <= 107


def test_the_teacher_is_told_where_all_servers_are_started(place, capsys):
    """Whoever logs in is led to a server of their own, where no button starts those of others."""
    start.announce(place)
    said = capsys.readouterr().out
    assert "http://127.0.0.1:8000/hub/admin" in said and "Start All" in said and "A DEMONSTRATION" not in said


def test_roster(tmp_path):
    path = tmp_path / "roster.txt"
    path.write_text("# class 7b\nteacher: ms-lee\nanna\n\nben  # in the back\n")
    assert settings.roster(path) == (("anna", "ben"), "ms-lee")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("anna\n", "must name learners"),
        ("teacher: t\n", "must name learners"),
        ("teacher: t\nanna\nanna\n", "line 3: 'anna' is there twice"),
        ("teacher: t\nroot\n", "the system's own"),
        ("teacher: t\nanna; rm -rf\n", "small letters"),
        ("teacher: t\n../x\n", "small letters"),
        ("teacher: t\n-f\n", "small letters"),
        ("teacher: t\n" + "\n".join(f"anna-{number}" for number in range(100)), "names 100 learners"),
    ],
)
def test_wrong_rosters_are_said(tmp_path, lines, says):
    path = tmp_path / "roster.txt"
    path.write_text(lines)
    with pytest.raises(ValueError, match=says):
        settings.roster(path)


def test_missing_proxy_and_users_are_said(place):
    found = "\n".join(settings.problems(place))
    assert "npm install --global configurable-http-proxy@5.3.0" in found
    assert "There is no Unix user anna" in found


def test_course_that_learners_get_is_readable_and_holds_no_solutions(tmp_path):
    course = start.publish_course(tmp_path / "course")
    files = [path for path in course.rglob("*") if path.is_file()]
    assert not [path for path in files if path.name == "solutions.py" or "classroom" in path.parts[-2:]]
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in files) and course.stat().st_mode & 0o777 == 0o755


def test_announcement_warns_of_a_demonstration(place, capsys):
    start.announce(settings.Place(**{**place.__dict__, "simple": True}))
    assert "A DEMONSTRATION FOR ONE PERSON" in capsys.readouterr().out
    start.announce(place)
    said = capsys.readouterr().out
    assert "DEMONSTRATION" not in said and "http://127.0.0.1:8000" in said and "Start All" in said


def test_root_must_name_the_class(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit):
        start.main([])
    assert "--roster FILE" in capsys.readouterr().err
