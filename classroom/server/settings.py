"""The settings of the class server, as functions of where it runs and who is in the class.

Each number has its reason beside it; they were found by load tests, which classroom/README.md tells of.
"""

import asyncio
import json
import os
import pwd
import secrets
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NAME = "ffn-course"
MEMORY = 2_500_000_000  # bytes of address space for one process of a learner; torch alone maps more than 1 GB
# The learners' servers have ports of their own from here on: drawn at random, two servers can get one port. They stay
# below 32,768, where Linux begins to take ports for outgoing connections.
PORTS, MOST = 20_000, 100
IDLE_SECONDS = 3600
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Place:
    """Where the server runs and for whom.

    folder: what the hub keeps: its database, its secrets; for nobody else. learners, teacher: names.
    port: of the address; the two after it are the hub's own.
    simple: everybody runs as one user, for tests and demonstrations.
    proxy: the command of configurable-http-proxy.
    python: what learners run. course: the student edition, which they read and import from.
    """

    folder: Path
    learners: tuple[str, ...]
    teacher: str
    port: int
    simple: bool
    proxy: tuple[str, ...]
    python: str
    course: Path

    @classmethod
    def read(cls, path: Path) -> "Place":
        """Read what `write` wrote."""
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        kinds = {"folder": Path, "course": Path, "learners": tuple, "proxy": tuple}
        return cls(**{name: kinds.get(name, lambda value: value)(value) for name, value in data.items()})

    def write(self) -> Path:
        """Keep this for the hub's configuration and make the passwords, in a folder that nobody else can enter."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        path = self.folder / "place.json"
        path.write_text(json.dumps(self.__dict__, default=str, indent=1), encoding="utf-8")
        if not self.passwords.exists():
            made = {"learners": secrets.token_hex(5), "teacher": secrets.token_hex(20)}
            self.passwords.write_text(json.dumps(made), encoding="utf-8")
        self.passwords.chmod(0o600)
        return path

    @property
    def repository(self) -> Path:
        """The git repository that learners' folders are brought up from; learners read it."""
        return self.course.parent / "course.git"

    @property
    def git_settings(self) -> Path:
        """Git's settings for learners: without them it refuses a repository that belongs to root."""
        return self.course.parent / "gitconfig"

    @property
    def passwords(self) -> Path:
        """The file with the two passwords."""
        return self.folder / "passwords.json"

    def home(self, name: str) -> Path:
        """Return where a learner's files lie."""
        return self.folder / "homes" / name if self.simple else Path(pwd.getpwnam(name).pw_dir)


def roster(path: Path) -> tuple[tuple[str, ...], str]:
    """Read the names of a class, one a line; "teacher: NAME" names the teacher. Return (learners, teacher).

    Raises:
        ValueError: a name is no Unix name, occurs twice, or there is no teacher.
    """
    learners, teacher = [], ""
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line = line.partition("#")[0].strip()
        name = line.removeprefix("teacher:").strip()
        if not line:
            continue
        if not (name.isascii() and name[:1].isalpha() and name.replace("-", "").isalnum() and name == name.lower()):
            raise ValueError(f"{path}, line {number}: {name!r} must be small letters, digits and hyphens.")
        if name in (*learners, teacher) or name == "root":
            raise ValueError(f"{path}, line {number}: {name!r} is there twice, or is the system's own.")
        if line.startswith("teacher:"):
            teacher = name
        else:
            learners.append(name)
    if not teacher or not learners:
        raise ValueError(f"{path} must name learners, one a line, and one line 'teacher: NAME'.")
    if len(learners) >= MOST:
        raise ValueError(f"{path} names {len(learners)} learners; one server is for fewer than {MOST}.")
    return tuple(learners), teacher


