"""Whoever looks for the worked solution, while a report is made, finds none: not in the course, not by its path."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

from classroom import unsolved
from classroom.marking import limits, runner, runner_cells
from tests.conftest import ROOT
from tests.lessons.worked import solved_cells

LESSON = "position_independence"
ID = f"{LESSON}.rowwise"
CHECK = f'check("{ID}", rowwise)'
FILE = f"lessons/{LESSON}/solutions.py"
OF_TEXT = """text = "def rowwise(" + text.partition("def rowwise(")[2].partition("# %%")[0].partition("check(")[0]
found = {}
done = exec("import numpy as np\\n" + text, found)
rowwise = found["rowwise"]"""
FOUND = {  # what sets `rowwise`
    "by the catalogue": f"from lessons import catalogue\ntext = catalogue.solution('{ID}')\n{OF_TEXT}",
    "beside the course": "import course_lib, pathlib\n"
    f"text = (pathlib.Path(course_lib.__file__).parent.parent / '{FILE}').read_text()\n{OF_TEXT}",
    "as a module": f"import lessons.{LESSON}.solutions as module\nrowwise = module.rowwise",
    "in memory": "import gc\nrowwise = next(one for one in gc.get_objects() if type(one) is type(lambda: 0) and "
    "one.__name__ == 'rowwise' and 'stack' in one.__code__.co_names)",
    "among the lines of files": "import linecache\ntext = next(text for text in (''.join(entry[2]) for entry in "
    "linecache.cache.values() if len(entry) == 4) if 'def row' + 'wise(' in text and 'f(row)' in text)\n" + OF_TEXT,
}
BY_PATH = {
    "by its path": f"text = open({str(ROOT / FILE)!r}).read()\n{OF_TEXT}",
    "in the environment's neighbourhood": "import pathlib, sys\n"
    f"text = pathlib.Path(sys.prefix, '..', {FILE!r}).resolve().read_text()\n{OF_TEXT}",
    "by git": "import subprocess\n"
    f"text = subprocess.run(['git', '-c', 'safe.directory=*', '-C', {str(ROOT)!r}, 'show', 'HEAD:{FILE}'], "
    f"capture_output=True, text=True).stdout\n{OF_TEXT}",
    "handed in by somebody": "import pathlib\ntext = pathlib.Path({neighbour!r}).read_text()\n" + OF_TEXT,
}
OTHERS = {  # what ties another copy of the course to the environment -> how a submission finds that copy
    "holds the environment": "pathlib.Path(sys.prefix).parent",
    "holds it behind a link": "pathlib.Path(sys.prefix).resolve().parent",
    "is on the import path": "next(path for path in map(pathlib.Path, sys.path) if path.name == 'on_the_path')",
    "was installed from": "pathlib.Path(next(pathlib.Path(sys.prefix).rglob('direct_url.json')).read_text()"
    ".partition('file://')[2].partition('\"')[0])",
    "is installed": "next(path for path in map(pathlib.Path, sys.path) if path.is_relative_to(sys.prefix))",
}
BESIDE = """import json, pathlib, sys
from classroom.marking import limits, runner, runner_cells
handed_in, asked = json.load(sys.stdin)
seen = [limits.run(runner_cells.work, runner.request(cells)).lines for cells in asked]
with runner.Runner(pathlib.Path(handed_in)) as a_runner:
    hidden = [a_runner.run(cells).lines for cells in asked]
found = [[line["status"] for line in lines if "status" in line] for lines in seen + hidden]
print(json.dumps([a_runner.around.hidden, found]))"""

ONLY_UNIX = ("chown", "fork", "getegid", "geteuid", "getgid", "getuid", "killpg", "setgid", "setgroups")
ONLY_UNIX += ("setpgid", "setsid", "setuid")
ELSEWHERE = f"""import os, platform, psutil, subprocess, sys
sys.platform = "elsewhere"
for name in {ONLY_UNIX!r}:
    delattr(os, name)
