"""Calls that a turn waits for, and that the person may send on into the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from neodeskpet.conversation.tasks import spawn_task
from neodeskpet.core.background.task import STARTED, TaskWork
from neodeskpet.core.errors import KnownError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress

_log = logging.getLogger(__name__)

StartTask = Callable[[TaskWork], Awaitable[str]]
"""Begins a background task; gives its id. Raises KnownError."""


class _RunningCall:
    def __init__(self, name: str, arguments: Mapping[str, object], progress: Progress) -> None:
        self.identity = (name, arguments)
        self.progress = progress
        self.detached: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def report(self, fraction: float | None, text: str) -> None:
        self.progress(fraction, text)


class RunningCalls:
    """Used on the loop's thread. `room` says whether one more task may begin. A call is known by
    its tool and its arguments: of two equal ones it doesn't matter which is meant.
    """

    def __init__(self, room: Callable[[], bool]) -> None:
        self._room = room
        self._calls: list[_RunningCall] = []

    def can_detach(self, name: str, arguments: Mapping[str, object]) -> bool:
        return self._find(name, arguments) is not None and self._room()

    def detach(self, name: str, arguments: Mapping[str, object]) -> bool:
        """The turn goes on without it. Whether there was such a call, and room."""
        call = self._find(name, arguments) if self._room() else None
        if call is None:
            return False
        call.detached.set_result(None)
        return True

    async def run(
        self,
        name: str,
        arguments: Mapping[str, object],
        work: TaskWork,
        progress: Progress,
        begin: StartTask,
    ) -> ToolResult:
        """What `work` gives; or, where it was left, what tells of its task. Raises what it raises;
        cancelling it cancels the work.
        """
        call = _RunningCall(name, arguments, progress)

        async def run() -> ToolResult | KnownError:
            try:
                return await work(call.report)
            except KnownError as error:
                return error  # it is for whoever waits; what a task raises is a bug

        job = spawn_task(run(), name=f"call {name}")
        self._calls.append(call)
        try:
            waits: set[asyncio.Future[Any]] = {job, call.detached}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                task_id = await begin(partial(_continue_as_task, call, job))
                return ToolResult(STARTED.format(id=task_id), {"task_id": task_id})
        except KnownError:
            _log.exception("A call can't go on in the background: it is waited for")
        except asyncio.CancelledError:
            job.cancel()
            await asyncio.wait({job})
            raise
        finally:
            self._calls.remove(call)
        return _result_of(await job)

    def _find(self, name: str, arguments: Mapping[str, object]) -> _RunningCall | None:
        wanted = (name, arguments)
        return next(
            (one for one in self._calls if one.identity == wanted and not one.detached.done()), None
        )


async def _continue_as_task(
    call: _RunningCall, job: asyncio.Task[ToolResult | KnownError], progress: Progress
) -> ToolResult:
    call.progress = progress
    return _result_of(await job)


def _result_of(outcome: ToolResult | KnownError) -> ToolResult:
    """Raises the error."""
    if isinstance(outcome, KnownError):
        raise outcome
    return outcome
