"""Send the notebooks and the progress of whoever runs this to the standard output; collect.py runs it as each learner.

It is handed to Python as text, because a learner can't read the teacher's course, and needs the standard library alone.
It opens every folder and file without following a link, and sends regular files only. For each file it sends a line of
JSON, with the name and the size, and then the bytes; where it can't send one, a line with the name and the reason.

Arguments: the folders that lead to my_notebooks, from the root on; then the most bytes of a notebook, of the progress
file, and the most files.
"""

import json
import os
import stat
import sys

_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe that nobody fills must not hold us up


def main(arguments: list[str]) -> None:
    """Send everything."""
    folder, (notebook, progress, files) = arguments[0], map(int, arguments[1:])
    here = _walk(folder)
    names = sorted(name for name in os.listdir(here) if name.endswith(".ipynb") and not name.startswith("."))
    for name in names[:files]:
        _send(here, name, name, notebook)
    if len(names) > files:
        _say(problem=f"It holds more than {files} notebooks; the others were not collected.")
    try:
        course = os.open(".course", _PLAIN | os.O_DIRECTORY, dir_fd=here)
    except OSError:
        return
    _send(course, "progress.json", ".course/progress.json", progress)


def _walk(folder):
    """Open a folder, one after the other from the root on, so that none of them can be a link."""
    here = os.open("/", _PLAIN | os.O_DIRECTORY)
    for name in folder.strip("/").split("/"):
        here = os.open(name, _PLAIN | os.O_DIRECTORY, dir_fd=here)
    return here


def _send(folder, name, called, most):
    try:
        if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
            return _say(name=called, problem="is a link to another place; it was not followed.")
        with os.fdopen(os.open(name, _PLAIN, dir_fd=folder), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _say(name=called, problem="is not a plain file.")
            content = file.read(most + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return _say(name=called, problem=f"cannot be opened: {error.strerror}.")
    if len(content) > most:
        return _say(name=called, problem="is too large.")
    _say(name=called, size=len(content))
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _say(**what):
    sys.stdout.buffer.write(json.dumps(what).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
