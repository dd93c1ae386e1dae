"""Files that people may edit by hand: settings, services, MCP servers, character cards.

Unknown content stays. A file that cannot be read is reported with the line of its error, the last
good copy is used, and nothing is written over it before it was copied to `NAME.broken-TIME`. A
symbolic link stays one: its target is written.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_edit import edited, laid_out
from neodeskpet.core.json_text import TooDeep
from neodeskpet.language import tr
from neodeskpet.platform.private_files import (
    NotRegular,
    TooLarge,
    broken_copy_path,
    last_good_path,
    read_regular,
    write_private,
)

_MEGABYTE = 1_000_000

_BY_NUMBER: Mapping[int, str] = {
    errno.ENOENT: N_("The file does not exist."),
    errno.ENOTDIR: N_("The file does not exist."),
    errno.EACCES: N_("You may not read this file."),
    errno.EPERM: N_("You may not read this file."),
    errno.EISDIR: N_("It is a folder, not a file."),
    errno.ENAMETOOLONG: N_("The name of the file is too long."),
    errno.ELOOP: N_("The symbolic link leads to itself."),
}


def read_error_reason(error: Exception) -> Reason:
    """One sentence. `error` was raised while a file was opened, read, decoded or parsed."""
    match error:
        case TooLarge():
            most = str(error.most // _MEGABYTE) if error.most >= _MEGABYTE else "1"
            return Reason(N_("It is larger than {count} MB."), {"count": most})
        case NotRegular():
            return Reason(N_("It is not a regular file."))
        case OSError():
            return Reason(_BY_NUMBER.get(error.errno or 0, N_("The file can't be read.")))
        case UnicodeDecodeError():
            line = str(error.object.count(b"\n", 0, error.start) + 1)
            return Reason(N_("Line {line} is not UTF-8 text."), {"line": line})
        case json.JSONDecodeError():
            return Reason(N_("Line {line} is not valid JSON."), {"line": str(error.lineno)})
        case TooDeep() | RecursionError():
            return Reason(N_("It is nested too deeply."))
    return Reason(N_("It is damaged, or its type doesn't match its name."))


class SettingsRestored(SettingsError):
    code = "settings_restored"
    hint = N_("The file is kept as {copy}; the last good settings are used.")


class WrongValues(SettingsError):
    code = "settings_wrong_values"
    what = N_("Some values of the settings can't be used, so their defaults are.")
    hint = N_("Repair them in {file}, or choose them anew in the settings.")


class InvalidSetting(SettingsError):
    """`title` is the setting's title in the person's language."""

    code = "invalid_setting"
    what = N_("“{title}” can't have this value.")
    hint = N_("Choose another value.")


class SettingsNotSaved(SettingsError):
    code = "settings_not_saved"
    what = N_("The settings can't be saved to {file}.")
    hint = N_(
        "They apply until NeoDeskPet ends. Check the free disk space and the permissions of the "
        "folder."
    )


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
