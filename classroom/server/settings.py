"""The settings of the class server, as functions of where it runs and who is in the class.

Each number has its reason beside it; they were found by load tests, which classroom/running_a_server.md tells of.
"""

import asyncio
import errno
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from classroom import Refused

try:
    import pwd
except ImportError:  # on Windows, where start says that there is no class server
    pwd = None

NAME = "ffn-course"
MEMORY = 2_500_000_000  # bytes of address space for one process of a learner; torch alone maps more than 1 GB
PROCESSES = 300  # of one learner, threads counted: a server and four kernels take about 110; here a fork bomb ends
MOST = 100
FIRST_USER = 1000  # below, Unix users are the system's: a learner's processes are ended, all of that user's
IDLE_SECONDS = 3600
# What of the teacher's checkout no learner may read; git's folder holds all of it once more.
KEPT_BACK = ("lessons/*/solutions.py", "lessons/*/plan.toml", ".git/HEAD")
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class Place:
    """Where the server runs and for whom.

    folder: what the hub keeps: its database, its secrets; for nobody else. learners, teacher: names.
    port: of the address, the only one that is TCP.
    simple: everybody runs as one user, for tests and demonstrations.
    proxy: the command of configurable-http-proxy.
    python: what learners run. course: the student edition, which they read and import from.
    subdomains: the address of the hub, if each learner has a name of their own below it.
    """

    folder: Path
    learners: tuple[str, ...]
    teacher: str
    port: int
    simple: bool
    proxy: tuple[str, ...]
    python: str
    course: Path
    subdomains: str = ""

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
        self.make_passwords()
        return path

    def make_passwords(self, anew: bool = False) -> None:
        """Make what is missing; or two new passwords, with which all sessions end when the hub next starts."""
        made = {"learners": secrets.token_hex(5), "teacher": secrets.token_hex(20), "root": secrets.token_hex(32)}
        kept = json.loads(self.passwords.read_text(encoding="utf-8")) if self.passwords.exists() else {}
        if anew:
            kept = {"root": kept["root"]}  # the hub that runs knows it
            (self.folder / "cookie_secret").unlink(missing_ok=True)
        self.passwords.touch(0o600)
        self.passwords.write_text(json.dumps(made | kept), encoding="utf-8")

    @property
    def sockets(self) -> Path:
        """The folder of the sockets: a short path, for one has room for 107 characters, and in small letters, for the
        hub's HTTP client makes them small.

        Sockets, because a port is whoever's listens first. Certificates (`internal_ssl`) do not mend that: those of all
        learners are for 127.0.0.1 and of one authority, and the hub took one learner's for another's when we tried it.
        Network name spaces would, with a bridge and an address for each. Sockets need a rename alone (sockets.py).
        """
        return Path("/tmp" if self.simple else "/run") / f"ffn-hub-{self.port}"

    def make_sockets(self) -> None:
        """Make the folders of the sockets: one that all can enter, and in it one for the hub alone.

        Raises:
            PermissionError: somebody else made it.
        """
        for folder, mode in ((self.sockets, 0o755), (self.sockets / "new", 0o755), (self.sockets / "kept", 0o700)):
            folder.mkdir(exist_ok=True)
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                raise PermissionError(f"{folder} belongs to somebody else; remove it, or choose another port.")
            folder.chmod(mode)
        with socket.socket(socket.AF_UNIX) as test:
            if test.connect_ex(str(self.proxys_socket)) == errno.ECONNREFUSED:  # of a proxy that was killed
                self.proxys_socket.unlink()
                (self.folder / "proxy.pid").unlink(missing_ok=True)  # or the hub waits for that process to end

    @property
    def proxys_socket(self) -> Path:
        """Where the proxy listens to the hub. It does not start where a file of that name is left."""
        return self.sockets / "kept" / ".proxy"

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
        """The file with the two passwords, and the token of root's commands."""
        return self.folder / "passwords.json"

    def home(self, name: str) -> Path:
        """Return where a learner's files lie."""
        return self.folder / "homes" / name if self.simple else Path(pwd.getpwnam(name).pw_dir)

    def progress(self, name: str) -> Path:
        """Return where a learner's progress is kept."""
        return self.home(name) / NAME / "my_notebooks" / ".course" / "progress.json"


