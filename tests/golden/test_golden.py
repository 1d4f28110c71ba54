"""What every check says is kept row by row, and keeps to the law: one fault is told as one, where it stands.

`make golden` compares what is kept, and asks every named mistake at five seeds whether it gets its own sentence.
"""

import math
import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.golden import book, law, page
from tests.golden.cells import answer, names_of
from tests.golden.edits import Edit, edits
from tests.golden.rows import ON_ARRAYS, PLAIN, SEEDS, Row, exercises, misreported, rows
from tests.lessons.answers import CATALOGUE, CODED
from whywrong import errors
from whywrong.judge import grade
from whywrong.task import Status, Verdict

FOLDER = Path(__file__).resolve().parent


@cache
def all_changed() -> list[Row]:
    """Return the rows of all exercises that are the worked answer with one change."""
    return [row for id in CODED for row in rows(id) if row.edit is not None]


def listed(name: str) -> dict[tuple[str, str], str]:
    """Return (exercise, changed line) -> why, from one of the lists."""
    found = tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
    return {(id, change): why for id, changes in found.items() for change, why in changes.items()}


def kept_key(row) -> str:
    """Return the key that is kept of a row."""
    return book.kept(row.exercise)[row.title].split(" · ")[1]


def kept_message(row) -> str:
    """Return the message that is kept of a row."""
    return book.kept(row.exercise)[row.title].splitlines()[1]


@pytest.mark.parametrize("exercise", exercises())
def test_every_row_is_kept(exercise):
    titles = [row.title for row in rows(exercise)]
    assert len(set(titles)) == len(titles)
    assert list(book.kept(exercise)) == titles, f'make golden ARGS="{exercise}" writes what is missing'


def test_nothing_is_kept_that_is_another_each_time():
    for path in book.FOLDER.iterdir():
        assert " at 0x" not in path.read_text(encoding="utf-8"), f"{path.stem}: the address of an object"


def test_nothing_else_is_kept():
    assert {path.stem for path in book.FOLDER.iterdir()} == set(exercises())
    lessons = {id.partition(".")[0] for id in CODED}
    assert {path.stem for path in (FOLDER / "answers").iterdir()} <= lessons | {*PLAIN, "arrays"}
    for lesson in lessons:
        path = FOLDER / "answers" / f"{lesson}.toml"
        names = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        assert {f"{lesson}.{name}" for name in names} <= set(CODED)


@pytest.mark.parametrize("exercise", ON_ARRAYS)
def test_answers_with_arrays_are_told_what_their_names_say(exercise):
    said = [(row.name, kept_key(row), kept_message(row)) for row in rows(exercise)]
    right = [(key, message) for name, key, message in said if name.startswith("right: ")]
    assert len(right) >= 6 and set(right) == {("correct", CATALOGUE[ON_ARRAYS[exercise]].right)}
    mistakes = {name: key for name, key, _ in said if name.startswith("answer: mistake: ")}
    assert len(mistakes) >= 5
    for name, key in mistakes.items():
        assert key == "mistake:" + name.removeprefix("answer: mistake: ").partition(",")[0]


@cache
def errors_told() -> tuple[dict[str, str], list[tuple[dict, str]]]:
    """Return what is said of every answer with an error, and each row of the table that was told with its error."""
    told, used = errors._match_row, []

    def noted(row, raised):
        found = told(row, raised)
        used.extend([(row, raised.words)] if found is not None else [])
        return found

    with patch.object(errors, "_match_row", noted):
        grade(CATALOGUE["linear_limits.is_affine"], lambda f, d_in: f.__name__, 0)  # a black box
        torchs = "def influence(f, X):\n    return torch.autograd.functional.jacobian(f, torch.tensor(X))\n"
        grade(CATALOGUE["position_independence.influence"], answer(torchs, names_of("position_independence")), 0)
        return book.said_today("errors"), used


@pytest.mark.parametrize("name", PLAIN)
def test_errors_and_edits_are_told_as_kept(name):
    """They belong to no lesson, and stand in for tests of each sentence; the other rows are left to `make golden`."""
    found = errors_told()[0] if name == "errors" else book.said_today(name)
    assert book.differences(book.kept(name), found, {row.title: row for row in rows(name)}) == []
    statuses = {says.partition(" · ")[0] for says in found.values()}
    assert statuses == {"stopped", "not yet"}


# ---- the law ---------------------------------------------------------------------------------------------------------


