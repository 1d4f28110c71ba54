"""Grade right answers, named mistakes and every kind of broken code, for every exercise of the course."""

import builtins
import importlib
import io
import numbers
import os
import pkgutil
import random
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import right_styles
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.exercises import TODO, catalogue, grade, sandbox
from course_lib.exercises.api import lessons
from course_lib.exercises.engine import call_with_args, take_value

CATALOGUE = catalogue()
IDS = list(CATALOGUE)
CALLED = [id for id in IDS if CATALOGUE[id].kind != "value"]
GUESSES = [id for id in IDS if CATALOGUE[id].kind == "value"]
FIRST_OF_KIND = list({CATALOGUE[id].kind: id for id in reversed(CALLED)}.values())
SEEDS = range(5)

STYLES, ACCEPTS = {}, {}
for item in pkgutil.iter_modules(right_styles.__path__):
    module = importlib.import_module(f"right_styles.{item.name}")
    STYLES |= module.STYLES
    ACCEPTS |= getattr(module, "ACCEPTS", {})

STATUS = {"correct": "correct", "todo": "not attempted", "raises": "stopped", "timeout": "stopped"}
KEYS = {*STATUS, "shape", "dtype", "none", "nan", "mutates", "value", "type"}


def assert_documented(id, verdict, seed=0):
    """Hold a verdict against what is promised: a known key, its status, and one plain line without the answer."""
    named = {f"mistake:{mistake.name}" for mistake in CATALOGUE[id].mistakes}
    assert verdict.key in KEYS | named
    assert verdict.status == STATUS.get(verdict.key, "not yet")
    message = verdict.message
    assert message.strip() == message and "\n" not in message and "Traceback" not in message
    code = {item.name for item in CATALOGUE[id].returns if " " not in item.name}  # a name as in the code
    assert message[0].isupper() or message.split()[0] in code
    assert message[-1] in ".?!" and len(message) < 400
    assert not [number for number in expected_numbers(id, seed) if number in message]


def expected_numbers(id, seed):
    """Return the expected results of an exercise as they could be printed; whole numbers are too common to look for."""
    exercise, found = CATALOGUE[id], set()
    for case in exercise.cases(np.random.default_rng(seed)):
        right = exercise.oracle(*case.args)
        for part in right if isinstance(right, tuple) else (right,):
            if not isinstance(part, str):
                values = np.asarray(part.detach() if hasattr(part, "detach") else part, dtype=float).ravel()
                found |= {form(value) for value in values if value % 1 for form in (repr, "{:.4g}".format, str)}
    return {number for number in found if not number.lstrip("-").isdigit()}  # such as 0.99999 with four digits


# ---- the catalogue ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", IDS)
def test_exercise_is_complete(id):
    exercise = CATALOGUE[id]
    assert exercise.kind in {"function", "class", "value"}
    assert re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+", id)
    names = [mistake.name for mistake in exercise.mistakes]
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(names) >= (2 if exercise.kind == "value" else 5)
    assert len(set(names)) == len(names)
    if exercise.kind != "value":  # two wrong guesses may rest on the same thought
        assert len(set(messages)) == len(messages)
    assert len(set(exercise.hints)) == 3
    for words in (*messages, *exercise.hints, exercise.right):
        assert words.strip() == words and "\n" not in words and len(words) > 10, words
    assert all(words[-1] in ".?!" for words in (*messages, exercise.right))


def test_ids_are_unique_and_belong_to_their_topic():
    ids = [(lesson.topic, item.id) for lesson in lessons() for item in (*lesson.exercises, *lesson.questions)]
    assert [id for id, count in Counter(id for _, id in ids).items() if count > 1] == []
    assert [id for topic, id in ids if not id.startswith(f"{topic}.")] == []
    numbers_of = [lesson.number for lesson in lessons()]
    assert numbers_of == sorted(set(numbers_of))


MISTAKES = [(id, mistake.name) for id in IDS for mistake in CATALOGUE[id].mistakes]


