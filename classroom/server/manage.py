"""What root does for the class: see which servers run, start them before the lesson, stop them after it, collect work.

It is a command and no page: whoever has a browser beside learners' pages must not be able to do this.

Usage: python -m classroom.server.manage list|start|stop [NAME ...] [--folder F]
       python -m classroom.server.manage passwords|new-passwords [--folder F]
       python -m classroom.server.manage collect FOLDER [NAME ...] [--folder F]
"""

import argparse
import http.client
import json
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from classroom import Refused
from classroom.server import collect, settings, start

PATIENCE = 300  # seconds until all have started
DONE = {"start": "runs", "stop": ""}


class Connection(http.client.HTTPConnection):
    """HTTP over a socket of this computer."""

    def __init__(self, path: Path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def call(place: settings.Place, method: str, path: str):
    """Ask the hub, over its own socket, with the token that only root can read; return (HTTP status, what it says)."""
    token = json.loads(place.passwords.read_text(encoding="utf-8"))["root"]
    connection = Connection(place.sockets / "hub")
    try:
        connection.request(method, f"/hub/api/{path}", headers={"Authorization": f"token {token}"})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def runs(place: settings.Place) -> bool:
    """Tell whether a hub listens."""
    with socket.socket(socket.AF_UNIX) as test:
        return test.connect_ex(str(place.sockets / "hub")) == 0


def states(place: settings.Place) -> dict[str, str]:
    """Return "runs", "starts", "stops" or "" for each name of the roster."""
    found = {}
    for user in call(place, "GET", "users?limit=200")[1]:
        server = user["servers"].get("") or {}
        pending = {"spawn": "starts", "stop": "stops"}.get(server.get("pending"), "")
        found[user["name"]] = "runs" if server.get("ready") and not pending else pending
    return {name: found.get(name, "") for name in (*place.learners, place.teacher)}


def change(place: settings.Place, verb: str, names: list[str]) -> dict[str, str]:
    """Start or stop servers, all at once, and wait; return what is not done in the end, in words."""
    before = states(place)
    method = "POST" if verb == "start" else "DELETE"
    with ThreadPoolExecutor(len(names)) as pool:
        todo = [name for name in names if before[name] != DONE[verb]]
        answers = dict(zip(todo, pool.map(lambda name: call(place, method, f"users/{name}/server"), todo), strict=True))
    end = time.monotonic() + PATIENCE
    while any(state in ("starts", "stops") for state in states(place).values()) and time.monotonic() < end:
        time.sleep(0.5)
    after = states(place)
    told = {name: said["message"] for name, (status, said) in answers.items() if status >= 400}
    return {name: told.get(name, "the hub's log says why") for name in names if after[name] != DONE[verb]}


def work(place: settings.Place, verb: str, names: list[str]) -> int:
    """Do what was asked for, print it, and return 0 when all of it was done."""
    if verb == "list":
        for name, state in states(place).items():
            print(f"{name:32} {state or '-'}")
        return 0
    left = change(place, verb, names)
    print(f"{len(names) - len(left)} of {len(names)} servers {'run' if verb == 'start' else 'are stopped'}.")
    for name, said in left.items():
        print(f"{name}: {said}", file=sys.stderr)
    return 1 if left else 0


def end(place: settings.Place, names: list[str]) -> int:
    """End all that learners run, where no hub runs that could stop their servers."""
    for name in names:
        settings.end_all(name)
    print(f"No hub runs. Everything that {', '.join(names)} ran was ended.")
    return 0


def tell_passwords(place: settings.Place) -> int:
    """Print both passwords: they are shown here and nowhere else."""
    kept = json.loads(place.passwords.read_text(encoding="utf-8"))
    print(f"The class: {kept['learners']}\n{place.teacher}: {kept['teacher']}")
    return 0


def gather(place: settings.Place, folder: Path, names: list[str]) -> int:
    """Collect the work of learners in a folder, say what was not collected, and return 0 when all of it was."""
    try:
        found = collect.collect(place, names, folder)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    for name, problems in found.items():
        for problem in problems:
            print(f"{name}: {problem}", file=sys.stderr)
    print(f"The work of {len(found)} learners is in {folder}. Now: {sys.executable} -m classroom.report {folder}")
    return 1 if any(found.values()) else 0


def main(arguments=None) -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description="See, start and stop the servers of the class; collect its work.")
    parser.add_argument("verb", choices=["list", "start", "stop", "collect", "passwords", "new-passwords"])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="by default the whole roster; for collect, FOLDER comes first"
    )
    parser.add_argument("--folder", type=Path, default=start.folder())
    given = parser.parse_args(arguments)
    try:
        place = settings.Place.read(given.folder / "place.json")
        everybody = [*place.learners, place.teacher]
        if given.verb == "collect" and not given.names:
            parser.error("collect needs a folder: collect FOLDER [NAME ...]")
        target = Path(given.names.pop(0)) if given.verb == "collect" else None
        unknown = sorted(set(given.names) - set(everybody))
        if unknown:
            parser.error(f"not on the roster: {', '.join(unknown)}; on it: {', '.join(everybody)}")
        if target:
            return gather(place, target, given.names or list(place.learners))
        if "passwords" in given.verb:
            if given.verb == "new-passwords":
                place.make_passwords(anew=True)
                print("These count when the hub starts again. Then everybody has to log in.")
            return tell_passwords(place)
        names = given.names or everybody
        if given.verb == "stop" and not place.simple and not runs(place):
            return end(place, names)
        return work(place, given.verb, names)
    except PermissionError:
        print("Only root can do this.", file=sys.stderr)
    except (OSError, http.client.HTTPException) as error:
        print(f"No class server runs with the folder {given.folder}: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
