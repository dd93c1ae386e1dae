"""Runs a tool: validates its arguments, applies the time limit, limits the output, and records on
whose behalf the call writes. Every failure is raised as a `ToolError` whose text tells the model
what happened and what to do next. A sync tool runs in a daemon thread of its own; if it is
cancelled or too slow, the thread is abandoned.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, cast

from pydantic_core import PydanticSerializationError, to_json

from neodeskpet.core.attachments import MOST_ATTACHMENTS
from neodeskpet.core.data_labels import NO_LABELS, DataSource, Labels
from neodeskpet.core.errors import (
    OTHER_WAY,
    KnownError,
    ToolCrashed,
    ToolError,
    ToolFailed,
    ToolTimedOut,
)
from neodeskpet.core.i18n import Reason
from neodeskpet.core.json_text import read_json
from neodeskpet.core.tool_result import MOST_TEXT, ToolResult, bounded_content
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.toolkit.daemon_thread import in_daemon
from neodeskpet.toolkit.registry import Progress


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """On whose behalf a call writes. `labels` are those of the data in the context; `approved`: the
    user saw this very call and allowed it.
    """

    labels: Labels = NO_LABELS
    approved: bool = False

    @property
    def untrusted(self) -> tuple[DataSource, ...]:
        """The untrusted sources of a text that is stored by this call."""
        return self.labels.untrusted


_PERSON = CallOrigin()
_current: ContextVar[CallOrigin] = ContextVar("origin", default=_PERSON)


def current_origin() -> CallOrigin:
    """Return the origin of the running call; outside of calls, the user acts."""
    return _current.get()


@contextmanager
def acting_for(origin: CallOrigin) -> Iterator[None]:
    """Run the code inside on behalf of `origin`."""
    token = _current.set(origin)
    try:
        yield
    finally:
        _current.reset(token)


_log = logging.getLogger(__name__)

_VALUES = 300
"""If the arguments of a call have more values than this,"""
_LONG = 50_000
"""or more characters of text than this, they are read on a thread."""


class Runnable(Protocol):
    """A tool that can be run: a typed function, or one with a raw schema."""

    @property
    def spec(self) -> ToolSpec:
        """The current description for the model."""
        ...

    @property
    def offered(self) -> Callable[[], bool]:
        """Returns whether the tool is offered; called before each round."""
        ...

    def prepare(self, arguments: Mapping[str, object], progress: Progress) -> Callable[[], object]:
        """Return the call, ready to run: a function or a coroutine function. Raises
        InvalidArguments.
        """
        ...


async def run_tool(
    called: Runnable,
    spec: ToolSpec,
    arguments: Mapping[str, object],
    progress: Progress,
    most: int = MOST_TEXT,
) -> ToolResult:
    """Run one call of `called`, which was offered as `spec`. The text of the result has at most
    `most` characters. Raises ToolError. Cancelling raises CancelledError at once.
    """
    reporter = _Reporter(progress)
    prepare = partial(called.prepare, arguments, reporter.report)
    job = await asyncio.to_thread(prepare) if _take_long(arguments) else prepare()
    try:
        result = await _call(spec, job)
    finally:
        reporter.muted = True
    return _read_result(spec.name, result, most)


def _take_long(arguments: Mapping[str, object]) -> bool:
    """Return whether reading the arguments would block the interface's thread for too long."""
    values, letters, waiting = _VALUES, _LONG, [cast("object", arguments)]
    while waiting and values and letters > 0:
        values -= 1
        value = waiting.pop()
        if isinstance(value, str):
            letters -= len(value)
        elif isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return bool(waiting) or letters <= 0


class _Reporter:
    """Passes progress on until the call ends; an abandoned thread may continue to report."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.muted = False

    def report(self, fraction: float | None, text: str) -> None:
        if not self.muted:
            self._progress(fraction, text)


async def _call(called: ToolSpec, job: Callable[[], object]) -> object:
    try:
        async with asyncio.timeout(called.timeout) as limit:
            if inspect.iscoroutinefunction(job):
                return await cast("Coroutine[Any, Any, object]", job())
            return await in_daemon(job)
    except ToolError:
        raise
    except KnownError as error:
        raise _known(error) from error
    except TimeoutError as error:
        if not limit.expired():
            raise _failure(called.name, error) from error
        raise ToolTimedOut(
            advice="Try something smaller, or tell the user.",
            seconds=f"{called.timeout:g}",
        ) from None
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise _bug(called.name, error) from None  # the tool cancelled itself
    except OSError as error:
        raise _failure(called.name, error) from error
    except Exception as error:
        _log.exception("Tool %s failed", called.name)
        raise _bug(called.name, error) from error


def _known(error: KnownError) -> ToolFailed:
    """Convert a known error of a part that the tool uses (its file, a service), with the
    same text.
    """
    texts = (error.what, error.params.get("reason", ""))
    reasons = [Reason(text, error.params) for text in texts if text]
    return ToolFailed(error.detail, reasons=reasons, advice="Tell the user, or try another way.")


def _failure(name: str, error: OSError) -> ToolFailed:
    """Convert an error of the operating system."""
    return ToolFailed(_error_text(name, error), advice=OTHER_WAY)


def _bug(name: str, error: BaseException) -> ToolCrashed:
    return ToolCrashed(_error_text(name, error), advice=OTHER_WAY)


def _error_text(name: str, error: BaseException) -> str:
    reason = f"{type(error).__name__}: {error}".rstrip(": ")
    return f"{name}: {reason}."


def _read_result(name: str, result: object, most: int) -> ToolResult:
    """Convert the function's result, within the limits. A value that isn't text is stored as data
    too.
    """
    if not isinstance(result, ToolResult):
        text, data = _render(name, result)
        return ToolResult(_cut(text, most), data)
    shown = None if result.shown is None else bounded_content(result.shown)
    data = None if result.data is None else _as_data(name, result.data)
    images = result.images[:MOST_ATTACHMENTS]
    return replace(result, text=_cut(result.text, most), data=data, shown=shown, images=images)


def _render(name: str, result: object) -> tuple[str, object]:
    if result is None:
        return "Done.", None
    if isinstance(result, str):
        return result, None
    try:
        text = to_json(result).decode()
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise _bug(name, error) from error
    return text, _as_data(name, result)


def _as_data(name: str, value: object) -> object:
    """Return `value` as JSON data if it can be stored and sent; else log it and return None."""
    try:
        text = to_json(value).decode()
        if len(text) <= MOST_TEXT:
            return read_json(text, strict=True)
    except (PydanticSerializationError, ValueError, RecursionError):
        pass  # logged below
    _log.warning("The data of %s is left out: too large, too deep or not JSON", name)
    return None


def _cut(text: str, most: int) -> str:
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate can't be stored or sent
    if len(text) <= most:
        return text
    left_out = len(text) - most
    return f"{text[:most]}\n[{left_out} more characters were cut. Ask for less at once.]"
