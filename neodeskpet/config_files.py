"""Files that people may edit by hand: settings, services, MCP servers, cards of characters.

One way for all of them. What stands in them and isn't known stays. A file that can't be read is
named with the line of its fault, the last good copy of it is used, and nothing is written over it
before it was copied to `NAME.broken-TIME`. A symbolic link stays one: its target is written. In
JSON only the values that changed are replaced: comments, order, spaces and the mark at the start
stay.
"""

from __future__ import annotations

import codecs
import contextlib
import logging
import shutil
from pathlib import Path

from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.files import (
    TooLarge,
    broken_copy_path,
    last_good_path,
    read_regular,
    write_private,
)
from neodeskpet.language import tr

FileStamp = tuple[int, int]

_log = logging.getLogger(__name__)


class ConfigFile:
    """One such file, of at most `most` bytes. It holds no state but its place."""

    def __init__(self, path: Path, most: int) -> None:
        self.path = path
        self._most = most

    def read(self) -> str:
        """Its text (UTF-8, with or without a mark at its start). Raises OSError, and ValueError
        with the reason in the person's language.
        """
        return _decoded(self.path, self._most)

    def write(self, text: str) -> None:
        """Put `text` into it, all or nothing, and make its folder. Raises OSError."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self.path, _mark(self.path) + text.encode())

    def write_values(self, before: str, values: object) -> str:
        """Put `values` into its JSON text, which was `before` ("" for none), and write it; the new
        text. Raises OSError.
        """
        try:
            text = edited(before, values)
        except ValueError:
            if before.strip():
                self.copy_broken()
            text = laid_out(values)
        self.write(text)
        return text

    def save_good_copy(self, text: str) -> None:
        """Keep a text that could be used, for a day on which the file can't."""
        with contextlib.suppress(OSError):
            write_private(last_good_path(self.path), text)

    def good_copy(self) -> str | None:
        """The last text that could be used; None if there is none."""
        try:
            return _decoded(last_good_path(self.path), self._most)
        except (OSError, ValueError):
            return None

    def copy_broken(self, text: str | None = None) -> Path:
        """Copy the file, which can't be read, to a name of its own, or `text` in its place; the
        copy. Raises OSError.
        """
        copy = broken_copy_path(self.path)
        if text is not None:
            write_private(copy, text)
        else:
            shutil.copy2(self.path, copy)
        _log.warning("%s can't be used and is kept as %s", self.path, copy.name)
        return copy

    def remove(self) -> None:
        """Take it away, with its last good copy. Raises OSError."""
        self.path.unlink(missing_ok=True)
        last_good_path(self.path).unlink(missing_ok=True)


def _mark(path: Path) -> bytes:
    """The mark (BOM) with which the file begins, b"" for none."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return codecs.BOM_UTF8 if file.read(3) == codecs.BOM_UTF8 else b""
    return b""


def _decoded(path: Path, most: int) -> str:
    try:
        data = read_regular(path, most)
    except TooLarge:
        raise ValueError(tr("it is too large")) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(tr("line {line}", line=str(line)) + ": UTF-8") from error


def stamp_of(path: Path) -> FileStamp | None:
    """What is another after each change of the file; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
