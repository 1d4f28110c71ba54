"""A terminal in which a walk types the commands of one page, as they stand, and sees what is printed.

It is a terminal to the programs in it: Ctrl+C reaches them as it does a person's.
"""

import contextlib
import fcntl
import os
import re
import struct
import subprocess
import tempfile
import termios
import threading
import time
from pathlib import Path

import psutil

from tests.walks.pages import Block, Page

FUSE = 900  # seconds; nothing here waits for a time, this only ends what hangs
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>]")
_LEAVE = "trap 'pwd > \"$WALK_LEFT\"' EXIT\n"  # so that the next command begins where this one ended


class Program:
    """What was typed, while it runs and afterwards."""

    def __init__(self, script: str, folder: Path, environment: dict[str, str]):
        self.script, self.code, self._read = script, None, b""
        self._keyboard, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        # --ctty: Ctrl+C is for what runs in this terminal. It is heard there even if the tests run where it is
        # ignored, as a script does behind an `&`.
        command = ["setsid", "--ctty", "env", "--default-signal=INT,QUIT", "bash", "-e", "-c", script]
        ends = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
        self._process = subprocess.Popen(command, cwd=folder, env=environment, **ends)
        os.close(terminal)
        self._ended = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        with contextlib.suppress(OSError):  # which is how a terminal ends
            while more := os.read(self._keyboard, 65536):
                self._read += more
        self.code = self._process.wait()
        self._ended.set()

    @property
    def said(self) -> str:
        """What it has printed so far, without colours."""
        return _ESCAPES.sub("", self._read.decode("utf-8", errors="replace")).replace("\r\n", "\n")

    def wait_for(self, pattern: str, seconds: float = FUSE) -> re.Match:
        """Wait until something is printed, and return the match."""
        end = time.monotonic() + seconds
        while True:
            ended = self._ended.is_set()
            found = re.search(pattern, self.said)
            if found:
                return found
            assert not ended, f"{self.script}\nended with {self.code} and never said {pattern!r}:\n{self.said}"
            assert time.monotonic() < end, f"{self.script}\nhas not said {pattern!r} after {seconds} s:\n{self.said}"
            self._ended.wait(0.05)

    def pause(self) -> None:
        """Wait a moment, or until it ends."""
        self._ended.wait(0.1)

    def press(self, keys: str) -> None:
        """Press keys: "\\x03" is Ctrl+C."""
        with contextlib.suppress(OSError):  # nothing hears it any more
            os.write(self._keyboard, keys.encode())

    def stop(self) -> int:
        """Press Ctrl+C, and again until it has ended, as one does; return how often it was pressed."""
        times = 0
        while not self._ended.is_set():
            assert times < 10, f"{self.script}\ncannot be stopped by Ctrl+C:\n{self.said}"
            self.press("\x03")
            times += 1
            self._ended.wait(2 if times < 2 else 30)
        return times

    def end(self, seconds: float = FUSE) -> int:
        """Wait for its end and return its exit code."""
        assert self._ended.wait(seconds), f"{self.script}\nhas not ended after {seconds} s:\n{self.said}"
        return self.code

    def kill(self) -> None:
        """End it and all that it has started, if it runs; for what a failed walk leaves behind."""
        if not self._ended.is_set():
            with contextlib.suppress(psutil.NoSuchProcess):
                program = psutil.Process(self._process.pid)
                for one in [*program.children(recursive=True), program]:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        one.kill()
            self._ended.wait(30)
        os.close(self._keyboard)


class Terminal:
    """A terminal in a folder. It types only what the walk has claimed, as it stands there, and keeps account of it."""

    def __init__(self, claimed: list[tuple[Page, tuple]], folder: Path, environment: dict[str, str]):
        self.claimed = {(page, piece) for page, pieces in claimed for piece in pieces}
        self.folder, self.environment = Path(folder), dict(environment)
        self.typed: set[tuple[Page, str | Block]] = set()
        self._programs: list[Program] = []

    def read(self, *pieces: "str | Block") -> str:
        """Return what a reader types for a block, for a command, or for a command and additions from the page."""
        found = []
        for piece in pieces:
            pages = [page for page, one in self.claimed if one == piece]
            assert pages, f"this walk has not claimed {piece!r}"
            self.typed.update((page, piece) for page in pages)
            words = {page.find(piece).typed for page in pages}
            assert len(words) == 1, f"{piece!r} is not the same on {pages}"
            found += words
        return " ".join(found)

    def type(self, *pieces: "str | Block", fails: bool = False, seconds: float = FUSE) -> str:
        """Type a block or a command, wait for its end, and return what it has printed.

        Args:
            pieces: a Block, or a command as it stands on the page, with additions that stand there, too.
            fails: whether it must fail; otherwise it must not.
        """
        program = self.start(*pieces)
        code = program.end(seconds)
        left = Path(program.left).read_text(encoding="utf-8").strip()
        self.folder = Path(left or self.folder)
        assert bool(code) == fails, f"{program.script}\nended with {code}:\n{program.said}"
        return program.said

    def start(self, *pieces: "str | Block") -> Program:
        """Type a block or a command that does not end by itself, or with which more is to be done."""
        return self._run(self.read(*pieces))

    def _run(self, script):
        handle, left = tempfile.mkstemp(dir=self.environment["HOME"])
        os.close(handle)
        program = Program(_LEAVE + script, self.folder, self.environment | {"WALK_LEFT": left})
        program.left = left
        self._programs.append(program)
        return program

    def close(self) -> None:
        """End what is still running."""
        for program in self._programs:
            program.kill()
