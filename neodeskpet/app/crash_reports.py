"""Records how each run ends, and writes crash and bug reports.

While the app runs, a record is kept in `crashes/running/` beside a locked file; Python's
faulthandler writes native crashes into it. The next start turns the records of ended runs into
reports. Uncaught exceptions go to the log, the terminal and a report, without keys, and the app
continues.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from neodeskpet import __version__
from neodeskpet.app.hang_child import HUNG, RESPONDS, STACKS
from neodeskpet.platform.private_files import write_private
from neodeskpet.platform.process_lease import ProcessLease, is_alive
from neodeskpet.platform.redaction import redact
from neodeskpet.settings.startup import log_path

_log = logging.getLogger(__name__)

CRASH_FOLDER = "crashes"
_RUNNING_FOLDER = "running"
_STREAK_FILE = "in-a-row"
_END_REQUESTED = "It was asked to end."
_DISPLAY_CLOSED = "Its display went away."
_FATAL_BUG = "It ended by a bug:"
_TRACE_MARKS = ("Fatal Python error:", "Windows fatal exception:", _FATAL_BUG)
_MAX_REPORTS = 10
_MAX_BUG_REPORTS = (
    20  # in one run; each bug is reported once: one that repeats doesn't fill the disk
)
_MAX_REPORT_CHARS = 200_000  # characters of a record that are read
_MAX_LOG_LINES = 60


@dataclass(frozen=True, slots=True)
class LastRun:
    """How the runs since the last start ended. `report` is the report of the newest crash, None if
    there was none; `consecutive_crashes` counts crashes since the last run that ended normally;
    `ended_silently`: a run ended without a recorded reason (killed, power loss).
    """

    report: Path | None = None
    consecutive_crashes: int = 0
    ended_silently: bool = False


class CrashReports:
    """The records of a data folder. Nothing here raises: if a record can't be written, there is
    none.
    """

    def __init__(self, home: Path) -> None:
        self.folder = home / CRASH_FOLDER
        self._home = home
        self._lease: ProcessLease | None = None
        self._record: Path | None = None
        self._handle = -1
        self._watched = False
        self._reported: set[tuple[str, str, int]] = set()

    # The run

    def start_record(self) -> None:
        """Start the record of this run."""
        try:
            running = self.folder / _RUNNING_FOLDER
            _make_folder(self.folder)
            _make_folder(running)
            self._lease = ProcessLease(running)
            self._record = running / f"{self._lease.id}.txt"
            flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
            self._handle = os.open(self._record, flags, 0o600)
        except OSError as error:
            _log.warning("Crashes can't be recorded: %s", error)
            return
        self._write(_system_summary())
        self._watched = faulthandler.is_enabled()
        # Only the crashed thread: a thread that is still running can't be read safely, and a crash
        # while reading it would lose the important stack.
        faulthandler.enable(self._handle, all_threads=False)
        # All threads of a hang: the main thread may wait for another one.
        if sys.platform != "win32" and STACKS is not None:
            faulthandler.register(STACKS, self._handle, all_threads=True)

    @property
    def hang_record(self) -> str:
        """The file into which a hang is written; "" for none (`hang_child.WatchedProcess`)."""
        return "" if self._record is None else str(self._record)

    def arm_stacks(self, seconds: float | None) -> None:
        """Write the stacks into the record after this many seconds, unless this is called again
        before; None stops it. A thread of faulthandler writes them and needs no lock of the
        interpreter.
        """
        faulthandler.cancel_dump_traceback_later()
        if seconds is not None and self._handle >= 0:
            faulthandler.dump_traceback_later(seconds, file=self._handle)

    def note_end_requested(self) -> None:
        """Record that the end was requested: if the system kills the app before it has ended, the
        reason is known.
        """
        self._write(f"{_END_REQUESTED}\n")

    def note_display_closed(self) -> None:
        """Record that the X11 display was closed. The app ends with it; a crash during that end is
        not reported.
        """
        self._write(f"{_DISPLAY_CLOSED}\n")

    def close_record(self) -> None:
        """Record that the run ended normally."""
        self._forget_streak()
        self.discard_record()

    def discard_record(self) -> None:
        """Delete the record: there was no run, or its end was already reported."""
        if self._record is None:
            return
        faulthandler.disable()
        self.arm_stacks(None)
        if sys.platform != "win32" and STACKS is not None:
            faulthandler.unregister(STACKS)
        if self._watched:  # the code that enabled it needs it again
            faulthandler.enable()
        os.close(self._handle)
        self._handle = -1
        with contextlib.suppress(OSError):
            self._record.unlink()
        self._record = None
        if self._lease is not None:
            self._lease.release()

    def record_fatal_bug(self, error: BaseException) -> None:
        """Record an uncaught exception that ends the run: the next start reports it like
        a crash.
        """
        words = "".join(traceback.format_exception(error))
        self._write(redact(f"{_FATAL_BUG}\n{words}"))

    def write_bug_report(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> Path | None:
        """Write a report of a bug that the app survived, the first time it happens; return its
        file.
        """
        last = traceback.extract_tb(trace)[-1:]
        where = (last[0].filename, last[0].lineno or 0) if last else ("", 0)
        if (kind.__name__, *where) in self._reported or len(self._reported) >= _MAX_BUG_REPORTS:
            return None
        self._reported.add((kind.__name__, *where))
        words = "".join(traceback.format_exception(kind, error, trace))
        return self._keep("bug", f"{_system_summary()}\n{words}")

    def _write(self, words: str) -> None:
        if self._handle >= 0:
            with contextlib.suppress(OSError):
                os.write(self._handle, words.encode("utf-8", "replace"))

    # The next start

    def collect_reports(self) -> LastRun:
        """Turn the records of ended runs into reports, and return how they ended."""
        report, silent, crashes = None, False, 0
        for record in self._records():
            words = _read_tail(record)
            if _DISPLAY_CLOSED in words:
                pass
            elif any(mark in words for mark in _TRACE_MARKS) or _hung_at_the_end(words):
                crashes += 1
                report = self._keep("crash", words + self._end_of_log()) or report
            elif words and _END_REQUESTED not in words:
                silent = True
            with contextlib.suppress(OSError):
                record.with_suffix("").unlink(missing_ok=True)
                record.unlink()
        in_a_row = self._add_to_streak(crashes)
        return LastRun(report, in_a_row if crashes else 0, silent)

    def _records(self) -> list[Path]:
        """Return the records of ended runs, oldest first."""
        running = self.folder / _RUNNING_FOLDER
        with contextlib.suppress(OSError):
            dead = [r for r in running.glob("*.txt") if not is_alive(running, r.stem)]
            return sorted(dead, key=lambda record: record.stat().st_mtime)
        return []

    def _add_to_streak(self, crashes: int) -> int:
        file = self.folder / _STREAK_FILE
        try:
            before = int(_read_tail(file) or 0)
        except ValueError:
            before = 0
        if crashes:
            with contextlib.suppress(OSError):
                write_private(file, str(before + crashes))
        return before + crashes

    def _forget_streak(self) -> None:
        with contextlib.suppress(OSError):
            (self.folder / _STREAK_FILE).unlink(missing_ok=True)

    # Reports

    def _keep(self, kind: str, words: str) -> Path | None:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        try:
            _make_folder(self.folder)
            file = next(path for path in self._names(f"{kind}-{stamp}") if not path.exists())
            write_private(file, redact(words))
            for old in sorted(self.folder.glob(f"{kind}-*.txt"))[:-_MAX_REPORTS]:
                old.unlink()
        except OSError as error:
            _log.warning("The report can't be written: %s", error)
            return None
        return file

    def _names(self, stem: str) -> Iterator[Path]:
        yield self.folder / f"{stem}.txt"
        for number in range(2, 1_000):
            yield self.folder / f"{stem}-{number:03}.txt"

    def _end_of_log(self) -> str:
        lines = _read_tail(log_path(self._home)).splitlines()[-_MAX_LOG_LINES:]
        return "\n".join(["", "The end of the log:", *lines, ""]) if lines else ""


def _hung_at_the_end(words: str) -> bool:
    _, found, after = words.rpartition(HUNG)
    return bool(found) and RESPONDS not in after and _END_REQUESTED not in after


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _system_summary() -> str:
    """Return the versions, the system and the time."""
    return (
        f"NeoDeskPet {__version__}, Python {platform.python_version()}, "
        f"{_qt_version()}{platform.platform()}\n"
        f"{time.strftime('%Y-%m-%d %H:%M:%S %z')}\n"
    )


def _qt_version() -> str:
    """Return the version of Qt at run time: in a bundle it may have been replaced."""
    loaded = sys.modules.get("PySide6.QtCore")
    return f"Qt {loaded.qVersion()}, " if loaded is not None else ""


def _read_tail(file: Path) -> str:
    """Return the end of a file; "" if it can't be read."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _MAX_REPORT_CHARS))
            return stream.read().decode("utf-8", "replace")
    except OSError:
        return ""


KeepReport = Callable[[type[BaseException], BaseException, TracebackType | None], object]
"""Writes a report of a bug (`CrashReports.write_bug_report`)."""


def log_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write a bug to the log and to the terminal."""
    _log.critical("Uncaught exception", exc_info=(kind, error, trace))
    words = "".join(traceback.format_exception(kind, error, trace))
    if sys.stderr is not None:  # a windowed bundle has none
        print(redact(words), end="", file=sys.stderr)


@contextmanager
def catch_uncaught(keep: KeepReport) -> Iterator[None]:
    """Handle uncaught exceptions of slots, threads and destructors inside the `with` block."""

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
    """Handle uncaught exceptions of the loop's tasks and callbacks."""

    def take(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        _log.error("%s", context.get("message"))
        error = context.get("exception")
        if isinstance(error, Exception):
            log_bug(type(error), error, error.__traceback__)
            keep(type(error), error, error.__traceback__)

    loop.set_exception_handler(take)
