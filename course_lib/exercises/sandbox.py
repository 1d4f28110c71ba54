"""Run a learner's code with limits, and leave the session as it was: nothing that the code does here outlives the call.

A watching thread measures the CPU time of the calling thread (a wall clock would misfire on a busy machine) and the
memory of the process. Past a limit it raises an exception inside the running code, again and again, so that a bare
`except:` cannot hold on to the session. Code that spends its time inside one C call, such as `sum(itertools.count())`,
cannot be stopped from within the process: there the notebook's own restart is the way out.
"""

import builtins
import contextlib
import ctypes
import io
import os
import random
import sys
import threading
import time
import traceback
import warnings
from dataclasses import dataclass

import numpy as np
import psutil

CPU_SECONDS = 2.0
EXTRA_BYTES = 1 << 29
_TICK = 0.01

# A learner may have overwritten a builtin by accident; the checks run with the ones found when the course was loaded.
_BUILTINS = dict(vars(builtins))


class OutOfTime(BaseException):
    """Raised inside code that used up its CPU time; no `except Exception` catches it."""


class OutOfMemory(BaseException):
    """Raised inside code that asked for too much memory."""


class Left(BaseException):
    """Raised when the code tries to end the session or to ask for input."""


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a value, or an error with the learner's line that raised it."""

    value: object = None
    error: BaseException | None = None
    line: str = ""


def run(call, cpu_seconds: float = CPU_SECONDS, extra_bytes: int = EXTRA_BYTES) -> Outcome:
    """Call `call()` and return its Outcome; prints are swallowed, and changes to the session are taken back.

    Args:
        call: a function of no arguments.
        cpu_seconds: how much CPU time the calling thread may use.
        extra_bytes: how much the memory of the process may grow.
    """
    with session_kept(), _address_space_limited(extra_bytes):
        watch = _Watch(cpu_seconds, extra_bytes)
        value = error = None
        try:
            watch.start()
            try:
                value = call()
            finally:
                vars(builtins).update(_BUILTINS)  # what follows needs them, whatever the call did to them
            watch.stop()
        except BaseException as raised:
            error = raised
        while watch.running:  # the watch may still strike while we are on our way out
            with contextlib.suppress(OutOfTime, OutOfMemory):
                watch.stop()
        if error is None and watch.reason is not None:
            error = watch.reason()
        if isinstance(error, MemoryError):
            error = OutOfMemory()
        return Outcome(value, error, "" if error is None else _learners_line(error))


class _Watch:
    """Raise OutOfTime or OutOfMemory in the thread that made it, once a limit is passed."""

    def __init__(self, cpu_seconds, extra_bytes):
        self.target = threading.get_ident()
        self.clock = _thread_clock(self.target)
        self.process = psutil.Process()
        self.cpu_limit = self.clock() + cpu_seconds
        self.memory_limit = self.process.memory_info().rss + extra_bytes
        self.lock = threading.Lock()
        self.finished = threading.Event()
        self.running = False
        self.reason = None
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def start(self):
        self.running = True
        self.thread.start()

    def stop(self):
        with self.lock:
            self.finished.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.target), None)
            self.running = False

    def _watch(self):
        while not self.finished.wait(_TICK):
            if self.reason is None and self.clock() > self.cpu_limit:
                self.reason = OutOfTime
            elif self.reason is None and self.process.memory_info().rss > self.memory_limit:
                self.reason = OutOfMemory
            with self.lock:
                if self.reason is not None and not self.finished.is_set():
                    exception = ctypes.py_object(self.reason)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.target), exception)


def _thread_clock(thread):
    if hasattr(time, "pthread_getcpuclockid"):
        clock = time.pthread_getcpuclockid(thread)
        return lambda: time.clock_gettime(clock)
    return time.process_time


@contextlib.contextmanager
def _address_space_limited(extra_bytes):
    """Turn one huge allocation into a MemoryError where the operating system offers that (Linux)."""
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = psutil.Process().memory_info().vms + extra_bytes
    if soft != resource.RLIM_INFINITY:
        limit = min(limit, soft)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class _Swallow(io.TextIOBase):
    """A stream that takes everything and keeps nothing, so that endless printing costs no memory."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


@contextlib.contextmanager
def session_kept():
    """Work with the original builtins, and keep the session as it is.

    What is kept: builtins, random states, the working directory, the streams, the warnings and the recursion limit.
    """
    found = dict(vars(builtins))
    main = vars(sys.modules["__main__"])
    leavers = {name: main[name] for name in ("exit", "quit") if "exit" in type(main.get(name)).__name__.lower()}
    torch = sys.modules.get("torch")
    torch_state = torch.random.get_rng_state() if torch is not None else None
    numpy_state, python_state = np.random.get_state(), random.getstate()
    folder, depth, leave = os.getcwd(), sys.getrecursionlimit(), os._exit
    vars(builtins).update(_BUILTINS, input=_no_input, exit=_no_exit, quit=_no_exit, breakpoint=_no_input)
    main.update(dict.fromkeys(leavers, _no_exit))
    os._exit = _no_exit
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(_Swallow()), contextlib.redirect_stderr(_Swallow()):
            warnings.simplefilter("ignore")
            yield
    finally:
        os._exit = leave
        for name in set(vars(builtins)) - set(found):
            del vars(builtins)[name]
        vars(builtins).update(found)
        main.update(leavers)
        np.random.set_state(numpy_state)
        random.setstate(python_state)
        if torch_state is not None:
            torch.random.set_rng_state(torch_state)
        sys.setrecursionlimit(depth)
        os.chdir(folder)


def _no_input(*args, **kwargs):
    raise Left("asked for input")


def _no_exit(*args, **kwargs):
    raise Left("tried to end the session")


def _learners_line(error):
    """Find the last line of the learner's own code in the traceback (not of a library, not of the course)."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    libraries = (own, os.path.dirname(os.__file__), sys.prefix, sys.base_prefix)
    try:
        frames = traceback.extract_tb(error.__traceback__, limit=-200)
    except Exception:
        return ""
    for frame in reversed(frames):
        inside = os.path.abspath(frame.filename).startswith(libraries) and not frame.filename.startswith("<")
        if not inside and frame.line:
            return frame.line.strip()
    return ""
