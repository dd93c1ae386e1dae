"""asyncio on Qt's loop, with qasync's faults guarded in one place.

qasync installs no async-generator hooks, so a generator that is left half-way would never be
closed; and quitting Qt inside `run_until_complete` raises. So an app awaits its own end here, and
only then are tasks cancelled and generators closed. And it keeps the timer of a cancelled call
until its time has come: each chunk that was read within a limit of ten minutes left one behind.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

import qasync
from PySide6.QtCore import QObject, QTimerEvent
from PySide6.QtWidgets import QApplication

from neodeskpet.conversation.tasks import running
from neodeskpet.ui.collector import collecting_here

_DRAIN_SECONDS = 1.0


class _Timers(QObject):
    """Calls that are made later, each with a timer of Qt's."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._calls: dict[int, asyncio.TimerHandle] = {}
        self._numbers: dict[int, int] = {}  # by id: two calls of one moment are equal

    def add(self, call: asyncio.TimerHandle, seconds: float) -> None:
        number = self.startTimer(int(seconds * 1000))
        self._calls[number], self._numbers[id(call)] = call, number

    def drop(self, call: asyncio.TimerHandle) -> None:
        number = self._numbers.pop(id(call), None)
        if number is not None:
            del self._calls[number]
            self.killTimer(number)

    def timerEvent(self, event: QTimerEvent) -> None:
        call = self._calls.get(event.timerId())
        if call is not None:
            self.drop(call)
            call._run()

    def stop(self) -> None:
        for call in list(self._calls.values()):
            self.drop(call)


class _Loop(qasync.QEventLoop):  # type: ignore[misc]
    """qasync's; a cancelled call takes its timer with it."""

    def __init__(self, app: QApplication) -> None:
        self._late = _Timers(app)
        super().__init__(app)

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if delay <= 0:
            soon: asyncio.Handle = super().call_later(0, callback, *args, context=context)
            return soon
        call = asyncio.TimerHandle(self.time() + delay, callback, args, self, context)
        self._late.add(call, delay)
        return call

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._late.drop(handle)

    def close(self) -> None:
        self._late.stop()
        self._late.deleteLater()
        super().close()


def run(app: QApplication, main: Callable[[], Awaitable[int]]) -> int:
    """Run `main` to its end on the loop of `app`, then close what is left. Its exit code."""
    app.setQuitOnLastWindowClosed(False)
    loop = _Loop(app)
    asyncio.set_event_loop(loop)
    before = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(loop._asyncgen_firstiter_hook, loop._asyncgen_finalizer_hook)
    try:
        with collecting_here(app):
            return int(loop.run_until_complete(_whole(main)))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        sys.set_asyncgen_hooks(*before)
        asyncio.set_event_loop(None)
        loop.close()


async def _whole(main: Callable[[], Awaitable[int]]) -> int:
    try:
        return await main()
    finally:
        await _drain()


async def _drain() -> None:
    """Cancel the tasks that are left; one that doesn't end in time is left behind."""
    left = [task for task in running() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_DRAIN_SECONDS)
