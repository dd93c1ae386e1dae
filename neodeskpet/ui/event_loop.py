"""asyncio on Qt's event loop, with workarounds for qasync in one place.

qasync installs no hooks for async generators, so an unfinished generator would never be closed; and
quitting Qt inside `run_until_complete` raises. So the app awaits its own end here, and only then
tasks are cancelled and generators closed. qasync also keeps the timer of a cancelled call until its
time: each chunk read with a limit of ten minutes left one behind.

A reply arrives in hundreds of chunks, each with about ten calls of the loop: the objects that
qasync creates for each (a timer per call, a notifier per chunk) are reused here, and calls that
follow from a chunk run in the same iteration of Qt's loop.
"""

from __future__ import annotations

import asyncio
import select
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any, Protocol

import qasync
from PySide6.QtCore import QObject, QSocketNotifier, QTimerEvent
from PySide6.QtWidgets import QApplication

from neodeskpet.platform.async_tasks import running
from neodeskpet.platform.shutdown import exit_deadline
from neodeskpet.ui.gc_scheduler import gc_on_this_thread

_CLOSE_SECONDS = 20.0
_DRAIN_SECONDS = 1.0
_SWITCH_SECONDS = 0.001
"""Python's thread switch interval. Qt's calls release the GIL each time: with Python's default of 5
ms, a paint with thirty of them waited for 150 ms.
"""
_ROUNDS = 4
"""Maximum rounds of follow-up calls in the same iteration of Qt's loop: from a received chunk to
its painting. Each further iteration polls X, all timers and all sockets again.
"""
_ROUND_SECONDS = 0.003
"""Time limit of these rounds: Qt's own events come in between."""


class _DelayedCalls(QObject):
    """Delayed calls, each with a Qt timer."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._calls: dict[int, asyncio.TimerHandle] = {}
        self._numbers: dict[int, int] = {}  # by id(): calls due at the same time compare equal

    def add(self, call: asyncio.TimerHandle, seconds: float) -> None:
        number = self.startTimer(int(seconds * 1000))
        self._calls[number], self._numbers[id(call)] = call, number

    def cancel(self, call: asyncio.TimerHandle) -> None:
        number = self._numbers.pop(id(call), None)
        if number is not None:
            del self._calls[number]
            self.killTimer(number)

    def timerEvent(self, event: QTimerEvent) -> None:
        call = self._calls.get(event.timerId())
        if call is not None:
            self.cancel(call)
            call._run()

    def stop(self) -> None:
        for call in list(self._calls.values()):
            self.cancel(call)


class _ReadyCalls(QObject):
    """Calls for the next iteration of the loop, in order, all with one Qt timer."""

    def __init__(self, parent: QObject, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(parent)
        self._loop = loop
        self._calls: deque[asyncio.Handle] = deque()
        self._timer = 0
        self._follows = False  # `run` follows at once: no timer is needed

    def add(self, call: asyncio.Handle) -> None:
        self._calls.append(call)
        if not self._follows:
            self._start()

    def timerEvent(self, event: QTimerEvent) -> None:
        self.run()

    def run(self) -> None:
        """Run the waiting calls, and then those that follow from them."""
        # A timer isn't triggered while its handler runs: a nested loop in one of these calls (Qt's
        # during a drag) runs the remaining ones with the next timer.
        self._stop()
        if asyncio.current_task(self._loop) is not None:
            # Qt's loop runs inside a task: another one can't be entered there, and its step would
            # be
            # lost. All wait until that task is left.
            return
        end = time.perf_counter() + _ROUND_SECONDS
        for _ in range(_ROUNDS):
            self._run_round()
            if not self._calls or time.perf_counter() > end:
                break
        if not self._calls:
            self._stop()
        else:
            self._start()

    def run_after(self, call: asyncio.Handle) -> None:
        """Run a call and the calls that follow from it, unless it took long: they run in the next
        iteration then.
        """
        end = time.perf_counter() + _ROUND_SECONDS
        self._follows = True
        try:
            call._run()
        finally:
            self._follows = False
        if time.perf_counter() < end:
            self.run()
        elif self._calls:
            self._start()

    def _run_round(self) -> None:
        for left in range(len(self._calls) - 1, -1, -1):
            if not self._calls:
                return  # a nested loop has run them
            call = self._calls.popleft()
            if left:
                self._start()
            if not call.cancelled():
                call._run()

    def _start(self) -> None:
        if not self._timer:
            self._timer = self.startTimer(0)

    def _stop(self) -> None:
        if self._timer:
            self.killTimer(self._timer)
            self._timer = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def clear(self) -> None:
        self._stop()
        self._calls.clear()


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


_File = int | _HasFileno


def _file_descriptor(file: _File) -> int:
    return file if isinstance(file, int) else file.fileno()


class _SocketNotifiers(QObject):
    """The watched sockets, each with a notifier that is reused."""

    def __init__(
        self, parent: QObject, kind: QSocketNotifier.Type, make: Callable[[asyncio.Handle], None]
    ) -> None:
        """`make` runs the call of a socket that is ready."""
        super().__init__(parent)
        self._kind = kind
        self._make = make
        self._calls: dict[int, asyncio.Handle] = {}
        self._notifiers: dict[int, QSocketNotifier] = {}

    def add(self, number: int, call: asyncio.Handle) -> None:
        self.remove(number)
        self._calls[number] = call
        notifier = self._notifiers.get(number)
        if notifier is None:
            notifier = self._notifiers[number] = QSocketNotifier(number, self._kind, self)
            notifier.activated["int"].connect(self._tell)  # type: ignore[index]
        notifier.setEnabled(True)

    def remove(self, number: int) -> bool:
        """Stop watching a socket; return False if it wasn't watched."""
        call = self._calls.pop(number, None)
        if call is None:
            return False
        call.cancel()
        self._notifiers[number].setEnabled(False)
        return True

    def has_pending(self) -> bool:
        """Whether a socket is ready and wasn't handled yet."""
        try:
            return bool(self._calls and select.select([*self._calls], [], [], 0)[0])
        except (OSError, ValueError):  # closed meanwhile, or a number that select doesn't accept
            return False

    def _tell(self, number: int) -> None:
        call = self._calls.get(number)
        if call is not None:
            self._make(call)

    def clear(self) -> None:
        for number in list(self._calls):
            self.remove(number)
        self._notifiers.clear()


