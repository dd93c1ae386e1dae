"""Text files on the disk: encoding, line ends, atomic writing, backups of overwritten files, and
restoring from the trash.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from urllib.parse import unquote

from neodeskpet.core.i18n import N_
from neodeskpet.platform.private_files import (
    TooLarge,
    open_regular,
    read_regular,
    sync_folder,
    write_private,
)
from neodeskpet.platform.text_encoding import decode_text, is_utf16
from neodeskpet.tools.files.allowed_folders import file_refused

MOST_TEXT_BYTES = 5_000_000
"""Largest file that is read as text."""
_LOOK = 8_192


@dataclass(frozen=True, slots=True)
class TextFile:
    """`text` has "\\n" as line ends; `encoding` and `newline` are those of the file."""

    text: str
    encoding: str = "utf-8"
    newline: str = "\n"

    def content(self, text: str) -> bytes:
        """Encode `text` for this file; in UTF-8 if the file's encoding lacks a character."""
        ended = text.replace("\r\n", "\n").replace("\n", self.newline)
        try:
            return ended.encode(self.encoding)
        except UnicodeEncodeError:
            return ended.encode("utf-8", "replace")


def read_text(path: Path, named: str) -> TextFile:
    """Read the text file at `path`; errors show it as `named`. Raises ToolError and OSError."""
    try:
        content = read_regular(path, MOST_TEXT_BYTES)
    except TooLarge:
        megabytes = str(MOST_TEXT_BYTES // 10**6)
        raise file_refused(
            named, N_("it is larger than {megabytes} MB."), megabytes=megabytes
        ) from None
    if b"\0" in content[:_LOOK] and not is_utf16(content):
        raise file_refused(named, N_("it isn't a text file."))
    return decode_file(content)


def decode_file(content: bytes) -> TextFile:
    """Decode a file with `decode_text` and normalize its line ends."""
    text, encoding = decode_text(content)
    newline = "\r\n" if "\r\n" in text else "\n"
    return TextFile(text.replace("\r\n", "\n"), encoding, newline)


def is_write_protected(path: Path) -> bool:
    """Return whether the file exists and has no write permission."""
    return path.exists() and not stat.S_IMODE(path.stat().st_mode) & 0o222


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file atomically. An existing file keeps its permissions, a new one gets the
    system's default. Raises OSError.
    """
    if is_write_protected(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    rights = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    name = str(path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}"))
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    handle = os.open(name, flags, 0o666 if rights is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if rights is not None:
            Path(name).chmod(rights)
        Path(name).replace(path)
        sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def diff_text(before: str, after: str, name: str) -> str:
    """Return a unified diff of two texts."""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
    )
    return "\n".join(lines)


KEPT_SECONDS = 7 * 86_400
_ABSENT = ""


def file_digest(path: Path) -> str:
    """Return the digest of a file's content; "" if there is no file."""
    try:
        return hashlib.sha256(_content(path)).hexdigest()
    except FileNotFoundError:
        return _ABSENT


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


class FileBackups:
    """Backups of files that tools change; `folder` is created on first use."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def add(self, path: Path) -> dict[str, object]:
        """Back up the file at `path` and return the undo data. The caller adds the digest after the
        change. Raises OSError.
        """
        self._drop_old()
        before = file_digest(path)
        if before:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._folder / before, _content(path))
        return {"until": self._clock() + KEPT_SECONDS, "path": str(path), "before": before}

    def restore(self, data: Mapping[str, object]) -> bool:
        """Restore a file; return False if it was changed since or the backup is missing. Raises
        OSError and KeyError.
        """
        path = Path(str(data["path"]))
        before = str(data["before"])
        if file_digest(path) != str(data["after"]):
            return False
        if not before:
            path.unlink()
            return True
        kept = self._folder / Path(before).name
        if not kept.is_file():
            return False
        replace_file(path, kept.read_bytes())
        return True

    def _drop_old(self) -> None:
        if not self._folder.is_dir():
            return
        for file in self._folder.iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < self._clock() - KEPT_SECONDS:
                    file.unlink()


def restore_from_trash(path: Path, since: float) -> bool:
    """Restore what was moved from `path` to the trash after `since` (unix seconds); return whether
    that succeeded. Raises OSError.
    """
    if os.path.lexists(path) or not path.parent.is_dir():
        return False
    for top, info in _infos(path):
        if info.stat().st_mtime >= since - 2 and top / _was(info) == path:
            content = info.parent.parent / "files" / info.stem
            if os.path.lexists(content):
                content.rename(path)
                info.unlink()
                return True
    return False


def _infos(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the entries of the trashes that `path` may be in, the newest first: the folder that
    relative paths start at, and the `.trashinfo` file.
    """
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    trashes = [(Path("/"), home / "Trash")]
    for parent in path.parents:
        if os.path.ismount(parent):
            user = os.getuid() if hasattr(os, "getuid") else 0
            trashes += [
                (parent, parent / ".Trash" / str(user)),
                (parent, parent / f".Trash-{user}"),
            ]
    for top, trash in trashes:
        folder = trash / "info"
        if folder.is_dir():
            infos = folder.glob("*.trashinfo")
            for info in sorted(infos, key=lambda one: one.stat().st_mtime, reverse=True):
                yield top, info


def _was(info: Path) -> str:
    """Return the original path: absolute, or relative to the top of the trash's disk."""
    for line in info.read_text("utf-8", "replace").splitlines():
        if line.startswith("Path="):
            return unquote(line.removeprefix("Path="))
    return ""
