"""Points that somebody changed in the table stay, whatever a spreadsheet made of it; and a run for one learner."""

import pytest

from classroom import grades
from classroom.marking.handed_in import Submission
from classroom.marking.results import Results
from whywrong.task import Status

LESSON, ROWWISE = "position_independence", "position_independence.rowwise"


def found(**points):
    """Return what a report found: who has how many points."""
    return [Results(Submission(name, {LESSON: ["x"]}), {}, {ROWWISE: worth}) for name, worth in points.items()]


def made(folder, only=False, **points):
    """Write a table; return what it says of each, what was noted, and what was said."""
    table, results = grades.Table(folder / "points.csv"), found(**points)
    for one in results:
        table.correct(one)
    said = table.write(results, [LESSON], only=only)
    rows = {row.learner: row.grade and row.grade.core for row in grades.read_points(folder / "points.csv", LESSON)}
    return rows, [note for one in results for note in one.submission.notes], said


SPREADSHEETS = {
    "a text editor": lambda text: text.replace("kim,,position_independence,2.0", "kim,,position_independence,5"),
    "Excel in German": lambda text: text.replace(",2.0,", ",5.0,").replace(",", ";").replace(".", ","),
    "tabs, without its mark": lambda text: text.replace(",2.0,", ",5,").replace(",", "\t").removeprefix("\ufeff"),
}


@pytest.mark.parametrize("how", SPREADSHEETS)
def test_points_that_were_changed_stay(tmp_path, how):
    path = tmp_path / "points.csv"
    assert made(tmp_path, kim=2, hugo=0)[0] == {"kim": 2, "hugo": 0}
    path.write_text(SPREADSHEETS[how](path.read_text(encoding="utf-8")), encoding="utf-8")
    for again in (2, 2, 6):
        rows, notes, _ = made(tmp_path, kim=again, hugo=2)
        assert rows == {"kim": 5, "hugo": 2} and "from 2 to 5, which counts." in notes[0] and len(notes) == 1
        assert ("now earns 6" in notes[0]) == (again == 6)
    assert made(tmp_path, kim=6, hugo=2)[1][0].endswith("from 6 to 5, which counts.")
    assert list(tmp_path.glob("points_before_*.csv"))


def test_nobody_hands_in_an_untouched_notebook_from_the_class_server():
    (one,) = found(ann=0)
    assert one.grade(LESSON).core == 0
    one.submission.on_server = True
    assert one.grade(LESSON) is None
    one.verdicts[ROWWISE] = (Status.NOT_YET, "", "")
    assert one.grade(LESSON).core == 0


def test_a_run_for_one_learner_and_rows_by_hand(tmp_path):
    path = tmp_path / "points.csv"
    made(tmp_path, kim=2, hugo=0, ann=2)
    path.write_text(
        path.read_text(encoding="utf-8-sig").replace("ann,,position_independence,2.0", f"ann,,{LESSON},")
        + f"paper,,{LESSON},4,8,0,0\n",
        encoding="utf-8",
    )
    rows, notes, _ = made(tmp_path, only=True, hugo=2)
    assert rows == {"kim": 2, "hugo": 2, "ann": None, "paper": 4} and notes == []
    rows, notes, said = made(tmp_path, ann=2, hugo=2)
    assert rows == {"hugo": 2, "ann": None, "paper": 4} and "from 2 to no mark" in notes[0]
    assert "in it alone 1 " in said
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="not a table of points"):
        grades.Table(path)