def roster(path: Path) -> tuple[tuple[str, ...], str]:
    """Read the names of a class, one a line; "teacher: NAME" names the teacher. Return (learners, teacher).

    Raises:
        ValueError: it is not in UTF-8, a name is no Unix name or occurs twice, or there is no teacher.
    """
    learners, teacher = [], ""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise Refused(f"{path} is not in UTF-8: save it as plain text in UTF-8.") from None
    for number, line in enumerate(lines, 1):
        line = line.partition("#")[0].strip()
        name = line.removeprefix("teacher:").strip()
        if not line:
            continue
        if not (name.isascii() and name[:1].isalpha() and name.replace("-", "").isalnum() and name == name.lower()):
            raise Refused(f"{path}, line {number}: {name!r} must consist of lower-case letters, digits and hyphens.")
        if name in (*learners, teacher) or name == "root":
            raise Refused(f"{path}, line {number}: {name!r} appears twice, or belongs to the system.")
        if line.startswith("teacher:"):
            teacher = name
        else:
            learners.append(name)
    if not teacher or not learners:
        raise Refused(f"{path} must name learners, one a line, and one line 'teacher: NAME'.")
    if len(learners) >= MOST:
        raise Refused(f"{path} names {len(learners)} learners; one server is for fewer than {MOST}.")
    return tuple(learners), teacher


