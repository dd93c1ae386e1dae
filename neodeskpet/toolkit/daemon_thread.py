"""Runs a function that may hang in a daemon thread of its own, which doesn't delay the end of the
process.

Files may be on a disk that doesn't respond, and tools may be written by others. In the shared pool,
such a function would occupy a thread and keep the process from ending.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress


async def in_daemon(job: Callable[[], object]) -> object:
    """Return the result of `job`, run in a daemon thread; if cancelled, the thread is abandoned."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[object] = loop.create_future()

    def settle(value: object, error: BaseException | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(value)
        else:
            result.set_exception(error)

    def work() -> None:
        value: object = None
        failure: BaseException | None = None
        try:
            value = context.run(job)
        except BaseException as error:  # noqa: BLE001 - raised again by the future
            failure = error
            if isinstance(error, StopIteration) or not isinstance(error, Exception):
                # A future can't carry StopIteration, and sys.exit() in a tool must not end the app.
                failure = RuntimeError(f"{type(error).__name__}: {error}")
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, value, failure)

    context = contextvars.copy_context()
    threading.Thread(target=work, name="tool", daemon=True).start()
    return await result
