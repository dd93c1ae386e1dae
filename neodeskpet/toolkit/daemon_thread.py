"""Runs a function in a thread of its own that may hang: nobody waits for it at the process's end.

Files may lie on a disk that doesn't answer, and tools may be made by others. A thread of the shared
pool would be lost to other work, and would keep the process from ending.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress


async def in_daemon(job: Callable[[], object]) -> object:
    """The result of `job`, run in a daemon thread; cancelled, the thread is left behind."""
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
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is awaited
            failure = error
            if isinstance(error, StopIteration) or not isinstance(error, Exception):
                # A future takes no StopIteration, and sys.exit() in a tool isn't the app's end.
                failure = RuntimeError(f"{type(error).__name__}: {error}")
        with suppress(RuntimeError):  # the loop is gone: nobody waits any more
            loop.call_soon_threadsafe(settle, value, failure)

    context = contextvars.copy_context()
    threading.Thread(target=work, name="tool", daemon=True).start()
    return await result
