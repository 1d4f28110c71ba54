"""What the TOML of every lesson holds is what `catalogue` reads."""

import tomllib

import pytest

from courseware.content import JUDGEMENTS
from lessons import catalogue
from tests.lessons import cells

NUMBER = (int, float)
# What each kind of guess may be, and its answer.
KINDS = {"number": NUMBER, "word": str, "shape": list, "choice": (*NUMBER, str), "claims": dict}
# The keys of a table with their types; those behind "may" can be left out.
PREDICTION = {"title": str, "name": str, "kind": str, "answer": object, "right": str, "hints": list, "may": {
    "replies": list, "choices": list, "printed": list, "claims": dict, "low": NUMBER, "high": NUMBER, "close": NUMBER,
    "drawn": dict, "control": str,
}}  # fmt: skip
# How a guess is drawn; each kind of drawing has keys that it needs, too.
DRAWN = {"kind": str, "said": str, "came": str, "start": NUMBER, "across": str, "axis": list, "may": {
    "step": NUMBER, "decimals": int, "unit": str, "log": bool, "given": list, "after": str, "known": NUMBER,
    "known_as": str, "dots": str,
}}  # fmt: skip
KINDS_OF_DRAWINGS = {
    "curve": {"up": str, "at": NUMBER},
    "dip": {"up": str, "range": list},
    "bar": {"parts": list},
}
REPLY = {"guess": object, "says": str, "may": {"control": str}}
AGAIN = {"prompt": str, "options": list}
QUESTION = AGAIN | {"may": {"edition": str, "again": dict}}
OPTION = {"text": str, "reason": str, "may": {"right": bool, "control": str}}


def is_a(kind, value) -> bool:
    """Tell whether a value has a type; true and false are no numbers."""
    return isinstance(value, kind) and (not isinstance(value, bool) or kind in (bool, object))


def fits(kind: str, value) -> bool:
    """Tell whether a value is a guess of a kind; sizes of a shape are whole."""
    return is_a(KINDS[kind], value) and (kind != "shape" or all(is_a(int, size) for size in value))


def table(value, known: dict) -> list[str]:
    """Report what is wrong with the keys of a table and their types."""
    if not isinstance(value, dict):
        return [f"{value!r} is no table"]
    must = {key: kind for key, kind in known.items() if key != "may"}
    kinds = must | known.get("may", {})
    found = [f"{key} is missing" for key in must if key not in value]
    found += [f"{key} is unknown" for key in value if key not in kinds]
    return found + [f"{key} cannot be {one!r}" for key, one in value.items() if not is_a(kinds.get(key, object), one)]


def of_prediction(entry) -> list[str]:
    """Report what is wrong with an entry of predictions.toml."""
    claims = entry.get("claims") if isinstance(entry, dict) else None
    known = dict(PREDICTION) if claims is None else {key: PREDICTION[key] for key in PREDICTION if key != "answer"}
    found = table(entry, known)
    if not found and entry["kind"] not in KINDS:
        found.append(f"kind cannot be {entry['kind']!r}")
    if found:
        return found
    kind, hints = entry["kind"], entry["hints"]
    found += ["three hints are needed"] * (len(hints) != 3 or not all(isinstance(hint, str) for hint in hints))
    for key, owner in (("choices", "choice"), ("claims", "claims")):
        found += [f"{key} belong to {owner}"] * ((key in entry) != (kind == owner))
    for letter, one in (claims or {}).items():
        others = {word: str for word in JUDGEMENTS if isinstance(one, dict) and word != one.get("answer")}
        found += [f"{letter}: {fault}" for fault in table(one, {"text": str, "answer": str, **others})]
        found += [f"{letter}: its answer is no judgement"] * (len(others) == len(JUDGEMENTS))
    if "answer" in entry:
        found += [f"the answer is no {kind}"] * (not fits(kind, entry["answer"]))
        found += ["the answer is no choice"] * (entry["answer"] not in entry.get("choices", [entry["answer"]]))
    if "drawn" in entry:
        own = KINDS_OF_DRAWINGS.get(entry["drawn"].get("kind"))
        wrong = ["there is no such kind"] if own is None else table(entry["drawn"], DRAWN | own)
        found += [f"drawn: {fault}" for fault in wrong]
    for reply in entry.get("replies", []):
        wrong = table(reply, REPLY)
        found += wrong or [f"the guess {reply['guess']!r} is no {kind}"] * (not fits(kind, reply["guess"]))
    return found + [f"{one!r} was not printed" for one in entry.get("printed", []) if not is_a(NUMBER, one)]


def of_question(entry, known=QUESTION) -> list[str]:
    """Report what is wrong with an entry of quiz.toml."""
    found = table(entry, known)
    found += [fault for one in ([] if found else entry["options"]) for fault in table(one, OPTION)]
    rights = 0 if found else sum(one.get("right", False) for one in entry["options"])
    found += ["one option must be right"] * (not found and rights != 1)
    return found + ([f"again: {fault}" for fault in of_question(entry["again"], AGAIN)] if "again" in entry else [])


def problems(predictions: str, quiz: str) -> list[str]:
    """Report what is wrong with the TOML of a lesson."""
    found, asked = tomllib.loads(predictions), tomllib.loads(quiz)
    told = [f"{name}: {fault}" for name, entry in found.items() for fault in of_prediction(entry)]
    told += [f"quiz: {fault}" for fault in table(asked, {"may": {"questions": list}})]
    return told + [
        f"quiz: {fault}" for one in ([] if told else asked.get("questions", [])) for fault in of_question(one)
    ]


def controls(value) -> list[str]:
    """Return every cell that is named as a control, anywhere in what TOML holds."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value["control"]] if isinstance(value, dict) and "control" in value else []
    return own + [one for each in inside for one in controls(each)]


def lost(name: str, text: str) -> list[str]:
    """Return the controls in the TOML of a lesson that are no code cell of the notebook they point to."""
    found = []
    for control in controls(tomllib.loads(text)):
        lesson, _, cell = control.rpartition("/")
        notebook = cells.read(catalogue.lesson(lesson or name))
        found += [control] * (cell not in {one.id for one in cells.code_cells(notebook)})
    return found


@pytest.mark.parametrize("name", [lesson.name for lesson in catalogue.lessons()])
def test_texts_of_a_lesson(name):
    texts = [(catalogue.FOLDER / name / file).read_text("utf-8") for file in ("predictions.toml", "quiz.toml")]
    assert problems(*texts) == []
    assert lost(name, texts[0]) == lost(name, texts[1]) == []