@pytest.mark.parametrize(("id", "name"), MISTAKES, ids=lambda part: part)
def test_named_mistake_gets_its_own_message(id, name):
    mistake = next(item for item in CATALOGUE[id].mistakes if item.name == name)
    for seed in SEEDS:
        verdict = grade(id, mistake.answer, seed)
        assert (verdict.key, verdict.message) == (f"mistake:{name}", mistake.message), f"seed {seed}"
        assert verdict.status == "not yet"


@pytest.mark.parametrize("id", IDS)
def test_right_styles_are_accepted(id):
    styles = STYLES.get(id, [])
    assert len(styles) >= 5, f"tests/right_styles must hold at least five right answers to {id}"
    for position, answer in enumerate(styles):
        for seed in SEEDS:
            verdict = grade(id, answer, seed)
            assert verdict.status == verdict.key == "correct", f"style {position}, seed {seed}: {verdict}"
            assert verdict.message == CATALOGUE[id].right


def test_right_styles_belong_to_exercises():
    assert set(STYLES) <= set(IDS)
    assert set(ACCEPTS) <= set(IDS)


def right_answer(id):
    """Return the first right style of an exercise."""
    assert id in STYLES, f"tests/right_styles holds no right answer to {id}"
    return STYLES[id][0]


# ---- contract faults -------------------------------------------------------------------------------------------------


def spoiled(right, spoil):
    """Make a learner's answer of a right one: spoil(compute, *args) stands in for its body."""
    if not isinstance(right, type):
        return lambda *args: spoil(right, *args)
    name = "forward" if hasattr(right, "forward") else "__call__"

    def method(self, *args):
        return spoil(partial(getattr(right, name), self), *args)

    return type(right.__name__, (right,), {name: method})


def seen(id):
    """Return the arguments and the result of the first call of a right answer."""
    calls = []

    def spoil(compute, *args):
        calls.append((args, compute(*args)))
        return calls[-1][1]

    assert grade(id, spoiled(right_answer(id), spoil), 0).key == "correct"
    return calls[0]


def is_array(value):
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


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
    "list for array": (lambda a: a.tolist(), {"type"}),
    "string for array": (str, {"type", "raises"}),
    "float for array": (lambda a: 0.5, {"type", "shape"}),
    "scalar broadcast": (lambda a: np.array(0.5), {"shape"}),
    "extra axis": (lambda a: a[None], {"shape"}),
    "extra last axis": (lambda a: a[..., None], {"shape"}),
    "flattened": (lambda a: a.reshape(-1), {"shape"}),
    "transposed": (lambda a: np.ascontiguousarray(a.T), {"shape"}),
    "one row too few": (lambda a: a[1:], {"shape"}),
    "integers": (lambda a: a.astype(np.int64), {"dtype"}),
    "float32": (lambda a: a.astype(np.float32), {"dtype"}),
    "NaN": (lambda a: with_first(a, np.nan), {"nan"}),
    "infinity": (lambda a: with_first(a, -np.inf), {"nan"}),
    "off by 0.1 %": (lambda a: a * 1.001, {"value"}),
}
NUMBER_FAULTS = {
    "string for number": (str, {"type"}),
    "list for number": (lambda n: [n], {"type"}),
    "array for number": (lambda n: np.full(3, float(n)), {"type"}),
    "True for number": (lambda n: True, {"type"}),
    "NaN": (lambda n: float("nan"), {"nan"}),
    "infinity": (lambda n: float("inf"), {"nan"}),
    "beyond floats": (lambda n: 10**400, {"nan"}),
    "off by 0.1 %": (lambda n: n * 1.001 + 0.001, {"value"}),
}
WORD_FAULTS = {
    "number for word": (lambda w: 3, {"type"}),
    "list for word": (lambda w: [w], {"type"}),
    "True for word": (lambda w: True, {"type"}),
    "array for word": (lambda w: np.array([w]), {"type"}),
}
BOOL_FAULTS = {
    "string for truth": (str, {"type"}),
    "list for truth": (lambda b: [b], {"type"}),
    "number for truth": (lambda b: 1.0 * b, {"type"}),
    "array for truth": (lambda b: np.array([b, b]), {"type"}),
}