def configure(c, place: Place) -> None:
    """Write all settings into the configuration of a hub."""
    passwords = json.loads(place.passwords.read_text(encoding="utf-8"))
    everybody = {*place.learners, place.teacher}
    c.JupyterHub.bind_url = f"http://127.0.0.1:{place.port}"
    c.JupyterHub.hub_port = place.port + 1
    c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{place.port + 2}"
    c.ConfigurableHTTPProxy.command = list(place.proxy)
    c.ConfigurableHTTPProxy.pid_file = str(place.folder / "proxy.pid")
    c.JupyterHub.db_url = f"sqlite:///{place.folder / 'hub.sqlite'}"
    c.JupyterHub.cookie_secret_file = str(place.folder / "cookie_secret")
    c.JupyterHub.cleanup_servers = False  # learners go on working while the hub is started again
    c.JupyterHub.concurrent_spawn_limit = max(100, 2 * len(everybody))  # with 6, most of 30 were told to try again
    c.JupyterHub.active_server_limit = 0
    # one password for the class, which anybody in it can use under any name: for workshops, not for grades
    c.JupyterHub.authenticator_class = "shared-password"
    c.SharedPasswordAuthenticator.user_password = passwords["learners"]
    c.SharedPasswordAuthenticator.admin_password = passwords["teacher"]
    c.Authenticator.allowed_users = everybody
    c.Authenticator.admin_users = {place.teacher}
    c.JupyterHub.spawner_class = "simple" if place.simple else "jupyterhub.spawner.LocalProcessSpawner"
    if place.simple:
        c.SimpleLocalProcessSpawner.home_dir_template = str(place.folder / "homes" / "{username}")
    # prlimit caps each process: a greedy kernel gets an error. A cap for a learner's processes together needs systemd
    c.Spawner.cmd = ["prlimit", f"--as={MEMORY}", "--core=0", place.python, "-m", "jupyterhub.singleuser"]
    c.Spawner.args = [
        "--ServerApp.terminals_enabled=False",
        "--KernelManager.transport=ipc",  # other learners cannot connect to a file in a home that is closed to them
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    if place.simple and os.geteuid() == 0:
        c.Spawner.args = [*c.Spawner.args, "--allow-root"]  # tests in a container; never for a class
    c.Spawner.default_url = f"/lab/tree/{NAME}/my_notebooks/00_start_here.ipynb"
    c.Spawner.disable_user_config = True
    c.Spawner.http_timeout = c.Spawner.start_timeout = 120  # with 30 seconds, 21 of 30 starts at once failed
    c.Spawner.environment = {name: "1" for name in ONE_THREAD} | {  # two threads each: nobody of ten got to the end
        # What drew a picture goes back to the system: 349 MB instead of 371 at the end of lesson 05, for no more time.
        "MALLOC_MMAP_THRESHOLD_": str(1 << 18),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 20),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(place.course), os.environ.get("PYTHONPATH", "")])),
        "PYTHONDONTWRITEBYTECODE": "1",
        # a socket's path has room for 107 characters, and the usual folder takes 34 of them
        "JUPYTER_RUNTIME_DIR": lambda spawner: str(place.home(spawner.user.name) / ".run"),
        "GIT_CONFIG_GLOBAL": str(place.git_settings),
    }
    c.Spawner.env_keep = ["PATH", "LANG", "LC_ALL"]
    names = sorted(everybody)
    c.Spawner.pre_spawn_hook = lambda spawner: prepared(spawner, place, names)
    culler = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE_SECONDS}"]
    c.JupyterHub.services = [{"name": "idle-culler", "command": culler}]
    scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
    c.JupyterHub.load_roles = [{"name": "idle-culler", "services": ["idle-culler"], "scopes": scopes}]


async def prepared(spawner, place: Place, names: list[str]) -> None:
    """Prepare a learner's first start beside the hub, which goes on answering the others."""
    await asyncio.get_running_loop().run_in_executor(None, prepare, spawner, place, names)


def prepare(spawner, place: Place, names: list[str]) -> None:
    """Before a learner's server starts: a port of its own, and the course of today, merged into what is theirs.

    Raises:
        RuntimeError: the learner has no course at all; a failed update is only told to the log.
    """
    name = spawner.user.name
    spawner.port = PORTS + place.port // 10 % 100 * MOST + names.index(name)
    home = place.home(name)
    if place.simple:
        home.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": spawner.environment["PYTHONPATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_GLOBAL": str(place.git_settings),
        "HOME": str(home),
    }
    command = [place.python, "-m", "publish.pull", str(place.repository), NAME]
    options = {} if place.simple else as_user(name)
    done = subprocess.run(command, cwd=home, env=environment, timeout=100, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{name} has no course: {done.stderr}")
    if done.stderr:
        spawner.log.warning("%s has not got all that is new. %s", name, done.stderr)


def as_user(name: str) -> dict:
    """Return the options with which subprocess.run works as another Unix user."""
    one = pwd.getpwnam(name)
    return {"user": one.pw_uid, "group": one.pw_gid, "extra_groups": [], "umask": 0o077}


def problems(place: Place) -> list[str]:
    """Say what would go wrong: a program that is missing, or a place that learners cannot read."""
    found = [f"The program {one} is missing." for one in ("prlimit", "git") if shutil.which(one) is None]
    if shutil.which(place.proxy[0]) is None:
        found.append("configurable-http-proxy is missing: npm install --global configurable-http-proxy@5.3.0")
    if place.simple:
        return found
    for name in (*place.learners, place.teacher):
        try:
            options = as_user(name)
        except KeyError:
            found.append(f"There is no Unix user {name}: useradd --create-home {name}, or ARGS=--create-users.")
            continue
        command = [place.python, "-c", "import jupyterhub, nbgitpuller, course_lib, torch"]
        environment = {"PYTHONPATH": os.pathsep.join([str(place.course), os.environ.get("PYTHONPATH", "")])}
        environment["PATH"] = os.environ.get("PATH", os.defpath)
        try:
            done = subprocess.run(command, cwd="/", env=environment, capture_output=True, timeout=120, **options)
        except OSError:
            done = None
        if done is None or done.returncode:
            found.append(
                f"{name} cannot use {place.python}: it, or the Python that it was made from, lies where others may not "
                "read, such as below /root or a home. Make the environment from the system's Python, in /opt."
            )
            break
    return found
