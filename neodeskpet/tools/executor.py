"""Runs the tools: finds the one meant, validates, keeps the time, bounds the output.

Whatever goes wrong leaves as a `ToolError` whose text tells the model what happened and what to do
next. Async tools run on the loop. A sync tool runs in a thread of its own: a thread can't be
stopped, so one that is cancelled or too slow is abandoned, and being a daemon it can't keep the
app from ending.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from neodeskpet.core.errors import KnownError, ToolError, ToolFailed, ToolTimedOut, UnknownTool
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.tools.registry import Progress, Tool

_log = logging.getLogger(__name__)

OUTPUT_LIMIT = 100_000
"""Characters of a result; what is longer is cut, with a note."""

_SHORT_LIST = 20
"""Up to so many tools an unknown name is answered with all of them."""


class Executor:
    """A toolbox (`conversation.ports.Toolbox`) of declared tools.

    `enabled(name)` is asked each time; a tool that is off is neither offered nor run.
    """

    def __init__(
        self, tools: Iterable[Tool], *, enabled: Callable[[str], bool] = lambda name: True
    ) -> None:
        self._tools: dict[str, Tool] = {}
        for one in tools:
            if one.name in self._tools:
                raise ValueError(f"Two tools are named {one.name}")
            self._tools[one.name] = one
        self._enabled = enabled

    def specs(self) -> Sequence[ToolSpec]:
        """The tools on offer now, with the schemas of now."""
        return [one.spec for one in self._offered()]

    async def run(self, name: str, arguments: Mapping[str, object], progress: Progress) -> str:
        """Run one call; the text is what the model reads. Raises ToolError.

        Cancelling raises CancelledError at once.
        """
        called = self._find(name)
        values = called.read(arguments)
        reporter = _Reporter(progress)
        if called.progress:
            values[called.progress] = reporter.report
        try:
            result = await _call(called, values)
        finally:
            reporter.muted = True
        return _word(called.name, result)

    def _offered(self) -> list[Tool]:
        return [t for t in self._tools.values() if self._enabled(t.name) and t.offered()]

    def _find(self, name: str) -> Tool:
        offered = {one.name: one for one in self._offered()}
        names = ToolNames(offered)
        own = names.own(name)
        if own in offered:
            return offered[own]
        if not offered:
            raise UnknownTool("No tools are on offer now. Answer without one.", tool=own)
        hint = f"Did you mean {', '.join(names.near(own))}?"
        if len(offered) <= _SHORT_LIST:
            hint += f" All tools: {', '.join(offered)}."
        raise UnknownTool(f"{hint} Call one of them, or answer without a tool.", tool=own)


class _Reporter:
    """Passes progress on until the call ends; an abandoned thread may go on talking."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.muted = False

    def report(self, fraction: float | None, text: str) -> None:
        if not self.muted:
            self._progress(fraction, text)


async def _call(called: Tool, values: Mapping[str, object]) -> object:
    job = partial(called.function, **values)
    try:
        async with asyncio.timeout(called.timeout) as limit:
            if inspect.iscoroutinefunction(called.function):
                return await cast("Coroutine[Any, Any, object]", job())
            return await _thread(job)
    except ToolError:
        raise
    except KnownError as error:
        raise ToolFailed(f"{error} Tell the person, or try another way.") from error
    except TimeoutError as error:
        if not limit.expired():
            raise _failure(called.name, error) from error
        raise ToolTimedOut(
            "It was stopped and may be half done. Try something smaller, or tell the person.",
            seconds=f"{called.timeout:g}",
        ) from None
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise _failure(called.name, error) from None  # the tool cancelled itself
    except Exception as error:
        _log.exception("Tool %s failed", called.name)
        raise _failure(called.name, error) from error


def _failure(name: str, error: BaseException) -> ToolFailed:
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    return ToolFailed(f"{name}: {reason}. Try other arguments or another way, or tell the person.")


async def _thread(job: Callable[[], object]) -> object:
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


def _word(name: str, result: object) -> str:
    if result is None:
        return "Done."
    if not isinstance(result, str):
        try:
            result = to_json(result).decode()
        except PydanticSerializationError as error:
            raise _failure(name, error) from error
    text = result.encode("utf-8", "replace").decode()  # half a surrogate can't be stored or sent
    if len(text) <= OUTPUT_LIMIT:
        return text
    left_out = len(text) - OUTPUT_LIMIT
    return f"{text[:OUTPUT_LIMIT]}\n[{left_out} more characters were cut. Ask for less at once.]"
