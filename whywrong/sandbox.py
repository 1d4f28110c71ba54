"""Run a learner's code with limits, and leave the session as it was: nothing that the code changes outlasts the call.

A watching thread measures the CPU time of the calling thread (a wall clock would misfire on a busy machine) and the
memory of the process. Past a limit it raises an exception inside the running code, again and again, so that a bare
`except:` cannot hold on to the session. Code that spends its time inside one C call, such as `sum(itertools.count())`,
cannot be stopped from within the process: there the notebook's own restart is the way out.

Where Python has no threads, as in WebAssembly, nothing watches the code: whoever runs it there must be able to end it
from outside, as a web page ends its worker. Without psutil, the memory is not watched.
"""

import ast
import builtins
import contextlib
import ctypes
import dis
import io
import itertools
import linecache
import math
import os
import random
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

try:
    import psutil
except ImportError:
    psutil = None

CPU_SECONDS = 2.0
EXTRA_BYTES = 1 << 29
MOST_PRINTED = 2000  # characters that are kept of what an answer prints
_TICK = 0.01  # seconds between two looks
_AGAIN = 0.05  # seconds between two strikes
_THREADS = sys.platform not in ("emscripten", "wasi")  # whether Python can start one here
_cells = itertools.count(1)

# Packages whose code is not a learner's, and where each is.
_OURS = {__name__.partition(".")[0]: os.path.dirname(os.path.abspath(__file__))}
_TAUGHT: list[str] = []
# A learner may have overwritten a builtin by accident; the checks run with the ones found when the course was loaded.
_BUILTINS = dict(vars(builtins))


class _Stop(BaseException):
    """Raised inside code past a limit, and a second time when the code caught the first with a bare `except:`."""

    def __init__(self):
        frame = sys._getframe(1)
        if frame.f_code is run.__code__:
            return
        sys.settrace(lambda *event: None)
        while frame is not None and frame.f_code is not run.__code__:
            frame.f_trace = self._again
            frame = frame.f_back

    def _again(self, frame, event, argument):
        if event == "line":
            raise type(self)
        return self._again


class OutOfTime(_Stop):
    """Raised inside code that used up its CPU time; no `except Exception` catches it."""


class OutOfMemory(_Stop):
    """Raised inside code that asked for too much memory."""


class Left(BaseException):
    """Raised when the code tries to end the session or to ask for input."""


@dataclass(frozen=True)
class Outcome:
    """The result of a call: a value or an error, and what it printed.

    line: the learner's line that raised the error; own: whether a `raise` in the learner's own code raised it.
    """

    value: object = None
    error: BaseException | None = None
    line: str = ""
    own: bool = False
    printed: str = ""


def run(call, cpu_seconds: float | None = None, extra_bytes: int | None = None) -> Outcome:
    """Call `call(limits)`, return its Outcome, and undo its changes to the session.

    Args:
        call: a function that is given the limits: `limits.rewind()` restarts the clock, `limits.lift()` stops it, once
            no learner's code runs any more, and `limits.stop_listening()` ends the record of what is printed.
        cpu_seconds: how much CPU time the calling thread may use; by default CPU_SECONDS.
        extra_bytes: how much the memory of the process may grow; by default EXTRA_BYTES.
    """
    cpu_seconds = CPU_SECONDS if cpu_seconds is None else cpu_seconds
    extra_bytes = EXTRA_BYTES if extra_bytes is None else extra_bytes
    heard = _Heard()
    with session_kept(heard), _address_space_limited(extra_bytes):
        watch = (_Watch if _THREADS else _NoWatch)(cpu_seconds, extra_bytes, heard)
        value = error = None
        tracing = sys.gettrace()
        try:
            watch.start()
            try:
                value = next(_apart(call, watch))
            finally:
                sys.settrace(tracing)
                restore_builtins()  # the code below needs them, whatever the call did to them
        except BaseException as raised:
            # the generator turns StopIteration into a RuntimeError
            error = raised.__cause__ if isinstance(raised.__cause__, StopIteration) else raised
        watch.stop()
        sys.settrace(tracing)
        if error is None and watch.reason is not None:
            error = watch.reason()
        if isinstance(error, MemoryError):
            error = OutOfMemory()
        if error is None:
            return Outcome(value, printed=heard.text())
        return Outcome(value, error, _learners_line(error), _learners_raise(error), heard.text())


