"""Run code that misbehaves in the sandbox: it ends, and the session is as before."""

import builtins
import contextlib
import io
import os
import random
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from course_lib.exercises import sandbox


def forever():
    while True:
        pass


def forever_in_bare_excepts():
    while True:
        try:
            while True:
                sum(range(50))
        except:  # noqa: E722
            pass


def forever_in_finally():
    try:
        forever()
    finally:
        forever()


def test_value_and_error():
    assert sandbox.run(lambda: 3) == sandbox.Outcome(3, None, "")
    outcome = sandbox.run(lambda: 1 // 0)
    assert outcome.value is None and isinstance(outcome.error, ZeroDivisionError)
    assert outcome.line == "outcome = sandbox.run(lambda: 1 // 0)"


def test_stop_iteration_is_an_error_like_others():
    outcome = sandbox.run(lambda: next(iter([])))
    assert type(outcome.error) is StopIteration and outcome.line


def test_line_is_the_learners_and_not_the_librarys():
    def answer():
        return np.linalg.inv(np.zeros((2, 3)))

    assert sandbox.run(answer).line == "return np.linalg.inv(np.zeros((2, 3)))"


def test_limits_are_the_ones_the_words_name():
    assert sandbox.CPU_SECONDS == 2 and sandbox.EXTRA_BYTES == 2**29


@pytest.mark.parametrize("call", [forever, forever_in_bare_excepts, forever_in_finally], ids=lambda call: call.__name__)
def test_endless_code_is_stopped(call):
    began = time.thread_time()
    outcome = sandbox.run(call, cpu_seconds=0.1)
    assert isinstance(outcome.error, sandbox.OutOfTime)
    assert outcome.line
    assert time.thread_time() - began < 1.5


def test_stopped_many_times_in_a_row():
    for _ in range(20):
        assert isinstance(sandbox.run(forever, cpu_seconds=0.01).error, sandbox.OutOfTime)
        assert sandbox.run(lambda: 3).value == 3


def test_waiting_costs_no_cpu_time_and_is_allowed():
    assert sandbox.run(lambda: time.sleep(0.3), cpu_seconds=0.1).error is None


def test_slow_code_that_caught_the_stop_is_still_out_of_time():
    def answer():
        with contextlib.suppress(BaseException):
            forever()
        return 3

    outcome = sandbox.run(answer, cpu_seconds=0.1)
    assert isinstance(outcome.error, sandbox.OutOfTime)
    assert sys.exc_info() == (None, None, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda: [bytearray(1 << 20) for _ in range(1 << 20)],
        lambda: np.ones(1 << 45),
        lambda: [0] * (1 << 45),
        lambda: "x" * (1 << 45),
    ],
    ids=["endless", "array", "list", "text"],
)
def test_too_much_memory(call):
    outcome = sandbox.run(call, cpu_seconds=60, extra_bytes=1 << 28)
    assert isinstance(outcome.error, sandbox.OutOfMemory)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_address_space_is_free_again():
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    sandbox.run(lambda: np.ones(1 << 45), extra_bytes=1 << 28)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_memory_of_moderate_size_is_allowed():
    assert sandbox.run(lambda: np.ones(1 << 20).nbytes).value == 8 << 20


@pytest.mark.parametrize("call", [lambda: exit(), lambda: quit(0), lambda: os._exit(1)], ids=["exit", "quit", "_exit"])
def test_leaving(call):
    outcome = sandbox.run(call)
    assert isinstance(outcome.error, sandbox.Left) and str(outcome.error) == "tried to end the session"


def test_asking():
    outcome = sandbox.run(lambda: input("name? "))
    assert isinstance(outcome.error, sandbox.Left) and str(outcome.error) == "asked for input"


def test_endless_printing_is_swallowed(capfd):
    outcome = sandbox.run(lambda: [print("x" * 1000) for _ in iter(int, 1)], cpu_seconds=0.1)
    assert isinstance(outcome.error, sandbox.OutOfTime)
    assert capfd.readouterr() == ("", "")


def test_session_is_kept(tmp_path):
    def answer():
        np.random.seed(0)
        random.seed(0)
        os.chdir(tmp_path)
        sys.stdout = sys.stderr = io.StringIO()
        sys.setrecursionlimit(5000)
        warnings.simplefilter("error")
        warnings.warn("words", stacklevel=1)

    builtin_names, filters, depth = dict(vars(builtins)), warnings.filters[:], sys.getrecursionlimit()
    numpy_state, python_state = np.random.get_state()[1].tolist(), random.getstate()
    folder, streams, threads = os.getcwd(), (sys.stdout, sys.stderr), threading.active_count()
    assert isinstance(sandbox.run(answer).error, UserWarning)
    assert dict(vars(builtins)) == builtin_names
    assert warnings.filters == filters and sys.getrecursionlimit() == depth
    assert np.random.get_state()[1].tolist() == numpy_state and random.getstate() == python_state
    assert os.getcwd() == folder and (sys.stdout, sys.stderr) == streams
    assert sys.gettrace() is None or "pydev" in repr(sys.gettrace()) or "coverage" in repr(sys.gettrace())
    for thread in threading.enumerate():
        if thread.name.endswith("(_watch)"):
            thread.join(5)
    assert threading.active_count() <= threads


def test_folder_that_vanishes(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert sandbox.run(lambda: 3).value == 3


def test_a_debuggers_trace_comes_back():
    def tracer(*event):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        sandbox.run(forever_in_bare_excepts, cpu_seconds=0.05)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is tracer


def test_own_builtins():
    found = builtins.__dict__.copy()
    update = builtins.__dict__.update
    update({"len": None, "print": None})
    try:
        with sandbox.OwnBuiltins():
            inside = len("abc")
        after = builtins.__dict__["len"]
    finally:
        update(found)
    assert inside == 3 and after is None
