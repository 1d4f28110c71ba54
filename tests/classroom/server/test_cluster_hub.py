"""The line with which a learner's server begins in a cluster."""

import os
import subprocess
import sys

from classroom import edition
from tests.classroom.test_cluster import VALUES


def test_each_start_brings_the_course_of_the_image_and_always_ends_well(tmp_path):
    image, home = tmp_path / "opt", tmp_path / "home"
    edition.pack(tmp_path / "course.zip")
    subprocess.run([sys.executable, "-m", "zipfile", "--extract", str(tmp_path / "course.zip"), str(image)], check=True)
    home.mkdir()
    *shell, line = VALUES["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    line = line.replace("/opt/ffn-course", str(image / "ffn-course"))
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

    def begin():
        subprocess.run([*shell, line], check=True, env={"HOME": str(home), "PATH": path})

    begin()
    mine = home / "ffn-course" / "my_notebooks"
    lesson, failed = mine / "01_linear_limits.ipynb", mine / "UPDATE_FAILED.txt"
    assert lesson.is_file() and not failed.exists()
    published = image / "ffn-course" / "notebooks" / lesson.name
    new = published.read_text(encoding="utf-8").replace("# ", "# Changed ", 1)
    published.write_text(new, encoding="utf-8")
    lesson.write_text("{", encoding="utf-8")
    begin()
    assert "01_linear_limits.ipynb is not a readable notebook" in failed.read_text(encoding="utf-8")
    lesson.unlink()
    begin()
    assert "Changed " in lesson.read_text(encoding="utf-8") and not failed.exists()
