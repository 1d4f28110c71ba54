"""What the walks share, because it costs minutes: packages that are installed already. No step is left out for it.

The first day (test_first_day.py) installs everything from the network, into nothing. Each other walk finds the packages
of the .venv that runs the tests, which `make test` has built: its folder gets them as links, in a .venv that still has
no Python and no course. The page's own command then makes the environment and installs, as it does in an empty folder,
and pip finds most of it there. What `make site` draws in a walk, the tests of the pages take over.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

DRAWN = Path("build") / "site-cache"  # what `make site` has drawn: each file is named by all that it depends on


def share(folder: Path, without: tuple[str, ...] = (), name: str = ".venv") -> None:
    """Give a folder the installed packages, without the course itself, without programs, and without some packages."""
    here, there = Path(sys.prefix).resolve(), folder / name
    there.mkdir(parents=True)
    for name in ("lib", "share", "etc"):
        if (here / name).exists():
            link(here / name, there / name)
    for packages in there.glob("lib/python*/site-packages"):
        for own in [path for name in ("__editable__*", "ffn_course-*", *without) for path in packages.glob(name)]:
            shutil.rmtree(own) if own.is_dir() else own.unlink()


def link(source: Path, target: Path) -> None:
    """Copy a folder by hard links, or as a whole where it lies on another disk."""
    command = ["cp", "--archive", "--link", str(source), str(target)]
    if subprocess.run(command, capture_output=True).returncode:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)


def take_drawings(folder: Path) -> None:
    """Give a folder what was drawn for the pages here."""
    if (ROOT / DRAWN).is_dir():
        shutil.copytree(ROOT / DRAWN, folder / DRAWN, symlinks=True)


def hand_over_drawings(folder: Path) -> None:
    """Keep what `make site` has drawn in a folder, for the tests of the pages."""

    def known(inside, names):  # a link there may lead to the Python that runs
        there = ROOT / DRAWN / Path(inside).relative_to(folder / DRAWN)
        return [name for name in names if (there / name).is_file() or (there / name).is_symlink()]

    shutil.copytree(folder / DRAWN, ROOT / DRAWN, symlinks=True, ignore=known, dirs_exist_ok=True)
