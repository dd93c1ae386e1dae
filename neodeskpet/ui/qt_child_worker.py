"""Sends questions to a child process (`child_process.serve_frames`), one at a time, without
blocking.

A question that takes too long ends the child (the next one starts a new child) and gets no answer.
A child without questions ends after a while: it would keep 10 to 25 MiB.
"""

from __future__ import annotations

import logging
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from PySide6.QtCore import QObject, QTimer

from neodeskpet.platform.child_process import (
    FRAME_LENGTH,
    child_command,
    child_environment,
    read_frame,
)

IDLE_SECONDS = 10.0
"""Seconds without a question after which the child ends."""
_START_SECONDS = 30.0
_POLL_MS = 15
_MAX_CRASHES = 3
"""Maximum number of crashes in a row without an answer; then the child itself is faulty, not the
question.
"""

_log = logging.getLogger(__name__)

AnswerCallback = Callable[[bytes | None], None]
"""Receives the answer; None if there will be none."""


@dataclass(slots=True)
class _Question:
    question: bytes
    done: AnswerCallback
    is_retry: bool = False
    """The child has ended once with this question, perhaps for another reason."""


class QtChildWorker(QObject):
    """Starts the child `name` (`child_process.MODULES`) with the first question. `seconds` is the
    time limit of a question.
    """

    def __init__(
        self,
        name: str,
        seconds: float,
        parent: QObject | None = None,
        *,
        idle: float = IDLE_SECONDS,
    ) -> None:
        """`idle`: seconds without a question after which the child ends."""
        super().__init__(parent)
        self._name = name
        self._seconds = seconds
        self._waiting: list[_Question] = []
        self._running: _Question | None = None
        self._child: _ChildProcess | None = None
        self._end_child: Callable[[], object] = lambda: None
        self._until = 0.0
        self._falls = 0
        # Polled instead of a signal: a thread must not hold an object that Qt may destroy.
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._look)
        self._idle_timer = QTimer(self, interval=round(idle * 1000), singleShot=True)
        self._idle_timer.timeout.connect(self._end_idle)

    @property
    def running(self) -> bool:
        """Whether the child runs."""
        return self._child is not None

    def ask(self, question: bytes, done: AnswerCallback) -> None:
        """Call `done` with the answer. The latest question comes first, since its result is
        visible.
        """
        self._waiting.append(_Question(question, done))
        self._go_on()

    def _go_on(self) -> None:
        """Send the next question, if there is one."""
        if self._running is not None:
            return
        if not self._waiting:
            self._timer.stop()
            self._idle_timer.start()
            return
        self._idle_timer.stop()
        child = self._child or self._start()
        if child is None:
            self._give_up()
            return
        self._running = self._waiting.pop()
        child.send(self._running.question)
        self._until = time.monotonic() + (self._seconds if child.is_ready else _START_SECONDS)
        self._timer.start()

    def _start(self) -> _ChildProcess | None:
        if self._falls >= _MAX_CRASHES:
            return None
        try:
            child = _ChildProcess(self._name, self._seconds)
        except OSError:
            _log.warning("The process %r can't be started", self._name, exc_info=True)
            self._falls = _MAX_CRASHES
            return None
        self._child = child
        self._end_child = weakref.finalize(self, child.kill)
        return child

    def _end_idle(self) -> None:
        self._child = None
        self._end_child()

    def _give_up(self) -> None:
        waiting, self._waiting = self._waiting, []
        for asked in waiting:
            asked.done(None)

    def _look(self) -> None:
        """Check whether the child has answered, ended or exceeded its time."""
        child, asked = self._child, self._running
        if child is None or asked is None:
            return
        was_ready = child.is_ready
        try:
            answer = child.answer()
        except EOFError:
            self._fall(asked, "ended", again=not asked.is_retry)
            return
        if answer is not None:
            self._falls = 0
            self._settle(asked, answer)
        elif child.is_ready and not was_ready:
            self._until = time.monotonic() + self._seconds
        elif time.monotonic() > self._until:
            self._fall(asked, "took too long", again=False)

    def _fall(self, asked: _Question, why: str, *, again: bool) -> None:
        """Handle a child that has ended or must be ended."""
        child, self._child = self._child, None
        self._end_child()
        _log.warning("The process %r %s over %d bytes", self._name, why, len(asked.question))
        if child is not None and not child.is_ready:
            self._falls += 1  # it failed before reading the question
        if again:
            asked.is_retry = True
            self._waiting.append(asked)
            self._running = None
            self._go_on()
            return
        self._settle(asked, None)

    def _settle(self, asked: _Question, answer: bytes | None) -> None:
        self._running = None
        try:
            asked.done(answer)
        finally:
            self._go_on()


class _ChildProcess:
    """The process, and the thread that writes to it and reads from it. Raises OSError if it can't
    be started.
    """

    def __init__(self, name: str, seconds: float) -> None:
        self.is_ready = False
        self._process = subprocess.Popen(
            [*child_command(name), str(seconds + 1.0)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._asked: SimpleQueue[bytes | None] = SimpleQueue()
        self._answered: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(
            target=_exchange_frames,
            args=(self._process, self._asked, self._answered),
            name=f"child {name}",
            daemon=True,
        ).start()

    def send(self, question: bytes) -> None:
        self._asked.put(question)

    def answer(self) -> bytes | None:
        """Return its answer, None if there is none yet. Raises EOFError if it has ended."""
        while True:
            try:
                frame = self._answered.get_nowait()
            except Empty:
                return None
            if frame is None:
                raise EOFError
            if self.is_ready:
                return frame
            self.is_ready = True

    def kill(self) -> None:
        """Kill it."""
        self._asked.put(None)
        self._process.kill()


def _exchange_frames(
    process: subprocess.Popen[bytes],
    asked: SimpleQueue[bytes | None],
    answered: SimpleQueue[bytes | None],
) -> None:
    """Read one frame for each frame written, after the first; put None when the process has ended.
    Waiting for its end can take long while its memory is released.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError), process.stdout as source, process.stdin as out:
        while (frame := read_frame(source)) is not None:
            answered.put(frame)
            question = asked.get()
            if question is None:
                break
            out.write(FRAME_LENGTH.pack(len(question)) + question)
            out.flush()
    process.wait()
    answered.put(None)
