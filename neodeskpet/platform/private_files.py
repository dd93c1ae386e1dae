"""Small files of the user: written completely or not at all, readable by nobody else, and written
on a thread of their own. The interface never waits for a slow disk: it hands the write to
`FileThread`, which does the jobs in order.
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
    """The path names a folder, a pipe, a socket or a device, not a regular file."""


class TooLarge(ValueError):
    """The file has more than `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} bytes")
        self.most = most


def open_regular(path: Path) -> IO[bytes]:
    """Open a regular file for reading. Opening a pipe doesn't wait for its writer. Raises OSError,
    NotRegular for anything that is no regular file.
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
    """The content of a regular file of at most `most` bytes. Nothing is read of a larger one.
    Raises OSError and TooLarge.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise TooLarge(most)
        data = file.read(most + 1)
    if len(data) > most:  # it grew meanwhile, or its size isn't known
        raise TooLarge(most)
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """The first bytes of a regular file. Raises OSError."""
    with open_regular(path) as file:
        return file.read(count)


def last_good_path(path: Path) -> Path:
    """Where the last content of `path` that could be read is kept."""
    return path.with_name(f"{path.stem}.last-good{path.suffix}")


def broken_copy_path(path: Path) -> Path:
    """Where `path`, which can't be read, is copied to now."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    copy, number = path.with_name(f"{path.stem}.broken-{stamp}{path.suffix}"), 2
    while copy.exists():  # a second fault within a second doesn't replace the copy of the first
        copy = path.with_name(f"{path.stem}.broken-{stamp}-{number}{path.suffix}")
        number += 1
    return copy


def is_copy(path: Path) -> bool:
    """Whether it is a copy that `last_good_path` or `broken_copy_path` named."""
    return path.stem.endswith(".last-good") or ".broken-" in path.stem


def write_private(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` (text as UTF-8): under another name first, on the disk, then the
    right one. No one else can read it at any moment. A symbolic link stays: what it leads to is
    replaced. Raises OSError, and leaves the old file as it was.
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
    """Give `part`, which will replace `path`, the rights that the file at `path` has, if there is
    one: who made it private wants it so. Raises OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        part.chmod(stat.S_IMODE(path.stat().st_mode))


def sync_folder(folder: Path) -> None:
    """Have the names in `folder` on the disk: a file that was renamed into it is found there after
    a power cut. Some systems can't do that; it isn't worth a failure.
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
    """Have the content of a file on the disk. Raises OSError."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def make_private(path: Path) -> None:
    """Make the file, empty and for the person alone, if it isn't there. An existing one isn't
    even opened: to close a database would drop the locks that another connection of this process
    holds on it. Raises OSError.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def open_private(path: str, flags: int) -> int:
    """An `opener` for `open`: a file that it makes is for the person alone."""
    return os.open(path, flags, 0o600)


def lock_file(handle: int) -> bool:
    """Take the lock of an open file, at once or not at all. It belongs to this handle, and the
    system lets it go when the process dies.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        # Some network folders know no locks: then nobody there can be shown to be alive.
        _log.warning("No lock in the data folder: %s", error)
    return True


Job = Callable[[], None]


class FileWriter(Protocol):
    """Who does the writing. A job writes the state as it is when it begins, not as it was when it
    was asked for: a job that waits already isn't done twice.
    """

    def run(self, job: Job) -> Future[None]:
        """Have `job` done. What it raises is in the future."""
        ...

    def tell(self, callback: Callable[[], None]) -> None:
        """Call `callback` on the thread of those who ask for work."""
        ...

    def flush(self) -> None:
        """Wait until all is done."""
        ...


class ImmediateWriter:
    """Whoever asks waits: for commands, which have nothing else to do."""

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
        """All is done."""


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
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._call_soon(callback)

    def flush(self) -> None:
        self._pool.submit(lambda: None).result()

    def close(self) -> None:
        """Do what waits, and end. Nothing may be asked for afterwards."""
        self._pool.shutdown()