def configure(c, place: Place) -> None:
    """Write all settings into the configuration of a hub."""
    passwords = json.loads(place.passwords.read_text(encoding="utf-8"))
    everybody = {*place.learners, place.teacher}
    # The only TCP port. The hub and the proxy's switchboard have sockets where only root can make one: on ports, a
    # learner could take their places while they are started again, and be told passwords and tokens.
    c.JupyterHub.bind_url = f"http://127.0.0.1:{place.port}"
    c.JupyterHub.hub_bind_url = c.JupyterHub.hub_connect_url = socket_url(place.sockets / "hub")
    c.JupyterHub.hub_socket_mode = 0o666  # learners' servers ask it who is logged in
    c.ConfigurableHTTPProxy.api_url = socket_url(place.proxys_socket)
    # To a socket, the proxy asks for each connection to be closed after the answer. When that comes at once, its last,
    # empty write meets a closed end: of a hundred logins five failed with 503. This header takes the place of the wish.
    c.ConfigurableHTTPProxy.command = [*place.proxy, "--custom-header", "connection:upgrade"]
    c.ConfigurableHTTPProxy.pid_file = str(place.folder / "proxy.pid")
    c.JupyterHub.db_url = f"sqlite:///{place.folder / 'hub.sqlite'}"
    c.JupyterHub.cookie_secret_file = str(place.folder / "cookie_secret")
    c.JupyterHub.cookie_max_age_days = 1  # computers are shared
    c.JupyterHub.cleanup_servers = False  # learners go on working while the hub is started again
    c.JupyterHub.concurrent_spawn_limit = max(100, 2 * len(everybody))  # with 6, most of 30 were told to try again
    c.JupyterHub.active_server_limit = 0
    if place.subdomains:
        c.JupyterHub.subdomain_host = place.subdomains
    # The class has one password, which anybody in it can use under any name: it is for workshops, and not for grades.
    c.JupyterHub.authenticator_class = "classroom.server.login.ClassAuthenticator"
    c.ClassAuthenticator.teacher = place.teacher
    c.ClassAuthenticator.learners_password = passwords["learners"]
    c.ClassAuthenticator.teachers_password = passwords["teacher"]
    c.Authenticator.allowed_users = everybody
    c.Authenticator.admin_users = set()
    # Who is taken off the roster is out, and their open sessions end: the hub would let in every name that it has met.
    c.Authenticator.username_pattern = rf"({'|'.join(sorted(everybody))})\Z"
    c.Authenticator.delete_invalid_users = True
    kind = "DemonstrationSpawner" if place.simple else "SocketSpawner"
    c.JupyterHub.spawner_class = f"classroom.server.sockets.{kind}"
    c.SocketSpawner.sockets = str(place.sockets)
    if place.simple:
        c.SimpleLocalProcessSpawner.home_dir_template = str(place.folder / "homes" / "{username}")
    c.Spawner.cmd = [*limits(place), place.python, "-m", "jupyterhub.singleuser"]
    c.Spawner.args = [
        "--ServerApp.terminals_enabled=False",
        "--KernelManager.transport=ipc",  # other learners cannot connect to a file in a home that is closed to them
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        f"--LabApp.app_settings_dir={place.course / 'config' / 'jupyterlab'}",  # asks nobody about news
        "--LabApp.custom_css=True",
        f"--ServerApp.tornado_settings=static_custom_path={place.course / 'config' / 'jupyterlab' / 'custom'}",
    ]
    if place.simple and os.geteuid() == 0:
        c.Spawner.args = [*c.Spawner.args, "--allow-root"]  # tests in a container; never for a class
    c.Spawner.default_url = opens("00_start_here.ipynb")  # until `prepare` knows where a learner goes on
    c.Spawner.disable_user_config = True
    c.Spawner.http_timeout = c.Spawner.start_timeout = 120  # with 30 seconds, 21 of 30 starts at once failed
    c.Spawner.poll_interval = 5  # a server that died is known to be dead, and started again by the next visit
    c.Spawner.environment = {name: "1" for name in ONE_THREAD} | {  # two threads each: nobody of ten got to the end
        # What drew a picture goes back to the system: 349 MB instead of 371 at the end of lesson 05, for no more time.
        "MALLOC_MMAP_THRESHOLD_": str(1 << 18),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 20),
        # the second stands in for what neither a learner's server nor a kernel needs, 30 MB of 387 in lesson 05
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(place.course), str(place.course.parent / "left_out"), os.environ.get("PYTHONPATH", "")])
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        # a socket's path has room for 107 characters, and the usual folder takes 34 of them
        "JUPYTER_RUNTIME_DIR": lambda spawner: str(place.home(spawner.user.name) / ".run"),
        "GIT_CONFIG_GLOBAL": str(place.git_settings),
        # the course that is imported is the teacher's copy, in which no learner can write
        "COURSE_PROGRESS": lambda spawner: str(place.progress(spawner.user.name)),
    }
    c.Spawner.env_keep = ["PATH", "LANG", "LC_ALL"]
    c.Spawner.pre_spawn_hook = lambda spawner: prepared(spawner, place)
    culler = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE_SECONDS}"]
    culler += [f"--url=http://127.0.0.1:{place.port}/hub/api"]  # it knows no sockets
    root = {"name": "root", "api_token": passwords["root"]}  # manage.py, with a token that only root can read
    c.JupyterHub.services = [{"name": "idle-culler", "command": culler}, root]
    scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
    c.JupyterHub.load_roles = [
        {"name": "idle-culler", "services": ["idle-culler"], "scopes": scopes},
        {"name": "root", "services": ["root"], "scopes": ["list:users", "servers"]},
        {"name": "admin", "users": [], "services": []},  # nobody, also who was one under an older configuration
    ]


def socket_url(path: Path) -> str:
    """Return the address of a socket as the hub and its proxy write it."""
    return f"http+unix://{quote(str(path), safe='')}"


def limits(place: Place) -> list[str]:
    """Return the command in front of what a learner runs: a greedy kernel gets an error, a fork bomb ends.

    The first counts for each process; a cap for a learner's processes together needs systemd. The second counts all of
    one Unix user, so not in a demonstration, where everybody is one.
    """
    return ["prlimit", f"--as={MEMORY}", "--core=0", *([] if place.simple else [f"--nproc={PROCESSES}"])]


async def prepared(spawner, place: Place) -> None:
    """Prepare a learner's first start beside the hub, which goes on answering the others."""
    await asyncio.get_running_loop().run_in_executor(None, prepare, spawner, place)


