"""The questions for Moodle, read back by a parser that others wrote."""

import json
import subprocess

from classroom import gift
from lessons import catalogue

READ = """
const { parse } = require("gift-pegjs");
console.log(JSON.stringify(parse(require("fs").readFileSync(0, "utf8"))));
"""


def read(text, folder) -> list[tuple]:
    """Return what the parser makes of a file: a category, or a title, what is asked, and its options."""
    done = subprocess.run(["node", "-e", READ], cwd=folder, input=text, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = []
    for one in json.loads(done.stdout):
        options = [(*_said(of["text"]), *_said(of["feedback"]), of["isCorrect"]) for of in one.get("choices", [])]
        found.append((one["title"], *(_said(one["stem"]) if options else ()), *options))
    return found


def _said(of):
    return of["format"], of["text"]


def expected(title, question):
    options = ((*_kept(one.text), *_kept(one.reason), one.right) for one in question.options)
    return (title, *_kept(question.prompt), *options)


def _kept(text):
    return "markdown", text


def test_every_question_comes_back_as_it_was_written(npm_folder):
    due = []
    for lesson in catalogue.lessons():
        questions = catalogue.questions(lesson.name)
        due += [(f"Feed-forward network/{lesson.heading}",)] * bool(questions)
        for question in questions:
            title = f"{lesson.heading}, {question.id.removeprefix(f'{lesson.name}.')}"
            due.append(expected(title, question))
            due += [expected(f"{title} in other words", question.again)] if question.again else []
    assert read(gift.text(), npm_folder) == due and len({title for title, *_ in due}) == len(due) > 150
