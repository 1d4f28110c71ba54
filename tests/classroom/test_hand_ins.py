"""Whose every file is that was handed in, as what it was read, and which of several counts: a table of folders."""

import io
import json
import zipfile

import pytest

from classroom import report
from classroom.marking import handed_in
from classroom.marking.runner import Findings
from lessons import catalogue
from tests.classroom.test_handed_in import LESSON, WORK, notebook, put
from whywrong.task import Status

OLD, OTHER = notebook('# old\ncheck("position_independence.rowwise", 1)'), catalogue.lesson("expand_and_contract")
FOUR = json.dumps({"cells": [{"cell_type": "markdown", "source": f"# {OTHER.headline}"}]})
NB = LESSON.notebook
NONE = "nobody"


def packed(name, text=WORK, day=1):
    """Return what hand_in makes on a day."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        progress = json.dumps({"version": 2, "entries": {}, "name": name})
        for member, content in ((NB, text), ("progress.json", progress)):
            made.writestr(zipfile.ZipInfo(member, (2026, 11, day, 8, 0, 0)), content)
    return file.getvalue()


def zipped(files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()


TEAMS = "Submitted files/{}/FFN Lesson 5/Version {}/" + NB
BOARD = "Lesson 5_{}_attempt_2026-11-{}-10-11-12_{}"
SPACE = "271836-442356 - Blake Payne - Nov {}, 2026 1149 AM - {}"
# What lies in the folder -> name of each learner with the lessons read; which file counts; what is not read.
TABLE = {
    # ten platforms
    "Canvas": (
        {f"liann_101_700_{NB}": OLD, f"liann_101_800_{NB[:-6]}-1.ipynb": WORK, "koben_102_701_x.ipynb": WORK},
        {"liann": [5], "koben": [5]},
        ["800"],
        [],
    ),
    "Canvas, late": (
        {f"liann_101_700_{NB}": OLD, f"liann_LATE_101_800_{NB}": WORK},
        {"liann": [5]},
        ["liann_101_700"],
        [],
    ),
    "Canvas, each zip file unpacked in a folder": (
        {f"course/Lesson3/liann_1_7_x/{NB}": WORK, f"course/Lesson3/koben_2_8_x/{NB}": WORK},
        {"liann": [5], "koben": [5]},
        [],
        [],
    ),
    "Moodle": (
        {
            f"course-12345/Kim Ko_11_assignsubmission_file_/{NB}": OLD,
            f"course-12345/Kim Ko_11_assignsubmission_file_/{NB[:-6]} (1).ipynb": WORK,
            f"course-12345/Li Ann_12_assignsubmission_file/{NB}": WORK,
            "course-12345/Bo Go_13_assignsubmission_file_/essay.pdf": "%PDF-1.7",
        },
        {"Kim Ko": [5], "Li Ann": [5], "Bo Go": []},
        ["(1)"],
        ["essay.pdf"],
    ),
    "Teams": (
        {TEAMS.format("Dilan Yılmaz", 1): OLD, TEAMS.format("Dilan Yılmaz", 2): WORK, TEAMS.format("Oli", 1): WORK},
        {"Dilan Yılmaz": [5], "Oli": [5]},
        ["Version 2"],
        [],
    ),
    "Google Classroom": (
        {f"Lesson 5/Anna Meier - {NB}": WORK, f"Lesson 5/Copy of {NB}": OLD, f"Lesson 5/{NB[:-6]} (1).ipynb": WORK},
        {"Anna Meier": [5], f"Lesson 5/Copy of {NB}": [5], f"Lesson 5/{NB[:-6]} (1).ipynb": [5]},
        [],
        [],
    ),
    "Blackboard": (
        {
            BOARD.format("ab12", 27, NB): OLD,
            BOARD.format("ab12", 28, NB): WORK,
            BOARD.format("ab12", 28, "")[:-1] + ".txt": "Name: Ann",
            BOARD.format("cd34", 27, "x.ipynb"): WORK,
        },
        {"ab12": [5], "cd34": [5]},
        ["11-28"],
        [".txt"],
    ),
    "Gradescope": (
        {
            f"export/submission_11/{NB}": WORK,
            "export/submission_12/K_05.zip": packed("Ann Lee"),
            "export/submission_metadata.yml": ":x: 1",
        },
        {"export/submission_11": [5], "Ann Lee": [5]},
        [],
        ["submission_metadata.yml"],
    ),
    "Gradescope, one submission": (
        {f"assignment_9_export/submission_11/{NB}": WORK, "assignment_9_export/submission_metadata.yml": ":x: 1"},
        {"assignment_9_export/submission_11": [5]},
        [],
        ["submission_metadata.yml"],
    ),
    "Brightspace": (
        {SPACE.format(9, NB): OLD, SPACE.format(28, NB): WORK, "index.html": "<html>"},
        {"Blake Payne": [5]},
        ["Nov 28"],
        ["index.html"],
    ),
    "Sakai": (
        {
            f"Lesson 5/Lee, Ann(alee)/Submission attachment(s)/{NB}": WORK,
            "Lesson 5/Lee, Ann(alee)/timestamp.txt": "2026",
            f"Lesson 5/Roe, Bo(broe)/Submission attachment(s)/{NB}": WORK,
            "Lesson 5/grades.csv": "a,b",
        },
        {"Lee, Ann": [5], "Roe, Bo": [5]},
        [],
        ["timestamp.txt", "grades.csv"],
    ),
    "ILIAS": (
        {f"Abgaben/Doe_John_jdoe_123/20261128_{NB}": WORK, f"Abgaben/Roe_Bo_broe_124/{NB}": WORK},
        {"Doe_John": [5], "Roe_Bo": [5]},
        [],
        [],
    ),
    "GitHub Classroom": (
        {f"ffn-5-submissions/ffn-5-{who}/{NB}": WORK for who in ("annlee", "bo-roe")}
        | {"ffn-5-submissions/ffn-5-annlee/.git/config": "x"},
        {"annlee": [5], "bo-roe": [5]},
        [],
        [],
    ),
    "nbgrader, its exchange": (
        {f"inbound/ann+ps1+2026-11-2{day} 01:10:32 UTC/{NB}": text for day, text in ((6, OLD), (7, WORK))},
        {"ann": [5]},
        ["2026-11-27"],
        [],
    ),
    "nbgrader, collected": (
        {f"submitted/{who}/ps1/{file}": WORK for who in ("ann", "bo") for file in (NB, "timestamp.txt")},
        {"ann": [5], "bo": [5]},
        [],
        [],
    ),
    # what people hand in
    "names of files": (
        {
            "Finn_05_position_independence.ipynb.txt": WORK,
            "Hausaufgabe Gia Meier FINAL (2).ipynb": WORK,
            "hahn_130_501_x.ipynb.json": WORK,
            f"Copia de {NB[:-6]}_Ida.ipynb": WORK.encode("utf-16"),
            "Gustav.docx": zipped({"[Content_Types].xml": "", "word/document.xml": ""}),
            "Nora.PNG": b"\x89PNG",
            "kimko_132_503_x.py": "print()",
            "hugo_133_504_x.html": "<html>",
            "roster.csv": "a,b",
            "ben.rar": "Rar!",
            "Thumbs.db": "",
        },
        {"Finn": [5], "Gia Meier": [5], "Ida": [5], "hahn": [5], "kimko": [], "hugo": []},
        [],
        ["Gustav.docx", "Nora.PNG", "x.py", "x.html", "roster.csv", "ben.rar"],
    ),
    "another lesson, and damage": (
        {f"ida/{NB}": FOUR, f"jo/{NB}": "{ not", "gina/progress.json": '{"entries": {}}', "kai/a.ipynb": notebook("x")},
        {"ida": [4], "jo": [], "gina": [], "kai": []},
        [],
        [f"jo/{NB}", "kai/a.ipynb"],
    ),
    "empty": ({"ann/.hidden": "x", f"bo/{NB}": WORK}, {"ann": [], "bo": [5]}, [], ["ann/"]),
    # who it is
    "a signature before a folder": (
        {"ann/K_05.zip": packed("Somebody Else"), f"bo/{NB}": WORK},
        {"Somebody Else": [5], "bo": [5]},
        [],
        [],
    ),
    "one signature twice": (
        {"K-1.zip": packed("Ann K", OLD), "K-2.zip": packed("Ann K")},
        {"Ann K (K-1.zip)": [5], "Ann K (K-2.zip)": [5]},
        [],
        [],
    ),
    "unpacked by Windows": (
        {f"Ben-Koch_{NB[:-6]}/{NB}": WORK, f"Zoe_{NB[:-6]}/{NB}": OLD},
        {"Ben-Koch": [5], "Zoe": [5]},
        [],
        [],
    ),
    "groups": (
        {f"Group A/ann/{NB}": WORK, f"Group A/bo/{NB}": WORK, f"Group B/cy/{NB}": WORK, f"10b/dee/{NB}": WORK}
        | {f"10b/eli/{NB}": WORK},
        {who: [5] for who in ("ann", "bo", "cy", "dee", "eli")},
        [],
        [],
    ),
    "the whole course": (
        {
            "ann.zip": zipped(
                {f"ffn-course/{folder}/{NB}": text for folder, text in (("notebooks", OLD), ("my_notebooks", WORK))}
            )
        },
        {"ann": [5]},
        [],
        [],
    ),
    "a learner's own folder": ({NB: WORK, "progress.json": '{"entries": {}}'}, {"in": [5]}, [], []),
    "a class's own folders, late": (
        {f"Physik/{who} - 05_position_independence.ipynb": WORK for who in ("Ann Lee", "Bo Roe")}
        | {"Bio.zip": zipped({f"{who}.zip": zipped({NB: WORK}) for who in ("cy", "dee")}), f"Chemie/Zed/{NB}": WORK}
        | {f"Chemie/Li_Ann/Revision {n}/{NB}": text for n, text in (("1 - On Time", OLD), ("2 - Late", WORK))},
        {who: [5] for who in ("Ann Lee", "Bo Roe", "cy", "dee", "Li_Ann", "Zed")},
        ["Revision 1"],
        [],
    ),
    "one learner's own folders": (
        {f"ann/{NB}": WORK, f"ann/my tries/{NB}": WORK, "ann/data.csv": "1", "ann/L4/Copy of 4.ipynb": FOUR}
        | {"ann/old.zip": zipped({NB: OLD}), "bo.ipynb": "{"},
        {"ann": [5, 4], "bo": []},
        ["ann"],
        ["data.csv", "bo.ipynb"],
    ),
    "a name of a file and of a folder": (
        {"ann.zip": zipped({"a.ipynb": WORK, "a.ipynb/b.ipynb": FOUR}), f"bo/{NB}": WORK},
        {"ann": [5, 4], "bo": [5]},
        [],
        [],
    ),
    # which counts
    "the time in the file": (
        {"ann/K_05.zip": packed("ann", OLD, 2), "ann/again.zip": packed("ann", WORK, 9)},
        {"ann": [5]},
        ["again.zip"],
        [],
    ),
    "the better, where nothing tells": ({f"ann/{NB}": OLD, "ann/b.ipynb": WORK}, {"ann": [5]}, ["b.ipynb"], []),
    "the same in a folder and a zip file": ({f"ann/{NB}": WORK, "ann.zip": zipped({NB: WORK})}, {"ann": [5]}, [], []),
    "a folder and a zip file that differ": (
        {f"ann/{NB}": OLD, "ann.zip": zipped({NB: WORK})},
        {"ann": [5], "ann (ann.zip)": [5]},
        [],
        [],
    ),
}


class Points:
    """Gives all points for what is solved."""

    @staticmethod
    def run(cells):
        right = "def rowwise" in "".join(cells.get(LESSON.name, ()))
        status, points = (Status.CORRECT, 2) if right else (Status.NOT_YET, 0)
        found = {"id": "position_independence.rowwise", "status": status, "key": "", "message": "", "rule": "wrong"}
        return Findings([found | {"points": points}] if LESSON.name in cells else [])


@pytest.mark.parametrize("how", ["folder", "zip file"])
@pytest.mark.parametrize("kind", TABLE)
def test_every_file_is_read_for_somebody_or_named(tmp_path, kind, how):
    laid, learners, counts, unread = TABLE[kind]
    place = tmp_path / "in"
    place.mkdir()
    for name, content in laid.items():
        put(place / name, "")
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if how == "zip file":
        place = tmp_path / "in.zip"
        place.write_bytes(zipped(laid))
    found, files = handed_in.read(place)
    if kind != "empty" or how == "folder":
        numbers = {one.name: [catalogue.lesson(lesson).number for lesson in one.cells] for one in found}
        assert numbers == learners
        missed = [file.path for file in files if file.why]
        assert len(missed) == len(unread) and all(any(one in path for path in missed) for one in unread), missed
    assert all(file.why.startswith("Its name is that") for file in files if file.path.endswith(".yml"))
    for one in found:
        report.results_of(one, Points)
    late = [note for one in found for note in one.notes if note.startswith("The platform marks as late: ")]
    assert len(late) == ("late" in kind) and all("LATE" in note or "- Late" in note for note in late)
    notes = [note for one in found for note in one.notes if "more than once" in note]
    said = [note.partition("earns")[2].rpartition(" counts")[0].rpartition(". ")[2] for note in notes]
    assert len(said) == len(counts) and all(one in path for one, path in zip(counts, said, strict=True)), notes
    if "signature before" in kind:
        assert "says ann, and the file is signed Somebody Else" in found[0].notes[0]