def prepare(spawner, place: Place) -> None:
    """Before a learner's server starts: the course of today, merged into what is theirs.

    Raises:
        RuntimeError: the learner has no course at all; an update that failed or took too long is only told to the log,
            and tried again at the next start.
    """
    name = spawner.user.name
    home = place.home(name)
    if place.simple:
        home.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": spawner.environment["PYTHONPATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_GLOBAL": str(place.git_settings),
        "HOME": str(home),
        "COURSE_PROGRESS": str(place.progress(name)),
    }
    command = [*limits(place), place.python, "-m", "publish.learner.pull", str(place.repository), NAME]
    options = {} if place.simple else as_user(name)
    try:
        done = subprocess.run(
            command, cwd=home, env=environment, timeout=100, capture_output=True, encoding="utf-8", **options
        )
    except subprocess.TimeoutExpired as late:
        if not place.simple:
            end_all(name)  # also what the update started
        there = (home / NAME / "course_lib").is_dir()
        done = subprocess.CompletedProcess(command, 0 if there else 1, "", f"Stopped after {late.timeout} seconds.")
    if done.returncode:
        raise RuntimeError(f"{name} has no course: {done.stderr}")
    if done.stderr:
        spawner.log.warning("%s has not got all that is new. %s", name, done.stderr)
    if re.fullmatch(r"\d\d_\w+\.ipynb", ahead := done.stdout.strip()):
        spawner.default_url = opens(ahead)


def opens(notebook: str) -> str:
    """Return the address, below a learner's server, that opens one of their copies."""
    return f"/lab/tree/{NAME}/my_notebooks/{notebook}"


def as_user(name: str) -> dict:
    """Return the options with which subprocess.run works as another Unix user."""
    one = pwd.getpwnam(name)
    return {"user": one.pw_uid, "group": one.pw_gid, "extra_groups": [], "umask": 0o077}


def end_all(name: str) -> None:
    """Kill every process of another Unix user, all at once: one by one, a fork bomb outruns it."""
    subprocess.run(["kill", "-9", "--", "-1"], stderr=subprocess.DEVNULL, **as_user(name))


def problems(place: Place) -> list[str]:
    """Say what would go wrong: a program that is missing, or a place that learners cannot read."""
    found = [f"The program {one} is missing." for one in ("prlimit", "git") if shutil.which(one) is None]
    if shutil.which(place.proxy[0]) is None:
        found.append("configurable-http-proxy is missing; `python3 start.py install hub` gets it from npm.")
    if place.simple:
        return found
    for name in (*place.learners, place.teacher):
        try:
            options = as_user(name)
        except KeyError:
            found.append(f"There is no Unix user {name}: useradd --create-home {name}, or ARGS=--create-users.")
            continue
        if options["user"] < FIRST_USER:
            found.append(f"{name} is a Unix user of the system itself; choose another name.")
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
                f"{name} cannot use {place.python}: it, or the Python that it was made from, is where others may not "
                "read, such as in /root or in a home folder. Make the environment in /opt, from the system's Python."
            )
            break
    return found


def readable(place: Place, checkout: Path) -> list[str]:
    """Try to read solutions and plans of the teacher's checkout as each learner; say who can and what closes it."""
    if place.simple:
        return []
    kept = [path for pattern in KEPT_BACK for path in checkout.glob(pattern)]
    ask = "import os, sys; print(*[path for path in sys.argv[1:] if os.access(path, os.R_OK)][:1])"
    for name in place.learners:
        command = [place.python, "-I", "-S", "-c", ask, *map(str, kept)]
        seen = subprocess.run(
            command, cwd="/", capture_output=True, encoding="utf-8", timeout=60, **as_user(name)
        ).stdout.strip()
        if seen:
            return [f"{name} can read {seen}, and so all solutions. Close your checkout: chmod 700 {checkout}"]
    return []


def first_port() -> int:
    """Return the first port on which others than root can listen."""
    path = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
    return int(path.read_text(encoding="utf-8")) if path.exists() else 1024
