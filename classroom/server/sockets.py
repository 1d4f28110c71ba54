"""How the hub starts a learner's server: on a Unix socket, at an address that nobody but the hub can hold.

A TCP port is whoever's listens on it first, and on one machine any learner may: the hub would lead a classmate, or the
teacher, to that learner's program. So the server makes its socket in a folder that only its learner can enter, and the
hub moves it into one that only the hub can enter. There nobody can put another in its place: not while the server
lives, not when it has died, not while the hub is down.
"""

import asyncio
import os
import pwd
import shutil
import stat
from pathlib import Path
from urllib.parse import quote

import psutil
from jupyterhub.spawner import LocalProcessSpawner, SimpleLocalProcessSpawner, Spawner
from jupyterhub.utils import maybe_future
from traitlets import Unicode, default

from classroom.server import settings

OPEN = 0o600  # of a socket on which its server listens: jupyter_server sets it between making it and listening
NO_PORT = 8888  # with any other, jupyter_server takes no socket


def _lives(process, uid):
    try:
        return process.uids().real == uid and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


class SocketSpawner(LocalProcessSpawner):
    """Start a learner's server as that Unix user, on a socket."""

    sockets = Unicode(help="the folder of the sockets").tag(config=True)

    @default("port")
    def _no_port(self):
        return NO_PORT

    @property
    def new(self) -> Path:
        """Where the server makes its socket."""
        return Path(self.sockets) / "new" / self.user.name / "socket"

    @property
    def kept(self) -> Path:
        """Where the hub and its proxy reach it."""
        return Path(self.sockets) / "kept" / self.user.name

    @property
    def server(self):
        """What the hub knows of the running server; its address is the socket, after a restart of the hub too."""
        server = Spawner.server.fget(self)
        if server is not None and not server.connect_url:
            server.connect_url = self.address
        return server

    @server.setter
    def server(self, server):
        Spawner.server.fset(self, server)

    @property
    def address(self) -> str:
        """The address as a URL."""
        return f"http+unix://{quote(str(self.kept), safe='')}"

    def account(self) -> tuple[int, int]:
        """Return the uid and gid that the server runs as."""
        one = pwd.getpwnam(self.user.name)
        return one.pw_uid, one.pw_gid

    def get_args(self):
        """Add the socket to what the server is started with."""
        return [*super().get_args(), f"--ServerApp.sock={self.new}"]

    async def run_pre_spawn_hook(self):
        """End what is left of an earlier server before anything of the learner is started."""
        await self.end_all()
        return await maybe_future(super().run_pre_spawn_hook())

    async def start(self):
        """Start the server, wait for its socket, and take it out of everybody's reach; return its address."""
        self.close()
        shutil.rmtree(self.new.parent, ignore_errors=True)
        self.new.parent.mkdir(0o700)
        os.chown(self.new.parent, *self.account())
        await super().start()
        while not self.listens():
            if await self.poll() is not None:
                raise RuntimeError(f"The server of {self.user.name} ended before it listened.")
            await asyncio.sleep(0.1)
        self.new.rename(self.kept)
        found = self.kept.lstat()  # only now, where nobody can change it any more
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != self.account()[0]:
            self.log.error("What %s put in place of a socket is not theirs; it is not opened.", self.user.name)
            self.close()
            raise RuntimeError(f"The server of {self.user.name} has no socket of its own.")
        return self.address

    def listens(self) -> bool:
        """Whether the server has made its socket."""
        try:
            return stat.S_IMODE(self.new.lstat().st_mode) == OPEN
        except OSError:
            return False

    def close(self) -> None:
        """Take the address away: what answers there is no server any more."""
        if self.kept.is_dir() and not self.kept.is_symlink():
            shutil.rmtree(self.kept)
        self.kept.unlink(missing_ok=True)

    async def stop(self, now=False):
        """Stop the server and whatever else its learner left running: a fork bomb ends here."""
        await super().stop(now)
        self.close()
        await self.end_all()

    async def end_all(self) -> None:
        """Kill every process of the learner, and wait for their end."""
        uid, _ = self.account()
        settings.end_all(self.user.name)
        for _ in range(100):
            if not any(_lives(one, uid) for one in psutil.process_iter()):
                return
            await asyncio.sleep(0.1)


class DemonstrationSpawner(SocketSpawner, SimpleLocalProcessSpawner):
    """Start everybody's server as the user who started the hub: a demonstration for one person."""

    def account(self) -> tuple[int, int]:
        """Return the uid and gid of the hub itself."""
        return os.geteuid(), os.getegid()

    async def end_all(self) -> None:
        """Leave everything else alone: it is the user's own."""
