"""Keep what the cells of each notebook draw, until something that it rests on changes.

What a drawing rests on is found while it is made: the notebook's code, every module of the course that was loaded,
every file of the course that was opened, and the packages that compute and draw. How answers are judged draws nothing,
and no lesson draws what another one says.
"""

import hashlib
import multiprocessing
import os
import pickle
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import nbformat

from courseware.environment import ROOT
from publish.site import capture

COURSE = ROOT / "course_lib"
COURSEWARE = ROOT / "courseware"
LESSONS = ROOT / "lessons"
GRADING = (COURSEWARE / "guess.py", COURSEWARE / "progress.py")  # and whywrong, which is no part of the course
RECORDER = tuple(
    Path(__file__).with_name(name)
    for name in ("capture.py", "colours.py", "narrow_code.py", "svg_markers.py", "pixels.py", "states.py", "svg.py")
)
LOADED = time.time()  # in a process that was forked: when the one before it loaded this
PACKAGES = ("matplotlib", "numpy", "torch", "pillow")


@dataclass(frozen=True)
class Kept:
    """What a notebook drew, and on what it rested: the mark of its code, and of each file of the course.

    seconds: of a processor that it took.
    """

    code: str
    files: dict[str, str]
    drawn: dict
    seconds: float

    def holds(self, path: Path) -> bool:
        """Tell whether running the notebook again would draw the same."""
        return self.code == mark_of_code(path) and all(_mark(ROOT / name) == mark for name, mark in self.files.items())


def drawings(paths: list[Path], folder: Path) -> list[dict]:
    """Return what the cells of each notebook draw, from `folder` where nothing that it rests on has changed.

    Raises:
        capture.CellError, states.RecordingError: a cell cannot be run, or its figure cannot be recorded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = {path: _read(folder / f"{path.stem}.pickle") for path in paths}
    new = [path for path in paths if kept[path] is None or not kept[path].holds(path)]
    if new:
        os.environ.update(OMP_NUM_THREADS="1")
        print(f"Drawing {len(new)} of {len(paths)} lessons; drawing all of them takes a few minutes.", flush=True)
        # One process for each notebook: a lesson may change what torch takes as its default.
        with ProcessPoolExecutor(workers(len(new)), mp_context=processes(), max_tasks_per_child=1) as pool:
            for path, found in zip(new, pool.map(drawn_now, new), strict=True):
                kept[path] = found
                (folder / f"{path.stem}.pickle").write_bytes(pickle.dumps(found))
                print(f"  {path.stem}: {found.seconds:.0f} s of a processor", flush=True)
    return [kept[path].drawn for path in paths]


def workers(most: int) -> int:
    """Return how many notebooks are run at the same time."""
    return min(os.cpu_count() or 1, most)


def processes():
    """Return a way to begin processes that imports the large packages once for all of them, where there is one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    begun = multiprocessing.get_context("forkserver")
    begun.set_forkserver_preload(["torch", "publish.site.build"])
    return begun


def drawn_now(path: Path) -> Kept:
    """Run a notebook in this process, which should be a new one, and note what it rests on."""
    opened = set()
    sys.addaudithook(lambda event, given: opened.add(given[0]) if event == "open" else None)
    code = mark_of_code(path)
    drawn = capture.run(path)
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    used = {Path(name).resolve() for name in [*loaded, *opened] if isinstance(name, (str, Path))}
    used = {
        one
        for one in used
        if {COURSE, COURSEWARE, LESSONS} & {*one.parents} and one.suffix != ".pyc" and not _elsewhere(one, path)
    }
    files = {one.relative_to(ROOT).as_posix(): _mark(one) for one in sorted([*used, *RECORDER]) if one.is_file()}
    if any((ROOT / name).stat().st_mtime > LOADED for name in files):
        files[""] = "something was edited after its code had been loaded"  # so this never holds
    return Kept(code, files, drawn, time.process_time())


def mark_of_code(path: Path) -> str:
    """Return a mark of a notebook's code and of the versions of what runs it."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    parts = [f"{cell.id}\0{cell.source}\0" for cell in cells]
    parts += [platform.python_version(), *(version(name) for name in PACKAGES)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _elsewhere(file, path):
    """Tell whether a file is about judging answers, or about another lesson than that of the notebook."""
    others = LESSONS in file.parent.parents and LESSONS / path.stem.partition("_")[2] not in file.parents
    return others or file in GRADING


def _mark(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _read(path):
    """Return what was kept, or None: also where a newer or a damaged file stands."""
    try:
        kept = pickle.loads(path.read_bytes())
    except Exception:
        return None
    return kept if isinstance(kept, Kept) else None
