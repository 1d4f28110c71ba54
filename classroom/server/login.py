"""Who may log in to the class server: the learners with one password, the teacher with another, nobody as its master.

JupyterHub's own shared passwords make whoever has the second one an administrator. Pages of all learners share one
origin with the hub, so a page of any of them could do whatever an administrator who looks at it may do.
"""

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, field
from secrets import compare_digest

from jupyterhub.auth import Authenticator
from tornado import web
from traitlets import Unicode

FREE = 3  # wrong passwords for a name without a pause
PAUSE = 2.0  # seconds, after each further one
FORGET = 60.0  # seconds without a wrong one, after which all are forgotten
LINE = 4  # tries that wait for one name: a right password among them waits for the others, 8 seconds at most


@dataclass
class Tries:
    """The wrong passwords for one name, and who waits."""

    wrong: int = 0
    last: float = 0.0
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class ClassAuthenticator(Authenticator):
    """One password for the learners and one for the teacher; wrong ones slow down the name they are tried with."""

    teacher = Unicode(help="the name of the teacher").tag(config=True)
    learners_password = Unicode(help="of every name but the teacher's").tag(config=True)
    teachers_password = Unicode(help="of the teacher's name alone").tag(config=True)

    def __init__(self, **options):
        super().__init__(**options)
        self.tries = defaultdict(Tries)

    async def authenticate(self, handler, data):
        """Return the user whose password this is, else None; one try at a time for each name."""
        name = self.normalize_username(data["username"])
        if name not in self.allowed_users:
            return None
        tries = self.tries[name]
        if tries.waiting >= LINE:
            raise web.HTTPError(429, "Too many wrong passwords for this name. Wait ten seconds and try again.")
        tries.waiting += 1
        try:
            async with tries.turn:
                return await self.judged(name, data["password"], tries)
        finally:
            tries.waiting -= 1

    async def judged(self, name, password, tries):
        """Compare the password; after some wrong ones, the next try for this name waits a moment."""
        right = self.teachers_password if name == self.teacher else self.learners_password
        if time.monotonic() - tries.last > FORGET:
            tries.wrong = 0
        if right and compare_digest(password.encode(), right.encode()):
            tries.wrong = 0
            return {"name": name, "admin": False}
        tries.wrong, tries.last = tries.wrong + 1, time.monotonic()
        if tries.wrong > FREE:
            self.log.warning("%s wrong passwords for %s, one after the other.", tries.wrong, name)
            await asyncio.sleep(PAUSE)
        return None
