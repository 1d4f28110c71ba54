"""The settings of the class server: what load tests found stays set. The server itself: tests/classroom/server."""

import configparser
import dataclasses
import json
import os
import re
import subprocess
import sys
import uuid
from types import SimpleNamespace

import psutil
import pytest
from jupyter_client.manager import KernelManager
from traitlets.config import Config

from classroom.server import accounts, manage, settings, start
from tests.conftest import ROOT

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


def test_kernel_of_a_learner_listens_on_no_port_and_keeps_what_children_print_to_itself(of_a_learner, tmp_path):
    manager = KernelManager(transport="ipc", connection_file=str(tmp_path / "k"))
    manager.start_kernel(env=of_a_learner)
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=60)
        kernel, said = psutil.Process(manager.provisioner.pid), []
        assert kernel.net_connections("inet") == []
        code = "import os\nif not (child := os.fork()): print('child', flush=True); os._exit(0)\n"
        hook = lambda one: said.append(one["content"].get("text", ""))  # noqa: E731
        client.execute_interactive(f"{code}print(os.waitpid(child, 0)[1])", output_hook=hook, timeout=60)
        assert "".join(said) == "0\n"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


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
    assert c.JupyterHub.spawner_class == "classroom.server.sockets.SocketSpawner"
    assert "--allow-root" not in c.Spawner.args
    assert c.JupyterHub.bind_url == "http://127.0.0.1:8000"


def test_only_the_roster_gets_in_and_the_teacher_has_another_password(c):
    assert c.Authenticator.allowed_users == {"anna", "ben", "ms-lee"}
    login = c.ClassAuthenticator
    assert login.teacher == "ms-lee" and login.learners_password != login.teachers_password
    assert len(login.teachers_password) >= 32


def test_nobody_is_an_administrator_and_roots_token_can_do_no_more_than_start_and_stop(c):
    assert not c.Authenticator.admin_users
    roles = {role["name"]: role for role in c.JupyterHub.load_roles}
    assert roles["admin"] == {"name": "admin", "users": [], "services": []}
    assert roles["root"]["scopes"] == ["list:users", "servers"]
    (root,) = [service for service in c.JupyterHub.services if service["name"] == "root"]
    assert len(root["api_token"]) >= 64


def test_passwords_of_an_older_hub_stay_and_what_is_new_is_added(place):
    place.passwords.write_text('{"learners": "old", "teacher": "older"}')
    place.write()
    found = json.loads(place.passwords.read_text())
    assert found["learners"] == "old" and found["teacher"] == "older" and len(found["root"]) == 64


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


def test_the_hub_listens_on_one_port_and_everything_else_is_a_socket_where_only_root_makes_one(c, place):
    sockets = "http+unix://%2Frun%2Fffn-hub-8000%2F"
    assert c.JupyterHub.hub_bind_url == c.JupyterHub.hub_connect_url == f"{sockets}hub"
    assert c.ConfigurableHTTPProxy.api_url == f"{sockets}kept%2F.proxy"
    assert c.SocketSpawner.sockets == str(place.sockets) == "/run/ffn-hub-8000"


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


def test_processes_of_a_learner_are_limited_also_in_what_brings_the_course_up(c, place):
    assert f"--nproc={settings.PROCESSES}" in c.Spawner.cmd and c.Spawner.cmd[:4] == settings.limits(place)
    simple = settings.Place(**{**place.__dict__, "simple": True})
    assert "--nproc" not in " ".join(settings.limits(simple))  # there it would count all that its user runs


def test_socket_paths_are_short_enough(c, monkeypatch):
    monkeypatch.setattr(settings.Place, "home", lambda self, name: settings.Path("/home") / name)
    runtime = c.Spawner.environment["JUPYTER_RUNTIME_DIR"](SimpleNamespace(user=SimpleNamespace(name="x" * 32)))
    assert len(f"{runtime}/kernel-{'0' * 36}-ipc-5") <= 107


@pytest.mark.parametrize("simple", [True, False])
def test_paths_of_the_servers_sockets_are_short_enough_and_in_small_letters(place, simple):
    """The hub's HTTP client makes the address small, wherever the course lies."""
    made = settings.Place(**{**place.__dict__, "simple": simple, "folder": settings.Path("/home/Anna/" + "x" * 90)})
    path = str(made.sockets / "new" / ("x" * 32) / "socket")
    assert len(path) <= 104 and path == path.lower()  # 107, on macOS 104


def test_the_command_that_starts_all_servers_is_told(place, capsys):
    start.announce(place)
    said = capsys.readouterr().out
    assert f"{sys.executable} -m classroom.server.manage start --folder {place.folder}" in said
    assert "manage stop" in said and "/hub/admin" not in said and "A DEMONSTRATION" not in said


