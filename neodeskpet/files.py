"""Small files of the person's own: written all or nothing, and readable by nobody else."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_private(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` (text as UTF-8): under another name first, on the disk, then the
    right one. No one else can read it at any moment. Raises OSError, and leaves the old file as it
    was.
    """
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
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


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