def result_faults(id):
    """Return the faults that make sense for what an exercise returns."""
    result = seen(id)[1]
    first = result[0] if isinstance(result, tuple) else result
    if is_array(first):
        shape = tuple(first.shape)
        senseless = {"flattened"} if len(shape) < 2 else set()
        senseless |= {"transposed"} if shape == shape[::-1] else set()
        return {name: fault for name, fault in ARRAY_FAULTS.items() if name not in senseless}
    if isinstance(first, str):
        return WORD_FAULTS
    return BOOL_FAULTS if isinstance(first, (bool, np.bool_)) else NUMBER_FAULTS


@pytest.mark.parametrize("id", CALLED)
def test_wrong_results_are_told_apart(id):
    exercise = CATALOGUE[id]
    for name, (change, keys) in result_faults(id).items():
        answer = spoiled(right_answer(id), lambda compute, *args, c=change: first_changed(compute(*args), c))
        verdict = grade(id, answer, 0)
        assert_documented(id, verdict)
        if name in ACCEPTS.get(id, ()):
            assert verdict.key == "correct", f"{name}: {verdict}"
            continue
        assert verdict.key in keys, f"{name}: {verdict}"
        if verdict.key == "shape":
            assert "shape (" in verdict.message, verdict.message
            if exercise.run is call_with_args:
                axes = [", ".join(item.axes) for item in exercise.returns if item.axes is not None]
                assert any(f"({names}" in verdict.message for names in axes), verdict.message


def leave_by_main(name):
    return lambda compute, *args: getattr(sys.modules["__main__"], name)()


def recurse(compute, *args):
    return recurse(compute, *args)


def raise_error(error):
    def spoil(compute, *args):
        raise error

    return spoil


ACTIONS = {
    "returns None": (lambda compute, *args: None, "none"),
    "raises": (raise_error(ValueError("three\nlines\nof text")), "raises"),
    "raises without words": (raise_error(KeyError()), "raises"),
    "raises an error that cannot be printed": (
        raise_error(type("E", (Exception,), {"__str__": (1).__add__})()),
        "raises",
    ),
    "exit()": (lambda compute, *args: exit(), "raises"),
    "quit()": (lambda compute, *args: quit(), "raises"),
    "exit() of IPython": (leave_by_main("exit"), "raises"),
    "quit() of IPython": (leave_by_main("quit"), "raises"),
    "sys.exit": (lambda compute, *args: sys.exit("bye"), "raises"),
    "os._exit": (lambda compute, *args: os._exit(3), "raises"),
    "KeyboardInterrupt": (raise_error(KeyboardInterrupt()), "raises"),
    "input()": (lambda compute, *args: input("a number, please: "), "raises"),
    "breakpoint()": (lambda compute, *args: breakpoint(), "raises"),
    "RecursionError": (recurse, "raises"),
    "NotImplementedError": (raise_error(NotImplementedError()), "todo"),
    "returns TODO": (lambda compute, *args: TODO, "todo"),
    "computes with TODO": (lambda compute, *args: (TODO + 1) @ TODO[0], "todo"),
    "converts TODO": (lambda compute, *args: float(TODO), "todo"),
    "unpacks TODO": (lambda compute, *args: [one for one, _ in [TODO]], "todo"),
}


@pytest.fixture
def ipython_leavers(monkeypatch):
    """Put exit and quit into __main__ as IPython does."""
    from IPython.core.autocall import ExitAutocall

    leaver = ExitAutocall()
    for name in ("exit", "quit"):
        monkeypatch.setattr(sys.modules["__main__"], name, leaver, raising=False)
    yield
    assert sys.modules["__main__"].exit is sys.modules["__main__"].quit is leaver


@pytest.mark.parametrize("id", CALLED)
def test_broken_code_is_put_into_words(id, ipython_leavers):
    for name, (spoil, key) in ACTIONS.items():
        verdict = grade(id, spoiled(right_answer(id), spoil), 0)
        assert verdict.key == key, f"{name}: {verdict}"
        assert_documented(id, verdict)


