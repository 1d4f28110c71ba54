"""What every check says is kept row by row, and keeps to the law: one fault is told as one, where it stands.

`make golden` compares what is kept, and asks every named mistake at five seeds whether it gets its own sentence.
"""

import math
import re
import tomllib
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.golden import book, law, page
from tests.golden.cells import answer, names_of
from tests.golden.rows import ON_ARRAYS, PLAIN, Row, exercises, rows
from tests.lessons.answers import CATALOGUE, CODED
from whywrong import errors
from whywrong.judge import grade

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


# ---- every row of the table of errors is told of some answer ---------------------------------------------------------


def test_every_row_about_an_error_is_told_of_an_answer():
    table, (_, used) = errors._read_table(), errors_told()
    never = [
        (row["name"], row.get("words"), word)
        for row in (*table["first"], *table["errors"])
        for word in ("", *"|".join(row.get("of", ())).split("|"), *row.get("called", ()))
        if not any(told is row and re.search(rf"\b{word}'" if word else "", words) for told, words in used)
    ]
    assert never == []


def test_every_plainer_word_is_told_of_an_answer():
    messages = [line for id in exercises() for says in book.kept(id).values() for line in says.splitlines()]
    sentences = [row["says"] for row in errors._read_table()["plainer"]]
    patterns = [re.sub(r"\\\{\d\\\}", ".+?", re.escape(says)) for says in sentences]
    assert [pattern for pattern in patterns if not any(re.search(pattern, message) for message in messages)] == []


# ---- how it is kept --------------------------------------------------------------------------------------------------


def test_in_a_page_what_differs_is_listed_and_what_is_listed_differs():
    kept, said = {"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "2", "c": "2"}
    assert page.astray(kept, said, {"b": "why", "c": "why"}) == []
    wrong = page.astray(kept, said, {"a": "why", "b": "why", "d": "why"})
    assert [paragraph.splitlines()[0] for paragraph in wrong] == ["c", "a", "d"]
    assert wrong[1] == "a\n  is the same: take it off in_page.toml"


def test_what_differs_in_a_page_has_a_reason():
    for exercise, listed in tomllib.loads((FOLDER / "in_page.toml").read_text(encoding="utf-8")).items():
        assert set(listed) <= set(book.kept(exercise)) and all(len(why) > 10 for why in listed.values())
