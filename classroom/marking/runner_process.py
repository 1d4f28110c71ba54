"""The process of a `runner.Runner`, which starts it from a copy of the course without worked solutions.

On Linux, where the system allows it, this process and those that it starts find the teacher's own copy of the course
and what the class handed in empty. A process with threads cannot leave that view, so NumPy is loaded afterwards.
"""

import ctypes
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from classroom.marking import limits

_NEW_USER, _NEW_MOUNTS = 0x10000000, 0x00020000  # linux/sched.h
_READ_ONLY, _BIND, _PRIVATE = 1, 4096, 1 << 18 | 16384  # linux/mount.h; private, with all below


@dataclass(frozen=True)
class Around:
    """What the code that is judged finds around it.

    network: whether it can reach one.
    hidden: whether the teacher's course and what the class handed in are out of its sight.
    library: whether it can import more of Python than is loaded, which may be root's alone.
    """

    network: bool
    hidden: bool
    library: bool


def _hide(paths) -> bool:
    """Lay nothing over folders and files, for this process and those that it starts; tell whether that worked."""
    if sys.platform != "linux":  # Windows has no such users either
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_NEW_MOUNTS | (_NEW_USER if user else 0)):
        return False
    if user:  # and stay who we are
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", name).write_text(line, encoding="utf-8")
    done = libc.mount(None, b"/", None, _PRIVATE, None) == 0
    for path in map(os.fsencode, paths):
        if os.path.isdir(path):
            done &= libc.mount(b"none", path, b"tmpfs", _READ_ONLY, b"size=4k,mode=755") == 0
        else:
            done &= libc.mount(os.fsencode(os.devnull), path, None, _BIND, None) == 0
    return done


def main() -> None:
    """Say what is around, then carry out one request after another, until there are no more."""
    first = json.loads(sys.stdin.readline())
    limits.WALL_SECONDS = first["seconds"]
    hidden = _hide(first["hide"])
    from classroom.marking import runner_cells  # now, for NumPy starts threads

    runner_cells.load(first.pop("worked"))
    network = limits.separated() != "network"
    _say(asdict(Around(network, hidden, limits.library_readable())))
    for line in sys.stdin:
        _say(asdict(limits.run(runner_cells.work, json.loads(line))))


def _say(line):
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