def endless(compute, *args):
    while True:
        pass


def endless_with_bare_except(compute, *args):
    while True:
        try:
            while True:
                sum(range(50))
        except:  # noqa: E722
            pass


def endless_allocation(compute, *args):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


RUNAWAYS = {
    "endless loop": (endless, "endless loop"),
    "endless loop in a bare except": (endless_with_bare_except, "endless loop"),
    "endless allocation": (endless_allocation, "memory"),
    "one huge array": (lambda compute, *args: np.ones(1 << 45), "memory"),
    "one huge list": (lambda compute, *args: [0] * (1 << 45), "memory"),
}


@pytest.mark.parametrize("name", RUNAWAYS)
@pytest.mark.parametrize("id", FIRST_OF_KIND)
def test_runaway_code_is_stopped(id, name, monkeypatch):
    spoil, words = RUNAWAYS[name]
    # Which limit is passed first must not depend on how fast the machine hands out memory.
    monkeypatch.setattr(sandbox, "CPU_SECONDS", 60 if words == "memory" else 0.2)
    monkeypatch.setattr(sandbox, "EXTRA_BYTES", 1 << 28)
    verdict = grade(id, spoiled(right_answer(id), spoil), 0)
    assert verdict.key == "timeout"
    assert words in verdict.message
    assert_documented(id, verdict)


@pytest.mark.parametrize("id", CALLED)
def test_changed_inputs_are_seen(id):
    args, _ = seen(id)
    arrays = [position for position, arg in enumerate(args) if is_array(arg)]
    for position in arrays[:1]:

        def spoil(compute, *args, position=position):
            result = compute(*args)
            args[position][...] = 0
            return result

        verdict = grade(id, spoiled(right_answer(id), spoil), 0)
        assert verdict.key == "mutates"
        assert f"number {position + 1}" in verdict.message
        assert_documented(id, verdict)


@pytest.mark.parametrize("id", CALLED)
def test_wrong_things_given_to_check(id):
    right, kind = right_answer(id), CATALOGUE[id].kind
    result = seen(id)[1]
    wrong = {"None": None, "a result": result, "a number": 3, "a word": "double", "a list": [right]}
    wrong["the other kind"] = (lambda: None) if kind == "class" else dict
    for name, answer in wrong.items():
        verdict = grade(id, answer, 0)
        assert verdict.key == ("none" if answer is None else "type"), f"{name}: {verdict}"
        assert kind in verdict.message
        assert_documented(id, verdict)
    assert grade(id, TODO, 0).key == "todo"


@pytest.mark.parametrize("id", CALLED)
def test_wrong_number_of_arguments_is_an_error_in_words(id):
    answer = type("Wrong", (), {}) if CATALOGUE[id].kind == "class" else lambda a, b, c, d, e, f, g, h: None
    verdict = grade(id, answer, 0)
    assert verdict.key in {"raises", "type"}
    assert_documented(id, verdict)


@pytest.mark.parametrize("id", GUESSES)
def test_wrong_guesses(id):
    right = right_answer(id)
    wrong = {"none": [None], "todo": [TODO, [TODO]], "type": [len, b"x"], "value": [], "nan": []}
    plain = CATALOGUE[id].run is take_value  # else the exercise reads its answers in a way of its own
    if plain:
        wrong["type"] += [[right], (), {}]
    if plain and isinstance(right, str):
        wrong["type"] += [3, 0.5, np.float64(1), True]
        wrong["value"] += ["", "no idea", "*", f"{right}{right}"]
    elif plain:
        wrong["type"] += [str(right), True, np.ones(2), 1j]
        wrong["nan"] += [float("nan"), np.inf, 10**400]
        wrong["value"] += [right * 1.001, -right - 17, Fraction(22, 7)]
    for key, answers in wrong.items():
        for answer in answers:
            verdict = grade(id, answer, 0)
            assert verdict.key == key, f"{answer!r}: {verdict}"
            assert_documented(id, verdict)
            if key == "value" and isinstance(right, numbers.Real):
                assert not re.search(rf"(?<![\d.]){right:g}(?![\d.])", verdict.message)


