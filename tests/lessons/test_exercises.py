"""Grade right answers to every coded exercise; `make golden` asks the named mistakes."""

import itertools
import re

import numpy as np
import pytest

from course_lib.desk import TODO, grade
from tests.golden import rows
from tests.lessons.answers import (
    CALLED,
    CATALOGUE,
    CODED,
    FIRST_OF_KIND,
    STYLES,
    assert_documented,
    spoiled,
    typical,
    worked,
)
from whywrong.author import faults_of_parts
from whywrong.task import Exercise

SEEDS = range(5)


@pytest.mark.parametrize("id", CODED)
def test_exercise_is_complete(id):
    exercise = CATALOGUE[id]
    names = [mistake.name for mistake in exercise.mistakes]
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(names) >= (2 if exercise.kind == "value" else 5)
    assert faults_of_parts(exercise) == []
    assert len(set(messages)) == len(messages)
    assert all(re.fullmatch(r"[\w.-]+", name) for name in names)
    assert len(set(exercise.hints)) == 3
    for words in (*messages, *exercise.hints, exercise.right):
        assert words.strip() == words and "\n" not in words and len(words) > 10, words
    assert all(words[-1] in ".?!" for words in (*messages, exercise.right))
    if isinstance(exercise, Exercise):
        assert exercise.returns and 0 < exercise.tolerance <= 0.01
        for mistake in exercise.mistakes if len(exercise.returns) > 1 else ():
            speaks = re.search(r"\b(is|are) (all )?(right|correct|fine)\b", mistake.message)
            assert mistake.says_right == bool(speaks), mistake.name


def overflowing(value) -> list:
    """Return the NumPy arrays of whole numbers in a value of which the sum of all squares needs more than 32 bits."""
    if isinstance(value, (tuple, list)):
        return [found for part in value for found in overflowing(part)]
    whole = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu"
    return [value] if whole and sum(int(one) ** 2 for one in value.ravel()) >= 2**31 else []


@pytest.mark.parametrize("id", CODED)
def test_whole_numbers_of_a_case_have_room_in_32_bits(id):
    """In a web page NumPy counts in 32 bits, unless it is told otherwise; Python's own numbers have no end."""
    for seed in SEEDS:
        for case in CATALOGUE[id].cases(np.random.default_rng(seed)):
            right = CATALOGUE[id].oracle(*case.args) if isinstance(CATALOGUE[id], Exercise) else ()
            assert overflowing([case.args, right]) == [], f"make these Python's own numbers; seed {seed}"


@pytest.mark.parametrize("id", CODED)
def test_sizes_of_the_first_case_name_their_axes(id):
    """What a reply says of a shape is read off its sizes: two must not be near, nor add up to a third."""
    case, axes = CATALOGUE[id].cases(np.random.default_rng(0))[0], getattr(CATALOGUE[id], "returns", ())
    shapes = [arg.shape for arg in case.args if is_array(arg)]
    written = (int(axis) for one in axes for axis in one.axes or () if axis.isdigit())
    sizes = {*case.sizes.values(), *itertools.chain(*shapes), *written}
    assert len(case.sizes) == len(set(case.sizes.values())), case.sizes
    pairs = list(itertools.combinations(sorted(sizes), 2))
    assert not [pair for pair in pairs if pair[1] - pair[0] < 2 or sum(pair) in sizes], sizes


@pytest.mark.parametrize("id", CODED)
def test_right_answers_are_accepted(id):
    """The worked one at five seeds, each style at the first that is kept; `make golden` compares the others."""
    styles = f"tests/lessons/{id.partition('.')[0]}/right_styles.py"
    assert len(STYLES.get(id, [])) >= 5, f"{styles} must hold five right answers or more beside the worked one"
    for position, answer in enumerate([worked(id), *STYLES[id]]):
        for seed in rows.SEEDS[:1] if position else SEEDS:
            verdict = grade(id, answer, seed)
            assert verdict.status == verdict.key == "correct", f"style {position}, seed {seed}: {verdict}"
            assert verdict.message.startswith(CATALOGUE[id].right)  # a tensor for an array gets advice, too
            assert position or verdict.message == CATALOGUE[id].right


def is_array(value):
    return getattr(value, "ndim", 0) > 0


@pytest.mark.parametrize("id", CALLED)
def test_changed_inputs_are_seen(id):
    right, args, _ = typical(id)
    arrays = [position for position, arg in enumerate(args) if is_array(arg)]
    for position in arrays[:1]:

        def spoil(compute, *args, position=position):
            result = compute(*args)
            args[position][...] = 0
            return result

        verdict = grade(id, spoiled(right, spoil), 0)
        assert verdict.key == "mutates"
        assert f"number {position + 1}" in verdict.message
        assert_documented(id, verdict)


@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_wrong_things_given_to_check(id):
    kind, (right, _, result) = CATALOGUE[id].kind, typical(id)
    wrong = {"None": None, "a result": result, "a number": 3, "a word": "double", "a list": [right]}
    wrong["the other kind"] = (lambda: None) if kind == "class" else dict
    for name, answer in wrong.items():
        verdict = grade(id, answer, 0)
        assert verdict.key == ("none" if answer is None else "type"), f"{name}: {verdict}"
        assert kind in verdict.message
        assert_documented(id, verdict)
    assert grade(id, TODO, 0).key == "todo"
