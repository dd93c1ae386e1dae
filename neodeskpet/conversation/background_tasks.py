"""Background tasks: each runs as an asyncio task, is stored when it begins and ends, and is
reported to observers. `task = await tasks.start("conversation", "shell.run", arguments, work,
foreign=True)`: `work(progress)` returns a `ToolResult` or raises. The user can also detach a
running call, so that it continues as a background task.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from neodeskpet.conversation.ports import TaskStore
from neodeskpet.conversation.runner import StorePictures, tool_failure
from neodeskpet.core.background_tasks import (
    MOST_RUNNING,
    STARTED,
    Task,
    TaskCancelled,
    TaskProgressed,
    TaskSignal,
    TaskWork,
    start_task,
    update_task,
)
from neodeskpet.core.blocks import ToolStatus
from neodeskpet.core.data_labels import NO_LABELS, Labels
from neodeskpet.core.errors import KnownError, StoreError, ToolCancelled, ToolFailed, TooManyTasks
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Progress, Risk, Toolbox, ToolOffer, ToolSpec
from neodeskpet.core.turn.signals import ToolFinished
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.executor import current_origin

_log = logging.getLogger(__name__)

StartTask = Callable[[TaskWork], Awaitable[str]]
"""Starts a background task and returns its id. Raises KnownError."""


class _RunningCall:
    def __init__(self, name: str, arguments: Mapping[str, object], progress: Progress) -> None:
        self.identity = (name, arguments)
        self.progress = progress
        loop = asyncio.get_running_loop()
        self.detached: asyncio.Future[None] = loop.create_future()
        self.stopped: asyncio.Future[None] = loop.create_future()

    def report(self, fraction: float | None, text: str) -> None:
        self.progress(fraction, text)


class RunningCalls:
    """The running tool calls. Use it on the event loop's thread. `room` returns whether another
    task may start. A call is identified by tool and arguments; of two equal calls either may be
    detached or stopped.
    """

    def __init__(self, room: Callable[[], bool]) -> None:
        self._room = room
        self._calls: list[_RunningCall] = []

    def can_detach(self, name: str, arguments: Mapping[str, object]) -> bool:
        return self._find(name, arguments) is not None and self._room()

    def detach(self, name: str, arguments: Mapping[str, object]) -> bool:
        """Detach a call, so that the turn continues without it. Returns whether there was such a
        call and room for a task.
        """
        call = self._find(name, arguments) if self._room() else None
        if call is None:
            return False
        call.detached.set_result(None)
        return True

    def can_stop(self, name: str, arguments: Mapping[str, object]) -> bool:
        return self._find(name, arguments) is not None

    def stop(self, name: str, arguments: Mapping[str, object]) -> bool:
        """Stop a call; the turn continues, and the model is told that the user stopped it. Returns
        whether there was such a call.
        """
        call = self._find(name, arguments)
        if call is None:
            return False
        call.stopped.set_result(None)
        return True

    async def run(
        self,
        name: str,
        arguments: Mapping[str, object],
        work: TaskWork,
        progress: Progress,
        begin: StartTask,
    ) -> ToolResult:
        """Return the result of `work`; if it was detached, a result that names its task. Raises
        what `work` raises, and ToolCancelled if it was stopped; cancelling this cancels the work.
        """
        call = _RunningCall(name, arguments, progress)

        async def run() -> ToolResult | KnownError:
            try:
                return await work(call.report)
            except KnownError as error:
                return error  # returned, because an exception raised in a task counts as a bug

        job = spawn_task(run(), name=f"call {name}")
        self._calls.append(call)
        try:
            waits: set[asyncio.Future[Any]] = {job, call.detached, call.stopped}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if call.detached.done() and not job.done():
                task_id = await begin(partial(_continue_as_task, call, job))
                return ToolResult(STARTED.format(id=task_id), {"task_id": task_id})
        except KnownError:
            _log.exception("A call can't go on in the background: it is waited for")
        except asyncio.CancelledError:
            await _cancel(job)
            raise
        finally:
            self._calls.remove(call)
        if call.stopped.done() and not job.done():
            await _cancel(job)
            raise ToolCancelled(advice=_STOPPED_ADVICE)
        return _result_of(await job)

    def _find(self, name: str, arguments: Mapping[str, object]) -> _RunningCall | None:
        wanted = (name, arguments)
        found = (one for one in self._calls if one.identity == wanted)
        return next((one for one in found if not (one.detached.done() or one.stopped.done())), None)


_STOPPED_ADVICE = "The user stopped it. Go on without it, and don't call it again unless they ask."


async def _cancel(job: asyncio.Task[Any]) -> None:
    job.cancel()
    await asyncio.wait({job})


async def _continue_as_task(
    call: _RunningCall, job: asyncio.Task[ToolResult | KnownError], progress: Progress
) -> ToolResult:
    call.progress = progress
    return _result_of(await job)


def _result_of(outcome: ToolResult | KnownError) -> ToolResult:
    """Return the result, or raise the error."""
    if isinstance(outcome, KnownError):
        raise outcome
    return outcome


MAX_LISTED = 100
"""The largest number of listed tasks; older finished ones are removed."""
_PROGRESS_INTERVAL = 0.1
"""Seconds between two progress reports: a program may send thousands per second."""
_CANCEL_TIMEOUT = 2.0
"""Seconds that the app waits at its end for cancelled tasks to clean up."""


class BackgroundTasks:
    """The background tasks. Use it on the event loop's thread. Create it with `await
    BackgroundTasks.open(store)`: `lost` are the tasks that an earlier run left unfinished.
    `keep_pictures` stores pictures of results and raises StoreError.
    """

    def __init__(
        self,
        store: TaskStore,
        kept: Sequence[Task] = (),
        lost: Sequence[Task] = (),
        *,
        keep_pictures: StorePictures,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.lost_tasks = tuple(lost)
        self._keep_pictures = keep_pictures
        self._store = store
        self._now = now
        self._tasks = {task.id: task for task in reversed(kept)}
        self._jobs: dict[str, asyncio.Task[None]] = {}
        self._changed: Observers[[Task]] = Observers()
        self._closed = False
        self._silent: set[str] = set()
        self.running_calls = RunningCalls(
            lambda: len(self.running()) < MOST_RUNNING and not self._closed
        )

    @classmethod
    async def open(
        cls,
        store: TaskStore,
        *,
        keep_pictures: StorePictures,
        now: Callable[[], float] = time.time,
    ) -> BackgroundTasks:
        """Load the tasks. Raises nothing: if the store can't be read the list is empty."""
        kept: list[Task] = []
        lost: list[Task] = []
        try:
            lost = await store.mark_tasks_lost(now())
            kept = await store.tasks(MAX_LISTED)
        except StoreError:
            _log.exception("The background tasks can't be read")
        return cls(store, kept, lost, keep_pictures=keep_pictures, now=now)

    def tasks(self) -> list[Task]:
        """Return the known tasks, newest first."""
        return list(reversed(self._tasks.values()))

    def task(self, task_id: str) -> Task | None:
        return self._tasks.get(task_id)

    def running(self) -> list[Task]:
        return [task for task in self.tasks() if task.running]

    def subscribe(self, observer: Callable[[Task], object]) -> Callable[[], None]:
        """Call `observer` with each task that starts, makes progress, ends (after its end was
        stored) or is removed. Returns a function that unsubscribes.
        """
        return self._changed.subscribe(observer)

    async def start(
        self,
        conversation: str,
        name: str,
        arguments: Mapping[str, object],
        work: TaskWork,
        *,
        foreign: bool,
        labels: Labels = NO_LABELS,
        wakes: bool = True,
    ) -> Task:
        """Start `work` in the background for this conversation. `foreign`: the result was written
        by others; `labels` are its labels. Without `wakes` its end waits for the user's next
        message. Raises TooManyTasks, and StoreError if it can't be stored.
        """
        if len(self.running()) >= MOST_RUNNING or self._closed:
            raise TooManyTasks(
                advice="Wait for one, or cancel one (task.list).", count=str(len(self.running()))
            )
        raw = json.dumps(arguments, ensure_ascii=False, default=str)
        task = start_task(
            conversation, name, arguments, raw, self._now(), foreign=foreign, labels=labels
        )
        task = await self._store.add_task(task)
        self._tasks[task.id] = task
        if not wakes:
            self._silent.add(task.id)
        self._jobs[task.id] = spawn_task(self._run(task.id, work), name=f"background {name}")
        self._changed.notify(task)
        await self._forget_old()
        return task

    def wakes(self, task_id: str) -> bool:
        """Return whether the end of this task may start a reply."""
        return task_id not in self._silent

    async def cancel(self, task_id: str) -> Task | None:
        """Cancel a task. Returns its new state, None if there is no such task."""
        task = self._tasks.get(task_id)
        if task is None or not task.running:
            return task
        job = self._jobs.get(task_id)
        await self._finish(task_id, TaskCancelled())
        if job is not None:
            job.cancel()
        return self._tasks.get(task_id)

    async def mark_reported(self, task_id: str) -> None:
        """Record that the model knows how the task ended."""
        await self._store.mark_task_reported(task_id)

    async def delete_ended(self) -> None:
        """Remove all ended tasks from the list. Raises StoreError."""
        await self._forget([task for task in self.tasks() if not task.running])

    async def wait_idle(self) -> None:
        """Wait until no task runs."""
        while self._jobs:
            await asyncio.wait(list(self._jobs.values()))
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Cancel the running tasks at the end of the app; they are reported as lost at the next
        start.
        """
        self._closed = True
        jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel()
        if jobs:
            await asyncio.wait(jobs, timeout=_CANCEL_TIMEOUT)

    # Implementation

    async def _run(self, task_id: str, work: TaskWork) -> None:
        """Run a task; it ends exactly once, whatever happens."""
        reporter = _Reporter(lambda signal: self._apply(task_id, signal))
        try:
            try:
                result = await work(reporter.report)
                if result.images:
                    await self._keep_pictures(result.images)
                last = ToolFinished(0, ToolStatus.SUCCESS, result)
            except asyncio.CancelledError as error:
                job = asyncio.current_task()
                if job is None or job.cancelling():
                    raise  # the caller that cancelled it has recorded that, or the app ends
                last = tool_failure(0, error)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - else it would run for ever
                last = tool_failure(0, error)
            finally:
                reporter.close()
            await self._finish(task_id, last)
        finally:
            self._jobs.pop(task_id, None)

    def _apply(self, task_id: str, signal: TaskSignal) -> Task | None:
        """Apply `signal`. Returns the new task if it changed."""
        before = self._tasks.get(task_id)
        if before is None or self._closed:
            return None
        after = update_task(before, signal, self._now())
        if after is before:
            return None
        self._tasks[task_id] = after
        if after.running:
            self._changed.notify(after)
        return after

    async def _finish(self, task_id: str, signal: TaskSignal) -> None:
        ended = self._apply(task_id, signal)
        if ended is None:
            return
        try:
            await self._store.update_task(ended)
        except StoreError:
            _log.exception("The end of a background task can't be kept")
        self._changed.notify(ended)

    async def _forget_old(self) -> None:
        ended = [task for task in self.tasks() if not task.running]
        over = len(self._tasks) - MAX_LISTED
        if over > 0:
            with suppress(StoreError):
                await self._forget(ended[-over:])

    async def _forget(self, tasks: Sequence[Task]) -> None:
        await self._store.delete_tasks([task.id for task in tasks])
        for task in tasks:
            self._tasks.pop(task.id, None)
            self._changed.notify(task)


class _Reporter:
    """Passes on the latest progress a few times per second. Callable from any thread."""

    def __init__(self, move: Callable[[TaskSignal], object]) -> None:
        self._move = move
        self._loop = asyncio.get_running_loop()
        self._newest: TaskProgressed | None = None
        self._due = False
        self._closed = False

    def report(self, fraction: float | None, text: str) -> None:
        self._newest = TaskProgressed(fraction, text)
        if not self._due and not self._closed:
            self._due = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._wait)

    def close(self) -> None:
        self._closed = True

    def _wait(self) -> None:
        self._pass_on()
        self._loop.call_later(_PROGRESS_INTERVAL, self._look)

    def _look(self) -> None:
        if self._newest is not None and not self._closed:
            self._wait()
        else:
            self._due = False

    def _pass_on(self) -> None:
        newest, self._newest = self._newest, None
        if newest is not None and not self._closed:
            self._move(newest)


async def start_in(
    tasks: BackgroundTasks,
    conversation: str,
    spec: ToolSpec,
    arguments: Mapping[str, object],
    work: TaskWork,
) -> str:
    """Start a background task for a conversation (a `StartTask`)."""
    try:
        labels = spec.labels | Labels(current_origin().untrusted)
        task = await tasks.start(
            conversation,
            spec.name,
            arguments,
            work,
            foreign=spec.brings_foreign,
            labels=labels,
        )
    except StoreError as error:
        raise ToolFailed(str(error), advice="Try it without the background.") from error
    return task.id


class BackgroundToolbox:
    """`toolbox` for a conversation. A call that is declared or requested as asynchronous returns
    the id of its task; so does a long call that the user detaches.
    """

    def __init__(self, toolbox: Toolbox, tasks: BackgroundTasks, conversation: str) -> None:
        self._toolbox = toolbox
        self._tasks = tasks
        self._conversation = conversation

    def offer(self) -> ToolOffer:
        return _BackgroundOffer(self._toolbox.offer(), self._tasks, self._conversation)


class _BackgroundOffer:
    def __init__(self, offer: ToolOffer, tasks: BackgroundTasks, conversation: str) -> None:
        self._offer = offer
        self._tasks = tasks
        self._conversation = conversation

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._offer.specs

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        spec = next((spec for spec in self.specs if spec.name == name), None)
        if spec is None or spec.eager or spec.risk is Risk.GESTURE:
            return await self._offer.run(name, arguments, progress)
        work = partial(self._offer.run, name, arguments)
        begin = partial(start_in, self._tasks, self._conversation, spec, arguments)
        if not spec.in_background(arguments):
            return await self._tasks.running_calls.run(name, arguments, work, progress, begin)
        self._offer.check(name, arguments)
        task_id = await begin(work)
        return ToolResult(STARTED.format(id=task_id), {"task_id": task_id})

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        self._offer.check(name, arguments)

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return await self._offer.preview(name, arguments)