def _apart(call, limits):
    """Call in a generator, which has its own record of the exception being handled, because a stop may spoil it."""
    yield call(limits)


class _NoWatch:
    """Take the place of a watch: say when its clock would run, and let everything take as long as it needs."""

    reason = None

    def __init__(self, cpu_seconds, extra_bytes, heard):
        self.stop_listening, self._cpu_seconds = heard.close_record, cpu_seconds

    def start(self):
        _tell(self._cpu_seconds)

    rewind = start

    def lift(self):
        _tell(0)

    stop = lift


def _tell(seconds: float) -> None:
    """Do nothing; `listen` replaces this function."""


def listen(listener: Callable[[float], object]) -> None:
    """Tell a listener, where nothing watches, how many seconds code may take from now on; 0: as long as it needs.

    The process that runs this cannot end the code, but a listener outside of it can.
    """
    global _tell
    _tell = listener


class _Watch:
    """Raise OutOfTime or OutOfMemory in the thread that made it, once a limit is passed."""

    def __init__(self, cpu_seconds, extra_bytes, heard):
        self.stop_listening = heard.close_record
        self.target = threading.get_ident()
        self.clock, self.cpu_seconds = _thread_clock(self.target), cpu_seconds
        self.memory = _memory_clock()
        self.rewind()
        self.memory_limit = self.memory() + extra_bytes
        self.finished = threading.Event()
        self.reason = None
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def start(self):
        self.thread.start()

    def rewind(self):
        """Allow the full CPU time again, from now on."""
        self.cpu_limit = self.clock() + self.cpu_seconds

    def lift(self):
        """Let what follows take as long as it needs."""
        self.cpu_limit = math.inf

    def stop(self):
        """End the watch, and absorb a strike that is still under way.

        A strike is never called back: Python 3.11 would then hang in the next call under a debugger.
        """
        try:
            self.finished.set()
            if self.thread.ident is not None:
                self.thread.join()
            for _ in range(3):
                pass  # a strike lands at a jump
        except _Stop:
            self.stop()

    def _watch(self):
        while self.reason is None:
            if self.finished.wait(_TICK):
                return
            restore_builtins()
            if self.clock() > self.cpu_limit:
                self.reason = OutOfTime
            elif self.memory() > self.memory_limit:
                self.reason = OutOfMemory
        while not self.finished.is_set():
            exception = ctypes.py_object(self.reason)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.target), exception)
            self.finished.wait(_AGAIN)


def _thread_clock(thread):
    """Return a function that reads the CPU time of a thread or, if that is not available, of the process."""
    try:
        clock = time.pthread_getcpuclockid(thread)
        time.clock_gettime(clock)
    except (AttributeError, OSError):
        return time.process_time
    return lambda: time.clock_gettime(clock)


def _memory_clock():
    """Return a function that reads the memory of this process; without psutil it returns 0."""
    if psutil is None:
        return int
    process = psutil.Process()
    return lambda: process.memory_info().rss


@contextlib.contextmanager
def _address_space_limited(extra_bytes):
    """Turn one huge allocation into a MemoryError where the operating system offers that (Linux)."""
    if not sys.platform.startswith("linux") or psutil is None:
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


class Cell(NamedTuple):
    """A cell that has run: all names as they are after it, and the value of its last line, if that is an expression."""

    names: dict[str, object]
    value: object = None


def load(source: str, names: dict[str, object] | None = None) -> Cell:
    """Run the source of a learner's cell, with a copy of some names.

    Its functions keep their source, as those of a notebook's cell do, so that checks can point at it. Nothing is
    limited here, and nothing of the session kept: call it in `run` for that.

    Raises:
        Whatever the source raises: SyntaxError if it is not Python.
    """
    file = f"<cell {next(_cells)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {**(names or {}), "__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns, for example, about `is` with a number
        tree = ast.parse(source, file)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, file, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), file, "eval"), names)
    return Cell(names, value)


def restore_builtins() -> None:
    """Undo what running code did to the builtins; uses no builtin itself."""
    builtins.__dict__.update(_INSIDE)


