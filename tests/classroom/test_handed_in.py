"""Reading what was handed in: names and files as uploads leave them, and what stops, hides or belies another's work."""

import json
import os
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import nbformat
import pytest

from classroom import files, report, report_page
from classroom.marking import handed_in, limits
from course_lib import handing_in
from lessons import catalogue
from tests.conftest import ROOT
from tests.lessons.worked import solved_cells

LESSON = catalogue.lesson("position_independence")
ID = "position_independence.rowwise"
SOLVED = {ID: {"status": "correct", "attempts": 1}}


def progress(entries) -> str:
    return json.dumps({"version": 2, "entries": entries})


def notebook(*cells) -> str:
    return nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]))


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(folder) -> dict[str, handed_in.Submission]:
    return {one.name: one for one in handed_in.read(folder)[0]}


def test_names_that_cannot_be_written_are_made_legible(tmp_path, one_runner):
    if sys.platform != "linux":
        pytest.skip("only Linux lets a file name be any bytes")
    for name in (b"Andr\xe9", b"Andr\xe8", b"two\nlines", "turned\u202eround".encode(), "Zoë 李".encode()):
        os.mkdir(os.fsencode(tmp_path) + b"/" + name)
        with open(os.fsencode(tmp_path) + b"/" + name + b"/progress.json", "w", encoding="utf-8") as file:
            file.write(progress(SOLVED))
    page = tmp_path / ".page.html"
    assert report.main([str(tmp_path), "--output", str(page)]) == 0
    names = [one.name for one in handed_in.read(tmp_path)[0]]
    assert names == ["Andr\ufffd", "Andr\ufffd", "Zoë 李", "turned\ufffdround", "two lines"]
    assert "Zoë 李" in page.with_suffix(".csv").read_text(encoding="utf-8")


def test_zip_file_of_a_learner_hands_in_for_nobody_else(tmp_path):
    for name, file in (("eva_1_2_x.zip", "ann_3_4_"), ("eva.zip", ""), ("submissions.zip", "ann_3_4_")):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        with zipfile.ZipFile(folder / name, "w") as packed:
            packed.writestr(f"{file}{LESSON.notebook}", notebook("x = 1"))
        assert [*read(folder)] == ["ann" if name == "submissions.zip" else "eva"]


