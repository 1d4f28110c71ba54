"""A page merges a progress.json as the notebooks do: each case goes through both, as a notebook and a page have them.

Of a file that is damaged in part, or from a newer course, a notebook takes what it understands, and keeps the file as
it was. A page changes nothing and says so.
"""

import json

import pytest

from courseware.progress import VERSION, Progress, written
from lessons import catalogue
from tests.course_lib.test_desk_progress import OF_1_0, TODAY
from tests.site import node
from whywrong.task import Status

LESSONS = [
    {
        "parts": [{"id": "l.predict", "guess": True}, {"id": "l.other", "guess": True}, {"id": "l.code"}],
        "quiz": ["l.ask-one", "l.ask-two"],
    }
]
# The page reads the files one after the other: what it says of the last one, and what it knows then.
MERGED = """([lessons, texts]) => {
    course.lessons = lessons;
    course.refresh = () => {};
    const said = texts.map(course.mergeProgress);
    return [said[said.length - 1], course.progressFile()];
}"""
GUESSED = {"status": "guessed", "guess": 0.5, "near": False, "attempts": 2}
SOLVED = {"status": "correct", "attempts": 2, "hints": 3, "met": ["mistake:half", "slip:max"]}

JOINED = {
    "nothing was known": (
        {},
        {"l.code": SOLVED, "l.predict": GUESSED, "l.ask-one": {"status": "correct", "attempts": 1}},
    ),
    "the file is empty": ({"l.code": SOLVED, "l.predict": GUESSED}, {}),
    "a better status": ({"l.code": {"status": "not yet", "attempts": 1}}, {"l.code": SOLVED}),
    "a worse status": ({"l.code": SOLVED}, {"l.code": {"status": "stopped", "attempts": 1}}),
    "a status is left out": ({"l.code": {"status": "stopped"}}, {"l.code": {"hints": 1}}),
    "larger counts on either side": (
        {"l.code": {"status": "correct", "attempts": 7, "hints": 1}},
        {"l.code": {"status": "correct", "attempts": 2, "hints": 3}},
    ),
    "mistakes in the order of their meeting": (
        {"l.code": {"status": "not yet", "met": ["slip:max", "seen:sign"]}},
        {"l.code": SOLVED},
    ),
    "another guess": (
        {"l.predict": GUESSED},
        {"l.predict": {"status": "guessed", "guess": 7, "near": True, "attempts": 1}},
    ),
    "a first guess of 0": ({"l.predict": {**GUESSED, "guess": 0}}, {"l.predict": GUESSED}),
    "a first guess of no words": ({"l.predict": {**GUESSED, "guess": ""}}, {"l.predict": GUESSED}),
    "a guess after none": ({"l.predict": {"status": "stopped", "guess": None, "attempts": 3}}, {"l.predict": GUESSED}),
    "none after a guess": ({"l.predict": GUESSED}, {"l.predict": {"status": "not yet", "guess": None, "near": True}}),
    "guesses of every kind": (
        {"l.predict": {**GUESSED, "guess": {"A": "true", "B": "false"}}},
        {"l.other": {**GUESSED, "guess": [3, 12]}},
    ),
    "an empty near": ({"l.code": {"status": "not yet", "near": None}}, {"l.predict": {**GUESSED, "hints": 2}}),
    "a question, right and wrong": (
        {"l.ask-one": {"status": "correct", "attempts": 1}, "l.ask-two": {"status": "not yet", "attempts": 1}},
        {"l.ask-one": {"status": "not yet", "attempts": 4}, "l.ask-two": {"status": "correct", "attempts": 2}},
    ),
    "statuses of every rank": ({"l.code": {"status": "guessed"}}, {"l.code": {"status": "not yet"}}),
}


def text(entries, version=VERSION):
    return json.dumps({"version": version, "entries": entries})


