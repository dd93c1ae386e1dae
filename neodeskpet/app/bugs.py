"""Bugs that nobody caught: into the log, to the terminal and into a report, without keys.

Wherever they happen (a slot, a task, a thread, a destructor), the app goes on.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from neodeskpet.redaction import redact

_log = logging.getLogger(__name__)

KeepReport = Callable[[type[BaseException], BaseException, TracebackType | None], object]
"""Keeps a report of a bug (`CrashReports.report_bug`)."""


def log_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Into the log and to the terminal."""
    _log.critical("A bug", exc_info=(kind, error, trace))
    words = "".join(traceback.format_exception(kind, error, trace))
    if sys.stderr is not None:  # a windowed bundle has none
        print(redact(words), end="", file=sys.stderr)


@contextmanager
def catch_uncaught(keep: KeepReport) -> Iterator[None]:
    """Take the bugs of slots, threads and destructors while it lasts."""

    def take(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            return
        met = error if error is not None else kind()
        log_bug(kind, met, trace)
        keep(kind, met, trace)

    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    sys.excepthook = take
    threading.excepthook = lambda hook: take(hook.exc_type, hook.exc_value, hook.exc_traceback)
    sys.unraisablehook = lambda hook: take(hook.exc_type, hook.exc_value, hook.exc_traceback)
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook, sys.unraisablehook = before


def catch_loop_errors(loop: asyncio.AbstractEventLoop, keep: KeepReport) -> None:
    """Take the bugs of the loop's tasks and callbacks."""

    def take(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        _log.error("%s", context.get("message"))
        error = context.get("exception")
        if isinstance(error, Exception):
            log_bug(type(error), error, error.__traceback__)
            keep(type(error), error, error.__traceback__)

    loop.set_exception_handler(take)
