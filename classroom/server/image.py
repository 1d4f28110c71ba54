"""Build the image for a cluster from the student edition, for real, and run it once. By hand: it needs registries.

Usage: python -m classroom.server.image [--base IMAGE | --debian] [--wheels FOLDER] [--tag NAME] [-- MORE ...]
--debian makes the base from Debian's packages, where no registry of images can be reached, and
wants root, buildah and mmdebstrap. --wheels names a folder with wheels that pip may take, such as a small torch.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from classroom import edition
from course_lib.environment import ROOT

DOCKERFILE = Path(__file__).with_name("cluster") / "Dockerfile"
BUILDERS = ("buildah", "podman", "docker")
DEBIAN = "localhost/ffn-course-base"
PACKAGES = "python3,python3-venv,ca-certificates"
TRY = (
    "import os; assert os.getuid() == 1000; import course_lib.desk, torch, jupyterhub, subprocess, shutil, sys; "
    "shutil.copytree('/opt/ffn-course', '/tmp/c'); os.chdir('/tmp/c'); "
    "subprocess.run([sys.executable, '-m', 'publish.copies'], check=True); "
    "assert len(os.listdir('my_notebooks')) > 10; "
    "print('torch', torch.__version__, 'jupyterhub', jupyterhub.__version__)"
)


class NotBuilt(Exception):
    """Say what is missing, or which step failed."""


def builder() -> str:
    """Return the program that builds images.

    Raises:
        NotBuilt: there is none.
    """
    found = next(filter(shutil.which, BUILDERS), None)
    if found is None:
        raise NotBuilt(f"No program that builds images was found; one of {', '.join(BUILDERS)} is needed.")
    return found


def run(*command, env=None) -> str:
    """Run a command, show what it writes, and return its output.

    Raises:
        NotBuilt: it failed.
    """
    print("$", *command, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env)
    if done.returncode:
        raise NotBuilt(f"{command[0]} failed with {done.returncode}.")
    return done.stdout.strip()


def debian_base() -> None:
    """Make the base image from Debian's packages.

    Raises:
        NotBuilt: not root, or a program is missing.
    """
    missing = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        raise NotBuilt(f"--debian wants {' and '.join(['root', *missing])}.")
    name = run("buildah", "from", "scratch")
    try:
        mounted = run("buildah", "mount", name)
        run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}", "bookworm", mounted)
        run("buildah", "umount", name)
        run("buildah", "commit", "--quiet", name, DEBIAN)
    finally:
        subprocess.run(["buildah", "rm", name], capture_output=True)


def build(base: str, tag: str, wheels: Path | None, more=()) -> str:
    """Build the image, run it once, and return what it says.

    Raises:
        NotBuilt: why there is no image.
    """
    program = builder()
    edition.pack()
    isolated = ["--isolation=chroot"] if program == "buildah" else []
    with tempfile.TemporaryDirectory() as empty:
        volume = f"--volume={(wheels or Path(empty)).absolute()}:/wheels:ro"
        command = [program, "build", *isolated, volume, f"--build-arg=BASE={base}", f"--tag={tag}", *more]
        run(*command, f"--file={DOCKERFILE}", str(ROOT))
    if program != "buildah":
        return run(program, "run", "--rm", tag, "python", "-c", TRY)
    name = run("buildah", "from", tag)
    try:
        return run("buildah", "run", *isolated, name, "--", "python", "-c", TRY)
    finally:
        subprocess.run(["buildah", "rm", name], capture_output=True)


def main(arguments=None) -> int:
    """Build; return 0, or 1 with a sentence about what is missing."""
    parser = argparse.ArgumentParser(description="Build the image for a cluster.")
    base = parser.add_mutually_exclusive_group()
    base.add_argument("--base", default="docker.io/library/python:3.11-slim", help="the image to begin with")
    base.add_argument("--debian", action="store_true", help="make the base from Debian's packages")
    parser.add_argument("--wheels", type=Path, help="a folder with wheels that pip may take")
    parser.add_argument("--tag", default="ffn-course:1")
    parser.add_argument("more", nargs="*", help="more for the builder, behind --")
    given = parser.parse_args(arguments)
    try:
        if given.wheels and not given.wheels.is_dir():
            raise NotBuilt(f"--wheels must name a folder, but {given.wheels} is none.")
        if given.debian:
            debian_base()
        said = build(DEBIAN if given.debian else given.base, given.tag, given.wheels, given.more)
    except (NotBuilt, RuntimeError, OSError) as error:
        print(f"No image was built. {error}", file=sys.stderr)
        return 1
    print(f"{given.tag} runs as user 1000: {said.splitlines()[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