def test_commands_need_a_hub_and_names_of_the_roster(place, capsys):
    assert manage.main(["list", "--folder", str(place.folder / "none")]) == 1
    assert "No class server runs with the folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        manage.main(["start", "carl", "--folder", str(place.folder)])
    assert "not on the roster: carl; on it: anna, ben, ms-lee" in capsys.readouterr().err
    assert manage.main(["start", "--folder", str(place.folder)]) == 1
    assert "No class server runs with the folder" in capsys.readouterr().err


def test_who_is_not_on_the_roster_is_deleted_from_the_hub(c):
    assert c.Authenticator.delete_invalid_users
    names = ("anna", "ben", "ms-lee", "ann", "anna-2", "anna\n", "-")
    assert [one for one in names if re.match(c.Authenticator.username_pattern, one)] == ["anna", "ben", "ms-lee"]


def test_roster(tmp_path):
    path = tmp_path / "roster.txt"
    path.write_text("# class 7b\nteacher: ms-lee\nanna\n\nben  # in the back\n")
    assert settings.roster(path) == (("anna", "ben"), "ms-lee")
    assert accounts.names(path) == {"anna": "anna", "ben": "ben", "ms-lee": "ms-lee"}


def test_roster_with_accounts(tmp_path):
    path = tmp_path / "roster.txt"
    path.write_text("teacher: ms-lee  Lee@schule.example\nanna Anna.Müller@schule.example  # 7b\n", encoding="utf-8")
    assert settings.roster(path) == (("anna",), "ms-lee")
    assert accounts.names(path) == {"lee@schule.example": "ms-lee", "anna.müller@schule.example": "anna"}
    path.write_text("teacher: ms-lee\nanna a@b\nben A@B\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 3: the account 'A@B' appears twice"):
        accounts.names(path)


def test_a_provider_that_does_not_answer_and_secrets_that_are_missing_are_said(tmp_path, monkeypatch, capsys):
    for name in accounts.SECRETS:
        monkeypatch.delenv(name, raising=False)
    asked = ["--folder", str(tmp_path / "hub"), "--sign-on", "http://127.0.0.1:9"]
    roster = tmp_path / "roster.txt"
    roster.write_text("teacher: ms-lee\nanna\n")
    assert start.main([*asked, "--roster", str(roster)]) == 1
    assert "--sign-on needs OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET" in capsys.readouterr().err
    for name in accounts.SECRETS:
        monkeypatch.setenv(name, "x")
    assert start.main([*asked, "--roster", str(roster)]) == 1
    assert "/.well-known/openid-configuration does not say how to sign on" in capsys.readouterr().err


def test_with_accounts_there_are_no_passwords(place):
    made = Config()
    signed = {"authorize_url": "https://a", "token_url": "https://t", "userdata_url": "https://u"}
    settings.configure(made, settings.Place(**{**place.__dict__, "sign_on": signed, "accounts": {"a@b": "anna"}}))
    assert made.JupyterHub.authenticator_class == "classroom.server.login.SchoolAuthenticator"
    assert "ClassAuthenticator" not in made and made.SchoolAuthenticator.names == {"a@b": "anna"}
    assert made.Authenticator.allowed_users == {"anna", "ben", "ms-lee"} and made.Authenticator.admin_users == set()


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("anna\n", "must name learners"),
        ("teacher: t\n", "must name learners"),
        ("teacher: t\nanna\nanna\n", "line 3: 'anna' appears twice"),
        ("teacher: t\nroot\n", "belongs to the system"),
        ("teacher: t\nanna; rm -rf\n", "lower-case letters"),
        ("teacher: t\nanna a@b c@d\n", "line 2: .* is more than a name and an account"),
        ("teacher: t\n../x\n", "lower-case letters"),
        ("teacher: t\n-f\n", "lower-case letters"),
        ("teacher: t\n" + "\n".join(f"anna-{number}" for number in range(100)), "names 100 learners"),
    ],
)
def test_wrong_rosters_are_said(tmp_path, lines, says):
    path = tmp_path / "roster.txt"
    path.write_text(lines)
    with pytest.raises(ValueError, match=says):
        settings.roster(path)


def test_missing_proxy_and_users_are_said(place):
    """Under a name that no other program can have made meanwhile."""
    name = f"nobody-{uuid.uuid4().hex[:12]}"
    found = "\n".join(settings.problems(dataclasses.replace(place, learners=(name,), proxy=(name,))))
    assert "configurable-http-proxy is missing" in found
    assert f"There is no Unix user {name}" in found


