"""Text files as they are on the disk: encoding, line ends, and writing that leaves no half file."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from neodeskpet.core.wording import N_
from neodeskpet.encodings import decode_text, is_utf16
from neodeskpet.files import TooLarge, read_regular, sync_folder
from neodeskpet.tools.files.folders import refused

BYTES = 5_000_000
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
        content = read_regular(path, BYTES)
    except TooLarge:
        megabytes = str(BYTES // 10**6)
        raise refused(named, N_("it is larger than {megabytes} MB."), megabytes=megabytes) from None
    if b"\0" in content[:_LOOK] and not is_utf16(content):
        raise refused(named, N_("it is no text."))
    return decode(content)


def decode(content: bytes) -> TextFile:
    """What `decode_text` reads, with its line ends made plain."""
    text, encoding = decode_text(content)
    newline = "\r\n" if "\r\n" in text else "\n"
    return TextFile(text.replace("\r\n", "\n"), encoding, newline)


def write(path: Path, content: bytes) -> None:
    """Put `content` in place of the file in one step; its rights stay. Raises OSError."""
    rights = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(rights if rights is not None else 0o644)
        Path(name).replace(path)
        sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def difference(before: str, after: str, name: str) -> str:
    """A unified diff of two texts."""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm=""
    )
    return "\n".join(lines)