class _QtEventLoop(qasync.QEventLoop):  # type: ignore[misc]
    """qasync's loop with reused timers and notifiers; cancelling a call removes its timer."""

    def __init__(self, app: QApplication) -> None:
        self._late = _DelayedCalls(app)
        self._soon = _ReadyCalls(app, self)
        self._read = _SocketNotifiers(app, QSocketNotifier.Type.Read, self._soon.run_after)
        self._written = _SocketNotifiers(app, QSocketNotifier.Type.Write, self._soon.run_after)
        super().__init__(app)

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        call = asyncio.Handle(callback, args, self, context)
        self._soon.add(call)
        return call

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if delay <= 0:
            return self.call_soon(callback, *args, context=context)
        call = asyncio.TimerHandle(self.time() + delay, callback, args, self, context)
        self._late.add(call, delay)
        return call

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._late.cancel(handle)

    def _add_reader(self, fd: _File, callback: Callable[..., object], *args: Any) -> None:
        self._read.add(_file_descriptor(fd), asyncio.Handle(callback, args, self))

    def _remove_reader(self, fd: _File) -> bool:
        return self._read.remove(_file_descriptor(fd))

    def has_work(self) -> bool:
        """Whether a socket is ready or a call is due at once."""
        return bool(self._soon) or self._read.has_pending()

    def _add_writer(self, fd: _File, callback: Callable[..., object], *args: Any) -> None:
        self._written.add(_file_descriptor(fd), asyncio.Handle(callback, args, self))

    def _remove_writer(self, fd: _File) -> bool:
        return self._written.remove(_file_descriptor(fd))

    def close(self) -> None:
        super().close()
        self._late.stop()
        self._late.deleteLater()
        for kept in (self._soon, self._read, self._written):
            kept.clear()
            kept.deleteLater()


def is_busy() -> bool:
    """Whether the loop of this thread has immediate work: received data may be on its way to the
    window. False if no such loop runs.
    """
    try:
        here = asyncio.get_running_loop()
    except RuntimeError:
        return False
    return isinstance(here, _QtEventLoop) and here.has_work()


def run(app: QApplication, main: Callable[[], Awaitable[int]]) -> int:
    """Run `main` on the loop of `app`, close what is left, and return its exit code."""
    app.setQuitOnLastWindowClosed(False)
    loop = _QtEventLoop(app)
    asyncio.set_event_loop(loop)
    before, interval = sys.get_asyncgen_hooks(), sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    sys.set_asyncgen_hooks(loop._asyncgen_firstiter_hook, loop._asyncgen_finalizer_hook)
    try:
        with gc_on_this_thread(app):
            return int(loop.run_until_complete(_run_to_end(main)))
    finally:
        with exit_deadline(_CLOSE_SECONDS):  # closing waits for the threads of the shared pool
            loop.run_until_complete(loop.shutdown_asyncgens())
            sys.set_asyncgen_hooks(*before)
            sys.setswitchinterval(interval)
            asyncio.set_event_loop(None)
            loop.close()


async def _run_to_end(main: Callable[[], Awaitable[int]]) -> int:
    try:
        return await main()
    finally:
        await _cancel_remaining_tasks()


async def _cancel_remaining_tasks() -> None:
    """Cancel the remaining tasks; abandon those that don't end in time."""
    left = [task for task in running() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_DRAIN_SECONDS)
