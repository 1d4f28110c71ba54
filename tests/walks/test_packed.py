"""What those get who install the course with pip, as hosted notebooks do: the lessons, and no teacher's plan."""

import subprocess
import sys
import zipfile

from lessons import catalogue
from tests.publish.clones import git

PACKAGES = ("course_lib", "courseware", "lessons", "whywrong")
ALONE = {f"whywrong/{name}" for name in ("LICENSE", "README.md", "pyproject.toml", "writing-exercises.md")}  # its own
WORKS = """
import os, sys
os.environ["COURSE_STATIC"] = "0"  # components live
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in one.__module__]  # it finds the checkout
sys.path.insert(0, sys.argv[1])
import lessons, whywrong
from course_lib.desk import catalogue, grade
from lessons import catalogue as found
from lessons.linear_limits import figures
from lessons.start_here import solutions
assert all(module.__file__.startswith(sys.argv[1]) for module in (lessons, whywrong, solutions))
right, wrong = (grade("start_here.double", one, 0).key for one in (solutions.double, lambda x: x * x))
from matplotlib.figure import Figure
from course_lib import components, microscope
from course_lib.desk import explore, which_bank
from course_lib.model import tasks
from courseware.page.components import Component
which_bank()
real = Component("real_microscope", {}, still=(Figure(), "Its still."), folder=components.FOLDER)
for one in (figures.curve_toy(*tasks.wave(8)), figures.xor_toy(), microscope.microscope("class Bank"), real):
    explore(one)
print(len(found.lessons()), right, wrong, "TODO" in found.half("relu_vs_gelu.gelu_slope"))
"""


def test_the_wheel_holds_the_lessons_and_no_plan(repository, tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={tmp_path}", str(repository)]
    subprocess.run(command, check=True)
    (path,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if name.partition("/")[0] in PACKAGES}
        wheel.extractall(tmp_path / "installed")
    kept = set(git(repository, "ls-files", "--", *PACKAGES).splitlines())
    plans = {name for name in kept if name.endswith("plan.toml")}
    assert len(plans) == len(catalogue.lessons()) and names == kept - plans - ALONE
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-I", "-c", WORKS, str(tmp_path / "installed")]
    done = subprocess.run(command, cwd=tmp_path / "empty", capture_output=True, text=True)
    assert (done.stdout.splitlines()[-1:], done.stderr) == ([f"{len(plans)} correct mistake:squared True"], "")
