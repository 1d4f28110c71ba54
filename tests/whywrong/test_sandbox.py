"""Run code that misbehaves in the sandbox: it ends, and the session is as before."""

import builtins
import contextlib
import inspect
import io
import os
import random
import sys
import threading
import time
import types
import warnings

import numpy as np
import pytest

from whywrong import sandbox

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")


def forever(limits=None):
    while True:
        pass


def forever_in_bare_excepts(limits):
    while True:
        try:
            while True:
                sum(range(50))
        except:  # noqa: E722
            pass


def forever_in_finally(limits):
    try:
        forever()
    finally:
        forever()


def test_line_is_the_learners_and_not_the_librarys():
    def answer(limits):
        return np.linalg.inv(np.zeros((2, 3)))

    assert sandbox.run(answer).line == "return np.linalg.inv(np.zeros((2, 3)))"


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
        assert sandbox.run(lambda limits: 3).value == 3


def test_waiting_costs_no_cpu_time_and_is_allowed():
    assert sandbox.run(lambda limits: time.sleep(0.3), cpu_seconds=0.1).error is None


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="only the whole process has a clock here")
def test_other_threads_are_not_counted():
    done = threading.Event()

    def busy():
        while not done.is_set():
            sum(range(1000))

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        outcome = sandbox.run(lambda limits: time.sleep(0.5), cpu_seconds=0.1)
    finally:
        done.set()
        thread.join()
    assert outcome.error is None


def compute(seconds):
    """Use up CPU time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_rewinding_gives_the_whole_time_again():
    def answers(limits):
        for _ in range(4):
            limits.rewind()
            compute(0.15)
        return 3

    assert sandbox.run(answers, cpu_seconds=0.3) == sandbox.Outcome(3)
    outcome = sandbox.run(lambda limits: [compute(0.15) for _ in range(4)], cpu_seconds=0.3)
    assert isinstance(outcome.error, sandbox.OutOfTime)


def test_lifting_ends_with_the_run():
    sandbox.run(lambda limits: limits.lift())
    assert isinstance(sandbox.run(forever, cpu_seconds=0.1).error, sandbox.OutOfTime)


def test_slow_code_that_caught_the_stop_is_still_out_of_time():
    def answer(limits):
        with contextlib.suppress(BaseException):
            forever()
        return 3

    outcome = sandbox.run(answer, cpu_seconds=0.1)
    assert isinstance(outcome.error, sandbox.OutOfTime)
    assert sys.exc_info() == (None, None, None)


@pytest.mark.parametrize(
    "call",
    [
        lambda limits: [bytearray(1 << 20) for _ in range(1 << 20)],
        lambda limits: np.ones(1 << 45),
        lambda limits: [0] * (1 << 45),
        lambda limits: "x" * (1 << 45),
    ],
    ids=["endless", "array", "list", "text"],
)
def test_too_much_memory(call):
    outcome = sandbox.run(call, cpu_seconds=60, extra_bytes=1 << 28)
    assert isinstance(outcome.error, sandbox.OutOfMemory)


class Memory:
    """Stands in for psutil's process: it uses as much memory as it is told."""

    rss, vms = 1000, 1 << 46

    def memory_info(self):
        return self


