"""Asks the child process for colours, one text at a time, and never waits for it.

A text that takes too long ends the child (the next text gets a new one) and stays plain.
"""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from queue import Empty, SimpleQueue
from typing import IO

from PySide6.QtCore import QObject, QTimer

from neodeskpet.children import child_command, child_environment
from neodeskpet.ui.highlight.child import LENGTH
from neodeskpet.ui.highlight.spans import Spans

SECONDS = 5.0
"""What one text may take."""
TOO_LONG = 150_000
_PLAIN = frozenset(("", "text", "plain", "txt"))
_START_SECONDS = 30.0
_LOOK_MS = 15
_FALLS = 3
"""So often in a row it may end without an answer; then there is something wrong with it, not with
the texts.
"""

_log = logging.getLogger(__name__)

Done = Callable[[Spans | None], None]
"""Takes the colours; None when the text has to stay plain."""


@dataclass(slots=True)
class _Asked:
    code: str
    language: str
    done: Done
    again: bool = False
    """The child ended over it once, perhaps for another reason."""

    @property
    def digest(self) -> bytes:
        whole = f"{self.language}\n{self.code}"
        return sha256(whole.encode("utf-8", "surrogatepass")).digest()


class Highlighter(QObject):
    """Starts the child when the first code is seen. `seconds` is what one text may take."""

    def __init__(self, parent: QObject | None = None, *, seconds: float = SECONDS) -> None:
        super().__init__(parent)
        self._seconds = seconds
        self._waiting: list[_Asked] = []
        self._running: _Asked | None = None
        self._child: _Child | None = None
        self._end_child: Callable[[], object] = lambda: None
        self._until = 0.0
        self._falls = 0
        self._refused: set[bytes] = set()
        # Looked for, not told by a signal: a thread must not know an object that Qt may destroy.
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)

    def ask(self, code: str, language: str, done: Done) -> None:
        """Call `done` when the colours are known, or at once where there will be none. What was
        asked last comes first, for it is what is looked at.
        """
        asked = _Asked(code, language, done)
        if language in _PLAIN or len(code) > TOO_LONG or asked.digest in self._refused:
            done(None)
            return
        self._waiting.append(asked)
        self._go_on()

    def _go_on(self) -> None:
        """The next text, if there is one."""
        if self._running is not None:
            return
        if not self._waiting:
            self._timer.stop()
            return
        child = self._child or self._start()
        if child is None:
            self._give_up()
            return
        self._running = self._waiting.pop()
        child.send(self._running.code, self._running.language)
        self._until = time.monotonic() + (self._seconds if child.is_ready else _START_SECONDS)
        self._timer.start()

    def _start(self) -> _Child | None:
        if self._falls >= _FALLS:
            return None
        try:
            child = _Child(self._seconds)
        except OSError:
            _log.warning("The process that colours code can't be started", exc_info=True)
            self._falls = _FALLS
            return None
        self._child = child
        self._end_child = weakref.finalize(self, child.end)
        return child

    def _give_up(self) -> None:
        waiting, self._waiting = self._waiting, []
        for asked in waiting:
            asked.done(None)

    def _look(self) -> None:
        """Whether the child has answered, has ended or takes too long."""
        child, asked = self._child, self._running
        if child is None or asked is None:
            return
        was_ready = child.is_ready
        try:
            answer = child.answer()
        except EOFError:
            self._fall(asked, "ended", again=not asked.again)
            return
        if answer is not None:
            self._falls = 0
            self._settle(asked, answer)
        elif child.is_ready and not was_ready:
            self._until = time.monotonic() + self._seconds
        elif time.monotonic() > self._until:
            self._fall(asked, "took too long", again=False)

    def _fall(self, asked: _Asked, why: str, *, again: bool) -> None:
        """The child is gone, or has to go."""
        child, self._child = self._child, None
        self._end_child()
        _log.warning(
            "The process that colours code %s over %d characters of %.40r",
            why,
            len(asked.code),
            asked.language,
        )
        if child is not None and not child.is_ready:
            self._falls += 1  # it never came to the text
        if again:
            asked.again = True
            self._waiting.append(asked)
            self._running = None
            self._go_on()
            return
        self._refused.add(asked.digest)
        self._settle(asked, None)

    def _settle(self, asked: _Asked, spans: Spans | None) -> None:
        self._running = None
        try:
            asked.done(spans)
        finally:
            self._go_on()


class _Child:
    """The process, and the thread that writes to it and reads from it. Raises OSError if it can't
    be started.
    """

    def __init__(self, seconds: float) -> None:
        self.is_ready = False
        self._process = subprocess.Popen(
            [*child_command("colour"), str(seconds + 1.0)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._asked: SimpleQueue[bytes | None] = SimpleQueue()
        self._answered: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(
            target=_converse,
            args=(self._process, self._asked, self._answered),
            name="colours of code",
            daemon=True,
        ).start()

    def send(self, code: str, language: str) -> None:
        self._asked.put(json.dumps({"code": code, "language": language}).encode())

    def answer(self) -> Spans | None:
        """What it answered; None while it didn't. Raises EOFError when it has ended."""
        while True:
            try:
                frame = self._answered.get_nowait()
            except Empty:
                return None
            if frame is None:
                raise EOFError
            if self.is_ready:
                return Spans.unpacked(frame)
            self.is_ready = True

    def end(self) -> None:
        """Kill it."""
        self._asked.put(None)
        self._process.kill()


def _converse(
    process: subprocess.Popen[bytes],
    asked: SimpleQueue[bytes | None],
    answered: SimpleQueue[bytes | None],
) -> None:
    """One frame out for each frame in, after the first; None when the process has ended. It is
    waited for here: to give back what it took may last.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError), process.stdout as source, process.stdin as out:
        while (frame := _read(source)) is not None:
            answered.put(frame)
            question = asked.get()
            if question is None:
                break
            out.write(LENGTH.pack(len(question)) + question)
            out.flush()
    process.wait()
    answered.put(None)


def _read(source: IO[bytes]) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    frame = source.read(length)
    return frame if len(frame) == length else None