class OwnBuiltins:
    """Work with the original builtins, whatever the learner overwrote before; uses no builtin until they are back."""

    def __enter__(self):
        self.found = builtins.__dict__.copy()
        restore_builtins()

    def __exit__(self, *error):
        builtins.__dict__.update(self.found)


class _Heard(io.TextIOBase):
    """A stream that keeps the first lines and drops the rest, so that endless printing costs no memory."""

    def __init__(self):
        self._parts, self._room = [], MOST_PRINTED

    def writable(self):
        return True

    def write(self, text):
        if self._room > 0:
            self._parts.append(str.__str__(text)[: self._room])
            self._room -= len(self._parts[-1])
        return len(text)

    def close_record(self):
        self._room = 0

    def text(self):
        return "".join(self._parts)


@contextlib.contextmanager
def session_kept(stream):
    """Work with the original builtins, and restore the session afterwards.

    What is restored: builtins, random states, torch's default dtype and whether it tracks gradients, the working
    directory, the streams, the warnings and the recursion limit.
    """
    found = dict(vars(builtins))
    main = vars(sys.modules["__main__"])
    leavers = {name: main[name] for name in ("exit", "quit") if "exit" in type(main.get(name)).__name__.lower()}
    torch = sys.modules.get("torch")
    torch_state = torch and (torch.random.get_rng_state(), torch.get_default_dtype(), torch.is_grad_enabled())
    numpy_state, python_state = np.random.get_state(), random.getstate()
    folder, depth, leave = _folder(), sys.getrecursionlimit(), os._exit
    restore_builtins()
    main.update(dict.fromkeys(leavers, _no_exit))
    os._exit = _no_exit
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            warnings.simplefilter("ignore")
            yield
    finally:
        restore_builtins()
        os._exit = leave
        for name in set(vars(builtins)) - set(found):
            del vars(builtins)[name]
        vars(builtins).update(found)
        main.update(leavers)
        np.random.set_state(numpy_state)
        random.setstate(python_state)
        if torch_state is not None:
            torch.random.set_rng_state(torch_state[0])
            torch.set_default_dtype(torch_state[1])
            torch.set_grad_enabled(torch_state[2])
        sys.setrecursionlimit(depth)
        if folder is not None:
            with contextlib.suppress(OSError):  # it has been deleted
                os.chdir(folder)


def _folder():
    """Return the working directory; None when it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _no_input(*args, **kwargs):
    raise Left("asked for input")


def _no_exit(*args, **kwargs):
    raise Left("tried to end the session")


_INSIDE = {**_BUILTINS, "input": _no_input, "breakpoint": _no_input, "exit": _no_exit, "quit": _no_exit}


def _learners_line(error):
    """Find the last line of the learner's own code in the traceback (not of a library, not of the course)."""
    try:
        frames = traceback.extract_tb(error.__traceback__, limit=-200)
    except Exception:
        return ""
    for frame in reversed(frames):
        if is_learners(frame.filename) and frame.line:
            return frame.line.strip()
    return ""


def _learners_raise(error):
    """Return whether the error comes from a `raise` statement in the learner's own code."""
    innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    if innermost is None or not is_learners(innermost.tb_frame.f_code.co_filename):
        return False
    return innermost.tb_frame.f_code.co_code[innermost.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def register(package: str, *taught: str) -> None:
    """Count the code of a loaded package as the course's, not a learner's; no answer may use what is in `taught`."""
    _OURS[package] = os.path.dirname(os.path.abspath(sys.modules[package].__file__))
    _TAUGHT.extend(f"{one}." for one in taught)


def is_ours(module: str) -> bool:
    """Return whether a module, by its name, is one of the course."""
    return module.partition(".")[0] in _OURS


def is_taught(module: str) -> bool:
    """Return whether a module, by its name, is one that no answer may use."""
    return module.startswith((*_TAUGHT,))


def is_learners(filename: str) -> bool:
    """Return whether a file is the learner's own, not part of the course or of a library."""
    if filename.startswith("<"):
        return True
    libraries = (*_OURS.values(), os.path.dirname(os.__file__), sys.prefix, sys.base_prefix)
    path = os.path.abspath(filename)
    installed = {"site-packages", "dist-packages"} & {*path.split(os.sep)}  # pip's --user installs outside of prefix
    return not (installed or path.startswith(libraries))
