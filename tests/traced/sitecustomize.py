"""Note every file that Python opens to read in the file that COURSE_READ_LOG names: see tests/groups.py."""

import os
import sys

_seen = set()


def _note(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and (arguments[1] or "r")[0] == "r":
        path = os.path.abspath(arguments[0])
        if path not in _seen:
            _seen.add(path)
            os.write(_log, f"{path}\n".encode(errors="replace"))


if "COURSE_READ_LOG" in os.environ:
    try:
        _log = os.open(os.environ["COURSE_READ_LOG"], os.O_WRONLY | os.O_APPEND)
    except OSError:  # the run that asked for it is over
        pass
    else:
        sys.addaudithook(_note)
