"""asyncio on Qt's loop, with qasync's faults guarded in one place.

qasync installs no async-generator hooks, so a generator that is left half-way would never be
closed; and quitting Qt inside `run_until_complete` raises. So an app awaits its own end here, and
only then are tasks cancelled and generators closed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

import qasync
from PySide6.QtWidgets import QApplication

from neodeskpet.conversation.tasks import running
from neodeskpet.ui.collector import collecting_here

_DRAIN_SECONDS = 1.0


def run(app: QApplication, main: Callable[[], Awaitable[int]]) -> int:
    """Run `main` to its end on the loop of `app`, then close what is left. Its exit code."""
    app.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(app)
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