def test_no_reply_points_at_right_code_or_speaks_of_two_faults():
    found = {(row.exercise, row.change): law.broken(kept_message(row), row.edit) for row in all_changed()}
    assert {place: how for place, how in found.items() if how is not None} == {}, "these break the law"


def test_what_is_accepted_was_read_by_somebody():
    found = {(row.exercise, row.change) for row in all_changed() if kept_key(row) == "correct"}
    known = listed("accepted.toml")
    assert found - set(known) == set(), "these are accepted: why?"
    assert set(known) - found == set(), "these are accepted no longer: take them off the list"
    for why in known.values():
        assert re.match("equivalent, because |accepted, though ", why), why


SOURCE = 'def f(x, W, b):\n    """Return x @ W + b."""\n    z = x @ W\n    return z + b\n'


def edit(new: str) -> Edit:
    """Return the change of SOURCE that makes a line of it read like that."""
    return next(one for one in edits(SOURCE) if one.lines()[1][0].strip() == new)


@pytest.mark.parametrize(
    ("new", "message", "how"),
    [
        ("return z - b", "Almost right: one sign is wrong. Look at `z - b`.", None),
        ("return z - b", "Look at `x @ W`.", "points at `x @ W`"),
        ("return z - b", "The sign is wrong, and `@` and `W @ x` have no part in it.", None),
        ("return z - b", "Look at the `x` in `return z - b`.", "points at `x`"),
        ("return z - b", "Two things are wrong. One is a sign: look at `z - b`.", "speaks of two faults"),
        ("return z", "A bias is missing: look at `return z`.", None),
        ("return z", "A bias is missing: look at `z = x…`.", "points at `z = x…`"),
        ("z = W @ x", "In `W @ x` the order is wrong.", None),
        ("pass", "Your code raised NameError at `return z + b`.", None),
        ("z = x", "The factor `b` is too much.", "points at `b`"),
        ("z = x", "Your code raised TypeError at `return z + b`. There `z` comes from `z = x`.", None),
        ("return z", "Your code raised it at `z`. There `z` comes from `z = x @ W`.", None),
        ("z = x", "It stops at `return z + b`. There `b` comes from `z + b`.", "points at `return z + b`"),
    ],
)
def test_the_law_can_be_broken(new, message, how):
    assert law.broken(message, edit(new)) == how


# ---- every row of the table of errors is told of some answer ---------------------------------------------------------


def test_every_row_about_an_error_is_told_of_an_answer():
    table, (_, used) = errors._read_table(), errors_told()
    never = [
        (row["name"], row.get("words"), word)
        for row in (*table["first"], *table["errors"])
        for word in ("", *row.get("of", ()), *row.get("called", ()))
        if not any(told is row and re.search(rf"\b{word}'" if word else "", words) for told, words in used)
    ]
    assert never == []


def test_every_plainer_word_is_told_of_an_answer():
    messages = [line for id in exercises() for says in book.kept(id).values() for line in says.splitlines()]
    sentences = [row["says"] for row in errors._read_table()["plainer"]]
    patterns = [re.sub(r"\\\{\d\\\}", ".+?", re.escape(says)) for says in sentences]
    assert [pattern for pattern in patterns if not any(re.search(pattern, message) for message in messages)] == []


# ---- how it is kept --------------------------------------------------------------------------------------------------


def told(message, evidence="", printed=""):
    return Verdict(Status.NOT_YET, "value", message, evidence, printed)


def test_seeds_that_say_the_same_stand_together():
    alike = {seed: told("No.", "1\n2", "a") for seed in SEEDS}
    assert book.written(alike, whole=True) == "not yet · value · seeds 0 1 2\nNo.\n| 1\n| 2\n> a"
    digests = " ".join(book.digest(alike[seed]) for seed in SEEDS)
    assert book.written(alike, whole=False) == f"not yet · value · seeds 0 1 2 · # {digests}\nNo.\n> a"
    other = book.written({0: told("No.", "1"), 1: told("Oh."), 2: told("No.", "2")}, whole=True)
    lines = other.splitlines()
    assert lines[:3] == [f"not yet · value · seeds 0 2 · # {book.digest(told('', '2'))}", "No.", "| 1"]
    assert lines[3:] == ["not yet · value · seed 1", "Oh."]