"""


def inside(code):
    """Return the same, done when the function is called."""
    return "def mine(f, X):\n    " + code.replace("\n", "\n    ") + "\n    return rowwise(f, X)"


def cells(code):
    """Return a cell that does it before the check, and one whose function does it."""
    return [f"{code}\n\n{CHECK}", f"{inside(code)}\n\n{CHECK.replace('rowwise)', 'mine)')}"]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    (folder / "neighbour.py").write_text(solved_cells(LESSON)[ID])
    return folder


@pytest.fixture(scope="module")
def a_runner(handed_in):
    with runner.Runner(handed_in) as a_runner:
        yield a_runner


def statuses(ended):
    return [line["status"] for line in ended.lines if "status" in line]


@pytest.mark.parametrize("way", FOUND)
def test_solution_is_not_in_the_course_that_judges(a_runner, way, monkeypatch):
    monkeypatch.setattr(limits, "WALL_SECONDS", 600)  # a busy computer may need more than a minute to start a process
    found = cells(FOUND[way])
    if way in ("by the catalogue", "beside the course"):
        here = limits.run(runner_cells.work, runner.request({LESSON: found}))
        assert statuses(here) == ["correct", "correct"], "the way leads nowhere in the teacher's own course either"
    assert "correct" not in statuses(a_runner.run({LESSON: found}))


@pytest.mark.parametrize("way", BY_PATH)
def test_teachers_course_and_the_submissions_are_hidden(a_runner, handed_in, way):
    found = cells(BY_PATH[way].replace("{neighbour!r}", repr(str(handed_in / "neighbour.py"))))
    if not a_runner.around.hidden:
        pytest.skip("this system lets nobody hide a folder; the report says so")
    assert "correct" not in statuses(a_runner.run({LESSON: found}))


def test_other_courses_that_share_the_environment_are_hidden(a_runner):
    if not a_runner.around.hidden:
        pytest.skip("this system lets nobody hide a folder; the report says so")
    with tempfile.TemporaryDirectory() as folder:  # not one of pytest's, which a submission's own user may not read
        top = Path(folder).resolve()
        top.chmod(0o755)
        environment = top / "last_year" / "env"
        environment.parent.mkdir()
        environment.symlink_to(top / "linked" / "env")
        venv.create(top / "linked" / "env")
        python = environment / "bin" / "python"
        packages = next(environment.glob("lib/*/site-packages"))
        (packages / "all.pth").write_text("\n".join([*filter(None, sys.path), str(top / "on_the_path")]))
        for course in (top / "last_year", top / "linked", top / "on_the_path", top / "source", packages):
            (course / FILE).parent.mkdir(parents=True)
            (course / FILE).write_text((ROOT / FILE).read_text())
        (packages / "installed.py").touch()
        submitted = top / "source" / "submitted" / "today"  # inside a folder that is hidden anyway
        submitted.mkdir(parents=True)
        (packages / "course-1.dist-info").mkdir()
        origin = json.dumps({"url": (top / "source").as_uri(), "dir_info": {"editable": True}})
        (packages / "course-1.dist-info" / "direct_url.json").write_text(origin)

        tries = [f"import pathlib, sys\ntext = ({way} / {FILE!r}).read_text()\n{OF_TEXT}" for way in OTHERS.values()]
        asked = [{LESSON: cells(code)} for code in tries] + [
            {LESSON: ["import installed\n" + solved_cells(LESSON)[ID]]}
        ]
        done = subprocess.run(
            [python, "-c", BESIDE],
            input=json.dumps([str(submitted), asked]),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
    hidden, found = json.loads(done.stdout)
    seen, results = found[: len(asked)], found[len(asked) :]
    assert seen == [*[["correct"] * 2] * len(OTHERS), ["correct"]], "a way leads nowhere even when nothing is hidden"
    assert hidden, "one of the folders could not be hidden"
    assert [way for way, those in zip(OTHERS, results, strict=False) if "correct" in those] == []
    assert results[-1] == ["correct"], "the environment itself is still there"


def test_submission_that_ends_the_process_costs_itself_alone(a_runner):
    kill = "def rowwise(f, X):\n    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n\n"
    ended = a_runner.run({LESSON: [kill + CHECK]})
    assert "correct" not in statuses(ended)
    if os.geteuid():  # else it may not
        assert {*ended.problems} == {"The process that judges the code ended early."} and statuses(ended) == ["stopped"]
    a_runner._process.kill()
    again = a_runner.run({LESSON: [solved_cells(LESSON)[ID]]})
    assert statuses(again) == ["correct"] and again.problems == again.unfinished == []


def test_where_python_knows_no_forks_and_no_users_each_submission_gets_a_fresh_python(handed_in, monkeypatch):
    """As on Windows; what POSIX functions its processes lack is taken from them here as they start."""
    write = unsolved.write

    def write_elsewhere(folder):
        write(folder)
        (folder / "sitecustomize.py").write_text(ELSEWHERE, encoding="utf-8")

    monkeypatch.setattr(unsolved, "write", write_elsewhere)
    sleeps = f"import time\n\ndef rowwise(f, X):\n    time.sleep(600)\n\n\n{CHECK}"
    leaves = sleeps.replace("time.sleep(600)", "__import__('posix')._exit(0)")
    with runner.Runner(handed_in, seconds=10) as a_runner:
        assert a_runner.around == runner.Around(network=True, hidden=False, library=True)
        found = a_runner.run({LESSON: [solved_cells(LESSON)[ID], sleeps, leaves]})
    assert statuses(found) == ["correct", "stopped", "stopped"] and found.unfinished == []
    assert found.problems == [
        "It took too long, so it was stopped.",
        "It ended early: it used too much memory, or stopped itself.",
    ]
