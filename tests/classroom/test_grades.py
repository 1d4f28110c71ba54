"""Tables of points for Canvas and Moodle."""

import csv

import pytest

from classroom import grades
from classroom.marking.results import Grade

LESSON = "position_independence"
HEAD = "learner,number,lesson,core,of,bonus,of bonus\n"
POINTS = f"""\ufeff{HEAD}anna,,{LESSON},6.0,6.0,0.0,12.0
ben,,{LESSON},3.5,6.0,1.5,12.0
zoë,,{LESSON},2.0,6.0,12.0,12.0
gone,,{LESSON},0.0,6.0,0.0,12.0
torn,,{LESSON},,,,
anna,,review,1.0,4.0,0.0,0.0
"""
NUMBERED = f"""{HEAD}lianna,101,{LESSON},6.0,6.0,0.0,12.0
liben,102,{LESSON},3.5,6.0,1.5,12.0
torn,104,{LESSON},,,,
by hand,,{LESSON},1.0,6.0,0.0,12.0
"""
CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (17),Lesson 5 (1234)
    Points Possible,,,,,10,6
"Li, Anna",101,u1,anna,"A, 1",9,
"=HYPERLINK(1)",102,u2,ben,A,9,
"Müller, Zoë",103,u3,zoë,A,,
"Not, Here",104,u4,torn,A,,
"""
MOODLE = """First name,Last name,ID number,Email address
Anna,Li,1,anna
Ben,@x,2,ben
Tor,N,3,torn
"""
WORKSHEET = """Identifier,Full name,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 101,Anna Li,,6.00,-,
Participant 103,Zoë Müller,,6.00,-,
"""


@pytest.fixture
def made(tmp_path, capsys):
    """Return a function that writes a table: what it said, and its rows."""

    def make(roster, *more, points=POINTS, lesson=LESSON):
        (tmp_path / "points.csv").write_text(points, encoding="utf-8")
        (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
        out = tmp_path / "out" / "table.csv"
        files = [str(tmp_path / "points.csv"), str(tmp_path / "roster.csv"), lesson]
        code = grades.main([*files, *more, "--output", str(out)])
        shown = capsys.readouterr()
        if code:
            return shown.err, out.exists()
        with out.open(encoding="utf-8", newline="") as file:
            return shown.out, list(csv.reader(file))

    return make


def test_bonus_makes_up_for_lost_points_and_no_more():
    assert [Grade(*one).points for one in ((6, 6, 0, 0), (3.5, 6, 1.5, 12), (2, 6, 12, 12))] == [6, 5, 6]


def test_table_for_canvas_keeps_its_columns_and_names_one_assignment(made):
    said, rows = made(CANVAS, "--by", "SIS Login ID", "--column", "Lesson 5 (1234)")
    assert rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lesson 5 (1234)"],
        ["    Points Possible", "", "", "", "", "6.0"],
        ["Li, Anna", "101", "u1", "anna", "A, 1", "6.0"],
        ["'=HYPERLINK(1)", "102", "u2", "ben", "A", "5.0"],
        ["Müller, Zoë", "103", "u3", "zoë", "A", "6.0"],
    ]
    for words in ("3 of 5 learners", "Not found in the roster: gone", "No mark: torn", "No points: gone"):
        assert words in said


def test_table_for_moodle_has_the_column_that_names_learners_points_and_a_sentence(made):
    said, rows = made(MOODLE, "--by", "Email address")
    title = "05 Position independence"
    assert rows == [
        ["Email address", title, f"{title}: feedback"],
        ["anna", "6.0", "6 of 6 core points, and 0 of 12 optional ones as a bonus."],
        ["ben", "5.0", "3.5 of 6 core points, and 1.5 of 12 optional ones as a bonus."],
    ]
    assert "Not found in the roster: gone, zoë" in said


def test_numbers_of_the_platform_need_no_column(made):
    said, rows = made(CANVAS, points=NUMBERED)
    assert [(row[1], row[5]) for row in rows[2:]] == [("101", "6.0"), ("102", "5.0")]
    assert "Not found in the roster: by hand" in said and "No mark: torn" in said
    said, rows = made(WORKSHEET, points=NUMBERED)
    assert rows == [
        ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"],
        ["Participant 101", "Anna Li", "6.0", "6.00", "-", "6 of 6 core points, and 0 of 12 optional ones as a bonus."],
    ]
    assert "Not found in the roster: by hand, liben" in said


GERMAN = """ID,Vollständiger Name,Bewertung,Bestwertung
Teilnehmer/in101,Anna Li,,"100,00"
Teilnehmer/in102,Ben,,"100,00"
"""


def test_a_worksheet_in_another_language_or_of_nobody_makes_no_table(made):
    for more in ((), ("--by", "Vollständiger Name")):
        said, written = made(GERMAN, *more, points=NUMBERED)
        assert "Set your own Moodle language to English, then export" in said and not written
    said, written = made(WORKSHEET.replace("101", "901").replace("103", "903"), points=NUMBERED)
    assert said.startswith("Nobody with a mark is in the column 'Identifier'") and not written


def test_the_maximum_grade_of_moodle_is_compared(made):
    assert "Maximum Grade" not in made(WORKSHEET, points=NUMBERED)[0]
    said, _ = made(WORKSHEET.replace("6.00", "100.00"), points=NUMBERED)
    assert "Moodle's Maximum Grade is 100.00, and the lesson has 6 points. Set the maximum grade" in said


@pytest.mark.parametrize("name", ["roster.csv", "points.csv"])
def test_a_table_that_excel_saved_in_the_letters_of_one_region_is_told_so(made, name, tmp_path, capsys):
    made(WORKSHEET)
    path = tmp_path / name
    path.write_bytes(path.read_text(encoding="utf-8").replace("liben", "Zoë").encode("cp1252", "ignore"))
    assert grades.main([str(tmp_path / "points.csv"), str(tmp_path / "roster.csv"), LESSON]) == 1
    assert capsys.readouterr().err.startswith(f"{path} is not in UTF-8. In Excel, save it as CSV UTF-8")


def test_what_is_wrong_is_said_and_writes_nothing(made):
    twice = POINTS + POINTS.splitlines()[1] + "\n"
    for said, arguments, options in (
        ("--by must name the column of the roster", (MOODLE, "--by", "Login"), {}),
        ("--by must name the column of the roster", (CANVAS,), {}),  # no number is known
        ("must tell learners apart", (MOODLE + "Anna,Lo,3,anna\n", "--by", "Email address"), {}),
        ("must tell learners apart", (MOODLE, "--by", "Email address"), {"points": twice}),
        ("not a table of points", (MOODLE, "--by", "Email address"), {"points": "a,b\n1,2\n"}),
        ("no points for 'review'", (MOODLE, "--by", "Email address"), {"lesson": "review", "points": HEAD}),
        ("Did you mean 'review'", (MOODLE, "--by", "Email address"), {"lesson": "reviev"}),
        ("must name the column", ("", "--by", "Email address"), {}),
    ):
        error, written = made(*arguments, **options)
        assert said in error and not written, said
    assert grades.main(["nowhere.csv", "nowhere.csv", LESSON, "--by", "x"]) == 1