def test_a_second_start_is_refused_before_it_changes_anything(place, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "create_users", lambda names: pytest.fail("users were made"))
    monkeypatch.setattr(start, "publish_course", lambda folder: pytest.fail("the course was published"))
    (tmp_path / "roster.txt").write_text("teacher: ms-lee\nanna\n")
    arguments = ["--roster", str(tmp_path / "roster.txt"), "--create-users", "--folder", str(place.folder)]
    with start.claim(place.folder):
        assert start.main(arguments) == 1
        assert f"already runs with the folder {place.folder}" in capsys.readouterr().err
    with start.claim(place.folder) as again:
        assert os.get_inheritable(again.fileno())  # the hub, which takes the place of this process, keeps it


def test_the_unit_for_systemd_starts_what_the_handbook_starts_and_leaves_learners_servers(monkeypatch):
    unit = configparser.ConfigParser()
    unit.optionxform = str
    unit.read(start.HERE / "ffn-hub.service")
    typed = unit["Service"]["ExecStart"]
    assert f"\n{typed} --create-users\n" in (start.ROOT / "classroom" / "running_a_server.md").read_text(
        encoding="utf-8"
    )
    assert unit["Service"]["KillMode"] == "process" and unit["Install"]["WantedBy"] == "multi-user.target"


def test_a_learner_is_asked_nothing_and_goes_on_where_the_progress_ends(c, place, tmp_path, monkeypatch):
    (folder,) = (one.partition("=")[2] for one in c.Spawner.args if "app_settings_dir" in one)
    assert folder == str(place.course / "config" / "jupyterlab")
    told = json.loads((start.ROOT / "config" / "jupyterlab" / "overrides.json").read_text())
    assert told["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
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


def test_an_update_that_does_not_end_is_stopped_and_the_old_course_opens(place, tmp_path, monkeypatch):
    ended, told = [], []

    def hang(*_, timeout, **__):
        raise subprocess.TimeoutExpired("publish.pull", timeout)

    monkeypatch.setattr(settings.Place, "home", lambda place, name: tmp_path)
    monkeypatch.setattr(settings, "as_user", lambda name: {})
    monkeypatch.setattr(settings, "end_all", ended.append)
    monkeypatch.setattr(settings.subprocess, "run", hang)
    log = SimpleNamespace(warning=lambda *words: told.append(words))
    spawner = SimpleNamespace(user=SimpleNamespace(name="anna"), environment={"PYTHONPATH": ""}, log=log)
    with pytest.raises(RuntimeError, match="anna has no course: Stopped after 100 seconds"):
        settings.prepare(spawner, place)
    (tmp_path / settings.NAME / "course_lib").mkdir(parents=True)
    settings.prepare(spawner, place)
    assert ended == ["anna", "anna"] and "Stopped after 100 seconds" in told[0][-1]


def test_course_that_learners_get_is_readable_and_holds_no_solutions(tmp_path):
    course = start.publish_course(tmp_path / "course")
    files = [path for path in course.rglob("*") if path.is_file()]
    assert not [path for path in files if path.name == "solutions.py" or "classroom" in path.parts[-2:]]
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in files) and course.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("pattern", settings.KEPT_BACK)
def test_what_learners_may_not_read_is_in_the_checkout(pattern):
    assert list(start.ROOT.glob(pattern)) or pattern.startswith(".git/")  # a worktree of git has another folder


def test_announcement_warns_of_a_demonstration(place, capsys):
    start.announce(settings.Place(**{**place.__dict__, "simple": True}))
    assert "A DEMONSTRATION FOR ONE PERSON" in capsys.readouterr().out
    start.announce(place)
    said = capsys.readouterr().out
    assert "DEMONSTRATION" not in said and "http://127.0.0.1:8000" in said


ON_WINDOWS = """import asyncio, psutil, runpy, sys
sys.modules.update(fcntl=None, pwd=None)
sys.platform = "win32"
runpy.run_module("classroom.server." + sys.argv.pop(1), run_name="__main__")"""


@pytest.mark.parametrize("module", ["start", "manage"])
def test_without_linux_one_sentence_says_that_there_is_no_class_server(module, tmp_path):
    """A module that Windows lacks is no reason for a traceback."""
    more = [] if module == "start" else ["list", "--folder", str(tmp_path)]
    command = [sys.executable, "-c", ON_WINDOWS, module, *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    says = {
        "start": "The class server needs Linux.\n",
        "manage": f"No class server runs with the folder {tmp_path}: ",
    }
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(says[module]) and done.stderr.count("\n") == 1


def test_root_must_name_the_class(monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SystemExit):
        start.main([])
    assert "--roster FILE" in capsys.readouterr().err
