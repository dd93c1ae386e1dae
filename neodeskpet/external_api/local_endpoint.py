"""The endpoint of the running app on this computer: a socket in a private folder; its address and
key are in a file that only the user can read.

The key is new at each start. A program that knows it could also read the data folder, so it runs as
the user; its texts are still untrusted.
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

_MAX_SOCKET_PATH = 90  # bytes; the limit for a socket's path is 104, on some systems less


@dataclass(frozen=True, slots=True)
class LocalEndpoint:
    """The endpoint. `address` is the path of a socket, on Windows the name of a pipe."""

    address: str
    key: str = field(repr=False)


def endpoint_address(home: Path) -> tuple[str, Path | None]:
    """Return the address to listen on: in the runtime folder, else below the data folder, else (if
    the path is too long for a socket) in a new folder, which is the second value.
    """
    digest = hashlib.sha256(str(home).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    name = f"neodeskpet-{digest}"
    if sys.platform == "win32":
        return name, None  # a pipe has no folder
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
    """Return whether it is our own folder without permissions for others."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    ours = sys.platform == "win32" or found.st_uid == os.getuid()
    return (
        folder.is_absolute() and stat.S_ISDIR(found.st_mode) and ours and not found.st_mode & 0o077
    )


def write_endpoint_file(home: Path, endpoint: LocalEndpoint | None) -> None:
    """Write the endpoint (None: not reachable) and the process id. The file's first byte is locked:
    on Windows no other process can read it.
    """
    place = f"{endpoint.address}\n{endpoint.key}" if endpoint is not None else "\n"
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
    """Return the endpoint of the app that runs with `home`; None if there is none."""
    lines = _endpoint_lines(home)
    return LocalEndpoint(lines[0], lines[1]) if len(lines) > 1 and lines[0] and lines[1] else None


def running_pid(home: Path) -> int | None:
    """Return the process id in the file: the running app's while the lock is held."""
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
