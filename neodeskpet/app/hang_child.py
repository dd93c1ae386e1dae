"""The small process that watches the app: it ends or restarts an app that has stopped responding,
even while a C function holds the interpreter's lock.

The app writes to this process's standard input: `HEARTBEAT` from the event loop, `PAUSE` before the
app ends, and (not on Windows) the number of each signal that it gets (`signal.set_wakeup_fd`, which
writes from C at once). The process ends when its standard input is closed, which is when the app
ends. It is light, since it runs as long as the app: no Qt, and what only a hang needs is imported
then (`dataclasses` alone would take 1.4 MiB). It reads pipes in threads, because Windows has no
`select` for them; so the same code runs on every system.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from neodeskpet.core.hang_detection import HANG_SECONDS, HangAction, HangDetector

if TYPE_CHECKING:
    import subprocess

HEARTBEAT = b"\xff"
PAUSE = b"\xfe"
HUNG = "It did not respond:"
"""The line before the stacks in the record of the run."""
RESPONDS = "It responded again."
NOT_ENDED = "It did not end in time:"
_STEP = 2.5  # seconds
_POLITE = 2.0  # seconds between SIGTERM and SIGKILL for one that hangs
_ENDS = {int(getattr(signal, name, 0)) for name in ("SIGTERM", "SIGINT", "SIGHUP")}
HARD: signal.Signals = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that kills. Windows has no SIGKILL; there `os.kill` with SIGTERM calls
TerminateProcess.
"""
STACKS: signal.Signals | None = getattr(signal, "SIGUSR1", None)
"""The signal at which the app writes its stacks into its record (`crash_reports.py`). Windows has
no such signal; there a timer in the app writes them (`WatchedProcess.by_timer`).
"""


class WatchedProcess(NamedTuple):
    """What the watcher needs. `record` is the file for the stacks, "" for none; `restart` is the
    command that starts the app again; `language` and `theme` are used for the question; `by_timer`:
    the app itself writes its stacks when `limit` seconds have passed without a heartbeat.
    """

    pid: int
    record: str
    restart: list[str]
    language: str
    theme: str
    limit: float = HANG_SECONDS
    by_timer: bool = STACKS is None

    def to_argument(self) -> str:
        return json.dumps(self._asdict())


class _Answer(NamedTuple):
    """The answer of the question window of process `pid`; empty if it ended without an answer."""

    pid: int
    words: bytes


def _follow(file: int, report: Callable[[bytes], object]) -> None:
    """Read a pipe in a thread and pass the data to `report`; b"" at its end."""

    def read() -> None:
        data = b"."
        while data:
            try:
                data = os.read(file, 4096)
            except OSError:
                data = b""
            report(data)

    threading.Thread(target=read, daemon=True).start()


class _HangWatcher:
    def __init__(self, watched: WatchedProcess) -> None:
        self._watched = watched
        self._judge = HangDetector(watched.limit)
        self._question: subprocess.Popen[bytes] | None = None
        self._received: queue.SimpleQueue[bytes | _Answer] = queue.SimpleQueue()

    def run(self) -> None:
        """Watch until the app ends."""
        _follow(0, self._received.put)
        while True:
            data = self._next(min(_STEP, self._watched.limit))
            self._do(self._judge.step(time.monotonic(), stopped=_is_stopped(self._watched.pid)))
            if isinstance(data, _Answer):
                self._take_answer(data)
            elif data == b"":
                self._withdraw()
                return
            elif data is not None:
                self._handle(data)

    def _next(self, seconds: float) -> bytes | _Answer | None:
        """Return what the app wrote (empty at its end) or the user's answer; None after
        `seconds`.
        """
        with contextlib.suppress(queue.Empty):
            return self._received.get(timeout=max(0.0, seconds))
        return None

    def _handle(self, data: bytes) -> None:
        for number in data:
            if number == HEARTBEAT[0]:
                self._do(self._judge.beat())
            elif number == PAUSE[0]:
                self._do(self._judge.pause())
            elif number in _ENDS:
                self._do(self._judge.end_asked())

    def _do(self, acts: list[HangAction]) -> None:
        for act in acts:
            if act is HangAction.WRITE_STACKS:
                self._write_stacks(NOT_ENDED if HangAction.KILL in acts else HUNG)
            elif act is HangAction.ASK:
                self._ask()
            elif act is HangAction.WITHDRAW:
                self._note(RESPONDS)
                self._withdraw()
            else:
                self._signal(HARD)

    def _write_stacks(self, why: str) -> None:
        self._note(why)
        if STACKS is not None and self._watched.record and not self._watched.by_timer:
            self._signal(STACKS)
            time.sleep(0.2)  # until they are written

    def _note(self, words: str) -> None:
        record = self._watched.record
        with contextlib.suppress(OSError):
            if record:
                with Path(record).open("a", encoding="utf-8") as file:
                    file.write(f"{words}\n")

    def _ask(self) -> None:
        import subprocess

        from neodeskpet.platform.child_process import child_command, child_environment

        self._withdraw()
        watched = self._watched
        try:
            question = self._question = subprocess.Popen(
                [*child_command("hang"), watched.language, watched.theme],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            return
        assert question.stdout is not None
        _follow(
            question.stdout.fileno(),
            lambda words: self._received.put(_Answer(question.pid, words.strip())),
        )

    def _take_answer(self, answer: _Answer) -> None:
        if self._question is None or self._question.pid != answer.pid:
            return  # a withdrawn question, or the end of an answered one
        self._withdraw()
        if answer.words == b"restart":
            self._restart()
        else:  # or the question could not be shown
            self._judge.keep_waiting()

    def _restart(self) -> None:
        import subprocess

        self._signal(signal.SIGTERM)
        if not self._ended(_POLITE):
            self._signal(HARD)
            self._ended(float("inf"))
        subprocess.Popen(
            self._watched.restart,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
        sys.exit(0)

    def _ended(self, seconds: float) -> bool:
        """Return whether the app ends within this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._next(min(left, _STEP)) == b"":
                return True
        return False

    def _withdraw(self) -> None:
        question, self._question = self._question, None
        if question is not None:
            question.kill()
            question.wait()  # the thread that reads the answer closes the pipe

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            os.kill(self._watched.pid, number)


def _is_stopped(pid: int) -> bool:
    """Whether a debugger or Ctrl-Z has stopped it (Linux)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in "tT"


def main(arguments: list[str]) -> int:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # this process ends with the app
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _HangWatcher(WatchedProcess(**json.loads(arguments[0]))).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