def test_files_that_are_no_plain_files_stop_nothing(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    os.mkfifo(tmp_path / "pipe.zip")
    (tmp_path / "inside").mkdir()
    os.mkfifo(tmp_path / "inside" / "pipe.zip")
    os.mkfifo(tmp_path / "inside" / LESSON.notebook)
    put(tmp_path / "neighbour" / "progress.json", progress(SOLVED))
    program = (
        "import sys; from classroom.marking import handed_in\n"
        "for one in handed_in.read(sys.argv[1])[0]: print(one.name, one.problems, sorted(one.entries))"
    )
    done = subprocess.run(  # a process of its own, for a pipe is waited for without end
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == [
        "inside ['05_position_independence.ipynb: It is not a plain file.', 'pipe.zip: It is not a plain file.'] []",
        f"neighbour [] ['{ID}']",
        "pipe ['pipe.zip: It is not a plain file.'] []",
    ]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_zip_file_is_said_wherever_the_damage_is(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as packed:
        packed.writestr("progress.json", progress(SOLVED))
    whole = (tmp_path / "a.zip").read_bytes()
    assert read(tmp_path)["a"].problems == []
    for place in range(len(whole)):
        (tmp_path / "a.zip").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        (one,) = handed_in.read(tmp_path)[0]
        assert one.problems or one.entries.keys() <= SOLVED.keys()


@pytest.mark.parametrize("packed", [True, False])
def test_learners_copy_counts_before_the_courses_own(tmp_path, packed):
    files = {
        f"course/notebooks/{LESSON.notebook}": notebook("published"),
        f"course/my_notebooks/{LESSON.notebook}": notebook("mine"),
        f"course/my_notebooks/.course/base/{LESSON.notebook}": notebook("base"),
        f"course/my_notebooks/.ipynb_checkpoints/{LESSON.notebook}": notebook("earlier"),
        "course/my_notebooks/.course/progress.json": progress(SOLVED),
    } | {f"course/.venv/lib/{number}.py": "" for number in range(300)}
    if packed:
        with zipfile.ZipFile(tmp_path / "anna.zip", "w") as file:
            for name, text in files.items():
                file.writestr(name, text)
    else:
        for name, text in files.items():
            put(tmp_path / "anna" / name, text)
    one = read(tmp_path)["anna"]
    assert one.cells == {LESSON.name: ["mine"]} and set(one.entries) == {ID} and one.problems == []


WORK = notebook(solved_cells(LESSON.name)[ID])


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return path


def test_zip_file_of_a_class_holds_folders_and_zip_files(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {f"ffn-course/my_notebooks/{LESSON.notebook}": WORK}).read_bytes()
    files = {
        f"Zoë Li_1234567_assignsubmission_file_/{LESSON.notebook}": WORK,
        f"ben/{LESSON.notebook}": WORK,
        "ben/.ipynb_checkpoints/old.ipynb": "{",
        "mustermax_88_1234_work.zip": inner,
        "cleo.zip": inner[:100],
        "__MACOSX/ben/._progress.json": "x",
    }
    found = read(zipped(tmp_path / "class.zip", files))
    assert {name: (set(one.cells), one.problems) for name, one in found.items()} == {
        "Zoë Li": ({LESSON.name}, []),
        "ben": ({LESSON.name}, []),
        "mustermax": ({LESSON.name}, []),
        "cleo": (set(), ["cleo.zip: It is not a complete zip file."]),
    }
    (tmp_path / "class.zip").write_bytes(b"PK")
    with pytest.raises(ValueError, match="not a complete zip file"):
        read(tmp_path / "class.zip")


CANVAS, MOODLE = "{name}_{n}_99{n}_{file}", "{name}_{n}_assignsubmission_file_/{file}"
MOODLE_FLAT = "{name}_{n}_assignsubmission_file_{file}"


def laid(folder, how, files):
    """Lay a class's files out as they come: in one zip file, in one with a folder around all, or unpacked."""
    if how == "unpacked":
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder
    around = "class/" if how == "zip in a folder" else ""
    return zipped(folder / "class.zip", {around + name: content for name, content in files.items()})


HOW = pytest.mark.parametrize("how", ["zip", "zip in a folder", "unpacked"])


@HOW
@pytest.mark.parametrize("form", [CANVAS, MOODLE, MOODLE_FLAT])
@pytest.mark.parametrize("name", ["müllerjürgen", "de_groot", "Zoë Ångström", "李小龙"])
def test_names_of_a_platform_keep_their_letters(tmp_path, how, form, name):
    twice = unicodedata.normalize("NFD", name)  # as a Mac may spell it
    files = {
        form.format(name=name, n=11, file=LESSON.notebook): WORK,
        form.format(name=twice, n=11, file="progress.json"): progress(SOLVED),
        form.format(name=name + "_LATE", n=12, file="other.ipynb"): notebook("x"),
    }
    if form != CANVAS:
        del files[form.format(name=name + "_LATE", n=12, file="other.ipynb")]
    found = read(laid(tmp_path, how, files))
    first = f"{name} (11)" if form == CANVAS else name
    assert set(found) == ({first, f"{name} (12)"} if form == CANVAS else {name})
    assert set(found[first].cells) == {LESSON.name} and set(found[first].entries) == {ID}
    assert found[first].problems == []


@HOW
@pytest.mark.parametrize("who", ["anon_Zx3kQ", "anon_12345"])
@pytest.mark.parametrize("form", ["{who}_{n}_{file}", "LATE_{who}_{n}_{file}", "{who}_LATE_{n}_{file}"])
def test_files_of_one_anonymous_learner_are_one_submission(tmp_path, how, who, form):
    files = {
        form.format(who=who, n=881, file=LESSON.notebook): WORK,
        form.format(who=who, n=882, file="progress.json"): progress(SOLVED),
        form.format(who="anon_b2B2b", n=883, file=LESSON.notebook): WORK,
    }
    found = read(laid(tmp_path, how, files))
    assert {name: (set(one.cells), set(one.entries), one.problems) for name, one in found.items()} == {
        who: ({LESSON.name}, {ID}, []),
        "anon_b2B2b": ({LESSON.name}, set(), []),
    }


@HOW
def test_names_that_lead_out_of_a_zip_file_are_refused(tmp_path, how):
    bad = ("../{}", "a/../../{}", "/{}", "C:/{}", "..\\{}")
    climber = zipped(
        tmp_path / "climber", {name.format(LESSON.notebook): WORK for name in bad} | {"progress.json": progress(SOLVED)}
    )
    outside = {path for path in tmp_path.parent.rglob("*")}
    (tmp_path / "in").mkdir()
    place = laid(tmp_path / "in", how, {"eva_1_2_x.zip": climber.read_bytes()})
    (one,) = handed_in.read(place)[0]
    said = "Its name leads out of its folder; it was not read."
    assert (one.name, one.cells, set(one.entries)) == ("eva", {}, {ID})
    assert one.problems == [f"{LESSON.notebook}: {said}"] * len(bad)
    if how == "zip":
        files = {f"../{LESSON.notebook}": WORK, "../ben/progress.json": progress(SOLVED)}
        assert [file.why for file in handed_in.read(zipped(place, files))[1]] == [said] * 2
    now = {path for path in tmp_path.parent.rglob("*") if tmp_path / "in" not in path.parents}
    assert now - outside <= {tmp_path / "in"}


@HOW
def test_zip_file_in_zip_files_is_read_up_to_a_depth_that_is_said(tmp_path, how):
    inside = zipped(tmp_path / "1.zip", {LESSON.notebook: WORK}).read_bytes()
    inside = zipped(tmp_path / "2.zip", {"1.zip": inside}).read_bytes()
    inside = zipped(tmp_path / "0.zip", {"2.zip": inside}).read_bytes() if how == "unpacked" else inside
    files = {"eva_1_2_two.zip": inside, "ben_2_3_three.zip": zipped(tmp_path / "3", {"2.zip": inside}).read_bytes()}
    (tmp_path / "in").mkdir()
    found = read(laid(tmp_path / "in", how, files))
    assert (set(found["eva"].cells), found["eva"].problems) == ({LESSON.name}, [])
    said = "1.zip: It was not read, because it is a zip file inside too many others."
    assert (found["ben"].cells, found["ben"].problems) == ({}, [said])


def test_many_zip_files_in_one_are_read_up_to_a_number_that_is_said(tmp_path):
    one = zipped(tmp_path / "1", {LESSON.notebook: WORK}).read_bytes()
    eva = zipped(tmp_path / "eva", {f"{number}.zip": one for number in range(files.MOST_ZIPS[1] + 1)})
    (tmp_path / "in").mkdir()
    zipped(tmp_path / "in" / "class.zip", {"eva.zip": eva.read_bytes()})
    said = "5.zip: It was not read, because it lies in a zip file with more than 5 others."
    assert said in read(tmp_path / "in")["eva"].problems


@pytest.mark.parametrize("form", ["Ann Li_{}_assignsubmission_file_/{file}", "liann_{}_99{}_{file}"])
@HOW
def test_namesakes_in_the_zip_file_of_a_class_are_two_learners(tmp_path, form, how):
    files = {form.format(n, n, file=file): text for n in (11, 12) for file, text in [(LESSON.notebook, WORK)]}
    found = read(laid(tmp_path, how, files))
    name = form.partition("_")[0]
    assert {key: (set(one.cells), one.problems) for key, one in found.items()} == {
        f"{name} (11)": ({LESSON.name}, []),
        f"{name} (12)": ({LESSON.name}, []),
    }


def test_zip_file_in_the_zip_file_of_a_class_is_read_up_to_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_PACKED", 1000)
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ben.zip", bytes(10_000))
    assert read(tmp_path / "class.zip")["ben"].problems == ["ben.zip: It is larger than 0 MB, so it was not read."]


def test_mark_of_a_windows_editor_is_no_damage(tmp_path):
    put(tmp_path / "anna" / "progress.json", "\ufeff" + progress(SOLVED))
    put(tmp_path / "anna" / LESSON.notebook, "\ufeff" + notebook("x = 1"))
    one = read(tmp_path)["anna"]
    assert one.problems == [] and set(one.entries) == {ID} and one.cells == {LESSON.name: ["x = 1"]}


def test_who_has_not_started_is_told_from_whose_work_cannot_be_read(tmp_path, one_runner):
    put(tmp_path / "begun" / "progress.json", progress({}))
    put(tmp_path / "older" / "progress.json", progress({ID: {"status": "not yet"}}))
    put(tmp_path / "damaged" / "progress.json", "{")
    put(tmp_path / "foreign" / "progress.json", progress({"algebra.one": {"status": "correct"}}))
    (tmp_path / "empty").mkdir()
    found = report.report(tmp_path)
    assert found.absent == ["begun"]
    assert found.problems == [
        ("damaged", "progress.json: It is damaged, so it cannot be read as a progress file."),
        ("empty", "empty/: The folder is empty."),
        ("foreign", "progress.json: It is a progress file that holds nothing from this course."),
    ]
    found.absent = []
    assert "Everybody whose work could be read has started." in report_page.page(found)


def reads_a_locked_folder(request):
    """Run in a process that is not root's, in a folder of its own."""
    put(Path("anna") / "locked" / "progress.json", progress(SOLVED))
    put(Path("ben") / "progress.json", progress(SOLVED))
    (Path("anna") / "locked").chmod(0)
    yield {name: one.problems for name, one in read(Path(".")).items()}
    Path(".").chmod(0)
    try:
        read(Path("."))
    except ValueError as error:
        yield {"error": str(error)}


@pytest.mark.skipif(os.name == "nt", reason="there no folder is closed by its mode")
def test_folder_that_cannot_be_opened_is_said():
    ended = limits.run(reads_a_locked_folder, {})
    assert ended.lines == [
        {"anna": ["anna/locked/: It cannot be opened."], "ben": []},
        {"error": "The folder . cannot be opened: Permission denied."},
    ]


LONG = "Anna " * 100
INSIDE = {
    "whole": ("李雷", "李雷"),
    "controls": ("An\u202ena\n\x00K\ud800", "Anna K"),
    "long": (LONG, LONG[: handing_in.MOST_OF_NAME].strip()),
    "none": (None, "learner-3a4732"),
    "no text": (["李雷"], "learner-3a4732"),
    "nothing to see": ("\u200b ", "learner-3a4732"),
}


def signed(name):
    return json.dumps({"version": 2, "entries": SOLVED} | ({} if name is None else {"name": name}))


PACKED = "learner-3a4732_05_position_independence.zip"
ALONE = pytest.mark.parametrize("how", ["zip", "unpacked"])


@ALONE
@pytest.mark.parametrize("kind", INSIDE)
def test_name_inside_a_file_is_the_learners(tmp_path, how, kind):
    name, expected = INSIDE[kind]
    packed = {"progress.json": signed(name), LESSON.notebook: WORK}
    file = zipped(tmp_path / "1", packed).read_bytes()
    (tmp_path / "in").mkdir()
    found = read(laid(tmp_path / "in", how, {PACKED: file, "ben.zip": file[:50]}))
    assert set(found) == {expected, "ben"} and set(found[expected].entries) == {ID}


def test_a_file_of_another_version_is_said_to_be_one(tmp_path):
    progress = {"version": 2, "name": "Ann", "course": "1.0.0", "entries": SOLVED}
    found = read(laid(tmp_path, "unpacked", {"ann/progress.json": json.dumps(progress)}))
    assert "progress.json: Made with version 1.0.0 of the course; points count what " in found["Ann"].notes[0]
