"""Start JupyterLab on a learner's own copies, at the lesson where they go on, and say where it is.

JupyterLab runs in this process, so the address comes from the server itself and is right when the usual port is taken.
It opens a workspace of its own, emptied at each start: otherwise it would bring back every lesson that was ever opened,
and start a kernel for each.

Usage: python -m publish.learner.lab [--published] [anything that `jupyter lab` takes]
"""

import json
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

try:
    from jupyterlab.commands import get_workspaces_dir
    from jupyterlab.labapp import LabApp
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    from course_lib import desk
    from publish.learner import copies
except ImportError as error:
    package = (error.name or "a package").partition(".")[0]
    sys.exit(
        f"JupyterLab cannot start, because {package} is missing or damaged. If the course runs in the folder .venv, "
        "remove that folder and start again. Your copies and your progress stay."
    )

FIRST = "00_start_here.ipynb"
WORKSPACES = ("ffn-course", "ffn-course-edit")  # for the learner's copies, and for the published lessons
# Nothing is open, the list of files neither: with it, half a screen does not hold a lesson.
EMPTY = {
    "main": {"dock": None},
    "left": {"collapsed": True, "visible": True, "widgets": ["filebrowser"]},
    "right": {"collapsed": True, "visible": True, "widgets": []},
}
WILDCARDS = ("0.0.0.0", "::", "*")  # ways to say: every network that this computer is in


def empty(workspace: str) -> bool:
    """Empty a workspace; return False where its file cannot be written, so that JupyterLab itself must do it."""
    data = {"data": {"layout-restorer:data": EMPTY}, "metadata": {"id": workspace}}
    try:
        WorkspacesManager(get_workspaces_dir()).save(workspace, json.dumps(data))
    except OSError:
        return False
    return True


def settings(folders: copies.Folders, published: bool, given: list[str], emptied: bool = False) -> list[str]:
    """Return the arguments for JupyterLab: the course's own, without those that are given, and the given ones.

    The server asks nothing of the network: no update check, no news, no extension catalogue. The settings folder is
    the course's own, so the learner's settings stay as they are.
    """
    folder = "notebooks" if published else "my_notebooks"
    lesson = FIRST if published else to_open(folders)
    workspace = WORKSPACES[published]
    own = {
        "--ServerApp.root_dir": folders.root,
        "--Application.log_level": "ERROR",
        "--MappingKernelManager.transport_encryption": "auto",  # without it every kernel warns of eavesdropping
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url": "None",
        "--LabApp.extension_manager": "readonly",
        "--LabApp.app_settings_dir": folders.root / "config" / "jupyterlab",
        "--LabApp.custom_css": True,  # one column
        "--ServerApp.tornado_settings": f"static_custom_path={folders.root / 'config' / 'jupyterlab' / 'custom'}",
        "--LabApp.default_url": f"/lab/workspaces/{workspace}/tree/{folder}/{lesson}{'' if emptied else '?reset'}",
    }
    named = {argument.partition("=")[0] for argument in given}
    if named & {"--debug", "--log-level"}:
        del own["--Application.log_level"]
    arguments = [f"{key}={value}" for key, value in own.items() if key not in named]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in named:
        print("You are root, so JupyterLab is started with --allow-root.", flush=True)
        arguments.append("--allow-root")
    return arguments + given


def to_open(folders: copies.Folders) -> str:
    """Return the copy where `progress()` says to go on; the first one when that is done, or not there."""
    ahead = desk.notebook_ahead()
    return ahead if ahead and (folders.copies / ahead).is_file() else FIRST


def address(server) -> str:
    """Return the address that opens the course here, with the token when the server made one itself."""
    url = urlsplit(server.connection_url)
    if server.ip in WILDCARDS:
        url = url._replace(netloc=f"localhost:{server.port}")
    identity = server.identity_provider
    if identity.token and identity.token_generated:
        url = url._replace(query=urlencode({"token": identity.token}))
    return urlunsplit(url)


def announce(server) -> None:
    """Print how to reach the server and how to stop it."""
    lines = ["", "Open this address in a browser, if none has opened:", "", f"    {address(server)}", ""]
    if server.ip in WILDCARDS:
        lines += [f"From another computer, replace localhost by the name of this one ({socket.gethostname()}).", ""]
    lines += ["To stop: press Ctrl+C here, twice. What you saved and your progress are kept.", ""]
    print("\n".join(lines), flush=True)


def main(arguments=None) -> int:
    """Make the copies, start JupyterLab, and stay until it is stopped."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    published = "--published" in given
    given = [argument for argument in given if argument != "--published"]
    folders = copies.Folders()
    if not published:
        try:
            told = copies.make(folders) or ["Your own copies of the lessons are in my_notebooks."]
            print("\n".join(told), flush=True)
        except OSError as error:
            published = not (folders.copies / FIRST).is_file()
            if published:
                print(f"Your own copies cannot be made ({error}), so the published lessons are opened.", flush=True)
            else:
                print(f"Not every copy could be made ({error}). Those that you have are opened.", flush=True)
    options = settings(folders, published, given, empty(WORKSPACES[published]))
    print("Starting JupyterLab, which takes a few seconds ...", flush=True)
    try:
        server = LabApp.initialize_server(argv=options)
    except OSError as error:
        print(why_not(error), file=sys.stderr)
        return 1
    # Jupyter's own message gives a wrong address here: it puts ?token= behind ?reset.
    server.log.addFilter(lambda record: "copy and paste one of these URLs" not in record.getMessage())
    server.io_loop.add_callback(announce, server)
    server.start()
    return 0


def why_not(error: OSError) -> str:
    """Say why JupyterLab cannot start, and what helps where it is the home folder that cannot be written."""
    where, home = Path(error.filename or ""), Path.home()
    said = f"JupyterLab cannot start, because {error.strerror or error} ({where})."
    if home not in (where, *where.parents):
        return said
    name = "USERPROFILE" if os.name == "nt" else "HOME"
    return (
        f"{said} It needs a home folder that it can write to, and {home} is none: set the variable {name} to a folder "
        "of yours, and start again."
    )


def leave(code: int) -> None:
    """End this process at once: a file that was being read when the server stopped leaves a thread that never ends."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(main())
