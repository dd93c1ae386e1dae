"""Small files of the user: written completely or not at all, readable only by the user, and written
on a separate thread. The interface never waits for a slow disk: `FileThread` does the writes in
order.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Protocol

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_log = logging.getLogger(__name__)


class NotRegular(OSError):
    """The path is a folder, a pipe, a socket or a device, not a regular file."""


class TooLarge(ValueError):
    """The file has more than `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} bytes")
        self.most = most


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file for reading. Opening a pipe doesn't wait for its writer. Raises OSError,
    and NotRegular for anything that isn't a regular file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegular(f"{path} is not a regular file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most `most` bytes. A larger one isn't read. Raises
    OSError and TooLarge.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise TooLarge(most)
        data = file.read(most + 1)
    if len(data) > most:  # it has grown, or its size is unknown
        raise TooLarge(most)
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a regular file. Raises OSError."""
    with open_regular(path) as file:
        return file.read(count)


def last_good_path(path: Path) -> Path:
    """Return where the last readable content of `path` is kept."""
    return path.with_name(f"{path.stem}.last-good{path.suffix}")


def broken_copy_path(path: Path) -> Path:
    """Return where to copy the unreadable file `path`."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    copy, number = path.with_name(f"{path.stem}.broken-{stamp}{path.suffix}"), 2
    while copy.exists():  # a second fault within a second must not replace the first copy
        copy = path.with_name(f"{path.stem}.broken-{stamp}-{number}{path.suffix}")
        number += 1
    return copy


def is_copy(path: Path) -> bool:
    """Return whether the file is a copy named by `last_good_path` or `broken_copy_path`."""
    return path.stem.endswith(".last-good") or ".broken-" in path.stem


def write_private(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` (text as UTF-8): write a temporary file, sync it, and rename it.
    Nobody else can read it at any moment. For a symbolic link the target is replaced. Raises
    OSError and leaves the old file unchanged.
    """
    if path.is_symlink():
        path = Path(os.path.realpath(path))
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def copy_mode(part: Path, path: Path) -> None:
    """Give `part`, which will replace `path`, the permissions of the existing file: the user may
    have made it private. Raises OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        part.chmod(stat.S_IMODE(path.stat().st_mode))


def sync_folder(folder: Path) -> None:
    """Sync the names in `folder` to disk, so that a renamed file exists after a power cut. Some
    systems don't support it, which isn't an error.
    """
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_file(path: Path) -> None:
    """Sync the content of a file to disk. Raises OSError."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def make_private(path: Path) -> None:
    """Create an empty file for the user alone, if it doesn't exist. An existing one isn't even
    opened: closing a database file would release the locks of other connections in this process.
    Raises OSError.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def open_private(path: str, flags: int) -> int:
    """An `opener` for `open` that creates files for the user alone."""
    return os.open(path, flags, 0o600)


def lock_file(handle: int) -> bool:
    """Lock an open file without waiting; return whether it succeeded. The lock belongs to this
    handle, and the system releases it when the process dies.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        # Some network folders have no locks: then no process there can be shown to be alive.
        _log.warning("No lock in the data folder: %s", error)
    return True


Job = Callable[[], None]


class FileWriter(Protocol):
    """Runs write jobs. A job writes the state at the time when it starts, not when it was
    requested, so a waiting job isn't queued twice.
    """

    def run(self, job: Job) -> Future[None]:
        """Run `job`. The future gets its exception."""
        ...

    def tell(self, callback: Callable[[], None]) -> None:
        """Call `callback` on the thread of the callers."""
        ...

    def flush(self) -> None:
        """Wait until all jobs are done."""
        ...


class ImmediateWriter:
    """Runs jobs at once, for commands, which have nothing else to do."""

    def run(self, job: Job) -> Future[None]:
        done: Future[None] = Future()
        try:
            job()
        except OSError as error:
            done.set_exception(error)
        else:
            done.set_result(None)
        return done

    def tell(self, callback: Callable[[], None]) -> None:
        callback()

    def flush(self) -> None:
        """Do nothing: no job waits."""


class FileThread:
    """`call_soon` is the loop's `call_soon_threadsafe`."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._call_soon = call_soon
        self._pool = ThreadPoolExecutor(1, "files")
        self._lock = threading.Lock()
        self._waiting: dict[Job, Future[None]] = {}

    def run(self, job: Job) -> Future[None]:
        with self._lock:
            if job not in self._waiting:
                self._waiting[job] = self._pool.submit(self._begin, job)
            return self._waiting[job]

    def _begin(self, job: Job) -> None:
        with self._lock:
            del self._waiting[job]
        job()

    def tell(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._call_soon(callback)

    def flush(self) -> None:
        self._pool.submit(lambda: None).result()

    def close(self) -> None:
        """Finish the waiting jobs and end the thread. No job may be added afterwards."""
        self._pool.shutdown()