KNOWN = text({"l.code": {"status": "not yet", "attempts": 1}, "l.predict": GUESSED})
REFUSED = {
    "no text": ("", "cannot be read"),
    "no JSON": ('{"version": 2, "entries": {', "cannot be read"),
    "a list": ("[1]", "cannot be read"),
    "null": ("null", "cannot be read"),
    "no entries": ('{"version": 2}', "cannot be read"),
    "a list of entries": ('{"entries": [1]}', "cannot be read"),
    "one entry is none": (text({"l.code": SOLVED, "l.other": 3}), "cannot be read"),
    "an unknown status": (text({"l.code": SOLVED, "l.other": {"status": "brilliant"}}), "cannot be read"),
    "an empty status": (text({"l.code": {"status": None, "attempts": 9}}), "cannot be read"),
    "a count in words": (text({"l.code": {"status": "correct", "attempts": "many"}}), "cannot be read"),
    "mistakes in a word": (text({"l.code": {"status": "correct", "met": "slip:max"}}), "cannot be read"),
    "a number too large": ('{"entries": {"l.other": {"guess": 1' + 400 * "0" + "}}}", "cannot be read"),
    "a newer version": (text({"l.code": SOLVED}, VERSION + 1), "newer version"),
    "an unknown version": (text({"l.code": SOLVED}, 1), "cannot be read"),
}


def in_page(*texts):
    """Return what the page says of the last file, and the text of its own progress file after all of them."""
    return node.run(MERGED, [LESSONS, texts], "base.js", "memory.js", "transfer.js")


def in_notebook(path, *texts):
    """Return what a notebook says of the last file, and the text of its own after all of them."""
    progress = Progress(path)
    for one in texts:
        path.write_text(one, encoding="utf-8")
        entries = progress.entries()
    return progress.problem, written(entries)


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
def test_a_file_is_joined_as_in_a_notebook(tmp_path, name, turned):
    texts = [text(entries) for entries in JOINED[name]]
    texts = texts[::-1] if turned else texts
    said, here = in_page(*texts)
    problem, there = in_notebook(tmp_path / "progress.json", *texts)
    assert problem == "" and said.endswith("No result was lowered.")
    assert json.loads(here) == json.loads(there)
    assert in_page(*texts, here)[1] == here  # its own file changes nothing


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_not_wholly_understood_changes_nothing_and_is_named(tmp_path, name):
    refused, says = REFUSED[name]
    said, here = in_page(KNOWN, refused)
    assert says in said and said.endswith("nothing was changed.")
    assert json.loads(here)["entries"] == json.loads(KNOWN)["entries"]
    assert in_notebook(tmp_path / "progress.json", KNOWN, refused)[0]


def test_statuses_rank_and_files_are_versioned_alike():
    for lower, higher in zip(Status, list(Status)[1:], strict=False):
        texts = [text({"l.code": {"status": status}}) for status in (higher, lower)]
        assert json.loads(in_page(*texts)[1]) == {"version": VERSION, "entries": {"l.code": {"status": higher}}}


def test_a_file_from_windows_is_read():
    assert json.loads(in_page("\ufeff" + KNOWN)[1])["entries"] == json.loads(KNOWN)["entries"]


def test_what_belongs_to_no_lesson_is_left_out():
    said, here = in_page(KNOWN.replace("l.code", "gone.code"))
    assert said.startswith("1 of 2 parts") and list(json.loads(here)["entries"]) == ["l.predict"]


def test_a_guess_that_was_made_on_the_page_first_is_kept():
    asked = MERGED.replace(
        "const said",
        "course.memory.remember((now) => (now.guesses['l.predict'] = { guess: 7, near: true })); const said",
    )
    _, here = node.run(asked, [LESSONS, [KNOWN]], "base.js", "memory.js", "transfer.js")
    assert json.loads(here)["entries"]["l.predict"] == {**GUESSED, "guess": 7, "near": True}


def test_what_1_0_stored_in_a_browser_and_in_a_file_is_found_under_its_name():
    asked = """([numbered, quiz, file, stored]) => {
        Object.assign(course, { numbered, lessons: [{ parts: [], quiz }], refresh() {} });
        course.mergeProgress(file);
        const merged = course.memory.kept;
        course.memory.forget();
        window.localStorage = { getItem: () => JSON.stringify(stored) };
        const read = course.memory.read();
        const keys = [merged, read].flatMap(({ quiz, checks }) => [quiz, checks].map(Object.keys));
        return [read.checks["linear_limits.hundred-layers"], ...keys];
    }"""
    entries = {id: {"status": "correct"} for id in OF_1_0}
    twice = {"linear_limits.hundred-layers": {"status": "not yet", "attempts": 3}}  # beside a tab of 1.0.0
    given = [catalogue.numbered(), [*TODAY], text(entries), {"quiz": entries, "checks": entries | twice}]
    both, *ids = node.run(asked, given, "base.js", "memory.js", "transfer.js")
    assert both == {"status": "correct", "attempts": 3} and list(map(set, ids)) == [TODAY] * 4