def test_values_that_differ_name_the_seed_and_the_part():
    def answer(W1, b1, W2, b2):
        return W1 @ W2, 1.5 * b1 @ W2 + b2

    verdict = grade("linear.collapse", answer, 7)
    assert verdict.key == "value"
    assert "seed 7" in verdict.message and "values of b differ (W is right)" in verdict.message
    assert grade("linear.collapse", answer, 7) == verdict
    assert re.search(r"seed \d+", grade("linear.collapse", answer).message)


def test_error_names_type_line_and_shapes():
    verdict = grade("linear.collapse", lambda W1, b1, W2, b2: np.linalg.inv(W1), 0)
    assert "LinAlgError" in verdict.message and "np.linalg.inv(W1)" in verdict.message
    assert "(2, 5), (5,), (5, 3), (3,)" in verdict.message


def test_shape_is_named_by_its_axes():
    verdict = grade("linear.collapse", lambda W1, b1, W2, b2: ((W1 @ W2).T, b2), 0)
    assert verdict.message == "W has shape (3, 2) = (d_out, d_in); expected is (d_in, d_out) = (2, 3)."


# ---- the session is left as it was -----------------------------------------------------------------------------------


def draw(compute, *args):
    np.random.seed(0)
    np.random.rand(3)
    random.seed(1)
    random.random()
    if "torch" in sys.modules:
        sys.modules["torch"].rand(3)
        sys.modules["torch"].manual_seed(5)
    return compute(*args)


def move(compute, *args):
    os.chdir(os.sep)
    return compute(*args)


def change_streams(compute, *args):
    print("words", file=sys.stderr)
    print("words")
    sys.stdout = io.StringIO()
    return compute(*args)


def deepen(compute, *args):
    sys.setrecursionlimit(sys.getrecursionlimit() + 1234)
    return compute(*args)


def overwrite_builtins(compute, *args):
    result = compute(*args)
    for name in ("len", "isinstance", "tuple", "print", "zip", "type", "getattr", "vars", "super", "range"):
        setattr(builtins, name, None)
    builtins.my_own_name = 3
    del builtins.sum
    return result


def session():
    """Return everything of the session that an answer may not change, in a form that can be compared."""
    import torch

    numpy_state = np.random.get_state()
    return {
        "numpy": (numpy_state[1].tolist(), *numpy_state[2:]),
        "python": random.getstate(),
        "torch": torch.random.get_rng_state().tolist(),
        "folder": os.getcwd(),
        "depth": sys.getrecursionlimit(),
        "streams": (sys.stdout, sys.stderr),
        "builtins": dict(vars(builtins)),
        "trace": sys.gettrace(),
        "leave": os._exit,
    }


@pytest.mark.parametrize(
    "spoil", [draw, move, change_streams, deepen, overwrite_builtins], ids=lambda one: one.__name__
)
@pytest.mark.parametrize("id", CALLED)
def test_right_answers_that_disturb_the_session(id, spoil, capfd):
    before = session()
    verdict = grade(id, spoiled(right_answer(id), spoil), 0)
    after = session()
    assert verdict.key == "correct"
    assert [name for name in before if before[name] != after[name]] == []
    assert capfd.readouterr() == ("", "")


def test_stopped_code_leaves_the_session_as_it_was():
    before = session()
    grade("start.double", spoiled(right_answer("start.double"), recurse), 0)
    after = session()
    assert [name for name in before if before[name] != after[name]] == []


def test_builtins_overwritten_before_the_check():
    names = ["len", "isinstance", "dict", "vars", "set", "tuple", "zip", "all", "any", "sum", "list", "next", "type"]
    broken = dict.fromkeys(names, None)
    found = builtins.__dict__.copy()
    update, answer, wrong = builtins.__dict__.update, right_answer("start.double"), lambda x: x
    update(broken)
    try:
        right, unchanged = grade("start.double", answer, 0), grade("start.double", wrong, 0)
        after = builtins.__dict__.copy()
    finally:
        update(found)
    assert (right.key, unchanged.key) == ("correct", "mistake:unchanged")
    assert [name for name in names if after[name] is not None] == []


