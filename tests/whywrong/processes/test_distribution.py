"""whywrong as a stranger to the course installs it: the commands of its README, typed in an empty folder."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from courseware import packing
from tests.conftest import ROOT

FILES = packing.files(("whywrong",))
README = (ROOT / "whywrong" / "README.md").read_text(encoding="utf-8")
EXAMPLE, READY = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)
(SAYS,) = re.findall(r"^```text\n(.*?)^```$", README, re.M | re.S)
INSTALL, BUILD = re.findall(r"^    (python -m .+)$", README, re.M)
# Tests of the engine that lean on an exercise or a model of the course.
LEAN = {
    "test_alone",
    "test_edits",
    "test_errors",
    "test_explain",
    "test_faults",
    "test_guard",
    "test_part",
    "test_search",
}
NO_COURSE = "import sys\nsys.modules.update(dict.fromkeys(('lessons', 'course_lib', 'publish', 'classroom')))\n"


@pytest.fixture(scope="module")
def stranger(tmp_path_factory) -> Path:
    """Return a folder with a copy of whywrong and an environment in which the README's first command was typed."""
    folder = tmp_path_factory.mktemp("stranger")
    copy_to(folder)
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    typed(INSTALL, folder)
    shutil.rmtree(folder / "whywrong")  # so that what is imported is what was installed
    return folder


def copy_to(folder: Path) -> None:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def typed(command: str, folder: Path, **more) -> subprocess.CompletedProcess:
    """Type a command that begins with python, in the environment of the folder."""
    python, *words = command.split()
    assert python == "python"
    done = subprocess.run(
        [folder / "env" / "bin" / "python", *words], cwd=folder, text=True, capture_output=True, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_tests_of_the_engine_pass_without_the_course(stranger, tmp_path):
    """With the Python of the course, which has torch and pytest, and with the library that was installed."""
    tests = tmp_path / "tests"
    shutil.copytree(
        ROOT / "tests" / "whywrong", tests / "whywrong", ignore=shutil.ignore_patterns("__pycache__", "processes")
    )
    (tests / "__init__.py").touch()
    (tests / "conftest.py").write_text(NO_COURSE)
    for name in LEAN:
        (tests / "whywrong" / f"{name}.py").unlink()
    (library,) = (stranger / "env").glob("lib/python*/site-packages/whywrong")
    (tmp_path / "whywrong").symlink_to(library)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        "--rootdir",
        ".",
        "tests",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": ".", "WHYWRONG_STRICT": "1"}
    )
    assert done.returncode == 0 and int(re.search(r"(\d+) passed", done.stdout)[1]) > 300, done.stdout[-3000:]


def test_wheel_and_sdist_hold_the_library_alone(stranger):
    copy_to(stranger)
    try:
        typed("python -m pip install build", stranger)
        typed(BUILD, stranger)
        wheel, sdist = (
            next((stranger / "whywrong" / "dist").glob(f"whywrong-0.1.0{end}")) for end in ("-*.whl", ".tar.gz")
        )
        held = zipfile.ZipFile(wheel).namelist()
        with tarfile.open(sdist) as packed:
            sources = packed.getnames()
    finally:
        shutil.rmtree(stranger / "whywrong")
    ours = {name for name in FILES if name.endswith((".py", ".toml"))}
    ours.remove("whywrong/pyproject.toml")
    assert {name for name in held if not name.startswith("whywrong-0.1.0")} == ours
    assert all(
        f"whywrong-0.1.0/{name.removeprefix('whywrong/')}" in sources for name in ours | {"README.md", "LICENSE"}
    )
    assert not any(re.search(r"lesson|course|golden", name) for name in [*held, *sources])