def test_evidence_is_kept_whole_once_in_an_exercise_and_changes_of_the_rest_are_seen(monkeypatch):
    says = {"right": told("Yes."), "a": told("No.", "1"), "b": told("No.", "2")}
    monkeypatch.setattr(book, "rows", lambda exercise: [Fixed(title, verdict) for title, verdict in says.items()])
    before = book.said_today("t.exercise")
    assert ["| " in text for text in before.values()] == [False, True, False]
    says["b"] = told("No.", "3")
    (paragraph,) = book.differences(before, book.said_today("t.exercise"), {"b": Fixed("b", says["b"])})
    assert paragraph.startswith("b\n  is told otherwise:\n") and paragraph.endswith("\n    | 3")


def test_part_of_the_rows_is_told_as_all_of_them():
    said, parts = book.said_today("errors"), [book.said_today("errors", one_in) for one_in in (5, 10)]
    assert [len(part) for part in parts] == [math.ceil(len(said) / one_in) for one_in in (5, 10)]
    assert parts[1].items() < parts[0].items() < said.items()


@dataclass
class Fixed:
    """A row of which one thing is said."""

    title: str
    says: Verdict
    seeds: tuple = (0,)
    exercise: str = "t.exercise"

    def verdict(self, seed):
        return self.says


@pytest.mark.parametrize("wrong", [{"key": "slip:sign"}, {"message": "No."}, {"status": Status.STOPPED}])
def test_named_mistake_that_is_taken_for_another_is_reported(monkeypatch, wrong):
    exercise, last = "start_here.double", CATALOGUE["start_here.double"].mistakes[-1]

    def graded(item, answer, seed):
        verdict = grade(item, answer, seed)
        return replace(verdict, **wrong) if (answer, seed) == (last.answer, 4) else verdict

    assert misreported(exercise) == []
    monkeypatch.setattr("tests.golden.rows.grade", graded)
    (paragraph,) = misreported(exercise)
    assert paragraph.startswith(f"mistake {last.name}\n  is another at seed 4: ")


def test_what_is_kept_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "FOLDER", tmp_path)
    says = {
        "right: a": "correct · correct · seed 0\nYes.",
        "right: b": "correct · correct · seed 0\nYes.",
        "edit of line 2\n- a\n+ b": "not yet · value · seed 0\nNo.\n| Case 1: x\n|   x[0]: yours 1",
        "answer: c\n+ def f():\n+\n+     return 1": "not yet · value · seed 0\nNo.\n> + printed",
    }
    book.keep("t.exercise", says)
    assert book.kept.__wrapped__("t.exercise") == says
    assert (tmp_path / "t.exercise.txt").read_text(encoding="utf-8").count("Yes.") == 1


def test_differences_name_the_row_and_both_sentences():
    before, after = {"a": "1", "b": "1\n2", "c": "3"}, {"b": "1\n4", "c": "3", "d": "5"}
    assert book.differences(before, before, {}) == []
    assert book.differences(before, after, {}) == [
        "a\n  is gone:\n    - 1",
        "b\n  is told otherwise:\n    - 2\n    + 4",
        "d\n  is new:\n    + 5",
    ]


def test_in_a_page_what_differs_is_listed_and_what_is_listed_differs():
    kept, said = {"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "2", "c": "2"}
    assert page.astray(kept, said, {"b": "why", "c": "why"}) == []
    wrong = page.astray(kept, said, {"a": "why", "b": "why", "d": "why"})
    assert [paragraph.splitlines()[0] for paragraph in wrong] == ["c", "a", "d"]
    assert wrong[1] == "a\n  is the same: take it off in_page.toml"


def test_what_differs_in_a_page_has_a_reason():
    for exercise, listed in tomllib.loads((FOLDER / "in_page.toml").read_text(encoding="utf-8")).items():
        assert set(listed) <= set(book.kept(exercise)) and all(len(why) > 10 for why in listed.values())


def test_edits_change_one_place_and_are_all_different():
    for row in all_changed():
        old, new = row.edit.lines()
        assert old != new and row.edit.source.startswith(row.edit.source[: row.edit.begin])
    changed = [one.changed for one in edits(SOURCE)]
    assert len(set(changed)) == len(changed)
    lines = {one.lines()[1][0].strip() for one in edits(SOURCE)}
    assert {"z = x * W", "z = W @ x", "z = x", "z = W", "z = x.T @ W", "z = x @ W.T", "pass"} < lines
    assert {"return z - b", "return z", "return b", "z + b"} < lines
