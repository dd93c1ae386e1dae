"""Where the running app is reached on this computer: a socket in a private folder, whose address
and key stand in a file that only the person can read.

The key is new at each start. Who knows it could read the data folder, so it is a program of the
person's; what it says is text of others all the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ENDPOINT_FILE = "neodeskpet.lock"

_MAX_SOCKET_PATH = 90  # bytes: a socket's path must fit into 104, here and there less


@dataclass(frozen=True, slots=True)
class LocalEndpoint:
    """`address` is the path of a socket, on Windows the name of a pipe."""

    address: str
    key: str = field(repr=False)


def endpoint_address(home: Path) -> tuple[str, Path | None]:
    """Where to listen: in the runtime folder, else below the data folder, else (when its path is
    too long for a socket) in a new folder, which is the second value.
    """
    digest = hashlib.sha256(str(home).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    name = f"neodeskpet-{digest}"
    if sys.platform == "win32":
        return name, None  # a pipe, which has no folder
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    own = home / "run"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700, exist_ok=True)
    for folder in (*([Path(runtime)] if runtime else []), own):
        path = str(folder / name)
        if len(os.fsencode(path)) <= _MAX_SOCKET_PATH and is_private(folder):
            return path, None
    made = Path(tempfile.mkdtemp(prefix="neodeskpet-"))
    return str(made / "door"), made


def is_private(folder: Path) -> bool:
    """Whether it is a folder, ours, and nobody else can do anything in it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = sys.platform == "win32" or found.st_uid == os.getuid()
    return (
        folder.is_absolute() and stat.S_ISDIR(found.st_mode) and ours and not found.st_mode & 0o077
    )


def write_endpoint_file(home: Path, door: LocalEndpoint | None) -> None:
    """Say where the app is reached (None: nowhere), and which process it is. The file's first byte
    is the one that is locked: Windows lets nobody else read it.
    """
    place = f"{door.address}\n{door.key}" if door is not None else "\n"
    said = f"{place}\n{os.getpid()}\n"
    with contextlib.suppress(OSError):
        handle = os.open(home / ENDPOINT_FILE, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            os.lseek(handle, 1, os.SEEK_SET)
            os.write(handle, said.encode("utf-8", "surrogateescape"))
            os.ftruncate(handle, os.lseek(handle, 0, os.SEEK_CUR))
        finally:
            os.close(handle)


def read_endpoint_file(home: Path) -> LocalEndpoint | None:
    """Where the app is reached that runs with `home`; None if it isn't known to run."""
    lines = _endpoint_lines(home)
    return LocalEndpoint(lines[0], lines[1]) if len(lines) > 1 and lines[0] and lines[1] else None


def running_pid(home: Path) -> int | None:
    """The process that last said where it is reached: the running one while the lock is held."""
    lines = _endpoint_lines(home)
    number = lines[2] if len(lines) > 2 else ""
    return int(number) if number.isascii() and number.isdigit() else None


def _endpoint_lines(home: Path) -> list[str]:
    try:
        with (home / ENDPOINT_FILE).open("rb") as file:
            file.seek(1)
            return file.read().decode("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []
