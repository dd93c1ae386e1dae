"""Text files on the disk: encoding, line ends, writing that leaves no half file, copies of what was
overwritten, and restoring from the trash.
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
"""A larger file is no text to read."""
_LOOK = 8_192


@dataclass(frozen=True, slots=True)
class TextFile:
    """`text` with plain line ends; `encoding` and `newline` as they stand in the file."""

    text: str
    encoding: str = "utf-8"
    newline: str = "\n"

    def content(self, text: str) -> bytes:
        """`text` as this file is written; in UTF-8 where its own encoding can't say it."""
        ended = text.replace("\r\n", "\n").replace("\n", self.newline)
        try:
            return ended.encode(self.encoding)
        except UnicodeEncodeError:
            return ended.encode("utf-8", "replace")


def read_text(path: Path, named: str) -> TextFile:
    """The text file at `path`, which the model calls `named`. Raises ToolError and OSError."""
    try:
        content = read_regular(path, MOST_TEXT_BYTES)
    except TooLarge:
        megabytes = str(MOST_TEXT_BYTES // 10**6)
        raise file_refused(
            named, N_("it is larger than {megabytes} MB."), megabytes=megabytes
        ) from None
    if b"\0" in content[:_LOOK] and not is_utf16(content):
        raise file_refused(named, N_("it is no text."))
    return decode_file(content)


def decode_file(content: bytes) -> TextFile:
    """What `decode_text` reads, with its line ends made plain."""
    text, encoding = decode_text(content)
    newline = "\r\n" if "\r\n" in text else "\n"
    return TextFile(text.replace("\r\n", "\n"), encoding, newline)


def is_write_protected(path: Path) -> bool:
    """Whether the file is there and nobody may write it."""
    return path.exists() and not stat.S_IMODE(path.stat().st_mode) & 0o222


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` in place of the file in one step. An existing file keeps its rights, a new one
    gets those that the system gives new files. Raises OSError.
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
    """A unified diff of two texts."""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
    )
    return "\n".join(lines)


KEPT_SECONDS = 7 * 86_400
_ABSENT = ""


def file_digest(path: Path) -> str:
    """Of a file's content; "" if there is none."""
    try:
        return hashlib.sha256(_content(path)).hexdigest()
    except FileNotFoundError:
        return _ABSENT


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read()


class FileBackups:
    """`folder` is made when it is needed."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock

    def add(self, path: Path) -> dict[str, object]:
        """Keep what is at `path` now; what `restore` needs, but for the digest that follows the
        change. Raises OSError.
        """
        self._drop_old()
        before = file_digest(path)
        if before:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._folder / before, _content(path))
        return {"until": self._clock() + KEPT_SECONDS, "path": str(path), "before": before}

    def restore(self, data: Mapping[str, object]) -> bool:
        """Whether the file is again as it was kept. Raises OSError and KeyError."""
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
    """Whether what was at `path`, put into the trash after `since` (unix seconds), is back there.
    Raises OSError.
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
    """What the trashes that `path` may be in hold, the newest first: the folder that a path in it
    begins at, and the file that tells it.
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
    """Where it was: a whole path, or one within the trash's disk."""
    for line in info.read_text("utf-8", "replace").splitlines():
        if line.startswith("Path="):
            return unquote(line.removeprefix("Path="))
    return ""
