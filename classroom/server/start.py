"""Start the class server and say what to do next.

As root: each name of the roster is a Unix user. Otherwise: a demonstration for one person, on this computer only.

Usage: python -m classroom.server.start [--roster FILE] [--create-users] [--port N] [--folder F]   (which is `make hub`)
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from classroom import Refused, edition
from classroom.server import settings
from courseware.environment import ROOT

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

PORT = 800  # below 1024: there only root can listen, also while the hub is stopped
HERE = Path(__file__).resolve().parent


def publish_course(folder: Path, root: Path = ROOT) -> Path:
    """Put the student edition where every learner can read it and nobody can change it; return its folder.

    It is committed to a repository beside it, from which learners' folders are brought up when their servers start.

    Raises:
        ValueError: the course is no git clone. subprocess.CalledProcessError: git could not commit.
    """
    target, repository = folder / settings.NAME, folder / "course.git"
    with tempfile.TemporaryDirectory() as packed:
        archive = Path(packed) / "course.zip"
        edition.pack(archive, root)
        shutil.rmtree(target, ignore_errors=True)
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    shutil.copytree(HERE / "left_out", folder / "left_out", dirs_exist_ok=True)
    (folder / "gitconfig").write_text("[safe]\n\tdirectory = *\n", encoding="utf-8")
    if not repository.exists():
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", str(repository)], check=True)
    git = ["git", f"--git-dir={repository}", f"--work-tree={target}", "-c", "core.bare=false"]
    git += ["-c", "user.name=The course", "-c", "user.email=course@localhost", "-c", "core.autocrlf=false"]
    subprocess.run([*git, "add", "--all", "."], cwd=target, check=True)
    if subprocess.run([*git, "diff", "--cached", "--quiet"], cwd=target).returncode:
        subprocess.run([*git, "commit", "--quiet", "--message", "The course of the class"], cwd=target, check=True)
    for top in (target, repository, folder / "left_out"):
        for path in [folder, top, *top.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def proxy() -> tuple[str, ...]:
    """Return the command of the proxy: $COURSE_HUB_PROXY, or one that is installed, on the PATH or with the hub."""
    if named := os.environ.get("COURSE_HUB_PROXY"):
        return (named,) if os.path.exists(named) else tuple(named.split())
    own = Path(sys.prefix, "npm", "node_modules", ".bin", "configurable-http-proxy")
    return (str(own) if own.exists() else own.name,)


def create_users(names) -> None:
    """Make the Unix users of a roster that do not exist yet: no password, no login, a home for nobody else."""
    for name in names:
        known = subprocess.run(["id", name], capture_output=True).returncode == 0
        if not known:
            command = ["useradd", "--create-home", "--shell", "/usr/sbin/nologin", name]
            subprocess.run(command, check=True)
        Path(os.path.expanduser(f"~{name}")).chmod(0o700)


def folder() -> Path:
    """Return where the hub keeps what it must keep, unless told otherwise."""
    return Path("/srv/ffn-hub") if _is_root() else ROOT / "dist" / "hub"


def _is_root():
    return hasattr(os, "geteuid") and os.geteuid() == 0


def command(place: settings.Place) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the hub, and its environment."""
    path = place.write()
    place.make_sockets()
    environment = dict(os.environ)
    environment["COURSE_HUB_PLACE"] = str(path)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return [sys.executable, "-m", "jupyterhub", "--config", str(HERE / "jupyterhub_config.py")], environment


def announce(place: settings.Place) -> None:
    """Print where the server is and what to do next."""
    print(f"The class server: {place.subdomains or f'http://127.0.0.1:{place.port}'}")
    if place.simple:
        print("A DEMONSTRATION FOR ONE PERSON: everybody who logs in works as you, and can read all your files.")
        print("For a class, start it as root on a computer of its own; see classroom/running_a_server.md.")
    print(f"Learners log in as {', '.join(place.learners[:3])}{' …' if len(place.learners) > 3 else ''}")
    manage = f"{sys.executable} -m classroom.server.manage"
    where = "" if place.folder == folder() else f" --folder {place.folder}"
    print(f"  and the teacher as {place.teacher}, with a password: {manage} passwords{where}")
    print(f"Before the lesson, in this folder, in a second terminal: {manage} start{where}")
    print(f"To stop: {manage} stop{where}, then Ctrl+C here.")
    print("Other computers reach it through a proxy with a certificate; see classroom/running_a_server.md.", flush=True)


def claim(folder: Path):
    """Claim the hub's folder for as long as this process lives, and whatever takes its place; return the open file.

    Raises:
        ValueError: a hub runs with this folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "running").open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise Refused(
            f"A class server already runs with the folder {folder}. To change its roster, stop it first, with Ctrl+C "
            "where it was started. Learners' servers go on running, and the new hub finds them."
        ) from None
    os.set_inheritable(file.fileno(), True)
    return file


def main(arguments=None) -> int:
    """Check everything, then become the hub; return 1, and say why, where that cannot be."""
    if sys.platform != "linux":
        print("The class server needs Linux.", file=sys.stderr)
        return 1
    root = _is_root()
    parser = argparse.ArgumentParser(description="Start the class server.")
    parser.add_argument("--roster", type=Path, help="a file with one name per line, and a line 'teacher: NAME'")
    parser.add_argument("--create-users", action="store_true", help="make the Unix users of the roster")
    parser.add_argument("--port", type=int, default=PORT if root else 8000)
    parser.add_argument("--folder", type=Path, default=folder())
    parser.add_argument(
        "--subdomains", default="", metavar="URL", help="the hub's address, if all names below it lead here too"
    )
    given = parser.parse_args(arguments)
    if root and not given.roster:
        parser.error("as root, name the class with --roster FILE: one name per line, and a line 'teacher: NAME'")
    try:
        learners, teacher = settings.roster(given.roster) if given.roster else (("learner",), "teacher")
        claimed = claim(given.folder)  # before anything changes that a running hub uses
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename} cannot be read or written: {error.strerror}.", file=sys.stderr)
        return 1
    if root and given.create_users:
        create_users([*learners, teacher])
    try:
        course = publish_course(given.folder.with_name(given.folder.name + "-course"))
    except (Refused, OSError, subprocess.CalledProcessError) as error:
        print(f"The course for the learners cannot be packed: {error}", file=sys.stderr)
        return 1
    python = os.environ.get("COURSE_HUB_PYTHON", sys.executable)
    place = settings.Place(
        given.folder,
        learners,
        teacher,
        given.port,
        not root,
        proxy(),
        python,
        course,
        given.subdomains,
    )
    try:
        problems = settings.problems(place) or settings.readable(place, ROOT)
        started, environment = ([], {}) if problems else command(place)
    except PermissionError as error:
        problems = [str(error)]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    if not place.simple and settings.first_port() <= place.port:
        print(f"While the hub is stopped, learners can listen on port {place.port} and receive passwords. Choose a")
        print(f"port below {settings.first_port()} with --port, where only root can listen.")
    announce(place)
    assert not claimed.closed
    # The hub takes the place of this process, so that what ends it (Ctrl+C, kill, systemd) ends the hub and its proxy.
    os.chdir(given.folder)
    os.execve(started[0], started, environment)


if __name__ == "__main__":
    sys.exit(main())