def test_without_threads_nobody_watches(monkeypatch):
    """As in WebAssembly, where no thread can be started."""

    def refused(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert isinstance(sandbox.run(lambda limits: 3).error, RuntimeError)
    monkeypatch.setattr(sandbox, "_THREADS", False)

    def answer(limits):
        print("a")
        limits.rewind()
        limits.stop_listening()
        print("b")
        limits.lift()
        compute(0.3)
        return 3

    assert sandbox.run(answer, cpu_seconds=0.1) == sandbox.Outcome(3, printed="a\n")
    assert isinstance(sandbox.run(lambda limits: exit()).error, sandbox.Left)
    assert isinstance(sandbox.run(lambda limits: 1 // 0).error, ZeroDivisionError)


def test_memory_may_grow_up_to_the_limit_itself(monkeypatch):
    memory = Memory()
    monkeypatch.setattr(sandbox.psutil, "Process", lambda: memory)

    def use(size):
        def answer(limits):
            memory.rss = size
            for _ in range(5 if size <= 1024 else 500):  # a busy machine lets the watcher wait
                time.sleep(0.02)

        memory.rss = 1000
        return sandbox.run(answer, extra_bytes=24).error

    assert use(1024) is None
    assert isinstance(use(1025), sandbox.OutOfMemory)


@linux
@pytest.mark.parametrize(("soft", "expected"), [(-1, 1 << 46 | 24), (1 << 47, 1 << 46 | 24), (1 << 45, 1 << 45)])
def test_address_space_keeps_a_stricter_limit(monkeypatch, soft, expected):
    """A limit that was there stays when it is lower; -1 stands for none."""
    import resource

    assert resource.RLIM_INFINITY == -1
    given = []
    monkeypatch.setattr(sandbox.psutil, "Process", Memory)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (soft, -1))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: given.append(limits))
    assert sandbox.run(lambda limits: 3, extra_bytes=24).value == 3
    assert given == [(expected, -1), (soft, -1)]


@linux
def test_address_space_is_free_again():
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    sandbox.run(lambda limits: np.ones(1 << 45), extra_bytes=1 << 28)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.parametrize(
    "call", [lambda limits: exit(), lambda limits: quit(0), lambda limits: os._exit(1)], ids=["exit", "quit", "_exit"]
)
def test_leaving(call):
    outcome = sandbox.run(call)
    assert isinstance(outcome.error, sandbox.Left) and str(outcome.error) == "tried to end the session"


def test_endless_printing_is_swallowed(capfd):
    outcome = sandbox.run(lambda limits: [print("x" * 1000) for _ in iter(int, 1)], cpu_seconds=0.1)
    assert isinstance(outcome.error, sandbox.OutOfTime)
    assert capfd.readouterr() == ("", "")


def test_session_is_kept(tmp_path):
    def answer(limits):
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


@pytest.mark.parametrize("end", ["in time", "stopped"])
def test_torchs_default_dtype_and_its_tracking_of_gradients_are_kept(end):
    import torch

    def call(limits):
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        while end == "stopped":
            pass

    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float32)
        outcome = sandbox.run(call, cpu_seconds=0.1)
        assert (outcome.error is not None) == (end == "stopped")
        assert torch.get_default_dtype() == torch.float32 and torch.is_grad_enabled()
    finally:
        torch.set_default_dtype(before)
        torch.set_grad_enabled(True)


def test_folder_that_vanishes(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert sandbox.run(lambda limits: 3).value == 3


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


def test_the_code_of_a_course_is_no_learners(monkeypatch, tmp_path):
    course = types.ModuleType("a_course")
    course.__file__ = str(tmp_path / "a_course" / "__init__.py")
    monkeypatch.setitem(sys.modules, "a_course", course)
    for name, value in (("_OURS", {}), ("_TAUGHT", [])):
        monkeypatch.setattr(sandbox, name, value)

    def known():
        file = str(tmp_path / "a_course" / "lesson.py")
        return (
            not sandbox.is_learners(file),
            sandbox.is_ours("a_course.lesson"),
            sandbox.is_taught("a_course.model.ffn"),
        )

    assert known() == (False, False, False)
    sandbox.register("a_course")
    assert known() == (True, True, False)
    sandbox.register("a_course", "a_course.model")
    assert known() == (True, True, True)
    assert not sandbox.is_ours("a_course_of_another") and not sandbox.is_taught("a_course.models")
    assert sandbox.is_learners(str(tmp_path / "mine.py"))


def test_a_library_that_is_installed_for_one_user_is_no_learners(tmp_path):
    assert not sandbox.is_learners(str(tmp_path / ".local" / "lib" / "site-packages" / "numpy" / "linalg.py"))


def test_a_cell_is_loaded_with_its_source_and_the_value_of_its_last_line():
    before = {"k": 3}
    names, value = sandbox.load("def f(x):\n    return x * k\n\nf(\n  2\n)\n", before)
    assert (value, names["f"].__module__, before) == (6, "__main__", {"k": 3})
    assert inspect.getsource(names["f"]) == "def f(x):\n    return x * k\n"
    assert sandbox.load("for _ in range(3):\n    x = _ is 1").value is None
    outcome = sandbox.run(lambda limits: sandbox.load("a = 1\na + [\n 2]"))
    assert isinstance(outcome.error, TypeError) and outcome.line == "a + ["
    with pytest.raises(SyntaxError):
        sandbox.load("def f(:")
