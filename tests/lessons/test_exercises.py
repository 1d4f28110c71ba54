"""Grade right answers and every fault of form, for every coded exercise; `make golden` asks the named mistakes."""

import itertools
import re

import numpy as np
import pytest

from course_lib.desk import TODO, grade
from tests.golden import rows
from tests.lessons.answers import (
    ACCEPTS,
    BORROWED,
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
from whywrong.task import Exercise, call_with_args

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


def test_whole_numbers_without_room_are_found():
    many, large = np.full(2**11, 2**10), np.int64(45_949_274_591)
    assert overflowing([(many, 45_949_274_591), [large], np.arange(9), 1e300 * np.ones(3)]) == [many, large]


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


@pytest.mark.parametrize("id", BORROWED)
def test_work_of_the_course_itself_does_not_count(id):
    for answer in BORROWED[id]:
        verdict = grade(id, answer, 0)
        assert (verdict.status, verdict.key) == ("not yet", "slip:borrowed"), verdict
        assert_documented(id, verdict)


def test_right_styles_belong_to_exercises():
    assert set(STYLES) <= set(CODED) and set(BORROWED) <= set(CODED)
    assert set(ACCEPTS) <= set(CALLED)


def is_array(value):
    return getattr(value, "ndim", 0) > 0


def first_changed(result, change):
    """Change the result, or its first value when there are several; a tensor stays a tensor."""
    if isinstance(result, tuple):
        return (first_changed(result[0], change), *result[1:])
    if not hasattr(result, "detach"):
        return change(result)
    import torch

    changed = change(result.detach().numpy())
    return torch.from_numpy(changed) if isinstance(changed, np.ndarray) else changed


def with_first(array, value):
    array = array.copy()
    array.flat[0] = value
    return array


ARRAY_FAULTS = {
    "list for array": (lambda a: a.tolist(), {"type", "slip:list"}),
    "string for array": (str, {"type", "raises"}),
    "float for array": (lambda a: 0.5, {"type", "shape"}),
    "scalar broadcast": (lambda a: np.array(0.5), {"shape"}),
    "extra axis": (lambda a: a[None], {"shape", "slip:axes"}),
    "extra last axis": (lambda a: a[..., None], {"shape", "slip:axes"}),
    "flattened": (lambda a: a.reshape(-1), {"shape"}),
    "transposed": (lambda a: np.ascontiguousarray(a.T), {"shape"}),
    "one row too few": (lambda a: a[1:], {"shape"}),
    "integers": (lambda a: a.astype(np.int64), {"dtype", "value"}),
    "float32": (lambda a: a.astype(np.float32), {"dtype"}),
    "NaN": (lambda a: with_first(a, np.nan), {"nan"}),
    "infinity": (lambda a: with_first(a, -np.inf), {"nan"}),
    "off by 0.13 %": (lambda a: a * 1.00131, {"value"}),
}
INTEGER_FAULTS = ARRAY_FAULTS | {"off by one": (lambda a: a + 1, {"value"})}
NUMBER_FAULTS = {
    "string for number": (str, {"type"}),
    "list for number": (lambda n: [n], {"type", "slip:list"}),
    "array for number": (lambda n: np.full(3, float(n)), {"type"}),
    "True for number": (lambda n: True, {"type"}),
    "NaN": (lambda n: float("nan"), {"nan"}),
    "infinity": (lambda n: float("inf"), {"nan"}),
    "beyond floats": (lambda n: 10**400, {"nan"}),
    "off by 0.13 %": (lambda n: n * 1.00131 + 0.001, {"value"}),
}
WORD_FAULTS = {
    "number for word": (lambda w: 3, {"type"}),
    "list for word": (lambda w: [w], {"type"}),
    "True for word": (lambda w: True, {"type"}),
    "array for word": (lambda w: np.array([w]), {"type"}),
}
BOOL_FAULTS = {
    "string for truth": (str, {"type"}),
    "list for truth": (lambda b: [b], {"type", "slip:list"}),
    "number for truth": (lambda b: 1.0 * b, {"type"}),
    "array for truth": (lambda b: np.array([b, b]), {"type"}),
}


def result_faults(result):
    """Return the faults that make sense for what an exercise returns."""
    first = result[0] if isinstance(result, tuple) else result
    if is_array(first):
        shape = tuple(first.shape)
        senseless = {"flattened"} if len(shape) < 2 else set()
        senseless |= {"transposed"} if shape == shape[::-1] else set()
        if "int" in str(first.dtype):
            senseless |= {"NaN", "infinity", "integers", "off by 0.13 %"}
            return {name: fault for name, fault in INTEGER_FAULTS.items() if name not in senseless}
        return {name: fault for name, fault in ARRAY_FAULTS.items() if name not in senseless}
    if isinstance(first, str):
        return WORD_FAULTS
    return BOOL_FAULTS if isinstance(first, (bool, np.bool_)) else NUMBER_FAULTS


@pytest.mark.parametrize("id", CALLED)
def test_wrong_results_are_told_apart(id):
    exercise, (right, _, result) = CATALOGUE[id], typical(id)
    for name, (change, keys) in result_faults(result).items():
        answer = spoiled(right, lambda compute, *args, c=change: first_changed(compute(*args), c))
        verdict = grade(id, answer, 0)
        assert_documented(id, verdict)
        if name in ACCEPTS.get(id, ()):
            assert verdict.key == "correct", f"{name}: {verdict}"
            continue
        seen = verdict.key.startswith(("seen:", "mistake:")) and "value" in keys
        assert seen or verdict.key in keys, f"{name}: {verdict}"
        if verdict.key == "shape":
            assert "shape (" in verdict.message, verdict.message
            if isinstance(exercise, Exercise) and exercise.run is call_with_args:
                axes = [", ".join(item.axes) for item in exercise.returns if item.axes is not None]
                assert any(f"({names}" in verdict.message for names in axes), verdict.message


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


@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_wrong_number_of_arguments_is_an_error_in_words(id):
    answer = type("Wrong", (), {}) if CATALOGUE[id].kind == "class" else lambda a, b, c, d, e, f, g, h: None
    verdict = grade(id, answer, 0)
    assert verdict.key in {"raises", "type"}
    assert_documented(id, verdict)