# ---- grade never raises ----------------------------------------------------------------------------------------------

DUNDERS = """eq ne lt gt bool len iter next getitem contains call repr str format hash float int index complex array
    array_ufunc array_function array_interface class dict getattr getattribute abs sub rsub add radd mul truediv"""


def evil(names, how):
    """Make an object whose named special methods raise, or answer with something senseless."""

    def raising(self, *args, **kwargs):
        raise how

    def senseless(self, *args, **kwargs):
        return how

    method = raising if isinstance(how, BaseException) else senseless
    special = {f"__{name}__": property(method) if name in {"class", "array_interface"} else method for name in names}
    special |= {name: property(method) for name in ("shape", "dtype", "ndim", "detach")} if "array" in names else {}
    return type("Evil", (), special)()


evils = st.builds(
    evil,
    st.sets(st.sampled_from(DUNDERS.split()), min_size=1, max_size=6),
    st.sampled_from(
        [ValueError("no"), KeyError(), SystemExit(1), RecursionError(), NotImplemented, -1, "x", (), np.ndarray]
    ),
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.complex_numbers(),
        st.text(max_size=5),
        st.binary(max_size=5),
        evils,
        st.just(TODO),
        st.sampled_from(
            [int, len, np.ndarray, np.ma.array([1.0]), np.array("a"), np.array([None]), np.ma.masked, os, ...]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.tuples(inner, inner), st.tuples(inner, inner, inner, inner), st.sets(st.text())
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(IDS), values, st.sampled_from(["itself", "function", "class"]))
def test_grade_never_raises(id, value, form):
    answer = value
    if form == "function":

        def answer(*args):
            return value

    elif form == "class":
        answer = type("Answer", (), {"__init__": lambda *args: None, "forward": lambda *args: value})
        answer.__call__ = answer.forward
    verdict = grade(id, answer, 0)
    assert verdict.status in {"correct", "not yet", "not attempted", "stopped"}
    if verdict.key != "correct":
        assert_documented(id, verdict)


def test_unknown_exercise():
    with pytest.raises(ValueError, match=r"'linear\.colapse'.*Did you mean 'linear\.collapse'\?"):
        grade("linear.colapse", None)
    with pytest.raises(ValueError, match="Known are: start.predict_shape, start.double"):
        grade("", None)
    for id in (None, 3, b"start.double", ["start.double"]):
        with pytest.raises(TypeError, match="exercise must be a string such as 'start.predict_shape'"):
            grade(id, None)


def test_bad_seed():
    for seed, error in ((-1, ValueError), (1.5, TypeError), ("3", TypeError), (True, TypeError)):
        with pytest.raises(error, match="seed must be an integer of at least 0"):
            grade("start.double", None, seed)
    assert grade("start.double", right_answer("start.double"), np.int64(3)).key == "correct"


def test_grading_elsewhere(tmp_path):
    """Grade in a folder with an awkward name, without a locale, with -O and with warnings as errors."""
    folder = tmp_path / "my käse folder 你"
    folder.mkdir()
    program = (
        "from course_lib.exercises import TODO, check, grade, progress\n"
        "assert False, 'python -O leaves this out'\n"
        "print(grade('start.double', lambda x: 2 * x).key, grade('start.double', lambda x: x).key)\n"
        "check('start.double', lambda x: 2 * x)\n"
        "print(grade('start.double', TODO).key)\n"
    )
    environment = {**os.environ, "LANG": "C", "LC_ALL": "C", "COURSE_PROGRESS": str(folder / "progress.json")}
    for name in ("PYTHONUTF8", "PYTHONIOENCODING"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-O", "-W", "error", "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = done.stdout.decode(errors="replace").splitlines()
    assert lines[0] == "correct mistake:unchanged" and lines[-1] == "todo"
    assert "Correct" in lines[1]
    assert "start.double" in (folder / "progress.json").read_text(encoding="utf-8")
