"""Text files as they are on the disk: encoding, line ends, and writing that leaves no half file."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from neodeskpet.core.wording import N_
from neodeskpet.encodings import decode_text, is_utf16
from neodeskpet.files import TooLarge, read_regular, sync_folder
from neodeskpet.tools.files.folders import file_refused

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
